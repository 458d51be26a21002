/* control.c -- If and Scan: types into bodies and out of them. (Loop: infer_loop.c.)
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

struct ir_graph *infer_body_of(const struct infer *x, const char *name) {
    return ir_body(x->g, x->n, name);
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

bool infer_set_common(struct infer *x, uint32_t k, const struct ir_type *a,
                      const struct ir_type *b) {
    struct infer_shape s, t;
    if (!a || !b || a->kind != b->kind) return true;
    if (a->kind != IR_TENSOR) {
        struct ir_type both = *a;
        both.elem = infer_common_element(x, a->elem, b->elem);
        if (both.elem) infer_set_type(x, k, &both);
        return true;
    }
    if (a->dtype && b->dtype && a->dtype != b->dtype)
        return infer_fail(x, "output %u is %s or %s, wanted one type", k,
                          ir_dtype_name(a->dtype), ir_dtype_name(b->dtype));
    infer_set_unranked(x, k, infer_dtype_or(a, b), 0);
    if (!infer_type_shape(x, a, &s) || !infer_type_shape(x, b, &t) || s.rank != t.rank)
        return true;
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.dim[i] != t.dim[i]) s.dim[i] = IR_DIM_UNKNOWN;
    infer_set(x, k, infer_dtype_or(a, b), &s);
    return true;
}

void infer_set_body_input(struct ir_graph *body, uint32_t k, const struct ir_type *t) {
    if (k >= body->inputs.len) return;
    ir_value v = body->inputs.at[k];
    ir_set_inferred(body, v, t ? t : ir_val(body, v)->given);
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

/* A branch that is known not to run may be wrong: only what is right of it is of use. */
static void infer_dead_branch(struct infer *x, struct ir_graph *body) {
    struct diag_sink *diags = x->run->diags;
    bool failed = x->failed_inside;
    x->run->diags = NULL;
    infer_body(x, body);
    x->run->diags = diags;
    x->failed_inside = failed;
}

static enum ir_truth condition_of(const struct infer *x) {
    const struct ir_symval *c = infer_value_of(x, 0);
    int64_t value;
    if (!c || c->len != 1 || !infer_is_const(x, c->items[0], &value)) return IR_UNKNOWN;
    return value ? IR_TRUE : IR_FALSE;
}

bool infer_if(struct infer *x) {
    struct ir_graph *yes = infer_body_of(x, "then_branch");
    struct ir_graph *no = infer_body_of(x, "else_branch");
    enum ir_truth condition = condition_of(x);
    if (!yes || !no) return true;
    (condition == IR_FALSE ? infer_dead_branch : infer_body)(x, yes);
    (condition == IR_TRUE ? infer_dead_branch : infer_body)(x, no);
    if (yes->outputs.len != no->outputs.len)
        return infer_fail(x, "the branches have %u and %u outputs", yes->outputs.len,
                          no->outputs.len);
    for (uint32_t k = 0; k < x->nout; k++) {
        const struct ir_type *a = infer_body_output(yes, k), *b = infer_body_output(no, k);
        if (condition == IR_UNKNOWN && !infer_set_common(x, k, a, b)) return false;
        if (condition != IR_UNKNOWN) infer_set_type(x, k, condition == IR_TRUE ? a : b);
    }
    return true;
}

void infer_value_if(struct infer *x) {
    enum ir_truth condition = condition_of(x);
    if (condition == IR_UNKNOWN) return;
    struct ir_graph *taken =
        infer_body_of(x, condition == IR_TRUE ? "then_branch" : "else_branch");
    for (uint32_t k = 0; taken && k < x->nout && k < taken->outputs.len; k++) {
        ir_value v = taken->uses.at[taken->outputs.at[k]].value;
        const struct ir_symval *value = ir_symval_of(taken, v);
        if (value) infer_set_value(x, k, value->rank, value->len, value->items);
    }
}

/* --- Scan -------------------------------------------------------------------------- */

