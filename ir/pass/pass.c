/* pass.c -- the passes by name, and what they share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer.h"
#include "ir/pass/kit.h"
#include "ir/tensor/tensor_bytes.h"

static const struct ir_pass passes[] = {
    {"casts", "Casts that take back what an earlier one did", ir_pass_casts, false},
    {"control", "If with a known condition, Loop that runs never or once", ir_pass_control, false},
    {"cse", "nodes that compute what another node computes", ir_pass_cse, false},
    {"dce", "dead nodes, initializers that nobody reads", ir_pass_dce, true},
    {"dedupe", "initializers equal to another one", ir_pass_dedupe, false},
    {"fold", "nodes whose operands are constants, while the file stays small",
     ir_pass_fold, false},
    {"inline_functions", "calls of functions of the model", ir_pass_inline_functions,
     false},
    {"shapes", "shape arithmetic with a known result, or one that is there already",
     ir_pass_shapes, false},
    {"transpose", "Transposes moved to where they cost least, and cancelled",
     ir_pass_transpose, false},
};

const struct ir_pass *ir_pass_all(size_t *n) {
    *n = countof(passes);
    return passes;
}

const struct ir_pass *ir_pass_find(const char *name) {
    for (size_t i = 0; i < countof(passes); i++)
        if (rw_streq(passes[i].name, name)) return &passes[i];
    return NULL;
}

/* --- graphs, innermost first -------------------------------------------------------- */

static uint32_t depth_of(const struct ir_graph *g) {
    uint32_t depth = 0;
    while ((g = g->outer)) depth++;
    return depth;
}

uint32_t ir_pass_over(struct ir_model *m, ir_graph_pass *on, void *ctx) {
    struct arena work = ARENA_EMPTY;
    uint32_t n = m->graphs.len, deepest = 0, changed = 0;
    uint32_t *depth = arena_new_array(&work, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        depth[i] = depth_of(m->graphs.at[i]);
        deepest = rw_max_u32(deepest, depth[i]);
    }
    for (uint32_t d = deepest + 1; d-- > 0;)
        for (uint32_t i = 0; i < n; i++)
            if (depth[i] == d && ir_graph_is_live(m->graphs.at[i]))
                changed += on(m->graphs.at[i], ctx);
    arena_free(&work);
    return changed;
}

void ir_infer_quietly(struct ir_model *m) {
    struct arena work = ARENA_EMPTY;
    struct diag_sink unheard;
    diag_init(&unheard, &work);
    ir_infer_model(m, &unheard);
    arena_free(&work);
}

/* --- hashes ------------------------------------------------------------------------- */

uint64_t ir_hash_strings(const struct ir_string *at, uint64_t n) {
    uint64_t h = n;
    for (uint64_t i = 0; i < n; i++) h = hash_join(h, hash_bytes(at[i].at, at[i].len, 0));
    return h;
}

uint64_t ir_hash_tensor(struct ir_model *m, const struct ir_tensor *t) {
    unsigned char bytes[4096];
    uint64_t h = hash_bytes(t->dims, t->rank * sizeof *t->dims, t->dtype);
    if (t->storage == IR_STRINGS)
        return hash_join(h, ir_hash_strings(t->strings, t->count));
    uint64_t n = t->nbytes < sizeof bytes ? t->nbytes : sizeof bytes;
    if (!ir_tensor_bytes_at(m, t, 0, n, bytes)) return h;
    return hash_join(h, hash_bytes(bytes, (size_t)n, 0));
}

/* --- removing and replacing --------------------------------------------------------- */

bool ir_may_drop(const struct ir_graph *g, ir_value v) {
    return ir_has(g, v, IR_IS_INIT) && !ir_has(g, v, IR_IS_INPUT) && ir_val(g, v)->tensor &&
           !ir_has(g, v, IR_IS_NAMED);
}

void ir_drop_constant(struct ir_graph *g, ir_value v) {
    const struct ir_value_info *x = ir_val(g, v);
    if (x->nuses || (x->flags & IR_IS_DEAD)) return;
    if (x->flags & IR_IS_OUTER) ir_remove_value(g, v);
    else if (x->producer != IR_NONE) ir_remove_node(g, x->producer);
    else if (ir_may_drop(g, v)) ir_remove_value(g, v);
}

void ir_put_constant(struct ir_graph *g, ir_value v, struct ir_tensor *t) {
    const char *name = ir_val(g, v)->name;
    ir_node producer = ir_val(g, v)->producer;
    ir_value now = ir_add_constant(g, name, t);
    ir_replace_uses(g, v, now);
    if (producer == IR_NONE || !ir_is_unused(g, producer)) return;
    ir_remove_node(g, producer);
    ir_rename(g, now, name);
}

void ir_pass_on(struct ir_graph *g, ir_node n, uint32_t k, ir_value now) {
    ir_value old = ir_output(g, n, k);
    if (old == IR_NONE || !ir_val(g, old)->nuses) return;
    if (ir_can_replace(g, old, now)) {
        ir_replace_value(g, old, now);
        return;
    }
    ir_detach_output(g, n, k);
    ir_add_node(g, &(struct ir_new_node){.op = "Identity", .nin = 1, .in = &now, .nout = 1,
                                         .out = &old, .rule = ir_nod(g, n)->rule}, n);
}
