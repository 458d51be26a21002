/* emit.h -- building what a rule emits, under the model's journal.
 *
 * pm_rewrite makes the new nodes in front of the last root (behind what they take, where a kept
 * value is computed later), proves that what replaces a value
 * has its type and shape, puts it there (the root's own value is reused, so that its name,
 * its uses and its place as a graph output stay) and removes what has become dead. When
 * anything is not as it must be, everything is undone and the reason is told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_EMIT_H
#define PM_EMIT_H

#include "matcher/bind/match.h"

/* A node that a staged operator stands for, with its operands and outputs. */
struct pm_aside {
    ir_node node;
    const ir_value *in, *out;
};
struct pm_staged {
    struct ir_graph *g;
    ir_node node;
    const char *name; /* of the node: its address tells it from a later one of that number */
    const struct rule_operator *op;
    const ir_value *in; /* its operands when it was made: first those of op, then what else
                           the nodes put aside see */
    uint32_t nin, naside;
    struct pm_aside *aside; /* in order */
    int64_t opset;
    const struct pm_accept *by; /* the rule that made it, and by how many nodes */
    int64_t nodes;
};

/* What a rewrite did, for the worklist. */
/* Dimensions of an old value and of the new one, which `shapes by rule` says are the same. */
struct pm_promise { ir_dim was, is; };

struct pm_done {
    struct arena *arena;
    VEC(ir_node) made;
    VEC(struct pm_exchange) exchanged; /* values that others now see elsewhere */
    VEC(ir_value) released; /* values that lost or won a use */
    VEC(ir_node) users;     /* nodes that see another value than before */
    int64_t nodes;          /* change in their number, Constant nodes not counted */
    struct pm_staged *staged; /* a staged operator was made, or NULL */
    VEC(struct pm_promise) promises;
    uint32_t unpromised;    /* the mark of the dimensions before those were believed */
};
/* Is a staged operator made as such, or what it stands for by its body? */
enum pm_form { PM_STAGED, PM_UNFOLDED };

struct pm_credit {
    ir_value value;
    uint64_t bytes; /* that go with it when the rewrite is made */
};
struct pm_build {
    struct pm_env *env;
    const struct pm_match *match;
    struct ir_graph *g;
    ir_node place; /* new nodes are made in front of it: the last root, or what is behind the
                      last of their operands; IR_NONE: at the end */
    uint32_t target;
    uint64_t fold_limit;
    sym_t rule;          /* provenance */
    const char *hint;    /* names of new values are made from it */
    const char *why;     /* refused because */
    enum pm_form form;
    ir_node call;        /* of a function that was made of the match, or IR_NONE */
    struct pm_done *done;
    VEC(ir_value) constants; /* made on the way; those without a use go again */
    VEC(struct pm_credit) credits; /* of operands that were folded */
};

/* false: refused and undone; *why in words. */
bool pm_rewrite(struct pm_env *env, const struct pm_match *m, const struct pm_options *o,
                enum pm_form form, struct pm_done *done, const char **why);

/* What a rule promises of shapes is known from here on, for what runs always. */
void pm_keep_promises(struct ir_graph *g, const struct pm_done *done);

/* The block of a rule whose condition holds; NULL and *why (which may be NULL) when none
 * does, or it cannot be told. */
const struct emit_block *pm_emitted_block(struct pm_env *env, const struct rule *r,
                                          const char **why);
/* Does that block emit a staged operator? */
bool pm_stages(struct pm_env *env, const struct rule *r);
/* needs.c: must the model be raised to the rule's `requires opset` for this match? */
bool pm_needs_opset(struct pm_env *env, const struct rule *r);

/* Says why not; returns false. */
bool pm_refuse(struct pm_build *b, const char *why);

/* The nodes of the match, each once (two sub-patterns may have matched one), in the order of
 * the graph; *n of them. */
const ir_node *pm_matched_in_order(const struct pm_build *b, uint32_t *n);
/* The old value becomes what a new node gives, in place of `now`, which nobody has seen. */
bool pm_move_value(struct pm_build *b, ir_value old, ir_value now);
/* One statement. */
bool pm_run_stmt(struct pm_build *b, const struct emit_stmt *s);

/* --- stage.c ---------------------------------------------------------------------- */
/* The node of a staged operator, or the nodes of its body. */
bool pm_make_staged(struct pm_build *b, const struct emit *e, uint32_t nout,
                    const bool *wanted, ir_value *out);
/* When all is emitted: the match is gone but for what it keeps. */
bool pm_put_aside(struct pm_build *b);
/* The body, with a staged node's operands and attributes. */
bool pm_unfold(struct pm_build *b, const struct rule_operator *op, uint32_t nin,
               const ir_value *in, uint32_t nattr, const struct ir_attr *attr,
               uint32_t nout, ir_value *out);

/* --- wrap.c ----------------------------------------------------------------------- */
/* A call of a function of the model whose body is what was matched. */
bool pm_make_function(struct pm_build *b, const struct emit *e, uint32_t nout,
                      const bool *wanted, ir_value *out);

/* --- node.c ----------------------------------------------------------------------- */
/* A node to be made: operands and attributes are collected, then it is added, or folded. */
struct pm_draft {
    const char *domain, *op;
    const struct ir_schema *schema; /* at the graph's opset; NULL: unknown */
    int64_t opset;                  /* of the domain */
    VEC(ir_value) in;
    VEC(struct ir_attr) attrs;
    VEC(struct ir_attr) implied;    /* parameters that this version must have by itself */
};
/* Makes the node with nout results in new values; an entry of out that is IR_NONE stays
 * empty, others are filled in. */
bool pm_make(struct pm_build *b, struct pm_draft *d, uint32_t nout, const bool *wanted,
             ir_value *out);
/* The value of an emitted operand; IR_NONE: absent. */
bool pm_emit_value(struct pm_build *b, const struct emit *e, ir_value *out);
/* Where the node is to be added: behind its operands, and behind all that was made before. */
ir_node pm_place(struct pm_build *b, const struct pm_draft *d);
/* The draft of an EMIT_NODE. */
bool pm_draft_node(struct pm_build *b, const struct emit *e, struct pm_draft *d);

/* --- attr.c ----------------------------------------------------------------------- */
/* All that the emitted <...> says, in the form of the graph's opset. */
bool pm_draft_attrs(struct pm_build *b, const struct emit *e, struct pm_draft *d);

/* --- const.c ---------------------------------------------------------------------- */
ir_value pm_add_constant(struct pm_build *b, struct ir_tensor *t);
/* One number as a tensor of that type; NULL when the type cannot hold it. rank 0 or 1. */
struct ir_tensor *pm_number_tensor(struct ir_model *m, struct pm_val v, enum ir_dtype t,
                                   uint32_t rank);
/* The number of a literal. */
struct pm_val pm_literal_value(const struct literal *l);
/* Element type of a number at operand k: that of an operand which must have the same. */
enum ir_dtype pm_dtype_beside(const struct pm_build *b, const struct pm_draft *d,
                              uint32_t k,
                              struct pm_val v);
/* --- shape.c ---------------------------------------------------------------------- */
/* A list of dimensions as an int64 tensor of rank 1; where they are not all known, -1 for
 * the one that a Reshape finds by itself, or nodes that take them from shapes. */
bool pm_emit_dims(struct pm_build *b, struct pm_val list, bool for_reshape, ir_value *out);

#endif
