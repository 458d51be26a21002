/* infer_control.c -- If, Loop, Scan: types into bodies and out of them.
 *
 * Nothing that was learnt of one run of a body may leak into the graph around it. A Loop's
 * state has dims that may change from one iteration to the next: they enter the body as
 * fresh symbols, and one that comes out as it went in is the initial dim in every
 * iteration, so the symbol is unified with that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_rules.h"

static struct ir_graph *body_of(const struct infer *x, const char *name) {
    const struct ir_attr *a = ir_find_attr(x->g, x->n, name);
    return a && a->type == IR_ATTR_GRAPH && a->n ? a->graphs[0] : NULL;
}

static const struct ir_type *output_type(const struct ir_graph *body, uint32_t k) {
    if (k >= body->outputs.len) return NULL;
    return ir_val(body, body->uses.at[body->outputs.at[k]].value)->type;
}

static const struct ir_type *input_type(const struct ir_graph *body, uint32_t k) {
    return k < body->inputs.len ? ir_val(body, body->inputs.at[k])->type : NULL;
}

static enum ir_dtype dtype_or(const struct ir_type *t, const struct ir_type *other) {
    return ir_type_dtype(t) != IR_UNDEFINED ? ir_type_dtype(t) : ir_type_dtype(other);
}

/* What holds of both types: the dims that are the same in both. */
static void set_common(struct infer *x, uint32_t k, const struct ir_type *a,
                       const struct ir_type *b) {
    struct infer_shape s, t;
    if (!a || !b || a->kind != b->kind) return;
    if (a->kind != IR_TENSOR) {
        infer_set_type(x, k, a);
        return;
    }
    infer_set_unranked(x, k, dtype_or(a, b), 0);
    if (!infer_type_shape(x, a, &s) || !infer_type_shape(x, b, &t) || s.rank != t.rank) return;
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.dim[i] != t.dim[i]) s.dim[i] = IR_DIM_UNKNOWN;
    infer_set(x, k, dtype_or(a, b), &s);
}

bool infer_if(struct infer *x) {
    struct ir_graph *yes = body_of(x, "then_branch"), *no = body_of(x, "else_branch");
    if (!yes || !no) return true;
    infer_body(x, yes);
    infer_body(x, no);
    if (yes->outputs.len != no->outputs.len)
        return infer_fail(x, "the branches have %u and %u outputs", yes->outputs.len,
                          no->outputs.len);
    for (uint32_t k = 0; k < x->nout; k++)
        set_common(x, k, output_type(yes, k), output_type(no, k));
    return true;
}

/* --- Loop -------------------------------------------------------------------------- */

static void set_input(struct ir_graph *body, uint32_t k, const struct ir_type *t) {
    if (k < body->inputs.len && t) ir_set_type(body, body->inputs.at[k], t);
}

/* The number of an iteration, and the condition: scalars unless declared [1]. */
static void set_scalar_input(struct ir_graph *body, uint32_t k, enum ir_dtype t) {
    if (!ir_type_ranked(input_type(body, k)))
        set_input(body, k, ir_type_tensor(body->model->arena, t, 0, NULL));
}

/* Are all dims symbols made for this input, by an earlier inference or because the file
 * leaves them open? Then they stay right. */
static bool has_own_symbols(const struct infer *x, const struct ir_type *t) {
    for (uint32_t i = 0; i < t->rank; i++)
        if (!ir_dim_is_fresh(x->d, t->dims[i])) return false;
    return true;
}

/* The type of a state in any iteration: element type and rank, with fresh dims. The rank
 * is the declared one, else the initial one, if `assume` says so. */
static const struct ir_type *state_type(struct infer *x, const struct ir_graph *body,
                                        uint32_t k, bool assume) {
    const struct ir_type *in = input_type(body, k), *first = infer_in(x, k);
    struct infer_shape s;
    if ((in && in->kind != IR_TENSOR) || (first && first->kind != IR_TENSOR)) return in;
    enum ir_dtype t = dtype_or(first, in);
    if (ir_type_ranked(in) && in->dtype == t && has_own_symbols(x, in)) return in;
    bool ranked = infer_type_shape(x, in, &s) || (assume && infer_type_shape(x, first, &s));
    if (!ranked) return in && in->opaque ? in : ir_type_unranked(x->m->arena, t, ++x->m->opaque);
    for (uint32_t i = 0; i < s.rank; i++) s.dim[i] = ir_dim_fresh(x->d);
    return ir_type_tensor(x->m->arena, t, s.rank, s.dim);
}

