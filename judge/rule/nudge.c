/* nudge.c -- how much a model's results change with the last bits of what goes in: its
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

static struct ir_tensor *nudged_constant(struct ir_model *m, const struct ir_tensor *t,
                                         uint64_t *seed) {
    bool is_float = t && ir_dtype_is_float(t->dtype) && ir_dtype_bits(t->dtype) >= 8;
    const void *raw = is_float ? ir_tensor_read(m, t, m->arena) : NULL;
    if (!raw) return NULL;
    struct ir_tensor *read = ir_tensor_new(m->arena, t->dtype, t->rank, t->dims, raw);
    return judge_nudged(m->arena, read, seed);
}

/* Initializers and Constant nodes. */
static void nudge_graph(struct ir_graph *g, uint64_t *seed) {
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_value_info x = *ir_val(g, v);
        if (x.flags & IR_IS_OUTER) continue;
        struct ir_tensor *t = nudged_constant(g->model, x.tensor, seed);
        if (!t) continue;
        if (x.producer == IR_NONE) {
            ir_set_tensor(g, v, t);
        } else {
            struct ir_attr value = ir_attr_tensor(g->model->arena, "value", t);
            ir_set_attr(g, x.producer, &value);
        }
    }
}

bool judge_nudged_model(struct arena *a, const struct judge_model *is, uint64_t seed,
                        struct judge_model *out) {
    struct diag_sink diags;
    diag_init(&diags, a);
    struct ir_model *m =
        ir_model_read_bytes(a, is->bytes, is->len, "instance", NULL, &diags);
    if (!m) return false;
    for (uint32_t i = 0; i < m->graphs.len; i++) nudge_graph(m->graphs.at[i], &seed);
    bool ok = judge_model_of(m, a, &diags, out) == RW_OK;
    ir_model_close(m);
    return ok;
}
