/* infer_call.c -- calls of functions of the model.
 *
 * A function has no types of its own: each call infers the body anew with the types and
 * known values of its operands, takes the types of the results, and undoes the rest. What
 * that may cost is limited, for functions call functions; beyond the limit outputs stay as
 * declared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer_impl.h"

#define DEEPEST_CALL 8u
#define MOST_CALL_NODES 200000u

#define AMBIGUOUS (MAP_NONE - 1) /* told apart by overload, which a node does not keep */

static uint64_t key_of(sym_t domain, sym_t name) { return (uint64_t)domain << 32 | name; }

static void index_functions(struct ir_model *m) {
    map_init(&m->function_index, m->arena);
    m->functions_indexed = m->functions.len;
    for (uint32_t i = 0; i < m->functions.len; i++) {
        const struct ir_function *f = m->functions.at[i];
        bool is_default = !f->domain || rw_streq(f->domain, "ai.onnx");
        uint64_t key = key_of(intern(&m->names, is_default ? "" : f->domain),
                              intern(&m->names, f->name ? f->name : ""));
        bool taken = map_get(&m->function_index, key) != MAP_NONE;
        map_put(&m->function_index, key, taken ? AMBIGUOUS : i);
    }
}

struct ir_function *infer_callee(const struct ir_graph *g, ir_node n) {
    struct ir_model *m = g->model;
    const struct ir_node_info *info = ir_nod(g, n);
    if (!m->functions.len) return NULL;
    if (m->functions_indexed != m->functions.len) index_functions(m);
    uint32_t i = map_get(&m->function_index, key_of(info->domain, info->op));
    return i < m->functions.len ? m->functions.at[i] : NULL;
}

static void set_operands(struct infer *x, struct ir_graph *body) {
    for (uint32_t k = 0; k < body->inputs.len; k++) {
        ir_value v = ir_input(x->g, x->n, k);
        ir_set_type(body, body->inputs.at[k], v == IR_NONE ? NULL : ir_val(x->g, v)->type);
        ir_set_symval(body, body->inputs.at[k],
                      v == IR_NONE ? NULL : ir_symval_of(x->g, v));
    }
}

/* A symbol that the body made up means nothing outside, and would be another one the next
 * time. */
static void take_result(struct infer *x, uint32_t k, const struct ir_type *t,
                        uint32_t symbols_before) {
    struct infer_shape s;
    if (!t || t->kind != IR_TENSOR || !infer_type_shape(x, t, &s)) {
        infer_set_type(x, k, t);
        return;
    }
    for (uint32_t i = 0; i < s.rank; i++)
        if (!ir_dim_is_older(x->d, s.dim[i], symbols_before)) s.dim[i] = IR_DIM_UNKNOWN;
    infer_set(x, k, t->dtype, &s);
}

void infer_call(struct infer *x, struct ir_function *f) {
    struct infer_run *run = x->run;
    struct ir_graph *body = f->body;
    if (run->call_depth == DEEPEST_CALL || run->call_nodes > MOST_CALL_NODES) return;
    run->call_nodes += body->live;
    struct diag_sink *diags = run->diags;
    uint32_t symbols = ir_dims_symbols(x->d), opaque = x->m->opaque;
    ir_mark_t mark = ir_mark(x->m);
    run->diags = NULL; /* what is wrong with the body is said where it stands */
    run->call_depth++;
    set_operands(x, body);
    infer_nodes(run, body);
    for (uint32_t k = 0; k < x->nout && k < body->outputs.len; k++) {
        const struct ir_type *t =
            ir_val(body, body->uses.at[body->outputs.at[k]].value)->type;
        bool own = t && !t->ranked && t->opaque > opaque;
        if (own) infer_set_unranked(x, k, t->dtype, 0);
        else take_result(x, k, t, symbols);
    }
    run->call_depth--;
    run->diags = diags;
    ir_undo(x->m, mark);
}
