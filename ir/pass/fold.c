/* fold.c -- nodes whose operands are constants give way to their result.
 *
 * One walk in order folds chains. What counts is by how much the file grows: bytes made
 * less bytes freed, which are those of operands that nobody else reads; by one folding, and
 * by all of a run in sum; what grows on the way to something small is folded with it.
 * Constant nodes are results already; DequantizeLinear stays, so that quantised models do; a
 * node that makes a graph output stays its producer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim.h"
#include "ir/eval.h"
#include "ir/infer.h"
#include "ir/pass/kit.h"

/* Results that are made at once live in memory until the model is written, and a small
 * file can ask for much: so there is a limit for a tensor, and one for all bytes that are
 * read and made. Weights that are normalised by their mean and deviation are read several times. */
#define LARGEST ((uint64_t)64 << 20)
#define BUDGET ((uint64_t)32 << 20)
#define TIMES 8 /* that each byte of the weights may be read, of so many: */
#define MOST_WEIGHTS ((uint64_t)256 << 20)

/* By so many limits all foldings of a run may make the file larger. */
#define MOST_GROWTH 16

/* So many nodes are looked ahead for one that makes small again what comes before it, and so
 * many operands of each. */
#define LONGEST_CHAIN 8
#define MOST_OPERANDS 8

struct fold {
    const struct ir_runtime *runtime; /* or NULL */
    uint64_t limit;
    uint64_t budget; /* bytes that may still be read or made */
};

static bool makes_output(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++)
        if (ir_output(g, n, k) != IR_NONE && ir_has(g, ir_output(g, n, k), IR_IS_OUTPUT))
            return true;
    return false;
}

static bool has_constants_alone(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++) {
        ir_value v = ir_input(g, n, k);
        if (v != IR_NONE && !ir_const(g, v)) return false;
    }
    return ir_nod(g, n)->nin > 0;
}

static bool is_evaluated(const struct ir_graph *g, ir_node n) {
    return ir_eval_folds(ir_domain_name(g, n), ir_op_name(g, n));
}

/* What most nodes fail is asked first. */
static bool is_candidate(const struct fold *f, const struct ir_graph *g, ir_node n) {
    if (!ir_nod(g, n)->schema || !has_constants_alone(g, n)) return false;
    if (ir_is_op(g, n, "Constant") || makes_output(g, n)) return false;
    if (!is_evaluated(g, n) && !(f->runtime && ir_fold_may_ask(g, n))) return false;
    return !ir_callee(g, n); /* a function took the name */
}

/* Bytes of the operands that go with the node: those that only it reads. */
static uint64_t freed_with(const struct ir_graph *g, ir_node n, struct arena *work) {
    struct map uses;
    uint64_t freed = 0;
    map_init(&uses, work);
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++) {
        ir_value v = ir_input(g, n, k);
        uint32_t before = map_get(&uses, v);
        if (v != IR_NONE) map_put(&uses, v, before == MAP_NONE ? 1 : before + 1);
    }
    for (uint32_t i = 0; i < uses.len; i++) {
        ir_value v = (ir_value)uses.entry[i].key;
        const struct ir_value_info *x = ir_val(g, v);
        if (!x->tensor || x->nuses != uses.entry[i].value) continue;
        if (x->producer != IR_NONE || ir_may_drop(g, v)) freed += x->tensor->nbytes;
    }
    return freed;
}

static uint64_t bytes_made(const struct ir_graph *g, ir_node n,
                           struct ir_tensor *const *out) {
    uint64_t made = 0;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (v == IR_NONE || !ir_val(g, v)->nuses) continue;
        made += out[k]->nbytes;
        for (uint64_t i = 0; out[k]->storage == IR_STRINGS && i < out[k]->count; i++)
            made += out[k]->strings[i].len;
    }
    return made;
}

/* Does the file stay small when so many bytes are made and so many go? */
static bool stays_small(const struct fold *f, const struct ir_model *m, uint64_t made,
                        uint64_t freed) {
    uint64_t grown = made > freed ? made - freed : 0, all = f->limit;
    if (grown == 0) return true;
    if (__builtin_mul_overflow(all, (uint64_t)MOST_GROWTH, &all)) all = UINT64_MAX;
    return grown <= f->limit && m->folding.growth <= all &&
           grown <= all - m->folding.growth;
}

static void count_growth(struct ir_folding *f, uint64_t made, uint64_t freed) {
    uint64_t less = freed > made ? freed - made : 0;
    if (made > freed) f->growth += made - freed;
    else f->growth -= less < f->growth ? less : f->growth;
}

/* As inference knows it; 0 where it does not. */
static uint64_t bytes_of(const struct ir_model *m, const struct ir_type *t) {
    uint64_t bytes, count = 1;
    for (uint32_t i = 0; ir_type_ranked(t) && i < t->rank; i++) {
        int64_t dim;
        if (!ir_dim_is_const(m->dims, t->dims[i], &dim) || dim < 0) return 0;
        if (__builtin_mul_overflow(count, (uint64_t)dim, &count)) return UINT64_MAX;
    }
    bool known = ir_type_ranked(t) && ir_tensor_bytes(t->dtype, count, &bytes);
    return known ? bytes : 0;
}

