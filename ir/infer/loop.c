/* loop.c -- Loop: what its state is in every iteration.
 *
 * By induction: the dims of a state are supposed to be the initial ones in every
 * iteration; the body is inferred under that; if it gives a state another dim than it was
 * given, that dim varies: it becomes a symbol of its own and all is tried anew. What holds
 * at last holds in the first iteration, and in each one if it did in the one before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

#define MOST_TRIALS 4u   /* then every dim is supposed to vary */
#define DEEPEST_TRIAL 3u /* bodies in which loops are tried at all: trials multiply */

struct loop_state {
    bool opaque;     /* no tensor: keeps the type it has */
    bool ranked;
    bool keep_rank;  /* it was declared */
    enum ir_dtype dtype;
    struct infer_shape s;
    uint64_t varies; /* a bit for each dim that is a symbol of its own */
    const struct ir_type *before; /* what was found when it was inferred before, or NULL */
};
struct loop {
    struct ir_graph *body;
    uint32_t n; /* states: operands from 2 on, inputs of the body from 2 on */
    struct loop_state *state;
};

static uint64_t bit(uint32_t i) { return UINT64_C(1) << i; }

/* Under the name that it had before, if it did vary then. */
static void vary(struct infer *x, struct loop_state *s, uint32_t i) {
    const struct ir_type *t = s->before;
    bool has = ir_type_ranked(t) && t->rank == s->s.rank && (t->own & bit(i));
    s->s.dim[i] = has ? ir_dim_find(x->d, t->dims[i]) : ir_dim_fresh(x->d);
    s->varies |= bit(i);
}

/* --- what is supposed -------------------------------------------------------------- */

/* The dims of the first iteration. */
static void suppose_dims(struct infer *x, struct loop_state *s,
                         const struct ir_type *first) {
    struct infer_shape initial;
    bool known = infer_type_shape(x, first, &initial) && initial.rank == s->s.rank;
    for (uint32_t i = 0; i < s->s.rank; i++) {
        if (known) s->s.dim[i] = initial.dim[i];
        else vary(x, s, i);
    }
}

static void suppose(struct infer *x, const struct loop *l, uint32_t k) {
    struct loop_state *s = &l->state[k];
    ir_value v = l->body->inputs.at[k + 2];
    const struct ir_type *in = ir_val(l->body, v)->given;
    const struct ir_type *first = infer_in(x, k + 2);
    s->before = ir_val(l->body, v)->type;
    if ((in && in->kind != IR_TENSOR) || (first && first->kind != IR_TENSOR)) {
        s->opaque = true;
        return;
    }
    s->dtype = infer_dtype_or(first, in);
    s->keep_rank = infer_type_shape(x, in, &s->s);
    s->ranked = s->keep_rank || infer_type_shape(x, first, &s->s);
    if (s->ranked) suppose_dims(x, s, first);
}

static void set_states(struct infer *x, const struct loop *l) {
    for (uint32_t k = 0; k < l->n; k++) {
        const struct loop_state *s = &l->state[k];
        const struct ir_type *in = infer_body_input(l->body, k + 2);
        struct ir_type t = {.kind = IR_TENSOR, .dtype = s->dtype, .ranked = s->ranked,
                            .rank = s->ranked ? s->s.rank : 0, .dims = s->s.dim};
        if (s->opaque) continue;
        t.own = s->ranked ? s->varies : 1;
        if (!s->ranked) {
            bool has = in && in->kind == IR_TENSOR && !in->ranked && in->own;
            t.opaque = has ? in->opaque : ++x->m->opaque;
        }
        if (infer_is_same(x->d, in, &t)) continue;
        struct ir_type *kept = arena_copy(x->m->arena, &t, sizeof t);
        kept->dims = arena_copy(x->m->arena, t.dims, t.rank * sizeof *t.dims);
        infer_set_body_input(l->body, k + 2, kept);
    }
}

/* --- what comes of it -------------------------------------------------------------- */

