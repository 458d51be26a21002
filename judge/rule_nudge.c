/* rule_nudge.c -- how much a model's results change with the last bits of what goes in: its
 * inputs, and its constants. SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rules.h"

static void flip(unsigned char *bytes, uint64_t n, uint32_t width, uint64_t *seed) {
    for (uint64_t i = 0; i < n; i++) bytes[i * width] ^= judge_next(seed) & 1;
}

struct ir_tensor *judge_nudged(struct arena *a, const struct ir_tensor *t, uint64_t *seed) {
    struct ir_tensor *out = arena_copy(a, t, sizeof *t);
    if (!ir_dtype_is_float(t->dtype)) return out;
    unsigned char *bytes = arena_copy(a, t->data, t->nbytes);
    flip(bytes, t->count, ir_dtype_bits(t->dtype) / 8, seed);
    out->data = bytes;
    return out;
}

static void nudge_initializer(struct ir_model *m, ir_value v, uint64_t *seed) {
    const struct ir_tensor *t = ir_val(m->main, v)->tensor;
    if (!t || ir_val(m->main, v)->producer != IR_NONE) return;
    if (!ir_dtype_is_float(t->dtype) || ir_dtype_bits(t->dtype) < 8) return;
    const void *raw = ir_tensor_read(m, t, m->arena);
    if (!raw) return;
    unsigned char *bytes = arena_copy(m->arena, raw, t->nbytes);
    flip(bytes, t->count, ir_dtype_bits(t->dtype) / 8, seed);
    ir_set_tensor(m->main, v, ir_tensor_new(m->arena, t->dtype, t->rank, t->dims, bytes));
}

bool judge_nudged_model(struct arena *a, const struct judge_model *is, uint64_t seed,
                        struct judge_model *out) {
    struct diag_sink diags;
    diag_init(&diags, a);
    struct ir_model *m = ir_model_read_bytes(a, is->bytes, is->len, "instance", NULL, &diags);
    if (!m) return false;
    for (ir_value v = 0; v < m->main->values.len; v++) nudge_initializer(m, v, &seed);
    bool ok = judge_model_of(m, a, &diags, out) == RW_OK;
    ir_model_close(m);
    return ok;
}
