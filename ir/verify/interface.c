/* interface.c -- inputs and outputs of the main graph: what a file must say of them,
 * and that a rewrite leaves them as they were.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

/* --- what a file says --------------------------------------------------------------- */

struct port {
    const char *kind; /* "input", "output" or "value" */
    const Onnx__ValueInfoProto *info;
};

static const char *port_where(struct verify *v, const struct port *p) {
    return arena_printf(&v->tmp, "%s: %s \"%s\"", ir_model_name(v->m), p->kind,
                        p->info->name ? p->info->name : "");
}

/* What the file leaves out does no harm where it is known all the same. */
static void lacks(struct verify *v, const struct port *p, bool known, const char *what) {
    diag_where(v->diags, known ? DIAG_WARNING : DIAG_ERROR, port_where(v, p), "has no %s",
               what);
    if (!known) v->code = RW_WRONG;
}

static bool is_computed(const struct verify *v, const struct port *p) {
    const struct ir_graph *g = v->m->main;
    ir_value value = p->info->name ? ir_find_value(g, p->info->name) : IR_NONE;
    const struct ir_type *t = value == IR_NONE ? NULL : ir_val(g, value)->type;
    return t && (t->kind != IR_TENSOR || t->dtype != IR_UNDEFINED);
}

static void verify_dims(struct verify *v, const struct port *p,
                        const Onnx__TensorShapeProto *shape) {
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[i];
        if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ||
            d->dim_value >= 0)
            continue;
        diag_where(v->diags, DIAG_WARNING, port_where(v, p),
                   "has the dimension %" PRId64 ", which is taken as unknown",
                   d->dim_value);
        return;
    }
}

static void verify_tensor(struct verify *v, const struct port *p, int32_t elem,
                          const Onnx__TensorShapeProto *shape) {
    if (elem == IR_UNDEFINED && is_computed(v, p)) lacks(v, p, true, "element type");
    else ir_verify_element_type(v, port_where(v, p), elem);
    if (shape) verify_dims(v, p, shape);
    else lacks(v, p, true, "shape");
}