/* What n will make, before it is made. */
static uint64_t bytes_expected(const struct ir_graph *g, ir_node n) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (v == IR_NONE || !ir_val(g, v)->nuses) continue;
        if (!rw_add_u64(sum, bytes_of(g->model, ir_val(g, v)->type), &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* The node that alone reads what n makes, and besides that constants; IR_NONE if none is. */
static ir_node next_of_chain(const struct ir_graph *g, ir_node n) {
    ir_value v = ir_nod(g, n)->nout == 1 ? ir_output(g, n, 0) : IR_NONE;
    if (v == IR_NONE || ir_val(g, v)->nuses != 1) return IR_NONE;
    ir_node user = g->uses.at[ir_val(g, v)->uses].user;
    bool reads = false;
    if (ir_nod(g, user)->nin > MOST_OPERANDS) return IR_NONE;
    for (uint32_t k = 0; k < ir_nod(g, user)->nin; k++) {
        ir_value x = ir_input(g, user, k);
        reads |= x == v;
        if (x != v && x != IR_NONE && !ir_const(g, x)) return IR_NONE;
    }
    bool folds = reads && ir_nod(g, user)->schema && is_evaluated(g, user) &&
                 !makes_output(g, user) && !ir_callee(g, user);
    return folds ? user : IR_NONE;
}

/* Does the file stay small when the nodes behind n are folded too? What is widened to be
 * computed is often narrowed again: a weight in float16, times factors in float. */
static bool chain_stays_small(const struct fold *f, const struct ir_graph *g, ir_node n,
                              uint64_t freed, struct arena *work) {
    for (uint32_t i = 0; i < LONGEST_CHAIN; i++) {
        n = next_of_chain(g, n);
        if (n == IR_NONE || !rw_add_u64(freed, freed_with(g, n, work), &freed)) return false;
        uint64_t made = bytes_expected(g, n);
        if (made > 0 && stays_small(f, g->model, made, freed)) return true;
    }
    return false;
}

static bool compute(struct fold *f, struct ir_graph *g, ir_node n,
                    struct ir_tensor **out) {
    struct arena *a = g->model->arena;
    const struct ir_eval_limits limits = {LARGEST, IR_LEAST_LAZY, UINT64_MAX, &f->budget};
    return is_evaluated(g, n) ? ir_eval_node(g, n, a, &limits, out)
                              : ir_fold_ask(f->runtime, g, n, a, out);
}

/* The results of n, in the model's arena; NULL when they cannot be had or are too large. */
static struct ir_tensor **evaluate(struct fold *f, struct ir_graph *g, ir_node n,
                                   struct arena *work) {
    struct ir_model *m = g->model;
    uint64_t freed = freed_with(g, n, work);
    struct ir_tensor **out = arena_new_array(work, struct ir_tensor *, ir_nod(g, n)->nout);
    struct arena_mark mark = arena_mark(m->arena);
    bool small = stays_small(f, m, bytes_expected(g, n), freed);
    bool passes = !small && chain_stays_small(f, g, n, freed, work);
    small |= passes;
    bool made = small && compute(f, g, n, out);
    uint64_t bytes = made ? bytes_made(g, n, out) : 0;
    small = small && (passes || stays_small(f, m, bytes, freed));
    m->folding.left += !small;
    if (made && small) {
        count_growth(&m->folding, bytes, freed);
        m->folding.given += !is_evaluated(g, n);
        return out;
    }
    arena_reset(m->arena, mark);
    return NULL;
}

static void replace(struct ir_graph *g, ir_node n, struct ir_tensor *const *out,
                    struct arena *work) {
    uint32_t nin = ir_nod(g, n)->nin, nout = ir_nod(g, n)->nout;
    ir_value *in = arena_new_array(work, ir_value, nin);
    for (uint32_t k = 0; k < nin; k++) in[k] = ir_input(g, n, k);
    bool removed = false;
    for (uint32_t k = 0; k < nout && !removed; k++) {
        ir_value v = ir_output(g, n, k);
        if (v == IR_NONE || !ir_val(g, v)->nuses) continue;
        ir_put_constant(g, v, out[k]);
        removed = ir_is_dead(g, n);
    }
    for (uint32_t k = 0; k < nin; k++)
        if (in[k] != IR_NONE) ir_drop_constant(g, in[k]);
}

static uint32_t fold_graph(struct ir_graph *g, void *ctx) {
    uint32_t folded = 0;
    for (ir_node n = g->first, next; n != IR_NONE; n = next) {
        next = ir_nod(g, n)->next;
        if (!is_candidate(ctx, g, n) || ir_is_unused(g, n)) continue;
        struct arena work = ARENA_EMPTY;
        struct ir_tensor **out = evaluate(ctx, g, n, &work);
        if (out) {
            replace(g, n, out, &work);
            folded++;
        }
        arena_free(&work);
    }
    return folded;
}

static uint64_t bytes_of_weights(const struct ir_model *m) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        for (ir_value v = 0; v < m->graphs.at[i]->values.len; v++) {
            const struct ir_value_info *x = &m->graphs.at[i]->values.at[v];
            if (x->tensor && !(x->flags & IR_IS_DEAD) && !rw_add_u64(sum, x->tensor->nbytes, &sum))
                return UINT64_MAX;
        }
    return sum;
}

uint64_t ir_fold_allowed(struct ir_model *m) {
    struct ir_folding *f = &m->folding;
    uint64_t weights = f->allowed ? 0 : bytes_of_weights(m);
    if (!f->allowed) f->allowed = BUDGET + TIMES * (weights < MOST_WEIGHTS ? weights : MOST_WEIGHTS);
    return f->allowed;
}

uint32_t ir_pass_fold(struct ir_model *m, const struct ir_pass_options *o) {
    m->folding.left = 0;
    struct fold f = {.runtime = o ? o->runtime : NULL,
                     .limit = o ? o->fold_limit : IR_FOLD_LIMIT,
                     .budget = ir_fold_allowed(m) - m->folding.spent};
    uint32_t folded = ir_pass_over(m, fold_graph, &f);
    m->folding.spent = m->folding.allowed - f.budget;
    return folded;
}
