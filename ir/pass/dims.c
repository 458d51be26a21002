/* dims.c -- shape arithmetic whose result is a row of dimensions of a graph input becomes
 * one Shape of that input.
 *
 * Whatever way a batch size and a length were found and put together, they are there in
 * the inputs. The node that made them gives way to a Shape<start, end>, so that nothing
 * becomes more; what it read is left to dce.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"

#define FIRST_RANGE_OPSET 15 /* of Shape with start and end */
#define MOST_INPUTS 8        /* that are looked at, ... */
#define MOST_DIMS 32         /* ... of so many dimensions */

/* All known to be something, and not all numbers. */
static bool is_symbolic(const struct ir_graph *g, const struct ir_symval *s) {
    int64_t value;
    bool symbols = false;
    for (uint32_t i = 0; i < s->len; i++) {
        if (s->items[i] == IR_DIM_UNKNOWN) return false;
        symbols = symbols || !ir_dim_is_const(g->model->dims, s->items[i], &value);
    }
    return symbols;
}

static bool row_at(const struct ir_graph *g, const struct ir_type *t, uint32_t start,
                   const struct ir_symval *s) {
    for (uint32_t i = 0; i < s->len; i++)
        if (ir_dim_equal(g->model->dims, t->dims[start + i], s->items[i]) != IR_TRUE)
            return false;
    return true;
}

/* The input with those dimensions in a row, from *start on. */
static ir_value find_row(const struct ir_graph *g, const struct ir_symval *s,
                         uint32_t *start) {
    for (uint32_t k = 0; k < rw_min_u32(g->inputs.len, MOST_INPUTS); k++) {
        ir_value v = g->inputs.at[k];
        const struct ir_type *t = ir_val(g, v)->type;
        if (!ir_type_ranked(t) || t->kind != IR_TENSOR || t->rank > MOST_DIMS) continue;
        for (*start = 0; *start + s->len <= t->rank; ++*start)
            if (row_at(g, t, *start, s)) return v;
    }
    return IR_NONE;
}

/* Of another value it keeps that value from going, or from being taken in elsewhere. */
static bool is_shape_of_input(const struct ir_graph *g, ir_node n) {
    return ir_is_op(g, n, "Shape") && ir_has(g, ir_input(g, n, 0), IR_IS_INPUT);
}

bool ir_settle_dims(struct ir_graph *g, ir_node n) {
    ir_value v = ir_output(g, n, 0), out;
    if (v == IR_NONE || ir_nod(g, n)->nout != 1 || is_shape_of_input(g, n) ||
        ir_opset(g, "") < FIRST_RANGE_OPSET)
        return false;
    const struct ir_value_info x = *ir_val(g, v);
    if (!x.symval || x.symval->rank != 1 || !x.nuses || ir_has(g, v, IR_IS_OUTPUT) ||
        ir_type_dtype(x.type) != IR_INT64 || !is_symbolic(g, x.symval))
        return false;
    uint32_t start;
    ir_value from = find_row(g, x.symval, &start);
    if (from == IR_NONE) return false;
    struct ir_attr range[] = {ir_attr_int("start", start),
                              ir_attr_int("end", (int64_t)start + x.symval->len)};
    out = ir_add_value(g, x.name, x.type);
    ir_set_symval(g, out, x.symval);
    ir_add_node(g, &(struct ir_new_node){.op = "Shape", .nin = 1, .in = &from, .nout = 1,
                                         .out = &out, .nattr = 2, .attr = range,
                                         .rule = ir_nod(g, n)->rule}, n);
    ir_replace_uses(g, v, out);
    ir_remove_node(g, n);
    return true;
}
