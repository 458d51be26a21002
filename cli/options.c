/* options.c -- see options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/options.h"
#include "judge/ratio.h"

#include <errno.h>

enum option_id {
    OPT_PACK, OPT_OUT, OPT_DEFINE, OPT_TARGET, OPT_OPSET, OPT_KEEP_OPSET, OPT_INLINE, OPT_LEVEL,
    OPT_WEIGHTS, OPT_VERIFY, OPT_ON_ERROR, OPT_DRY_RUN, OPT_DURABLE, OPT_TIME, OPT_ALL,
    OPT_RULE, OPT_NODE, OPT_KEEP, OPT_ORT, OPT_SEED, OPT_COUNT, OPT_JOBS, OPT_JSON,
    OPT_QUIET, OPT_VERBOSE, OPT_HELP, OPT_INPUTS, OPT_RANDOM, OPT_TOLERANCE, OPT_FOLD_LIMIT,
    OPT_OUTPUTS, OPT_VALUES, OPT_NAME, OPT_PLUGIN, OPT_DIM, OPT_THREADS, OPT_RUNS,
    OPT_DISABLE, OPT_LIMIT, OPT_FOLD_ORT
};

#define MODEL_OUT (FOR_RUN | FOR_INFER | FOR_PRINT | FOR_PARSE | FOR_TUNE)
#define FOR_REWRITING (FOR_RUN | FOR_EXPLAIN | FOR_TUNE)
#define FOR_TIMING (FOR_BENCH | FOR_TUNE)

struct option_def {
    enum option_id id;
    char letter;      /* -r, or 0 */
    const char *name; /* --target, without the dashes, or NULL */
    const char *value; /* what stands behind it, as shown; NULL: nothing */
    uint32_t commands;
    const char *what;
    const char *words; /* its values, where there are but some; NULL: any */
};
static const struct option_def defs[] = {
    {OPT_PACK, 'r', "rules", "PACK", FOR_REWRITING,
     "a rules file, or the name of a pack; may be repeated", NULL},
    {OPT_PLUGIN, 0, "plugin", "LIBRARY", FOR_REWRITING | FOR_RULES,
     "take packs and predicates from a library; without -r: all of its packs", NULL},
    {OPT_OUT, 'o', "output", "OUT", MODEL_OUT | FOR_CAPTURE | FOR_RULES,
     "where to write; - is standard output", NULL},
    {OPT_DEFINE, 'D', "define", "NAME=VALUE", FOR_REWRITING,
     "a parameter of a pack", NULL},
    {OPT_TARGET, 0, "target", "TARGET", FOR_REWRITING,
     "what the result must run on: ort (default; tune: ort-cpu), ort-cpu, ort-cuda, onnx",
     "ort ort-cpu ort-cuda onnx"},
    {OPT_LEVEL, 'O', NULL, "0|1|2", FOR_REWRITING,
     "exact rules only, also rounding (default), also approximations", NULL},
    {OPT_OPSET, 0, "opset", "N", FOR_REWRITING, "raise the model to opset N first", NULL},
    {OPT_KEEP_OPSET, 0, "keep-opset", NULL, FOR_REWRITING,
     "leave out rules that need a newer opset", NULL},
    {OPT_INLINE, 0, "inline-functions", NULL, FOR_REWRITING,
     "put the nodes of model-local functions where they are called", NULL},
    {OPT_WEIGHTS, 0, "weights", "HOW", FOR_RUN | FOR_TUNE,
     "copy (default), external: to a data file beside OUT, share: stay in MODEL",
     "copy external share"},
    {OPT_FOLD_LIMIT, 0, "fold-limit", "BYTES", FOR_RUN | FOR_TUNE,
     "by how much folding one constant may enlarge the file (default 64K)", NULL},
    {OPT_FOLD_ORT, 0, "fold-ort", "auto|off", FOR_RUN,
     "off: no constants by ONNX Runtime where onnxrw has not the operator", "auto off"},
    {OPT_VERIFY, 0, "verify", "HOW", FOR_RUN | FOR_TUNE,
     "off, structure (default), or by ONNX Runtime: rewrites, model",
     "off structure rewrites model"},
    {OPT_VALUES, 0, "inputs", "A,B", FOR_CAPTURE, "values that the subgraph begins with", NULL},
    {OPT_OUTPUTS, 0, "outputs", "Y,Z", FOR_CAPTURE, "values that it makes", NULL},
    {OPT_NAME, 0, "name", "NAME", FOR_CAPTURE, "of the rule (default: from the output)", NULL},
    {OPT_INPUTS, 0, "inputs", "X.npz", FOR_RUN | FOR_DIFF,
     "run on these (--verify=model: else made up); may be repeated", NULL},
    {OPT_INPUTS, 0, "inputs", "X.npz", FOR_TIMING, "run on these (else made up)", NULL},
    {OPT_DIM, 0, "dim", "NAME=N", FOR_TIMING,
     "a size for inputs made up: of a dimension, or INPUT[1]=N; may be repeated", NULL},
    {OPT_THREADS, 0, "threads", "N", FOR_TIMING, "of the runtime (default 1)", NULL},
    {OPT_RUNS, 0, "runs", "N", FOR_BENCH, "fresh processes for each model (default 6)", NULL},
    {OPT_DISABLE, 0, "disable", "NAMES", FOR_BENCH,
     "optimisers of the runtime that are off for the model before, or for all", NULL},
    {OPT_ORT, 0, "ort", "PATH", FOR_RUN | FOR_RULES | FOR_DIFF | FOR_TIMING,
     "the library of ONNX Runtime", NULL},
    {OPT_ON_ERROR, 0, "on-error", "fail|original", FOR_RUN,
     "original: leave a copy of the input when a rewrite goes wrong", "fail original"},
    {OPT_DRY_RUN, 0, "dry-run", NULL, FOR_RUN | FOR_RULES, "do all but write", NULL},
    {OPT_DURABLE, 0, "durable", NULL, FOR_RUN | FOR_INFER | FOR_PARSE | FOR_TUNE,
     "be sure that the output is on the disk", NULL},
    {OPT_LIMIT, 0, "time", "S", FOR_TUNE, "how many seconds it may take (default 300)", NULL},
    {OPT_TIME, 0, "time", NULL, FOR_RUN, "show the time of each stage and the peak memory", NULL},
    {OPT_ALL, 0, "all", NULL, FOR_PRINT, "print large constants in full", NULL},
    {OPT_ALL, 0, "all", NULL, FOR_RULES, "test, doc: rules of used packs too", NULL},
    {OPT_RANDOM, 0, "random", NULL, FOR_DIFF, "run both models on inputs that are made up", NULL},
    {OPT_TOLERANCE, 0, "tolerance", "X|type", FOR_DIFF,
     "errors up to X * max(1, |v|) are none (default 1e-5); type: more for small types", NULL},
    {OPT_JSON, 0, "json", NULL,
     FOR_CHECK | FOR_INFER | FOR_DIFF | FOR_EXPLAIN | FOR_RULES | FOR_BENCH,
     "what was found as JSON on standard output", NULL},
    {OPT_RULE, 0, "rule", "RULE", FOR_RULES | FOR_EXPLAIN, "of this rule alone", NULL},
    {OPT_NODE, 0, "node", "NODE", FOR_EXPLAIN,
     "this node alone, by its name or that of a result", NULL},
    {OPT_COUNT, 0, "count", "N", FOR_RULES,
     "test: instances of a rule that are compared (default 200; 0: examples only)", NULL},
    {OPT_SEED, 0, "seed", "N", FOR_RULES | FOR_DIFF | FOR_TIMING,
     "begin with other random numbers", NULL},
    {OPT_JOBS, 0, "jobs", "N", FOR_RULES, "test: rules at a time (default: processors)", NULL},
    {OPT_KEEP, 0, "keep", "FOLDER", FOR_RULES, "test: write counter-examples there", NULL},
    {OPT_QUIET, 'q', "quiet", NULL, FOR_ALL, "errors only", NULL},
    {OPT_VERBOSE, 'v', "verbose", NULL, FOR_ALL, "more detail", NULL},
    {OPT_HELP, 'h', "help", NULL, FOR_ALL, "this text", NULL},
};

