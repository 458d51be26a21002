/* prepare.c -- what a graph starts from: types of constants and inputs, and whether
 * declared shapes can be at all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"
#include "ir/where.h"

/* Dims must not be negative, and the elements must be countable. */
static enum rw_code check_shape(const struct ir_graph *g, ir_value v,
                                struct diag_sink *diags) {
    const struct ir_type *t = ir_val(g, v)->type;
    int64_t value;
    if (!ir_type_ranked(t)) return RW_OK;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!ir_dim_is_const(g->model->dims, t->dims[i], &value) || value >= 0) continue;
        if (diags)
            diag_where(diags, DIAG_ERROR, ir_model_name(g->model),
                       "\"%s\" is declared with the dimension %" PRId64, ir_val(g, v)->name,
                       value);
        return RW_FORMAT;
    }
    if (infer_is_countable(g->model->dims, t)) return RW_OK;
    if (diags)
        diag_where(diags, DIAG_ERROR, ir_model_name(g->model),
                   "\"%s\" is declared with more bytes than 63 bits can count",
                   ir_val(g, v)->name);
    return RW_FORMAT;
}

/* An input keeps what is declared; what is open gets a symbol of its own. */
static void close_input(struct ir_graph *g, ir_value v) {
    struct ir_model *m = g->model;
    const struct ir_type *t = ir_val(g, v)->type;
    bool open = false;
    if (!t || t->kind != IR_TENSOR) return;
    if (!t->ranked) {
        if (!t->opaque)
            ir_set_inferred(g, v, ir_type_unranked(m->arena, t->dtype, ++m->opaque));
        return;
    }
    ir_dim *dims = arena_copy(m->arena, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 0; i < t->rank; i++) {
        if (dims[i]) continue;
        dims[i] = ir_dim_fresh(m->dims);
        open = true;
    }
    if (open) ir_set_inferred(g, v, ir_type_tensor(m->arena, t->dtype, t->rank, dims));
}

static bool is_type_of(const struct ir_model *m, const struct ir_type *t,
                       const struct ir_tensor *tensor) {
    if (!ir_type_ranked(t) || t->dtype != tensor->dtype || t->rank != tensor->rank)
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t value;
        if (!ir_dim_is_const(m->dims, t->dims[i], &value) || value != tensor->dims[i])
            return false;
    }
    return true;
}

/* A constant has the type of its tensor, whatever is declared. */
static void type_constant(struct ir_graph *g, ir_value v, const struct ir_tensor *tensor) {
    struct ir_model *m = g->model;
    if (is_type_of(m, ir_val(g, v)->type, tensor)) return;
    ir_dim *dims = arena_new_array(m->arena, ir_dim, tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = ir_dim_const(m->dims, tensor->dims[i]);
    ir_set_inferred(g, v, ir_type_tensor(m->arena, tensor->dtype, tensor->rank, dims));
}

/* Does some operator take v that takes nothing but tensors? */
static bool is_used_as_tensor(const struct ir_graph *g, ir_value v) {
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        const struct ir_use_info *x = &g->uses.at[u];
        if (x->user == IR_NONE || x->slot == IR_SLOT_BODY) continue;
        const struct ir_schema *s = ir_nod(g, x->user)->schema;
        const struct ir_formal_param *p = s ? ir_schema_input(s, x->slot) : NULL;
        if (p && infer_tensors_only(p->types)) return true;
    }
    return false;
}

/* An input of a function has whatever shape the caller gives: one that has a name, at
 * least, so that what has the same shape can be told. */
static void open_function_input(struct ir_graph *g, ir_value v) {
    struct ir_model *m = g->model;
    if (!ir_val(g, v)->type && is_used_as_tensor(g, v))
        ir_set_inferred(g, v, ir_type_unranked(m->arena, IR_UNDEFINED, ++m->opaque));
}

enum rw_code infer_prepare(struct ir_graph *g, struct diag_sink *diags) {
    enum rw_code code = RW_OK;
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_value_info *x = ir_val(g, v);
        if (x->flags & (IR_IS_DEAD | IR_IS_OUTER)) continue;
        if (check_shape(g, v, diags) != RW_OK) code = RW_FORMAT;
        bool overridable = (x->flags & IR_IS_INPUT) && !ir_const(g, v);
        if ((x->flags & IR_IS_INIT) && x->tensor && !overridable)
            type_constant(g, v, x->tensor);
        else if (x->flags & IR_IS_INPUT) {
            if (g->function && !g->outer) open_function_input(g, v);
            if (!g->outer)
                close_input(g, v); /* the rule of the owner sets those of a body */
        }
    }
    return code;
}
