/* kit.h -- what the whole-graph passes share. Private to ir/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_PASS_KIT_H
#define IR_PASS_KIT_H

#include "ir/pass.h"

uint32_t ir_pass_casts(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_control(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_cse(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_dce(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_dedupe(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_fold(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_inline_functions(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_shapes(struct ir_model *m, const struct ir_pass_options *o);
uint32_t ir_pass_transpose(struct ir_model *m, const struct ir_pass_options *o);

/* Runs `on` for each live graph, bodies before the graph around them, and sums up. */
typedef uint32_t ir_graph_pass(struct ir_graph *g, void *ctx);
uint32_t ir_pass_over(struct ir_model *m, ir_graph_pass *on, void *ctx);

/* All types anew, where a pass made them known better. */
void ir_infer_quietly(struct ir_model *m);

/* Content hashes: of a tensor type, shape and the first 4 KiB. */
uint64_t ir_hash_strings(const struct ir_string *at, uint64_t n);
uint64_t ir_hash_tensor(struct ir_model *m, const struct ir_tensor *t);
/* So many things of one hash are compared with another one. Equal hashes of things that
 * differ come from large tensors that begin alike; a file full of them is not worth
 * more. */
#define IR_MOST_COMPARED 16

/* Bytes that folding may read and make at once in a run: more where weights are large. */
uint64_t ir_fold_allowed(struct ir_model *m);
/* fold_runtime.c: may the results of n, whose operands are constants, be asked of a runtime,
 * and those results; false where it gives none, or others than inference says. */
bool ir_fold_may_ask(const struct ir_graph *g, ir_node n);
bool ir_fold_ask(const struct ir_runtime *r, struct ir_graph *g, ir_node n, struct arena *a,
                 struct ir_tensor **out);

/* targets.c: a constant in the place of an operand of n that says a shape, if the symbols
 * allow it. */
bool ir_settle_target(struct ir_graph *g, ir_node n);
/* Does the Resize n take a part of its operand, or is it not known? */
bool ir_resize_may_crop(const struct ir_graph *g, ir_node n);

/* dims.c: a Shape of a graph input in the place of n, if that is what it computes. */
bool ir_settle_dims(struct ir_graph *g, ir_node n);

/* trim.c: takes what nobody needs out of the bodies of an If or Loop. */
void ir_trim_bodies(struct ir_graph *g, ir_node n);

/* An initializer that may go when nobody reads it: not an input, not named by anything else,
 * not sparse. */
bool ir_may_drop(const struct ir_graph *g, ir_value v);
/* Removes v, its producer (a Constant node) with it, if nothing uses it any more. */
void ir_drop_constant(struct ir_graph *g, ir_value v);

/* Puts a new constant in the place of v, which is no graph output. The producer goes if
 * none of its outputs is used any more, and then the constant has the name of v. */
void ir_put_constant(struct ir_graph *g, ir_value v, struct ir_tensor *t);

/* `now` in the place of output k of n. Where it cannot be (a graph output that would be an
 * input or a constant) an Identity in front of n makes the output from now on. */
void ir_pass_on(struct ir_graph *g, ir_node n, uint32_t k, ir_value now);

#endif
