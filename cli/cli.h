/* cli.h -- what the commands share: a session, its commands, packs, report, progress.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"
#include "dsl/dsl.h"

struct api_images;

/* One run of the command. All that it makes lives in the arena. */
struct session {
    struct arena arena;
    struct diag_sink diags;
    struct options options;
    uint32_t printed; /* diagnostics of the list that were printed already */
    struct api_images *images; /* of the library and of plug-ins, once they are asked for */
    struct pm_natives natives; /* of plug-ins, for packs_natives */
};

struct command {
    const char *name; /* "rules", or NULL for the main job */
    enum command_bit bit;
    enum rw_code (*run)(struct session *s); /* returns the exit status */
    const char *usage; /* behind "onnxrw" */
    uint32_t least, most; /* number of arguments */
    const char *what;
};

enum rw_code cmd_run(struct session *s);
enum rw_code cmd_print(struct session *s);
enum rw_code cmd_parse(struct session *s);
enum rw_code cmd_check(struct session *s);
enum rw_code cmd_infer(struct session *s);
enum rw_code cmd_rules(struct session *s);
enum rw_code cmd_explain(struct session *s);
enum rw_code cmd_diff(struct session *s);
enum rw_code cmd_bench(struct session *s);
enum rw_code cmd_tune(struct session *s);
enum rw_code cmd_capture(struct session *s);
enum rw_code cmd_completion(struct session *s);

/* --- main.c ------------------------------------------------------------------------- */
/* The main job, then the commands in the order of --help; NULL behind the last. */
const struct command *command_at(size_t i);

/* --- session.c ---------------------------------------------------------------------- */
/* Prints the diagnostics that came since the last call; errors only with -q. */
void session_flush(struct session *s);
/* "" for one, else "s". */
static inline const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }
/* Prints one error and returns RW_USAGE. */
enum rw_code session_usage(struct session *s, const char *format, ...) RW_PRINTF(2, 3);
/* A text file, or standard input for "-"; NULL after an error. */
const struct diag_source *session_read(struct session *s, const char *path);
/* A text to standard output, or to a file that appears complete or not at all. */
enum rw_code session_write(struct session *s, const char *path, const struct buf *text);
/* Can it be written there? For what takes long and writes at the end; leaves nothing. */
enum rw_code session_can_write(struct session *s, const char *path);
/* `path` with its extension, when it is `from`, replaced by `to`, else with `to` added. */
const char *session_rename(struct session *s, const char *path, const char *from,
                           const char *to);

/* --- packs.c ------------------------------------------------------------------------ */
/* Loads the packs named, or `auto.rules`; NULL after an error. */
const struct rule_pack *const *packs_load(struct session *s, uint32_t n,
                                          const char *const *names);
/* RW_USAGE, with a name that is near, where --rule names none of theirs. */
enum rw_code packs_check_rule(struct session *s, uint32_t n, const struct rule_pack *const *packs);
/* Compiles them, with what raises opsets; NULL after an error. */
const struct pm_auto *packs_compile(struct session *s, uint32_t n,
                                    const struct rule_pack *const *packs);

/* What a run has to apply: the packs of its options, or of its plug-ins, or `auto.rules`.
 * Compiled forms are taken where there are some; NULL after an error. */
const struct pm_auto *packs_for_run(struct session *s);
/* What the options say of rewriting. */
struct pm_options packs_run_options(const struct options *o,
                                    const struct pm_natives *natives);
/* The predicates of plug-ins; NULL after an error, such as packs that do not agree with them. */
const struct pm_natives *packs_natives(struct session *s, const struct pm_auto *rules);

/* --- measure.c ---------------------------------------------------------------------- */
/* What a model is to be run on: --inputs, or made up with the sizes of --dim. */
enum rw_code measure_inputs(struct session *s, struct ir_model *m, struct judge_values *out);
/* `x float[2, 3], y int64[]` */
void measure_print_inputs(const struct judge_values *in, struct buf *out);

/* --- report.c ----------------------------------------------------------------------- */
struct stage_time { const char *name; double seconds; };
struct stages {
    double last;
    uint32_t n;
    struct stage_time at[8];
};
void stages_begin(struct stages *t);
void stages_end(struct stages *t, const char *name); /* the time since the last call */
/* The table of what was applied. */
void report_applied(const struct pm_report *r, bool verbose, struct buf *out);
void report_times(const struct stages *t, struct buf *out);

/* --- progress.c --------------------------------------------------------------------- */
/* A line on the terminal that appears when the work takes longer than half a second. */
struct progress { double begin, shown; bool visible, off; };
void progress_begin(struct progress *p, bool off);
void progress_step(void *p, const char *stage, uint64_t done, uint64_t total);
void progress_end(struct progress *p);

#endif
