/* slice.h -- some nodes of a graph as a model of their own, in memory.
 *
 * A slice remembers its nodes as they are when they are added, so it outlives their
 * removal. In it values have no names but #0, #1 ... by a numbering that several slices
 * share: what is equal but for its names has equal slices, and slices of before and after
 * an edit agree on what they share.
 *
 *     struct ir_numbering numbers;
 *     ir_numbering_init(&numbers, &arena);
 *     struct ir_slice *s = ir_slice_new(&arena, g, &numbers, 0);
 *     ir_slice_add(s, n);
 *     if (!ir_slice_pack(s, &ports, &bytes, &why)) ...
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_SLICE_H
#define IR_SLICE_H

#include "ir/graph.h"

struct ir_numbering {
    struct map numbers; /* value -> number */
    uint32_t n;
};
void ir_numbering_init(struct ir_numbering *x, struct arena *a);
uint32_t ir_numbering_of(struct ir_numbering *x, ir_value v); /* given when it is new */
/* The number of v, if it has one, is that of `as`; v gets a new one. */
void ir_numbering_rename(struct ir_numbering *x, ir_value v, ir_value as);

struct ir_slice;
/* opset: of ai.onnx, that the nodes are written for; 0: the graph's. */
struct ir_slice *ir_slice_new(struct arena *a, const struct ir_graph *g,
                              struct ir_numbering *numbers, int64_t opset);
/* Behind those added before. */
void ir_slice_add(struct ir_slice *s, ir_node n);
/* In front of all of them. */
void ir_slice_add_front(struct ir_slice *s, ir_node n);

/* What a slice sees and shows. */
struct ir_slice_input {
    ir_value v;
    enum ir_dtype dtype;
    uint32_t rank;
    const int64_t *dims; /* negative: left open */
};
struct ir_slice_constant {
    ir_value v;
    const struct ir_tensor *tensor; /* in memory, or external to the folder of the model */
};
struct ir_slice_output {
    ir_value v;
    const char *name; /* of the output, which is Identity of v */
};
struct ir_slice_ports {
    uint32_t ninputs, nconstants, noutputs;
    const struct ir_slice_input *inputs; /* called by their numbers: ir_slice_name */
    const struct ir_slice_constant *constants;
    const struct ir_slice_output *outputs;
};
const char *ir_slice_name(struct ir_numbering *numbers, ir_value v, struct arena *a);
/* The bytes of the model, in place of what *out held. false: it would be too large, or
 * nested too deep; *why tells. */
bool ir_slice_pack(const struct ir_slice *s, const struct ir_slice_ports *ports,
                   struct buf *out, const char **why);

#endif
