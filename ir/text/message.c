/* message.c -- see text_message.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/text/message.h"

#include "ir/file/load.h"
#include "ir/file/store.h"

const struct ir_type *text_message_type(struct ir_model *m, const Onnx__AttributeProto *p) {
    struct ir_load l = {.m = m};
    return p ? ir_load_type(&l, p->tp, false) : NULL;
}

Onnx__AttributeProto *text_type_message(struct ir_model *m, const struct ir_type *t) {
    struct ir_store s = {.m = m, .a = m->arena};
    Onnx__AttributeProto *p = arena_new(m->arena, Onnx__AttributeProto);
    onnx__attribute_proto__init(p);
    p->has_type = true;
    p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO;
    p->tp = ir_store_info(&s, "", t)->type;
    return p;
}

bool text_message_attr(struct ir_model *m, Onnx__AttributeProto *p, struct ir_attr *out) {
    struct ir_source source = {.name = "text"};
    struct diag_sink diags; /* the caller says what is wrong */
    diag_init(&diags, m->arena);
    struct ir_load l = {.m = m, .source = &source, .diags = &diags};
    bool is_other =
        p->t || p->g || p->n_tensors || p->n_graphs || p->tp || p->sparse_tensor;
    bool ok = !is_other && ir_load_attr(&l, NULL, NULL, p, out) == RW_OK;
    arena_free(&l.scratch);
    return ok;
}

Onnx__AttributeProto *text_attr_message(struct ir_model *m, const struct ir_attr *a) {
    struct ir_store s = {.m = m, .a = m->arena};
    return ir_store_attr(&s, a);
}

static void *unpack_alloc(void *arena, size_t size) { return arena_alloc(arena, size); }
static void unpack_free(void *arena, void *p) { RW_UNUSED(arena), RW_UNUSED(p); }

Onnx__AttributeProto *text_unpack(struct arena *a, const void *bytes, size_t len) {
    ProtobufCAllocator allocator = {unpack_alloc, unpack_free, a};
    struct ir_skeleton skeleton = {0};
    const char *why;
    bool safe = ir_skeleton_read(&(struct ir_walked){bytes, len, NULL},
                                 &onnx__attribute_proto__descriptor, a, &skeleton, &why);
    buf_free(&skeleton.bytes);
    return safe ? onnx__attribute_proto__unpack(&allocator, len, bytes) : NULL;
}
