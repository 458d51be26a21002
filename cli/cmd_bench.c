/* cmd_bench.c -- onnxrw bench: which of several models runs fastest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/bench.h"

#include <stdio.h>

#define SECONDS 0.5 /* that a process runs a model for */
#define LIMIT 600   /* of one job: reading a large model, runs of a slow one */

struct job {
    struct session *s;
    struct ir_model *first; /* that inputs are made for */
    struct judge_values in;
    struct judge_bench bench;
    struct bench_found found;
    struct progress progress;
};

static const char *disabled_for(const struct options *o, uint32_t model) {
    const char *names = NULL;
    for (uint32_t i = 0; i < o->disables.len; i++) {
        const struct option_disable *d = &o->disables.at[i];
        if (d->nmodels == 0 || d->nmodels == model + 1) names = d->names;
    }
    return names;
}

/* Files go to the runtime by path; one that is no model is told from one that does not run. */
static enum rw_code read_models(struct job *j) {
    struct session *s = j->s;
    for (uint32_t i = 0; i < s->options.args.len; i++) {
        if (rw_streq(s->options.args.at[i], "-"))
            return session_usage(s, "bench takes files, which the runtime reads itself");
        struct ir_model *m = ir_model_read(&s->arena, s->options.args.at[i], &s->diags);
        if (!m) return RW_FORMAT;
        if (i == 0) j->first = m;
        else ir_model_close(m);
    }
    return RW_OK;
}

static void enter(struct job *j) {
    struct session *s = j->s;
    uint32_t n = s->options.args.len;
    struct judge_contestant **c = arena_new_array(&s->arena, struct judge_contestant *, n);
    for (uint32_t i = 0; i < n; i++) {
        c[i] = arena_new(&s->arena, struct judge_contestant);
        c[i]->name = s->options.args.at[i];
        c[i]->model.path = c[i]->name;
        c[i]->disabled = disabled_for(&s->options, i);
    }
    j->found.n = n;
    j->found.at = c;
    j->found.differs = arena_zalloc(&s->arena, n * sizeof *j->found.differs);
}

static enum rw_code measure(struct job *j) {
    const struct options *o = &j->s->options;
    j->bench = (struct judge_bench){.library = o->ort, .threads = (uint32_t)o->threads,
                                    .seconds = SECONDS, .limit = LIMIT, .in = &j->in,
                                    .arena = &j->s->arena, .diags = &j->s->diags};
    progress_begin(&j->progress, o->verbosity < 0);
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; i < (uint32_t)o->runs && code == RW_OK; i++) {
        progress_step(&j->progress, "measuring", i, (uint64_t)o->runs);
        code = judge_bench_round(&j->bench, j->found.at, j->found.n, NULL);
    }
    progress_end(&j->progress);
    return code;
}

static void compare(struct job *j) {
    bool quantised = judge_is_quantised(j->first);
    for (uint32_t i = 1; i < j->found.n; i++) {
        struct judge_difference *d = &j->found.differs[i];
        const struct judge_contestant *c = j->found.at[i];
        if (judge_bench_agrees(j->found.at[0], c, quantised, d)) {
            d->output = NULL;
            continue;
        }
        const char *what = d->verdict.what ? d->verdict.what : "name";
        diag_where(&j->s->diags, DIAG_WARNING, c->name,
                   "does not give what \"%s\" gives: output \"%s\" has %s %s",
                   j->found.at[0]->name, d->output, d->verdict.what ? "other" : "no", what);
    }
}

static void print(const struct job *j) {
    const struct options *o = &j->s->options;
    struct buf text = {0};
    if (o->json) bench_print_json(&j->found, &text);
    else bench_print_text(&j->found, &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
}

static enum rw_code bench(struct job *j) {
    const struct options *o = &j->s->options;
    TRY(read_models(j));
    TRY(measure_inputs(j->s, j->first, &j->in));
    j->found.inputs = o->inputs.len ? o->inputs.at[0] : NULL;
    j->found.bench = &j->bench;
    enter(j);
    TRY(measure(j));
    compare(j);
    print(j);
    return RW_OK;
}

enum rw_code cmd_bench(struct session *s) {
    struct job j = {.s = s};
    enum rw_code code = bench(&j);
    if (j.first) ir_model_close(j.first);
    return code;
}