/* --- values ------------------------------------------------------------------------- */

struct choice { const char *word; uint32_t value; };

static const struct choice targets[] = {
    {"onnx", TARGET_ONNX}, {"ort", TARGET_ORT}, {"ort-cpu", TARGET_ORT_CPU},
    {"ort-cuda", TARGET_ORT_CUDA}};
static const struct choice levels[] = {
    {"0", CLASS_EXACT}, {"1", CLASS_FLOAT}, {"2", CLASS_APPROX}};
static const struct choice weights[] = {
    {"copy", IR_WEIGHTS_COPY}, {"share", IR_WEIGHTS_SHARE},
    {"external", IR_WEIGHTS_EXTERNAL}};
static const struct choice verifications[] = {
    {"off", PM_VERIFY_OFF}, {"structure", PM_VERIFY_STRUCTURE},
    {"rewrites", PM_VERIFY_REWRITES}, {"model", PM_VERIFY_MODEL}};
static const struct choice fold_orts[] = {{"auto", 0}, {"off", 1}};
static const struct choice on_errors[] = {{"fail", 0}, {"original", 1}};

struct reader {
    struct arena *arena;
    struct options *o;
    struct buf *error;
};

static bool choose(struct reader *r, const struct option_def *d, const char *value,
                   const struct choice *choices, size_t n, uint32_t *out) {
    for (size_t i = 0; i < n; i++) {
        if (!rw_streq(value, choices[i].word)) continue;
        *out = choices[i].value;
        return true;
    }
    buf_printf(r->error, "\"%s\" is no value of %s%s", value, d->name ? "--" : "-",
               d->name ? d->name : "O");
    for (size_t i = 0; i < n; i++)
        buf_printf(r->error, "%s%s", i ? ", " : ": it takes ", choices[i].word);
    return false;
}