static void verify_port(struct verify *v, const char *kind,
                        const Onnx__ValueInfoProto *info) {
    const struct port p = {kind, info};
    const Onnx__TypeProto *t = info->type;
    if (!t || t->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
        lacks(v, &p, is_computed(v, &p), "type");
    else if (t->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        verify_tensor(v, &p, t->tensor_type->elem_type, t->tensor_type->shape);
    else if (t->value_case == ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE)
        verify_tensor(v, &p, t->sparse_tensor_type->elem_type,
                      t->sparse_tensor_type->shape);
}

/* Before IR version 4 initializers stood in the list of inputs too. */
static void verify_defaults(struct verify *v, const struct ir_graph *g) {
    const Onnx__GraphProto *p = g->proto;
    for (size_t i = 0; p && i < p->n_initializer; i++) {
        const char *name = p->initializer[i]->name;
        ir_value value = name ? ir_find_value(g, name) : IR_NONE;
        if (value == IR_NONE || ir_has(g, value, IR_IS_INPUT)) continue;
        diag_where(v->diags, DIAG_WARNING, ir_model_name(v->m),
                   "initializer \"%s\" is no graph input, which IR version %" PRId64
                   " wants", name, v->m->ir_version);
        return;
    }
}

static void verify_info(struct verify *v, const Onnx__ValueInfoProto *info) {
    const Onnx__TypeProto *t = info->type;
    bool is_tensor = t && t->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    if (!is_tensor || t->tensor_type->elem_type == IR_UNDEFINED) return;
    const struct port p = {"value", info};
    ir_verify_element_type(v, port_where(v, &p), t->tensor_type->elem_type);
    if (t->tensor_type->shape) verify_dims(v, &p, t->tensor_type->shape);
}

void ir_verify_interface(struct verify *v) {
    const Onnx__GraphProto *p = v->m->main->proto;
    if (!p) return;
    if (!p->name || !*p->name)
        diag_where(v->diags, DIAG_WARNING, ir_model_name(v->m), "the graph has no name");
    for (uint32_t i = 0; v->m->ir_version < 4 && i < v->m->graphs.len; i++)
        verify_defaults(v, v->m->graphs.at[i]);
    for (size_t i = 0; i < p->n_value_info; i++) verify_info(v, p->value_info[i]);
    for (size_t i = 0; i < p->n_input; i++) verify_port(v, "input", p->input[i]);
    for (size_t i = 0; i < p->n_output; i++) verify_port(v, "output", p->output[i]);
}

/* --- what a rewrite leaves ------------------------------------------------------------ */

struct ir_port {
    const char *name;
    const struct ir_type *type;
    bool has_default; /* an input that an initializer stands for */
};
struct ir_interface {
    uint32_t nin, nout;
    struct ir_port *in, *out;
};

static struct ir_port port_of(const struct ir_graph *g, ir_value v) {
    const struct ir_value_info *x = ir_val(g, v);
    return (struct ir_port){x->name, x->type, (x->flags & IR_IS_INIT) != 0};
}

const struct ir_interface *ir_interface_of(const struct ir_model *m, struct arena *a) {
    const struct ir_graph *g = m->main;
    struct ir_interface *x = arena_new(a, struct ir_interface);
    *x = (struct ir_interface){.nin = g->inputs.len, .nout = g->outputs.len};
    x->in = arena_new_array(a, struct ir_port, x->nin);
    x->out = arena_new_array(a, struct ir_port, x->nout);
    for (uint32_t i = 0; i < x->nin; i++) x->in[i] = port_of(g, g->inputs.at[i]);
    for (uint32_t i = 0; i < x->nout; i++)
        x->out[i] = port_of(g, g->uses.at[g->outputs.at[i]].value);
    return x;
}

static enum rw_code changed(const struct ir_model *m, struct diag_sink *diags,
                            const char *kind, const struct ir_port *was, const char *how) {
    diag_where(diags, DIAG_ERROR, ir_model_name(m), "%s \"%s\" %s by rewriting", kind,
               was->name, how);
    return RW_WRONG;
}

static enum rw_code same_port(const struct ir_model *m, struct diag_sink *diags,
                              const char *kind, const struct ir_port *was,
                              const struct ir_port *is) {
    if (!rw_streq(was->name, is->name)) return changed(m, diags, kind, was, "went");
    if (was->type && is->type && ir_type_equal(m->dims, was->type, is->type) == IR_FALSE)
        return changed(m, diags, kind, was, "got another type or shape");
    return RW_OK;
}

/* Crossing IR version 4 takes inputs with a default off the list. */
static enum rw_code same_inputs(const struct ir_model *m, const struct ir_interface *was,
                                const struct ir_interface *is, struct diag_sink *diags) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < was->nin; i++) {
        bool found = k < is->nin && rw_streq(was->in[i].name, is->in[k].name);
        if (!found && was->in[i].has_default) continue;
        if (!found) return changed(m, diags, "input", &was->in[i], "went");
        TRY(same_port(m, diags, "input", &was->in[i], &is->in[k++]));
    }
    return k == is->nin ? RW_OK : changed(m, diags, "input", &is->in[k], "came");
}

enum rw_code ir_verify_kept(const struct ir_model *m, const struct ir_interface *was,
                            struct diag_sink *diags) {
    struct arena tmp = ARENA_EMPTY;
    const struct ir_interface *is = ir_interface_of(m, &tmp);
    enum rw_code code = same_inputs(m, was, is, diags);
    for (uint32_t i = 0; code == RW_OK && i < was->nout && i < is->nout; i++)
        code = same_port(m, diags, "output", &was->out[i], &is->out[i]);
    if (code == RW_OK && is->nout < was->nout)
        code = changed(m, diags, "output", &was->out[is->nout], "went");
    else if (code == RW_OK && is->nout > was->nout)
        code = changed(m, diags, "output", &is->out[was->nout], "came");
    arena_free(&tmp);
    return code;
}
