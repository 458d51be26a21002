/* cmd_run.c -- the main job: read, rewrite by the packs, write.
 *
 * The output may be the input: it is written beside it and renamed at the end, while the
 * input stays open until then. Only with --weights=share the two must be different files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/verify.h"
#include "cli/cli.h"

#include <stdio.h>

struct job {
    struct session *s;
    const char *in, *out;
    struct ir_model *model;         /* as it was read */
    struct api_rewritten rewritten; /* it, or another one */
    struct stages stages;
    struct progress progress;
    struct pm_report report;
    const struct pm_natives *natives; /* predicates of plug-ins */
    struct judge_constants *constants; /* NULL: --fold-ort=off */
};

static bool is_stream(const char *path) { return rw_streq(path, "-"); }

static void choose_files(struct job *j) {
    const struct options *o = &j->s->options;
    j->in = o->args.at[0];
    j->out = o->out              ? o->out
             : is_stream(j->in) ? "-"
                                : session_rename(j->s, j->in, ".onnx", ".opt.onnx");
}

static enum rw_code compile(struct job *j, const struct pm_auto **out) {
    struct session *s = j->s;
    *out = packs_for_run(s);
    if (*out) j->natives = packs_natives(s, *out);
    stages_end(&j->stages, "rules");
    return j->natives ? RW_OK : RW_USAGE;
}

static enum rw_code rewrite(struct job *j, const struct pm_auto *rules) {
    const struct options *o = &j->s->options;
    struct pm_options run = packs_run_options(o, j->natives);
    run.progress = progress_step;
    run.progress_ctx = &j->progress;
    run.runtime = j->constants ? judge_constants_runtime(j->constants) : NULL;
    struct api_verify verify = {.library = o->ort, .ninputs = o->inputs.len,
                                .inputs = o->inputs.at};
    TRY(api_prepare(j->model, o->verify, &j->s->diags));
    stages_end(&j->stages, "infer");
    progress_begin(&j->progress, o->verbosity < 0);
    enum rw_code code =
        api_rewrite_judged(rules, j->model, &run, &verify, &j->s->arena, &j->report,
                           &j->s->diags, &j->rewritten);
    progress_end(&j->progress);
    stages_end(&j->stages, "rewrite");
    return code;
}

static enum rw_code write_model(struct job *j, struct ir_model *m) {
    const struct options *o = &j->s->options;
    struct ir_write_options w = {.weights = o->weights, .durable = o->durable};
    if (o->dry_run) return RW_OK;
    enum rw_code code = ir_model_write(m, j->out, &w, &j->s->diags);
    stages_end(&j->stages, "write");
    return code;
}

static void print_summary(const struct job *j, struct buf *text) {
    const struct pm_report *r = &j->report;
    buf_printf(text, "%s: %u node%s, now %u", is_stream(j->in) ? "standard input" : j->in,
               r->nodes_before, plural(r->nodes_before), r->nodes_after);
    if (j->s->options.dry_run) buf_puts(text, "; nothing written (--dry-run)");
    else if (!is_stream(j->out)) buf_printf(text, ", in %s", j->out);
    if (r->opset_after != r->opset_before)
        buf_printf(text, "; opset %" PRId64 ", now %" PRId64, r->opset_before,
                   r->opset_after);
    buf_putc(text, '\n');
}

/* Nodes over constants that stay, and those that only the runtime could compute. */
static void print_folding(const struct job *j, struct buf *text) {
    const struct ir_folding *f = &j->rewritten.model->folding;
    const char *version = j->constants ? judge_constants_version(j->constants) : NULL;
    if (f->given > 0)
        buf_printf(text, "  %u node%s over constants computed by ONNX Runtime %s\n", f->given,
                   plural(f->given), version);
    if (f->asked > f->given)
        buf_printf(text, "  %u node%s over constants not folded: ONNX Runtime %s\n",
                   f->asked - f->given, plural(f->asked - f->given),
                   version ? "does not compute them" : "is not there to compute them (--ort)");
    if (f->left > 0)
        buf_printf(text, "  %u node%s over constants not folded: the file would be larger "
                   "(--fold-limit)\n", f->left, plural(f->left));
}

static void print_calls(const struct pm_report *r, struct buf *text) {
    if (r->calls > 0)
        buf_printf(text, "  %u call%s of functions not inlined: written for another opset, or with "
                   "graphs to hand on\n", r->calls, plural(r->calls));
}

static void print_verified(const struct api_rewritten *r, struct buf *text) {
    const struct judge_counts *c = &r->counts;
    if (!r->runtime) return;
    buf_printf(text, "  verified by ONNX Runtime %s: ", r->runtime);
    if (r->nsets)
        buf_printf(text, "the model on %u set%s of inputs, %u step%s left out\n", r->nsets,
                   plural(r->nsets), r->left_out, plural(r->left_out));
    else
        buf_printf(text, "%u rewrite%s, %u of a kind, %u wrong, %u unchecked\n", c->judged,
                   plural(c->judged), c->run, c->wrong, c->unknown);
}

/* What was done, on standard output unless the model goes there. */
static void print_report(struct job *j) {
    const struct options *o = &j->s->options;
    struct buf text = {0};
    if (o->verbosity < 0) return;
    print_summary(j, &text);
    report_applied(&j->report, o->verbosity > 0, &text);
    print_folding(j, &text);
    print_calls(&j->report, &text);
    print_verified(&j->rewritten, &text);
    if (o->time) report_times(&j->stages, &text);
    fputs(buf_text(&text), is_stream(j->out) && !o->dry_run ? stderr : stdout);
    buf_free(&text);
}

/* --on-error=original: the input, as it is, in the output's place. */
static enum rw_code leave_original(struct job *j) {
    struct session *s = j->s;
    struct ir_model *m = ir_model_reread(&s->arena, j->model, &s->diags);
    if (!m) return RW_FORMAT;
    enum rw_code code = write_model(j, m);
    if (code == RW_OK)
        diag_where(&s->diags, DIAG_WARNING, j->out,
                   "a copy of the input, without any rewrite");
    ir_model_close(m);
    return code;
}

static enum rw_code rewrite_and_write(struct job *j, const struct pm_auto *rules) {
    enum rw_code code = rewrite(j, rules);
    if (code == RW_OK) code = write_model(j, j->rewritten.model);
    if (code == RW_OK) print_report(j);
    if (code == RW_WRONG && j->s->options.original_on_error) code = leave_original(j);
    return code;
}

static enum rw_code run(struct session *s) {
    struct job j = {.s = s};
    const struct pm_auto *rules = NULL;
    if (s->options.inputs.len && s->options.verify != PM_VERIFY_MODEL)
        return session_usage(s, "--inputs is for --verify=model");
    stages_begin(&j.stages);
    choose_files(&j);
    TRY(compile(&j, &rules));
    j.model = ir_model_read(&s->arena, j.in, &s->diags);
    stages_end(&j.stages, "read");
    if (!j.model) return RW_FORMAT;
    if (!s->options.fold_alone) j.constants = judge_constants_new(s->options.ort);
    enum rw_code code = rewrite_and_write(&j, rules);
    judge_constants_close(j.constants);
    api_rewritten_close(&j.rewritten, j.model);
    ir_model_close(j.model);
    return code;
}

enum rw_code cmd_run(struct session *s) { return run(s); }
