/* call.c -- calls of functions of the model.
 *
 * A function has no types of its own: each call infers the body anew with the types and
 * known values of its operands, takes the types of the results, and undoes the rest. What
 * that may cost is limited, for functions call functions; beyond the limit outputs stay as
 * declared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"
#include "ir/file/load.h"

#define DEEPEST_CALL 8u
#define MOST_CALL_NODES 200000u

/* --- which function ---------------------------------------------------------------- */

/* Functions are told apart by an overload too: then it is made a part of the name. */
static sym_t name_of(struct ir_model *m, const char *name, const char *overload) {
    if (!*overload) return intern(&m->names, name);
    struct buf b = {0};
    buf_printf(&b, "%s\n%s", name, overload);
    sym_t s = intern(&m->names, buf_text(&b));
    buf_free(&b);
    return s;
}

static uint64_t key_of(sym_t domain, sym_t name) { return (uint64_t)domain << 32 | name; }

static void index_functions(struct ir_model *m) {
    map_init(&m->function_index, m->arena);
    m->functions_indexed = m->functions.len;
    for (uint32_t i = 0; i < m->functions.len; i++) {
        const struct ir_function *f = m->functions.at[i];
        bool is_default = !f->domain || rw_streq(f->domain, "ai.onnx");
        sym_t domain = intern(&m->names, is_default ? "" : f->domain);
        sym_t name = name_of(m, f->name ? f->name : "", f->overload ? f->overload : "");
        map_put(&m->function_index, key_of(domain, name), i);
    }
}

struct ir_function *ir_callee(const struct ir_graph *g, ir_node n) {
    struct ir_model *m = g->model;
    const struct ir_node_info *info = ir_nod(g, n);
    if (!m->functions.len) return NULL;
    if (m->functions_indexed != m->functions.len) index_functions(m);
    sym_t name = *info->overload ? name_of(m, ir_op_name(g, n), info->overload) : info->op;
    uint32_t i = map_get(&m->function_index, key_of(info->domain, name));
    return i < m->functions.len ? m->functions.at[i] : NULL;
}

/* --- attributes -------------------------------------------------------------------- */

static const struct ir_attr *by_name(const struct ir_attr *list, uint32_t n,
                                     const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (rw_streq(list[i].name, name)) return &list[i];
    return NULL;
}

/* Tensors and graphs are no defaults that shapes depend on. */
static bool is_plain(const Onnx__AttributeProto *a) {
    return a->type == (int)IR_ATTR_INT || a->type == (int)IR_ATTR_INTS ||
           a->type == (int)IR_ATTR_FLOAT || a->type == (int)IR_ATTR_FLOATS ||
           a->type == (int)IR_ATTR_STRING;
}

bool ir_function_default(struct ir_model *m, const struct ir_function *f, const char *name,
                         struct ir_attr *out) {
    const Onnx__FunctionProto *p = f->proto;
    for (size_t i = 0; p && i < p->n_attribute_proto; i++) {
        Onnx__AttributeProto *a = p->attribute_proto[i];
        struct ir_load load = {.m = m};
        if (a->name && rw_streq(a->name, name) && is_plain(a))
            return ir_load_attr(&load, NULL, NULL, a, out) == RW_OK;
    }
    return false;
}

bool infer_bind_attributes(struct infer_run *run, const struct ir_node_info *n,
                           struct infer_attrs *out) {
    const struct infer_call *call = run->call;
    struct ir_attr *list = arena_new_array(&run->scratch, struct ir_attr, n->nattr);
    *out = (struct infer_attrs){.at = list};
    if (!call) return false;
    for (uint32_t i = 0; i < n->nattr; i++) {
        struct ir_attr *bound = &list[out->n];
        *bound = n->attr[i];
        const char *ref = bound->ref;
        if (ref) {
            const struct ir_attr *given = by_name(call->attrs.at, call->attrs.n, ref);
            if (given && given->ref) return false;
            if (given) *bound = *given;
            else if (!ir_function_default(call->m, call->f, ref, bound))
                continue; /* absent here too */
            bound->name = n->attr[i].name;
        }
        out->n++;
    }
    return true;
}

/* --- a call ------------------------------------------------------------------------ */

static void set_operands(struct infer *x, struct ir_graph *body) {
    for (uint32_t k = 0; k < body->inputs.len; k++) {
        ir_value v = ir_input(x->g, x->n, k);
        ir_set_inferred(body, body->inputs.at[k], infer_in(x, k));
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
    const struct ir_node_info *n = ir_nod(x->g, x->n);
    const struct infer_call *outer = run->call,
                            call = {.m = x->m, .f = f, .attrs = {n->nattr, n->attr}};
    run->call = &call;
    set_operands(x, body);
    infer_nodes(run, body);
    for (uint32_t k = 0; k < x->nout && k < body->outputs.len; k++) {
        const struct ir_type *t =
            ir_val(body, body->uses.at[body->outputs.at[k]].value)->type;
        bool own = t && !t->ranked && t->opaque > opaque;
        if (own) infer_set_unranked(x, k, t->dtype, 0);
        else take_result(x, k, t, symbols);
    }
    run->call = outer;
    run->call_depth--;
    run->diags = diags;
    ir_undo(x->m, mark);
}
