/* control.c -- an If whose condition is known gives way to the branch that is taken, a Loop
 * that runs never or once to what it computes.
 *
 * The nodes of the body are copied in front of the node, with fresh names where names are
 * taken; its results take the places of the node's. Where a result cannot be the value
 * itself (a graph output that would be an input or a constant) an Identity stands between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/clone.h"
#include "ir/param.h"
#include "ir/pass/kit.h"

/* Of a branch more is known than of either, which may settle what stands behind; but chains
 * of that must not cost the square of their length. */
#define MOST_ROUNDS 8

/* --- what is known ------------------------------------------------------------------- */

/* The one integer or truth value of a constant, or of what inference knows. */
static bool known_scalar(const struct ir_graph *g, ir_value v, int64_t *out) {
    if (v == IR_NONE) return false;
    struct ir_tensor *t = ir_const(g, v);
    if (t) return t->count == 1 && ir_tensor_int_at(g->model, t, 0, out);
    const struct ir_symval *s = ir_val(g, v)->symval;
    return s && s->len == 1 && ir_dim_is_const(g->model->dims, s->items[0], out);
}

static ir_value body_output(const struct ir_graph *body, uint32_t k) {
    return body->uses.at[body->outputs.at[k]].value;
}

/* Output k becomes `now` with an axis of one in front: what one iteration collects. */
static void pass_on_collected(struct ir_graph *g, ir_node n, uint32_t k, ir_value now) {
    static const int64_t axis[] = {0};
    ir_value old = ir_output(g, n, k);
    if (old == IR_NONE || !ir_val(g, old)->nuses) return;
    ir_value in[] = {now, IR_NONE};
    struct ir_attr axes = ir_attr_ints("axes", 1, axis);
    bool by_attr = ir_param_operand("", "Unsqueeze", "axes", ir_opset(g, "")) < 0;
    if (!by_attr)
        in[1] = ir_add_constant(g, "axes", ir_tensor_ints(g->model->arena, 1, axis));
    ir_detach_output(g, n, k);
    ir_add_node(g, &(struct ir_new_node){.op = "Unsqueeze", .nin = by_attr ? 1 : 2, .in = in,
                                         .nout = 1, .out = &old, .nattr = by_attr,
                                         .attr = &axes}, n);
}

static bool is_wanted(const struct ir_graph *g, ir_node n, uint32_t k) {
    ir_value v = ir_output(g, n, k);
    return v != IR_NONE && ir_val(g, v)->nuses;
}

/* --- If ------------------------------------------------------------------------------ */

static bool take_branch(struct ir_graph *g, ir_node n, struct arena *work) {
    int64_t condition;
    if (!known_scalar(g, ir_input(g, n, 0), &condition)) return false;
    struct ir_graph *body = ir_body(g, n, condition ? "then_branch" : "else_branch");
    if (!body || ir_noutputs(body) != ir_nod(g, n)->nout || !ir_can_clone(body)) return false;
    ir_value *results = arena_new_array(work, ir_value, ir_noutputs(body));
    ir_clone(&(struct ir_clone){.from = body, .to = g, .before = n}, results);
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) ir_pass_on(g, n, k, results[k]);
    ir_remove_node(g, n);
    return true;
}

/* --- Loop ---------------------------------------------------------------------------- */

struct loop {
    struct ir_graph *g, *body;
    ir_node n;
    uint32_t carried, nout; /* the first `carried` outputs are; the others collect */
};

static bool is_loop(struct ir_graph *g, ir_node n, struct loop *l) {
    const struct ir_node_info *x = ir_nod(g, n);
    *l = (struct loop){.g = g, .n = n, .nout = x->nout, .body = ir_body(g, n, "body")};
    if (!l->body || x->nin < 2) return false;
    l->carried = x->nin - 2;
    if (l->body->inputs.len != x->nin || ir_noutputs(l->body) != x->nout + 1) return false;
    for (uint32_t k = 2; k < x->nin; k++)
        if (ir_input(g, n, k) == IR_NONE) return false;
    return l->carried <= l->nout;
}

enum trips { TRIPS_UNKNOWN, TRIPS_NONE, TRIPS_ONE };