#define DEEPEST_TRIAL 3u

static uint32_t depth_of(const struct ir_graph *g) {
    uint32_t depth = 0;
    for (; g->outer; g = g->outer) depth++;
    return depth;
}

/* Runs inference over the body once. false: a rank that was assumed was not confirmed. */
static bool try_loop(struct infer *x, struct ir_graph *body, bool assume) {
    bool confirmed = true;
    for (uint32_t k = 2; k < body->inputs.len; k++)
        set_input(body, k, state_type(x, body, k, assume));
    infer_body(x, body);
    for (uint32_t k = 2; k < body->inputs.len; k++) {
        const struct ir_type *in = input_type(body, k), *out = output_type(body, k - 1);
        if (ir_type_ranked(in) && (!ir_type_ranked(out) || out->rank != in->rank))
            confirmed = false;
    }
    return confirmed;
}

/* A rank is assumed and the body inferred anew where that fails; not in deep nests, where
 * trying twice at each level would add up. */
static void infer_loop_body(struct infer *x, struct ir_graph *body) {
    ir_mark_t mark = ir_mark(x->m);
    bool assume = depth_of(x->g) < DEEPEST_TRIAL;
    if (try_loop(x, body, assume) || !assume) return;
    ir_undo(x->m, mark);
    try_loop(x, body, false);
}

/* Dims that come out as they went in are the initial ones. */
static void unify_invariants(struct infer *x, struct ir_graph *body) {
    for (uint32_t k = 2; k < body->inputs.len && k < x->nin; k++) {
        struct infer_shape in, out, first;
        if (!infer_type_shape(x, input_type(body, k), &in)) continue;
        if (!infer_type_shape(x, output_type(body, k - 1), &out)) continue;
        if (!infer_shape_of(x, k, &first) || in.rank != out.rank || in.rank != first.rank)
            continue;
        for (uint32_t i = 0; i < in.rank; i++)
            if (in.dim[i] == out.dim[i]) ir_dim_unify(x->d, in.dim[i], first.dim[i]);
    }
}

/* Output k collects one tensor an iteration along a new axis. All have one shape, or the
 * model does not run: so the dims of any iteration hold outside. */
static void set_collected(struct infer *x, uint32_t k, const struct ir_type *each,
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

bool infer_loop(struct infer *x) {
    struct ir_graph *body = body_of(x, "body");
    if (!body || body->inputs.len < 2) return true;
    uint32_t states = body->inputs.len - 2;
    set_scalar_input(body, 0, IR_INT64);
    set_scalar_input(body, 1, IR_BOOL);
    infer_loop_body(x, body);
    unify_invariants(x, body);
    for (uint32_t k = 0; k < x->nout; k++) {
        if (k < states) set_common(x, k, infer_in(x, k + 2), output_type(body, k + 1));
        else set_collected(x, k, output_type(body, k + 1), 0, IR_DIM_UNKNOWN);
    }
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
    set_input(r->body, r->states + k,
              ir_type_tensor(x->m->arena, infer_dtype(x, r->states + k), s.rank - 1, s.dim));
    return true;
}

bool infer_scan(struct infer *x) {
    struct scan r = {.body = body_of(x, "body")};
    int64_t scans = infer_int(x, "num_scan_inputs", 0);
    if (!r.body || (x->schema && x->schema->since < 9)) return true;
    if (scans < 1 || scans > x->nin)
        return infer_fail(x, "attribute \"num_scan_inputs\" is %" PRId64, scans);
    r.scans = (uint32_t)scans;
    r.states = x->nin - r.scans;
    r.in_axes = infer_ints(x, "scan_input_axes");
    r.out_axes = infer_ints(x, "scan_output_axes");
    for (uint32_t k = 0; k < r.states; k++) set_input(r.body, k, infer_in(x, k));
    for (uint32_t k = 0; k < r.scans; k++)
        if (!slice_scanned(x, &r, k)) return false;
    infer_body(x, r.body);
    for (uint32_t k = 0; k < x->nout; k++) {
        if (k < r.states) infer_set_like(x, k, infer_dtype(x, k), k);
        else set_collected(x, k, output_type(r.body, k), axis_of(&r.out_axes, k - r.states),
                           r.length);
    }
    return true;
}
