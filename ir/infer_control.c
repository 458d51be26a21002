/* infer_control.c -- If and Scan: types into bodies and out of them. (Loop: infer_loop.c.)
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_rules.h"

struct ir_graph *infer_body_of(const struct infer *x, const char *name) {
    const struct ir_attr *a = ir_find_attr(x->g, x->n, name);
    return a && a->type == IR_ATTR_GRAPH && a->n ? a->graphs[0] : NULL;
}

const struct ir_type *infer_body_output(const struct ir_graph *body, uint32_t k) {
    if (k >= body->outputs.len) return NULL;
    return ir_val(body, body->uses.at[body->outputs.at[k]].value)->type;
}

const struct ir_type *infer_body_input(const struct ir_graph *body, uint32_t k) {
    return k < body->inputs.len ? ir_val(body, body->inputs.at[k])->type : NULL;
}

enum ir_dtype infer_dtype_or(const struct ir_type *t, const struct ir_type *other) {
    return ir_type_dtype(t) != IR_UNDEFINED ? ir_type_dtype(t) : ir_type_dtype(other);
}

/* What holds of both types: the dims that are the same in both. */
void infer_set_common(struct infer *x, uint32_t k, const struct ir_type *a,
                       const struct ir_type *b) {
    struct infer_shape s, t;
    if (!a || !b || a->kind != b->kind) return;
    if (a->kind != IR_TENSOR) {
        infer_set_type(x, k, a);
        return;
    }
    infer_set_unranked(x, k, infer_dtype_or(a, b), 0);
    if (!infer_type_shape(x, a, &s) || !infer_type_shape(x, b, &t) || s.rank != t.rank)
        return;
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.dim[i] != t.dim[i]) s.dim[i] = IR_DIM_UNKNOWN;
    infer_set(x, k, infer_dtype_or(a, b), &s);
}

void infer_set_body_input(struct ir_graph *body, uint32_t k, const struct ir_type *t) {
    if (k < body->inputs.len && t) ir_set_type(body, body->inputs.at[k], t);
}

/* Output k collects one tensor an iteration along a new axis. All have one shape, or the
 * model does not run: so the dims of any iteration hold outside. */
void infer_set_collected(struct infer *x, uint32_t k, const struct ir_type *each,
                          int64_t axis, ir_dim count) {
    struct infer_shape s;
    if (!each || each->kind != IR_TENSOR) return;
    infer_set_unranked(x, k, each->dtype, 0);
    if (!infer_type_shape(x, each, &s) || s.rank == INFER_MAX_RANK) return;
    if (axis < 0) axis += s.rank + 1;
    if (axis < 0 || axis > s.rank) return;
    memmove(&s.dim[axis + 1], &s.dim[axis], (s.rank++ - (uint32_t)axis) * sizeof *s.dim);
    s.dim[axis] = count;
    infer_set(x, k, each->dtype, &s);
}

/* --- If ---------------------------------------------------------------------------- */

bool infer_if(struct infer *x) {
    struct ir_graph *yes = infer_body_of(x, "then_branch");
    struct ir_graph *no = infer_body_of(x, "else_branch");
    if (!yes || !no) return true;
    infer_body(x, yes);
    infer_body(x, no);
    if (yes->outputs.len != no->outputs.len)
        return infer_fail(x, "the branches have %u and %u outputs", yes->outputs.len,
                          no->outputs.len);
    for (uint32_t k = 0; k < x->nout; k++)
        infer_set_common(x, k, infer_body_output(yes, k), infer_body_output(no, k));
    return true;
}

/* --- Scan (opset 9 and later) ------------------------------------------------------ */

struct scan {
    struct ir_graph *body;
    uint32_t states, scans; /* operands: the states, then what is scanned */
    struct infer_ints in_axes, out_axes;
    ir_dim length;
};

static int64_t axis_of(const struct infer_ints *axes, uint32_t k) {
    return axes->known && k < axes->n ? axes->at[k] : 0;
}

static bool slice_scanned(struct infer *x, struct scan *r, uint32_t k) {
    struct infer_shape s;
    uint32_t axis;
    if (!infer_shape_of(x, r->states + k, &s)) return true;
    if (!infer_axis(x, axis_of(&r->in_axes, k), s.rank, &axis)) return false;
    if (!r->length) r->length = s.dim[axis];
    memmove(&s.dim[axis], &s.dim[axis + 1], (s.rank - axis - 1) * sizeof *s.dim);
    const struct ir_type *each =
        ir_type_tensor(x->m->arena, infer_dtype(x, r->states + k), s.rank - 1, s.dim);
    infer_set_body_input(r->body, r->states + k, each);
    return true;
}

bool infer_scan(struct infer *x) {
    struct scan r = {.body = infer_body_of(x, "body")};
    int64_t scans = infer_int(x, "num_scan_inputs", 0);
    if (!r.body || (x->schema && x->schema->since < 9)) return true;
    if (scans < 1 || scans > x->nin)
        return infer_fail(x, "attribute \"num_scan_inputs\" is %" PRId64, scans);
    r.scans = (uint32_t)scans;
    r.states = x->nin - r.scans;
    r.in_axes = infer_ints(x, "scan_input_axes");
    r.out_axes = infer_ints(x, "scan_output_axes");
    for (uint32_t k = 0; k < r.states; k++) infer_set_body_input(r.body, k, infer_in(x, k));
    for (uint32_t k = 0; k < r.scans; k++)
        if (!slice_scanned(x, &r, k)) return false;
    infer_body(x, r.body);
    for (uint32_t k = 0; k < x->nout; k++) {
        if (k < r.states) infer_set_like(x, k, infer_dtype(x, k), k);
        else
            infer_set_collected(x, k, infer_body_output(r.body, k),
                                axis_of(&r.out_axes, k - r.states), r.length);
    }
    return true;
}
