/* capture.h -- the public header of capture/: a rule made from a subgraph of a real model.
 *
 * The subgraph is named by its inputs and outputs: it is all that is computed between them.
 * cap_find looks for it and says what is wrong with the names; cap_print writes a pack with
 * one rule whose pattern matches there, and which replaces it by the same nodes: a place
 * to begin at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "ir/ir.h"

#define CAP_MOST_NODES 200u

struct cap_question {
    uint32_t ninputs, noutputs;
    const char *const *inputs, *const *outputs; /* names of values */
};
/* `nodes` and `constants` are in the order of the graph. */
struct cap_place {
    struct arena *arena;
    struct ir_graph *g;
    VEC(ir_value) inputs;    /* those that are needed */
    VEC(ir_value) outputs;
    VEC(ir_value) constants; /* that the nodes read */
    VEC(ir_node) nodes;
    struct map at;           /* node -> its index in nodes */
    bool *kept;              /* of each node: it stays, since others see what it makes, or
                                what is made of that */
};

/* The subgraph between those values. Equal nodes of the model are merged first, since a
 * run begins with that, so the model is changed. RW_USAGE and diagnostics, with what to
 * write instead, where the names make no subgraph, or one that no rule can stand for. A
 * name that is not needed is a warning. The model's types are to be inferred before. */
enum rw_code cap_find(struct ir_model *m, const struct cap_question *q, struct arena *a,
                      struct diag_sink *diags, struct cap_place *out);

struct cap_form {
    const char *name;                /* of pack and rule; NULL: from the output */
    int64_t opset_least, opset_most; /* that the pack claims; most 0: any */
    bool shapes_by_rule;
};
/* The opset of ai.onnx that the nodes are written for; where the graph does without, the
 * newest. */
int64_t cap_own_opset(const struct cap_place *p);
/* The widest range of opsets, the model's own in it, in which no operator of the subgraph
 * means something else. */
void cap_opsets(const struct cap_place *p, struct cap_form *form);
void cap_print(const struct cap_place *p, const struct cap_form *form, struct buf *out);

#endif
