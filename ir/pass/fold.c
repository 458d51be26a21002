/* fold.c -- nodes whose operands are constants give way to their result.
 *
 * One walk in order folds chains. What counts is by how much the file grows: bytes made
 * less bytes freed, which are those of operands that nobody else reads. Constant nodes
 * are results already; DequantizeLinear stays, so that quantised models do; a node that
 * makes a graph output stays its producer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"
#include "ir/pass/kit.h"

/* Results live in memory until the model is written, and a small file can ask for much:
 * so there is a limit for a tensor, and one for all bytes that are read and made. */
#define LARGEST ((uint64_t)8 << 20)
#define BUDGET ((uint64_t)32 << 20)

struct fold {
    uint64_t limit;
    uint64_t budget; /* bytes that may still be read or made */
};

static bool makes_output(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++)
        if (ir_output(g, n, k) != IR_NONE && ir_has(g, ir_output(g, n, k), IR_IS_OUTPUT))
            return true;
    return false;
}

static bool is_candidate(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (!x->schema || x->nin == 0 || ir_is_op(g, n, "Constant") || makes_output(g, n))
        return false;
    if (!ir_eval_folds(ir_domain_name(g, n), ir_op_name(g, n))) return false;
    for (uint32_t k = 0; k < x->nin; k++) {
        ir_value v = ir_input(g, n, k);
        if (v != IR_NONE && !ir_const(g, v)) return false;
    }
    return true;
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

/* Takes the operands of n from the budget; false when it does not reach. */
static bool pay_for_operands(struct fold *f, const struct ir_graph *g, ir_node n,
                             uint64_t largest) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++) {
        ir_value v = ir_input(g, n, k);
        uint64_t bytes = v == IR_NONE ? 0 : ir_const(g, v)->nbytes;
        if (bytes > largest) continue; /* will not be read */
        if (bytes > f->budget) return false;
        f->budget -= bytes;
    }
    return true;
}

/* The results of n, in the model's arena; NULL when they cannot be had or are too large. */
static struct ir_tensor **evaluate(struct fold *f, struct ir_graph *g, ir_node n,
                                   struct arena *work) {
    struct ir_model *m = g->model;
    uint64_t most = freed_with(g, n, work);
    if (!rw_add_u64(most, f->limit, &most)) most = UINT64_MAX;
    uint64_t cap = most < LARGEST ? most : LARGEST;
    struct ir_tensor **out = arena_new_array(work, struct ir_tensor *, ir_nod(g, n)->nout);
    struct arena_mark mark = arena_mark(m->arena);
    bool done = pay_for_operands(f, g, n, cap) && ir_eval_node(g, n, m->arena, cap, out);
    uint64_t made = done ? bytes_made(g, n, out) : 0;
    if (done && made <= most && made <= f->budget) {
        f->budget -= made;
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
        if (!is_candidate(g, n) || ir_is_unused(g, n)) continue;
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

uint32_t ir_pass_fold(struct ir_model *m, const struct ir_pass_options *o) {
    struct fold f = {.limit = o ? o->fold_limit : IR_FOLD_LIMIT, .budget = BUDGET};
    return ir_pass_over(m, fold_graph, &f);
}