static bool read_opset(struct reader *r, const char *value) {
    char *end;
    errno = 0;
    long long n = strtoll(value, &end, 10);
    if (errno || *end || end == value || n < 1 || n > 1000) {
        buf_printf(r->error, "\"%s\" is no version of an opset", value);
        return false;
    }
    r->o->opset = n;
    return true;
}

static bool read_number(struct reader *r, const struct option_def *d, const char *value,
                        int64_t *out) {
    char *end;
    errno = 0;
    long long n = strtoll(value, &end, 10);
    if (errno || *end || end == value || n < 0 || n > 1000000000) {
        buf_printf(r->error, "\"%s\" is no value of --%s: it takes a number", value,
                   d->name);
        return false;
    }
    *out = n;
    return true;
}

/* Bytes, or with a letter behind them, K, M or G, so many powers of 1024. */
static bool read_size(struct reader *r, const struct option_def *d, const char *value,
                      uint64_t *out) {
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    uint64_t factor = unit ? (uint64_t)1 << (10 * (unit - units + 1)) : 1;
    bool ok = *value >= '0' && *value <= '9' && !errno && !end[unit != NULL] &&
              !__builtin_mul_overflow((uint64_t)n, factor, out);
    if (!ok)
        buf_printf(r->error, "\"%s\" is no value of --%s: it takes a number of bytes",
                   value, d->name);
    return ok;
}

#define BY_TYPE -1.0

static bool read_tolerance(struct reader *r, const char *value) {
    char *end;
    double x = strtod(value, &end);
    bool is_number = *value && !*end && x >= 0 && x < 1e30;
    r->o->tolerance = is_number ? x : BY_TYPE;
    if (is_number || rw_streq(value, "type")) return true;
    buf_printf(r->error,
               "\"%s\" is no value of --tolerance: it takes a number, or \"type\"", value);
    return false;
}

static bool read_define(struct reader *r, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        buf_printf(r->error, "\"%s\" behind -D is not NAME=VALUE", value);
        return false;
    }
    struct pm_define d = {arena_strndup(r->arena, value, (size_t)(equals - value)),
                          equals + 1};
    vec_push(r->arena, &r->o->defines, d);
    return true;
}

static bool read_count(struct reader *r, const struct option_def *d, const char *value,
                       int64_t most, int64_t *out) {
    if (!read_number(r, d, value, out)) return false;
    if (*out >= 1 && *out <= most) return true;
    buf_printf(r->error, "\"%s\" is no value of --%s: it takes 1 to %" PRId64, value, d->name,
               most);
    return false;
}

static bool read_seconds(struct reader *r, const char *value) {
    char *end;
    double x = strtod(value, &end);
    bool ok = *value && !*end && x > 0 && x <= 1e6;
    if (ok) r->o->limit = x;
    else buf_printf(r->error, "\"%s\" is no value of --time: it takes seconds", value);
    return ok;
}

#define MOST_SIZE 1000000000

static bool read_dim(struct reader *r, const char *value) {
    const char *equals = strrchr(value, '=');
    char *end = NULL;
    long long n = equals ? strtoll(equals + 1, &end, 10) : -1;
    if (!equals || equals == value || !equals[1] || *end || n < 0 || n > MOST_SIZE) {
        buf_printf(r->error, "\"%s\" behind --dim is not NAME=N", value);
        return false;
    }
    struct judge_size_wish w = {arena_strndup(r->arena, value, (size_t)(equals - value)), n};
    vec_push(r->arena, &r->o->dims, w);
    return true;
}