static enum trips count_trips(const struct loop *l) {
    ir_value most = ir_input(l->g, l->n, 0), go = ir_input(l->g, l->n, 1);
    int64_t limit = INT64_MAX, begins = 1, goes_on = 1;
    bool limited = most == IR_NONE || known_scalar(l->g, most, &limit);
    bool asked = go == IR_NONE || known_scalar(l->g, go, &begins);
    if ((asked && !begins) || (limited && limit <= 0)) return TRIPS_NONE;
    if (!asked || !limited) return TRIPS_UNKNOWN;
    if (limit == 1) return TRIPS_ONE;
    bool ends = known_scalar(l->body, body_output(l->body, 0), &goes_on) && !goes_on;
    return ends ? TRIPS_ONE : TRIPS_UNKNOWN;
}

/* What a loop that never runs has collected is empty: of a shape that must be known. */
static struct ir_tensor *collected_nothing(const struct loop *l, uint32_t k,
                                           struct arena *work) {
    struct ir_model *m = l->g->model;
    const struct ir_type *t = ir_val(l->body, body_output(l->body, k + 1))->type;
    if (!t || t->kind != IR_TENSOR || !ir_type_ranked(t) || t->dtype == IR_UNDEFINED ||
        t->dtype == IR_STRING)
        return NULL;
    int64_t *dims = arena_new_array(work, int64_t, (size_t)t->rank + 1);
    dims[0] = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!ir_dim_is_const(m->dims, t->dims[i], &dims[i + 1])) return NULL;
    return ir_tensor_new(m->arena, t->dtype, t->rank + 1, dims, "");
}

static bool skip_loop(const struct loop *l, struct arena *work) {
    struct ir_tensor **empty = arena_new_array(work, struct ir_tensor *, l->nout);
    for (uint32_t k = l->carried; k < l->nout; k++)
        if (is_wanted(l->g, l->n, k) && !(empty[k] = collected_nothing(l, k, work)))
            return false;
    for (uint32_t k = 0; k < l->nout; k++) {
        if (!is_wanted(l->g, l->n, k)) continue;
        bool carried = k < l->carried;
        ir_pass_on(l->g, l->n, k, carried ? ir_input(l->g, l->n, k + 2)
                                       : ir_add_constant(l->g, "empty", empty[k]));
    }
    ir_remove_node(l->g, l->n);
    return true;
}

static bool run_once(const struct loop *l, struct arena *work) {
    struct ir_graph *g = l->g;
    struct arena *a = g->model->arena;
    uint32_t nin = ir_nod(g, l->n)->nin;
    if (!ir_can_clone(l->body)) return false;
    ir_value *args = arena_new_array(work, ir_value, nin);
    ir_value *results = arena_new_array(work, ir_value, l->nout + 1);
    args[0] = ir_add_constant(g, "iteration",
                              ir_tensor_new(a, IR_INT64, 0, NULL, "\0\0\0\0\0\0\0"));
    args[1] = ir_add_constant(g, "condition", ir_tensor_new(a, IR_BOOL, 0, NULL, "\1"));
    for (uint32_t k = 2; k < nin; k++) args[k] = ir_input(g, l->n, k);
    ir_clone(&(struct ir_clone){.from = l->body, .to = g, .before = l->n, .nargs = nin,
                                .args = args}, results);
    for (uint32_t k = 0; k < l->nout; k++) {
        if (k < l->carried) ir_pass_on(g, l->n, k, results[k + 1]);
        else pass_on_collected(g, l->n, k, results[k + 1]);
    }
    ir_remove_node(g, l->n);
    ir_drop_constant(g, args[0]);
    ir_drop_constant(g, args[1]);
    return true;
}

static bool settle_loop(struct ir_graph *g, ir_node n, struct arena *work) {
    struct loop l;
    if (!is_loop(g, n, &l)) return false;
    switch (count_trips(&l)) {
    case TRIPS_NONE: return skip_loop(&l, work);
    case TRIPS_ONE: return run_once(&l, work);
    default: return false;
    }
}

/* --- the pass ------------------------------------------------------------------------ */

static uint32_t settle(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    uint32_t settled = 0;
    for (ir_node n = g->first, next; n != IR_NONE; n = next) {
        next = ir_nod(g, n)->next;
        struct arena work = ARENA_EMPTY;
        if (ir_is_op(g, n, "If")) settled += take_branch(g, n, &work);
        else if (ir_is_op(g, n, "Loop")) settled += settle_loop(g, n, &work);
        arena_free(&work);
    }
    return settled;
}

uint32_t ir_pass_control(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    uint32_t settled = 0;
    for (uint32_t round = 0, now = 1; now && round < MOST_ROUNDS; round++) {
        now = ir_pass_over(m, settle, NULL);
        settled += now;
        if (now) ir_infer_quietly(m);
    }
    return settled;
}
