/* names.h -- the names of values: who has one, and free ones. Private to ir/.
 *
 * A name space is the main graph with its bodies, or a function with its bodies. Per name
 * space and text there is one entry, never removed: it says which value has the name, and
 * counts the names that were made from it as a hint. Bodies that do not see each other may
 * come with equal names: the first value is the holder, the others are counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_NAMES_H
#define IR_NAMES_H

#include "ir/graph.h"

struct ir_name {
    const struct ir_function *space; /* NULL: the main graph's */
    const char *text;
    struct ir_graph *graph; /* holder */
    ir_value value;         /* IR_NONE: no holder */
    uint32_t sharers;       /* values of other graphs with this name */
    uint32_t made;          /* from this as a hint, so far */
};

void ir_names_init(struct ir_model *m);
struct ir_name *ir_names_at(struct ir_names *names, uint32_t i);
/* The entry of a name that some value of the name space has; NULL: nobody has it. */
const struct ir_name *ir_name_holder(const struct ir_model *m,
                                     const struct ir_function *space, const char *text);
/* `wanted` if it is free there, else one made from it. NULL or "": one made from "v". */
const char *ir_name_free(struct ir_model *m, const struct ir_function *space,
                         const char *wanted);
/* Gives a name to a value: sets its field and its entry. No value that the same graph sees
 * has the name. */
void ir_name_take(struct ir_graph *g, ir_value v, const char *text);
/* The same with a free name made from `wanted`, or that. */
void ir_name_take_free(struct ir_graph *g, ir_value v, const char *wanted);
/* Nobody gets the name: something beside the graph has it. */
void ir_name_reserve(struct ir_model *m, const struct ir_function *space, const char *text);
/* Frees the name of a value, which keeps its field. */
void ir_name_drop(struct ir_graph *g, ir_value v);
/* Does the entry that v has say so too? For checks. */
bool ir_name_is_of(const struct ir_graph *g, ir_value v);

#endif