static void read_disable(struct reader *r, const char *value) {
    char *names = arena_strdup(r->arena, value);
    for (char *c = names; *c; c++)
        if (*c == ',') *c = ';';
    struct option_disable d = {r->o->args.len, names};
    vec_push(r->arena, &r->o->disables, d);
}

/* Names with commas between them; a comma of a name is written `\,`. */
static void read_names(struct reader *r, const char *value, bool outputs) {
    char *to = arena_alloc(r->arena, strlen(value) + 1), *begin = to;
    for (;; value++) {
        if (*value == '\\' && value[1] == ',') *to++ = *++value;
        else if (*value && *value != ',') *to++ = *value;
        else {
            *to++ = 0;
            if (*begin && outputs) vec_push(r->arena, &r->o->outputs, begin);
            else if (*begin) vec_push(r->arena, &r->o->inputs, begin);
            begin = to;
            if (!*value) return;
        }
    }
}

static bool apply(struct reader *r, const struct option_def *d, const char *value) {
    struct options *o = r->o;
    uint32_t x = 0;
    switch (d->id) {
    case OPT_PACK: vec_push(r->arena, &o->packs, value); return true;
    case OPT_PLUGIN: vec_push(r->arena, &o->plugins, value); return true;
    case OPT_OUT: o->out = value; return true;
    case OPT_DEFINE: return read_define(r, value);
    case OPT_OPSET: return read_opset(r, value);
    case OPT_FOLD_LIMIT: return read_size(r, d, value, &o->fold_limit);
    case OPT_KEEP_OPSET: o->keep_opset = true; return true;
    case OPT_INLINE: o->inline_functions = true; return true;
    case OPT_TARGET:
        return choose(r, d, value, targets, countof(targets), &o->target);
    case OPT_LEVEL:
        if (!choose(r, d, value, levels, countof(levels), &x)) return false;
        o->level = (enum rule_class)x;
        return true;
    case OPT_WEIGHTS:
        if (!choose(r, d, value, weights, countof(weights), &x)) return false;
        o->weights = (enum ir_weights)x;
        return true;
    case OPT_VERIFY:
        if (!choose(r, d, value, verifications, countof(verifications), &x)) return false;
        o->verify = (enum pm_verify)x;
        return true;
    case OPT_ON_ERROR:
        if (!choose(r, d, value, on_errors, countof(on_errors), &x)) return false;
        o->original_on_error = x != 0;
        return true;
    case OPT_FOLD_ORT:
        if (!choose(r, d, value, fold_orts, countof(fold_orts), &x)) return false;
        o->fold_alone = x != 0;
        return true;
    case OPT_DRY_RUN: o->dry_run = true; return true;
    case OPT_DURABLE: o->durable = true; return true;
    case OPT_TIME: o->time = true; return true;
    case OPT_ALL: o->all = true; return true;
    case OPT_JSON: o->json = true; return true;
    case OPT_RULE: o->rule = value; return true;
    case OPT_NODE: o->node = value; return true;
    case OPT_KEEP: o->keep = value; return true;
    case OPT_ORT: o->ort = value; return true;
    case OPT_SEED: return read_number(r, d, value, &o->seed);
    case OPT_COUNT: return read_number(r, d, value, &o->count);
    case OPT_JOBS: return read_number(r, d, value, &o->jobs);
    case OPT_RANDOM: o->random = true; return true;
    case OPT_TOLERANCE: return read_tolerance(r, value);
    case OPT_QUIET: o->verbosity = -1; return true;
    case OPT_VERBOSE: o->verbosity = 1; return true;
    case OPT_INPUTS: vec_push(r->arena, &o->inputs, value); return true;
    case OPT_VALUES: read_names(r, value, false); return true;
    case OPT_OUTPUTS: read_names(r, value, true); return true;
    case OPT_NAME: o->name = value; return true;
    case OPT_DIM: return read_dim(r, value);
    case OPT_THREADS: return read_count(r, d, value, 1024, &o->threads);
    case OPT_LIMIT: return read_seconds(r, value);
    case OPT_RUNS: return read_count(r, d, value, JUDGE_PAIRS, &o->runs);
    case OPT_DISABLE: read_disable(r, value); return true;
    case OPT_HELP: o->help = true; return true;
    }
    return false;
}

/* --- the line ----------------------------------------------------------------------- */

/* An option that says something else to another command stands there once for each: that
 * of the command, or else any. */
