/* computed.c -- known values that the evaluator finds.
 *
 * Value rules follow integers, known or not, through the arithmetic of shapes. Some exporters
 * take sizes through float: Ceil(Cast(h) / 2) of TensorFlow's padding, Floor(h * scale) of a
 * Resize. Where all that goes into a small node is numbers, the node is evaluated as folding
 * would evaluate it. Only integers are kept as known; what lies between two of them and is
 * none, as h / 2, is computed anew from what is known above it, a few nodes at most.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"
#include "ir/infer/rules.h"

#include <math.h>

#define MOST_LEVELS 4 /* of nodes above whose values are no integers */
#define MOST_BYTES (INFER_MAX_ITEMS * sizeof(double))

static struct ir_tensor *compute(struct infer *x, ir_node n, uint32_t levels);

static struct ir_tensor *number(struct infer *x, ir_value v, uint32_t levels) {
    struct ir_tensor *t = ir_const(x->g, v);
    if (t) return t->count <= INFER_MAX_ITEMS ? t : NULL;
    t = ir_tensor_of_symval(x->g, v, x->tmp);
    ir_node maker = ir_val(x->g, v)->producer;
    if (t || levels == 0 || maker == IR_NONE) return t;
    return compute(x, maker, levels - 1);
}

/* NULL: not all operands are numbers, or the evaluator does not have the operator. */
static struct ir_tensor *compute(struct infer *x, ir_node n, uint32_t levels) {
    const struct ir_node_info *info = ir_nod(x->g, n);
    bool is_own = n == x->n; /* the attributes of its caller are bound, those of others are not */
    for (uint32_t k = 0; !is_own && k < info->nattr; k++)
        if (info->attr[k].ref) return NULL;
    if (!info->schema || info->nout != 1 || info->nin == 0) return NULL;
    if (!ir_eval_has(ir_domain_name(x->g, n), ir_op_name(x->g, n))) return NULL;
    struct ir_tensor **in = arena_new_array(x->tmp, struct ir_tensor *, info->nin), *out;
    for (uint32_t k = 0; k < info->nin; k++) {
        ir_value v = ir_input(x->g, n, k);
        in[k] = v == IR_NONE ? NULL : number(x, v, levels);
        if (v != IR_NONE && !in[k]) return NULL;
    }
    const struct ir_eval e = {.model = x->m, .schema = info->schema, .nin = info->nin, .nout = 1,
                              .nattr = info->nattr, .in = in, .attr = info->attr,
                              .arena = x->tmp, .max_bytes = MOST_BYTES};
    return ir_eval(&e, &out) ? out : NULL;
}

static bool integer_at(const struct infer *x, const struct ir_tensor *t, uint64_t i, int64_t *out) {
    double d;
    if (!ir_dtype_is_float(t->dtype)) return ir_tensor_int_at(x->m, t, i, out);
    if (!ir_tensor_double_at(x->m, t, i, &d) || rint(d) != d || fabs(d) > 1e15) return false;
    *out = (int64_t)d;
    return d != 0 || !signbit(d); /* a zero is one without a sign */
}

static bool is_wanted(const struct infer *x, uint32_t *rank, uint32_t *len) {
    return x->nout == 1 && !x->out[0].symval && infer_value_length(x, 0, rank, len);
}

void infer_value_computed(struct infer *x) {
    uint32_t rank, len;
    ir_dim items[INFER_MAX_ITEMS];
    int64_t value;
    if (!is_wanted(x, &rank, &len)) return;
    const struct ir_tensor *t = compute(x, x->n, MOST_LEVELS);
    if (!t || t->rank != rank || t->count != len) return;
    for (uint32_t i = 0; i < len; i++) {
        if (!integer_at(x, t, i, &value)) return;
        items[i] = infer_const(x, value);
    }
    infer_put_items(x, 0, rank, len, items);
}
