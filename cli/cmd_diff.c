/* cmd_diff.c -- onnxrw diff: two models, as they are written and as they compute.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/diff.h"

#include <stdio.h>

struct job {
    struct session *s;
    struct ir_model *m[2];
    struct judge *judge;
    struct diff_found found;
};

static enum rw_code run_on(struct job *j, const char *path, const struct judge_values *in) {
    struct session *s = j->s;
    struct diff_run r = {.inputs = path};
    TRY(judge_layers_run(j->judge, j->m[0], j->m[1], in, s->options.tolerance, &s->arena,
                         &s->diags, &r.layers));
    vec_push(&s->arena, &j->found.runs, r);
    bool unknown = r.layers.unknown.len > 0 && j->found.structure.changes.len > 0;
    if (r.layers.beyond || unknown) j->found.same = false;
    return RW_OK;
}

static enum rw_code run_on_file(struct job *j, const char *path) {
    struct session *s = j->s;
    struct judge_values given, in;
    TRY(judge_npz_read(path, &s->arena, &s->diags, &given));
    TRY(judge_fit(j->m[0], &given, path, &s->arena, &s->diags, &in));
    return run_on(j, path, &in);
}

/* What inference finds wrong with the model, the runtime says in its words. */
static enum rw_code run_on_random(struct job *j) {
    struct session *s = j->s;
    struct diag_sink silent;
    struct judge_values in;
    diag_init(&silent, &s->arena);
    ir_infer_model(j->m[0], &silent);
    TRY(judge_inputs_that_run(j->judge, j->m[0], (uint64_t)s->options.seed, NULL,
                              &s->arena, &s->diags, &in));
    return run_on(j, NULL, &in);
}

/* What one of them alone gives is compared with nothing. */
static bool have_same_outputs(const struct judge_diff *d) {
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct judge_change *c = &d->changes.at[i];
        if (c->thing == JUDGE_OUTPUT && !*c->graph && (!c->before || !c->after)) return false;
    }
    return true;
}

static enum rw_code run_all(struct job *j) {
    const struct options *o = &j->s->options;
    struct judge_options judge = {.library = o->ort};
    TRY(judge_open(&judge, &j->s->diags, &j->judge));
    j->found.same = have_same_outputs(&j->found.structure);
    for (uint32_t i = 0; i < o->inputs.len; i++) TRY(run_on_file(j, o->inputs.at[i]));
    return o->random ? run_on_random(j) : RW_OK;
}

static void print(const struct job *j) {
    const struct options *o = &j->s->options;
    struct buf text = {0};
    if (o->json) diff_print_json(&j->found, &text);
    else if (o->verbosity >= 0) {
        diff_print_structure(&j->found.structure, &text);
        for (uint32_t i = 0; i < j->found.runs.len; i++)
            diff_print_run(&j->found.runs.at[i], o->verbosity > 0, &text);
    }
    fputs(buf_text(&text), stdout);
    buf_free(&text);
}

static enum rw_code diff(struct job *j) {
    const struct options *o = &j->s->options;
    for (uint32_t i = 0; i < 2; i++) {
        j->m[i] = ir_model_read(&j->s->arena, o->args.at[i], &j->s->diags);
        if (!j->m[i]) return RW_FORMAT;
    }
    judge_diff_models(j->m[0], j->m[1], &j->s->arena, &j->found.structure);
    j->found.same = j->found.structure.changes.len == 0;
    if (o->inputs.len || o->random) TRY(run_all(j));
    print(j);
    return j->found.same ? RW_OK : RW_WRONG;
}

enum rw_code cmd_diff(struct session *s) {
    struct job j = {.s = s};
    enum rw_code code = diff(&j);
    judge_close(j.judge);
    for (uint32_t i = 0; i < 2; i++)
        if (j.m[i]) ir_model_close(j.m[i]);
    return code;
}
