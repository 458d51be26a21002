/* declared.c -- inputs and outputs of bodies: what the file declares against what was
 * inferred. Those of the main graph are looked at by inference itself; bodies it runs more
 * than once, under suppositions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

static bool kind_of(const Onnx__TypeProto *p, enum ir_type_kind *kind) {
    switch (p->value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE: *kind = IR_TENSOR; return true;
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        *kind = IR_SPARSE_TENSOR;
        return true;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE: *kind = IR_SEQUENCE; return true;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE: *kind = IR_OPTIONAL; return true;
    default: return false; /* not looked at */
    }
}

static const Onnx__TypeProto *element_of(const Onnx__TypeProto *p) {
    return p->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE
               ? p->sequence_type->elem_type
               : p->optional_type->elem_type;
}

/* Nesting is bounded by the reader. */
static bool is_other_type(const Onnx__TypeProto *p, const struct ir_type *t) {
    enum ir_type_kind kind;
    while (p && t && kind_of(p, &kind)) {
        if (kind != t->kind) return true;
        if (kind == IR_TENSOR) {
            int32_t elem = p->tensor_type->elem_type;
            return elem != IR_UNDEFINED && t->dtype != IR_UNDEFINED &&
                   elem != (int32_t)t->dtype;
        }
        if (kind == IR_SPARSE_TENSOR) return false;
        p = element_of(p);
        t = t->elem;
    }
    return false;
}

static bool is_other_shape(const struct ir_dims *d, const Onnx__TypeProto *p,
                           const struct ir_type *t) {
    if (p->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !ir_type_ranked(t))
        return false;
    const Onnx__TensorShapeProto *s = p->tensor_type->shape;
    if (s && s->n_dim != t->rank) return true;
    for (uint32_t i = 0; s && i < t->rank; i++) {
        const Onnx__TensorShapeProto__Dimension *x = s->dim[i];
        int64_t value;
        if (x->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            ir_dim_is_const(d, t->dims[i], &value) && value != x->dim_value)
            return true;
    }
    return false;
}

static void verify_port(struct verify *v, const char *body, const char *kind,
                        const Onnx__ValueInfoProto *p, const struct ir_type *t) {
    if (!p->type || !t) return;
    if (is_other_type(p->type, t))
        ir_verify_wrong(v, "%s \"%s\" of body \"%s\" is declared with another type than it "
                        "has", kind, p->name ? p->name : "", body);
    else if (is_other_shape(v->m->dims, p->type, t))
        ir_verify_warn(v, "%s \"%s\" of body \"%s\" is declared with another shape than it "
                       "has", kind, p->name ? p->name : "", body);
}

void ir_verify_declared(struct verify *v, const char *name, const struct ir_graph *body) {
    const Onnx__GraphProto *p = body->proto;
    for (size_t i = 0; p && i < p->n_input && i < body->inputs.len; i++)
        verify_port(v, name, "input", p->input[i],
                    ir_val(body, body->inputs.at[i])->type);
    for (size_t i = 0; p && i < p->n_output && i < body->outputs.len; i++)
        verify_port(v, name, "output", p->output[i],
                    ir_val(body, body->uses.at[body->outputs.at[i]].value)->type);
}