struct scan {
    struct ir_graph *body;
    uint32_t first;         /* operand of the first state */
    uint32_t states, scans; /* operands: the states, then what is scanned */
    bool batched;           /* opset 8: all have a batch in front, and scan dim 1 */
    struct infer_ints in_axes, out_axes;
    ir_dim batch, length;
};

static int64_t axis_of(const struct infer_ints *axes, uint32_t k) {
    return axes->known && k < axes->n ? axes->at[k] : 0;
}

static void drop_dim(struct infer_shape *s, uint32_t axis) {
    memmove(&s->dim[axis], &s->dim[axis + 1], (s->rank - axis - 1) * sizeof *s->dim);
    s->rank--;
}

static bool drop_batch(struct infer *x, struct scan *r, struct infer_shape *s) {
    if (!r->batched) return true;
    if (!s->rank) return infer_fail(x, "an operand is a scalar, wanted a batch");
    if (!r->batch) r->batch = s->dim[0];
    drop_dim(s, 0);
    return true;
}

static void give(struct infer *x, struct scan *r, uint32_t k, const struct infer_shape *s) {
    enum ir_dtype t = infer_dtype(x, r->first + k);
    infer_set_body_input(r->body, k, ir_type_tensor(x->m->arena, t, s->rank, s->dim));
}

static bool give_state(struct infer *x, struct scan *r, uint32_t k) {
    struct infer_shape s;
    if (!infer_shape_of(x, r->first + k, &s)) return true;
    if (!drop_batch(x, r, &s)) return false;
    give(x, r, k, &s);
    return true;
}

static bool give_slice(struct infer *x, struct scan *r, uint32_t k) {
    struct infer_shape s;
    uint32_t axis;
    if (!infer_shape_of(x, r->first + r->states + k, &s)) return true;
    if (!drop_batch(x, r, &s)) return false;
    if (!infer_axis(x, axis_of(&r->in_axes, k), s.rank, &axis)) return false;
    if (!r->length) r->length = s.dim[axis];
    drop_dim(&s, axis);
    give(x, r, r->states + k, &s);
    return true;
}

/* In opset 8 the batch and the sequence are the first dims of what is collected. */
static void set_scanned(struct infer *x, const struct scan *r, uint32_t k) {
    const struct ir_type *each = infer_body_output(r->body, k);
    struct infer_shape s;
    infer_set_collected(x, k, each, axis_of(&r->out_axes, k - r->states), r->length);
    if (!r->batched || !infer_out_shape(x, k, &s) || s.rank == INFER_MAX_RANK) return;
    memmove(&s.dim[1], &s.dim[0], s.rank++ * sizeof *s.dim);
    s.dim[0] = r->batch;
    infer_set(x, k, each->dtype, &s);
}

bool infer_scan(struct infer *x) {
    struct scan r = {.body = infer_body_of(x, "body")};
    int64_t scans = infer_int(x, "num_scan_inputs", 0);
    if (!r.body) return true;
    r.batched = x->schema && x->schema->since < 9; /* operand 0: lengths in the batch */
    r.first = r.batched ? 1 : 0;
    if (scans < 1 || scans > (int64_t)x->nin - r.first)
        return infer_fail(x, "attribute \"num_scan_inputs\" is %" PRId64, scans);
    r.scans = (uint32_t)scans;
    r.states = x->nin - r.first - r.scans;
    r.in_axes = infer_ints(x, "scan_input_axes");
    r.out_axes = infer_ints(x, "scan_output_axes");
    for (uint32_t k = 0; k < r.states; k++)
        if (!give_state(x, &r, k)) return false;
    for (uint32_t k = 0; k < r.scans; k++)
        if (!give_slice(x, &r, k)) return false;
    infer_body(x, r.body);
    for (uint32_t k = 0; k < x->nout; k++) {
        uint32_t in = r.first + k;
        if (k < r.states) infer_set_like(x, k, infer_dtype(x, in), in);
        else set_scanned(x, &r, k);
    }
    return true;
}