static void vary_all(struct infer *x, struct loop_state *s) {
    if (!s->keep_rank) s->ranked = false;
    for (uint32_t i = 0; s->ranked && i < s->s.rank; i++)
        if (!(s->varies & bit(i))) vary(x, s, i);
}

/* Does the body give the state back as it was supposed to be? If not, less is supposed. */
static bool confirm(struct infer *x, const struct loop *l, uint32_t k) {
    struct loop_state *s = &l->state[k];
    struct infer_shape out;
    if (s->opaque || !s->ranked) return true;
    bool known = infer_type_shape(x, infer_body_output(l->body, k + 1), &out);
    uint64_t varied = s->varies;
    if (!known || out.rank != s->s.rank) {
        vary_all(x, s);
        return s->ranked && s->varies == varied;
    }
    for (uint32_t i = 0; i < out.rank; i++)
        if (!(s->varies & bit(i)) && ir_dim_find(x->d, s->s.dim[i]) != out.dim[i])
            vary(x, s, i);
    return s->varies == varied;
}

/* One inference of the body, without a word about what may be wrong only under what is
 * supposed. */
static bool try_once(struct infer *x, const struct loop *l) {
    struct diag_sink *diags = x->run->diags;
    bool confirmed = true;
    x->run->diags = NULL;
    x->failed_inside = false;
    set_states(x, l);
    infer_body(x, l->body);
    x->run->diags = diags;
    for (uint32_t k = 0; k < l->n; k++) confirmed &= confirm(x, l, k);
    return confirmed;
}

static uint32_t depth_of(const struct ir_graph *g) {
    uint32_t depth = 0;
    for (; g->outer; g = g->outer) depth++;
    return depth;
}

static void infer_states(struct infer *x, const struct loop *l) {
    ir_mark_t mark = ir_mark(x->m);
    bool confirmed = false, worthwhile = depth_of(x->g) < DEEPEST_TRIAL;
    for (uint32_t i = 0; worthwhile && !confirmed && i < MOST_TRIALS; i++) {
        ir_undo(x->m, mark);
        confirmed = try_once(x, l);
    }
    if (!confirmed) {
        ir_undo(x->m, mark);
        for (uint32_t k = 0; k < l->n; k++) vary_all(x, &l->state[k]);
        set_states(x, l);
    }
    if (confirmed && !x->run->diags) return;
    x->failed_inside = false;
    infer_body(x, l->body); /* says what is wrong */
}

/* The number of an iteration, and the condition: scalars unless declared [1]; the type is
 * the standard's, whatever is declared. */
static void set_scalar_input(struct ir_graph *body, uint32_t k, enum ir_dtype t) {
    const struct ir_type *in = infer_body_input(body, k);
    bool ranked = ir_type_ranked(in);
    if (ranked && in->dtype == t) return;
    infer_set_body_input(body, k, ir_type_tensor(body->model->arena, t,
                                                 ranked ? in->rank : 0,
                                                 ranked ? in->dims : NULL));
}

bool infer_loop(struct infer *x) {
    struct loop l = {.body = infer_body_of(x, "body")};
    if (!l.body || l.body->inputs.len < 2) return true;
    l.n = l.body->inputs.len - 2;
    l.state = arena_zalloc(x->tmp, l.n * sizeof *l.state);
    set_scalar_input(l.body, 0, IR_INT64);
    set_scalar_input(l.body, 1, IR_BOOL);
    for (uint32_t k = 0; k < l.n; k++) suppose(x, &l, k);
    infer_states(x, &l);
    for (uint32_t k = 0; k < x->nout; k++) {
        const struct ir_type *out = infer_body_output(l.body, k + 1);
        if (k < l.n && !infer_set_common(x, k, infer_in(x, k + 2), out)) return false;
        if (k >= l.n) infer_set_collected(x, k, out, 0, IR_DIM_UNKNOWN);
    }
    return true;
}
