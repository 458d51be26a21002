/* options.h -- the command line as data: one table of options for all commands.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/buf.h"
#include "base/vec.h"
#include "ir/model.h"
#include "ir/pass.h"
#include "judge/inputs.h"
#include "matcher/matcher.h"

/* Which commands take an option. */
enum command_bit {
    FOR_RUN = 1, FOR_EXPLAIN = 2, FOR_CHECK = 4, FOR_INFER = 8, FOR_PRINT = 16,
    FOR_PARSE = 32, FOR_DIFF = 64, FOR_CAPTURE = 128, FOR_RULES = 256,
    FOR_COMPLETION = 512, FOR_BENCH = 1024, FOR_TUNE = 2048, FOR_ALL = 4095
};

/* --disable NAMES: optimisers of the runtime, for the model in front of it. */
struct option_disable {
    uint32_t nmodels; /* that stood before it; 0: for all */
    const char *names; /* `;` between them, as the runtime wants it */
};

struct options {
    bool help, all, json, dry_run, durable, keep_opset, inline_functions, time, original_on_error;
    int verbosity; /* -1: quiet, 0, 1: verbose */
    const char *out; /* -o, or NULL */
    uint32_t target;
    int64_t opset;
    enum rule_class level;
    enum ir_weights weights;
    uint64_t fold_limit; /* bytes */
    bool fold_alone;     /* --fold-ort=off */
    enum pm_verify verify;
    const char *rule, *node, *keep, *ort, *name; /* --rule, --node ..., or NULL */
    int64_t seed, count, jobs, threads, runs;
    double limit; /* --time S of tune */
    VEC(struct judge_size_wish) dims;
    VEC(struct option_disable) disables;
    VEC(const char *) inputs, outputs; /* .npz files; of capture: names of values */
    bool random;      /* --random */
    double tolerance; /* negative: what class float allows, by type */
    VEC(const char *) packs, plugins;
    VEC(struct pm_define) defines;
    VEC(const char *) args; /* what is no option */
};

/* Reads argv[first..argc) for the command `bit` into *o, which starts with the defaults.
 * false, with a message in *error, for what the command does not take. */
bool options_parse(int argc, char **argv, int first, enum command_bit bit, struct arena *a,
                   struct options *o, struct buf *error);
/* An option as it is shown; letter 0, name or value NULL: it has none. */
struct option_shown {
    char letter;
    const char *name, *value, *what;
    const char *words; /* that may be its value, with blanks between them; NULL: anything */
};
/* The options of a command in the order of the table, from number *at on, which goes along;
 * false behind the last. */
bool options_next(enum command_bit bit, size_t *at, struct option_shown *out);
/* The lines of `--help` that describe the options of a command. */
void options_describe(enum command_bit bit, struct buf *out);

#endif
