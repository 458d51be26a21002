/* message.h -- what ONNX text writes that has no place in the graph, only in the
 * messages that a graph was read from: types as attributes, defaults of parameters of
 * functions, attributes without a spelling. Private to ir/text_*.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_TEXT_MESSAGE_H
#define IR_TEXT_MESSAGE_H

#include "ir/graph.h"

#include "ir/onnx.pb-c.h"

/* The type that an attribute message holds, NULL: none; and such a message. */
const struct ir_type *text_message_type(struct ir_model *m, const Onnx__AttributeProto *p);
Onnx__AttributeProto *text_type_message(struct ir_model *m, const struct ir_type *t);
/* The default of a parameter, false where it is no simple one; and its message. */
bool text_message_attr(struct ir_model *m, Onnx__AttributeProto *p, struct ir_attr *out);
Onnx__AttributeProto *text_attr_message(struct ir_model *m, const struct ir_attr *a);
/* An attribute from its bytes; NULL where they are none, or harmful. */
Onnx__AttributeProto *text_unpack(struct arena *a, const void *bytes, size_t len);

#endif
