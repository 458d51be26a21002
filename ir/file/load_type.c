/* load_type.c -- types of values from their messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

static enum ir_dtype dtype_of(int32_t number) {
    return number > 0 && number < IR_DTYPE_N ? (enum ir_dtype)number : IR_UNDEFINED;
}

/* Names of dimensions belong to the model. A function is called from many places, so in
 * one they say nothing. Negative dimensions, which some exporters write, are unknown. */
static ir_dim load_dim(struct ir_load *l, const Onnx__TensorShapeProto__Dimension *p,
                       bool in_function) {
    if (p->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
        return p->dim_value < 0 ? IR_DIM_UNKNOWN : ir_dim_const(l->m->dims, p->dim_value);
    if (p->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
        *p->dim_param && !in_function)
        return ir_dim_declared(l->m->dims, p->dim_param);
    return IR_DIM_UNKNOWN;
}

static const struct ir_type *load_tensor_type(struct ir_load *l, enum ir_type_kind kind,
                                              int32_t elem,
                                              const Onnx__TensorShapeProto *shape,
                                              bool in_function) {
    struct ir_type t = {.kind = kind, .dtype = dtype_of(elem), .ranked = shape != NULL};
    if (shape) {
        ir_dim *dims = arena_new_array(l->m->arena, ir_dim, shape->n_dim);
        for (size_t i = 0; i < shape->n_dim; i++)
            dims[i] = load_dim(l, shape->dim[i], in_function);
        t.rank = (uint32_t)shape->n_dim;
        t.dims = dims;
    }
    return arena_copy(l->m->arena, &t, sizeof t);
}

static const struct ir_type *wrap(struct ir_load *l, enum ir_type_kind kind,
                                  enum ir_dtype key, const struct ir_type *elem) {
    struct ir_type t = {.kind = kind, .dtype = key, .elem = elem};
    return arena_copy(l->m->arena, &t, sizeof t);
}

/* Recursion is bounded by the nesting that the skeleton allows. */
const struct ir_type *ir_load_type(struct ir_load *l, const Onnx__TypeProto *p,
                                   bool in_function) {
    if (!p) return NULL;
    switch (p->value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
        return load_tensor_type(l, IR_TENSOR, p->tensor_type->elem_type,
                                p->tensor_type->shape, in_function);
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        return load_tensor_type(l, IR_SPARSE_TENSOR, p->sparse_tensor_type->elem_type,
                                p->sparse_tensor_type->shape, in_function);
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        return wrap(l, IR_SEQUENCE, IR_UNDEFINED,
                    ir_load_type(l, p->sequence_type->elem_type, in_function));
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        return wrap(l, IR_OPTIONAL, IR_UNDEFINED,
                    ir_load_type(l, p->optional_type->elem_type, in_function));
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        return wrap(l, IR_MAP, dtype_of(p->map_type->key_type),
                    ir_load_type(l, p->map_type->value_type, in_function));
    case ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE: return wrap(l, IR_OPAQUE, IR_UNDEFINED, NULL);
    default: return NULL;
    }
}
