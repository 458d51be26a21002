/* store_type.c -- types of values as messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/store.h"

static Onnx__TensorShapeProto__Dimension *store_dim(struct ir_store *s, ir_dim d) {
    Onnx__TensorShapeProto__Dimension *p = arena_alloc(s->a, sizeof *p);
    onnx__tensor_shape_proto__dimension__init(p);
    char *text;
    int64_t value;
    if (ir_dim_is_const(s->m->dims, d, &value) && value >= 0) {
        p->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        p->dim_value = value;
    } else if ((text = ir_dim_text(s->m->dims, d, s->a))) {
        p->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        p->dim_param = text;
    }
    return p;
}

static Onnx__TensorShapeProto *store_shape(struct ir_store *s, const struct ir_type *t) {
    if (!t->ranked) return NULL;
    Onnx__TensorShapeProto *p = arena_alloc(s->a, sizeof *p);
    onnx__tensor_shape_proto__init(p);
    p->n_dim = t->rank;
    p->dim = IR_LIST(s, Onnx__TensorShapeProto__Dimension, t->rank);
    for (uint32_t i = 0; i < t->rank; i++) p->dim[i] = store_dim(s, t->dims[i]);
    return p;
}

#define NEW(name, lower)                                                               \
    Onnx__TypeProto__##name *x = arena_alloc(s->a, sizeof *x);                         \
    onnx__type_proto__##lower##__init(x)

/* Types are nested as deep as in what was read or made, at most. */
static Onnx__TypeProto *store_type(struct ir_store *s, const struct ir_type *t) {
    Onnx__TypeProto *p = arena_alloc(s->a, sizeof *p);
    onnx__type_proto__init(p);
    if (!t) return p;
    switch (t->kind) {
    case IR_TENSOR: {
        NEW(Tensor, tensor);
        x->has_elem_type = t->dtype != IR_UNDEFINED;
        x->elem_type = (int32_t)t->dtype;
        x->shape = store_shape(s, t);
        p->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
        p->tensor_type = x;
        break;
    }
    case IR_SPARSE_TENSOR: {
        NEW(SparseTensor, sparse_tensor);
        x->has_elem_type = t->dtype != IR_UNDEFINED;
        x->elem_type = (int32_t)t->dtype;
        x->shape = store_shape(s, t);
        p->value_case = ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE;
        p->sparse_tensor_type = x;
        break;
    }
    case IR_SEQUENCE: {
        NEW(Sequence, sequence);
        x->elem_type = store_type(s, t->elem);
        p->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
        p->sequence_type = x;
        break;
    }
    case IR_OPTIONAL: {
        NEW(Optional, optional);
        x->elem_type = store_type(s, t->elem);
        p->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
        p->optional_type = x;
        break;
    }
    case IR_MAP: {
        NEW(Map, map);
        x->has_key_type = t->dtype != IR_UNDEFINED;
        x->key_type = (int32_t)t->dtype;
        x->value_type = store_type(s, t->elem);
        p->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
        p->map_type = x;
        break;
    }
    case IR_OPAQUE: {
        NEW(Opaque, opaque);
        p->value_case = ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE;
        p->opaque_type = x;
        break;
    }
    }
    return p;
}

Onnx__ValueInfoProto *ir_store_info(struct ir_store *s, const char *name,
                                    const struct ir_type *type) {
    Onnx__ValueInfoProto *p = arena_alloc(s->a, sizeof *p);
    onnx__value_info_proto__init(p);
    p->name = arena_strdup(s->a, name);
    if (type) p->type = store_type(s, type);
    return p;
}
