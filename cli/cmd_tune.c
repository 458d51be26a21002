/* cmd_tune.c -- onnxrw tune: a model rewritten by what is measured to make it faster.
 *
 * Nothing is written before all is decided; then the model, and beside it what was found.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/verify.h"
#include "cli/tune.h"

#include <stdio.h>

struct job {
    struct session *s;
    const char *in, *out, *report; /* files */
    const struct pm_auto *rules;
    const struct pm_natives *natives;
    struct pm_options options;
    struct ir_model *model;
    struct judge_values inputs;
    struct api_tune tune;
    struct api_rewritten rewritten;
    struct pm_report rewrites;
};

static enum rw_code choose_files(struct job *j) {
    struct session *s = j->s;
    const struct options *o = &s->options;
    j->in = o->args.at[0];
    j->out = o->out ? o->out : session_rename(s, j->in, ".onnx", ".tuned.onnx");
    j->report = session_rename(s, j->out, ".onnx", ".json");
    if (o->target == TARGET_ORT_CUDA)
        return session_usage(s, "tune measures on the CPU: --target=ort-cpu, ort or onnx");
    if (rw_streq(j->out, "-") || (!o->out && rw_streq(j->in, "-")))
        return session_usage(s, "tune writes two files: -o OUT.onnx, and OUT.json");
    return RW_OK;
}

static enum rw_code load(struct job *j) {
    struct session *s = j->s;
    j->rules = packs_for_run(s);
    j->natives = j->rules ? packs_natives(s, j->rules) : NULL;
    if (!j->natives) return RW_USAGE;
    j->options = packs_run_options(&s->options, j->natives);
    j->model = ir_model_read(&s->arena, j->in, &s->diags);
    return j->model ? api_prepare(j->model, s->options.verify, &s->diags) : RW_FORMAT;
}

/* Progress: a line for each choice as it is made. */
static void tell(void *ctx, const struct api_choice *c) {
    struct job *j = ctx;
    struct buf text = {0};
    if (j->s->options.verbosity < 0) return;
    buf_puts(&text, "tune: ");
    tune_print_choice(c, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
}

/* All the time would be for nothing if nothing can be written. */
static enum rw_code decide(struct job *j) {
    struct session *s = j->s;
    const struct options *o = &s->options;
    TRY(session_can_write(s, j->out));
    TRY(session_can_write(s, j->report));
    TRY(measure_inputs(s, j->model, &j->inputs));
    session_flush(s);
    j->tune = (struct api_tune){.rules = j->rules, .original = j->model,
                                .options = &j->options, .library = o->ort,
                                .threads = (uint32_t)o->threads, .seconds = o->limit,
                                .in = &j->inputs, .arena = &s->arena, .diags = &s->diags,
                                .tell = tell, .ctx = j};
    return api_tune(&j->tune);
}

/* The model once more, and verified as any: what was measured had its weights elsewhere. */
static enum rw_code rewrite(struct job *j) {
    struct session *s = j->s;
    const struct options *o = &s->options;
    struct api_verify verify = {.library = o->ort, .ninputs = o->inputs.len,
                                .inputs = o->inputs.at};
    j->options.target = j->tune.target;
    j->options.forbidden = j->tune.forbidden.at;
    j->options.nforbidden = j->tune.forbidden.len;
    return api_rewrite_judged(j->rules, j->model, &j->options, &verify, &s->arena,
                              &j->rewrites, &s->diags, &j->rewritten);
}

static enum rw_code write_original(struct job *j, const struct ir_write_options *w) {
    struct session *s = j->s;
    struct ir_model *m = ir_model_reread(&s->arena, j->model, &s->diags);
    if (!m) return RW_FORMAT;
    enum rw_code code = ir_model_write(m, j->out, w, &s->diags);
    ir_model_close(m);
    return code;
}

static enum rw_code write_report(struct job *j, const struct tune_found *f) {
    struct buf text = {0};
    tune_print_json(f, &text);
    enum rw_code code = session_write(j->s, j->report, &text);
    buf_free(&text);
    return code;
}

static enum rw_code write_all(struct job *j) {
    struct session *s = j->s;
    struct ir_write_options w = {.weights = s->options.weights,
                                 .durable = s->options.durable};
    TRY(j->tune.original_is_best
            ? write_original(j, &w)
            : ir_model_write(j->rewritten.model, j->out, &w, &s->diags));
    uint32_t nodes =
        j->tune.original_is_best ? j->tune.nodes : j->rewrites.nodes_after;
    struct tune_found f = {s, &j->tune, j->in, j->out, nodes};
    TRY(write_report(j, &f));
    struct buf text = {0};
    if (s->options.verbosity >= 0) tune_print_text(&f, &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    return RW_OK;
}

static enum rw_code tune(struct job *j) {
    TRY(choose_files(j));
    TRY(load(j));
    TRY(decide(j));
    if (!j->tune.original_is_best) TRY(rewrite(j));
    return write_all(j);
}

enum rw_code cmd_tune(struct session *s) {
    struct job j = {.s = s};
    enum rw_code code = tune(&j);
    api_rewritten_close(&j.rewritten, j.model);
    if (j.model) ir_model_close(j.model);
    return code;
}