static const struct option_def *by_name(const char *name, size_t len,
                                        enum command_bit bit) {
    const struct option_def *any = NULL;
    for (size_t i = 0; i < countof(defs); i++) {
        const struct option_def *d = &defs[i];
        if (!d->name || strlen(d->name) != len || memcmp(d->name, name, len)) continue;
        if (d->commands & (uint32_t)bit) return d;
        any = d;
    }
    return any;
}

static const struct option_def *by_letter(char letter) {
    for (size_t i = 0; i < countof(defs); i++)
        if (defs[i].letter && defs[i].letter == letter) return &defs[i];
    return NULL;
}

static void unknown(struct reader *r, const char *arg, enum command_bit bit) {
    const char *names[countof(defs)];
    size_t n = 0, len = strcspn(arg, "=");
    for (size_t i = 0; i < countof(defs); i++)
        if (defs[i].name && (defs[i].commands & (uint32_t)bit)) names[n++] = defs[i].name;
    buf_printf(r->error, "unknown option \"%.*s\"", (int)len, arg);
    const char *word = arena_strndup(r->arena, arg, len);
    const char *near = diag_nearest(word + strspn(word, "-"), names, n);
    if (near) buf_printf(r->error, "; did you mean \"--%s\"?", near);
    else buf_puts(r->error, "; --help lists those that there are");
}

/* One option, at argv[*i]; steps over its value. */
static bool read_option(struct reader *r, int argc, char **argv, int *i,
                        enum command_bit bit) {
    const char *arg = argv[*i], *value = NULL;
    bool is_long = arg[1] == '-';
    size_t len = is_long ? strcspn(arg + 2, "=") : 0;
    const struct option_def *d = is_long ? by_name(arg + 2, len, bit) : by_letter(arg[1]);
    if (!is_long && d && !d->value && arg[2]) d = NULL; /* -quiet */
    if (!d) {
        unknown(r, arg, bit);
        return false;
    }
    if (!(d->commands & (uint32_t)bit)) {
        buf_printf(r->error, "this command takes no \"%s\"", arg);
        return false;
    }
    if (is_long && arg[2 + len] == '=') value = arg + 2 + len + 1;
    else if (!is_long && arg[2]) value = arg + 2 + (arg[2] == '=');
    if (value && !d->value) {
        buf_printf(r->error, "\"%.*s\" takes no value", (int)len + 2, arg);
        return false;
    }
    if (!value && d->value) {
        if (*i + 1 >= argc) {
            buf_printf(r->error, "\"%s\" needs a value: %s", arg, d->value);
            return false;
        }
        value = argv[++*i];
    }
    return apply(r, d, value);
}

bool options_parse(int argc, char **argv, int first, enum command_bit bit, struct arena *a,
                   struct options *o, struct buf *error) {
    struct reader r = {a, o, error};
    *o = (struct options){.target = bit == FOR_TUNE ? TARGET_ORT_CPU : TARGET_ORT, .level = CLASS_FLOAT,
                          .verify = PM_VERIFY_STRUCTURE, .count = 200, .tolerance = 1e-5,
                          .threads = 1, .runs = 6, .limit = 300,
                          .fold_limit = IR_FOLD_LIMIT};
    bool only_args = false;
    for (int i = first; i < argc; i++) {
        if (!only_args && rw_streq(argv[i], "--")) only_args = true;
        else if (only_args || argv[i][0] != '-' || argv[i][1] == 0)
            vec_push(a, &o->args, argv[i]);
        else if (!read_option(&r, argc, argv, &i, bit)) return false;
    }
    return true;
}

bool options_next(enum command_bit bit, size_t *at, struct option_shown *out) {
    while (*at < countof(defs)) {
        const struct option_def *d = &defs[(*at)++];
        if (!(d->commands & (uint32_t)bit)) continue;
        *out = (struct option_shown){d->letter, d->name, d->value, d->what, d->words};
        return true;
    }
    return false;
}

void options_describe(enum command_bit bit, struct buf *out) {
    struct option_shown d;
    for (size_t at = 0; options_next(bit, &at, &d);) {
        struct buf left = {0};
        if (d.letter) buf_printf(&left, "-%c%s", d.letter, d.name ? ", " : d.value);
        else buf_puts(&left, "    ");
        if (d.name) buf_printf(&left, "--%s", d.name);
        if (d.name && d.value) buf_printf(&left, "%s%s", d.letter ? " " : "=", d.value);
        buf_printf(out, "  %-30s %s\n", buf_text(&left), d.what);
        buf_free(&left);
    }
}
