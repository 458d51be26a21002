/* measure.c -- what bench and tune share: the inputs that models are timed on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cli.h"
#include "judge/judge.h"

static enum rw_code read_inputs(struct session *s, struct ir_model *m,
                                struct judge_values *out) {
    const struct options *o = &s->options;
    struct judge_values given;
    if (o->inputs.len > 1) return session_usage(s, "--inputs may be given once");
    if (o->dims.len) return session_usage(s, "--dim is for inputs made up, not --inputs");
    TRY(judge_npz_read(o->inputs.at[0], &s->arena, &s->diags, &given));
    return judge_fit(m, &given, o->inputs.at[0], &s->arena, &s->diags, out);
}

/* What inference finds wrong with the model, the runtime says in its words. */
static enum rw_code make_inputs(struct session *s, struct ir_model *m,
                                struct judge_values *out) {
    const struct options *o = &s->options;
    struct judge_size_wishes wishes = {o->dims.at, o->dims.len};
    struct judge_options plain = {.library = o->ort, .threads = (uint32_t)o->threads};
    struct diag_sink silent;
    struct judge *j;
    diag_init(&silent, &s->arena);
    ir_infer_model(m, &silent);
    TRY(judge_open(&plain, &s->diags, &j));
    enum rw_code code = judge_inputs_that_run(j, m, (uint64_t)o->seed, &wishes, &s->arena,
                                              &s->diags, out);
    judge_close(j);
    return code;
}

enum rw_code measure_inputs(struct session *s, struct ir_model *m,
                            struct judge_values *out) {
    return s->options.inputs.len ? read_inputs(s, m, out) : make_inputs(s, m, out);
}

void measure_print_inputs(const struct judge_values *in, struct buf *out) {
    for (uint32_t i = 0; i < in->n; i++) {
        const struct ir_tensor *t = in->at[i].tensor;
        buf_printf(out, "%s%s %s[", i ? ", " : "", in->at[i].name, ir_dtype_name(t->dtype));
        for (uint32_t k = 0; k < t->rank; k++)
            buf_printf(out, "%s%" PRId64, k ? ", " : "", t->dims[k]);
        buf_putc(out, ']');
    }
}
