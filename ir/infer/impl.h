/* impl.h -- what the rules of inference are written with.
 *
 * A rule is a function of one operator or family. It reads operands and parameters of the
 * node, says what it can of each output (infer_set...), and returns false by infer_fail
 * when the operands cannot be right. What it leaves open -- an element type, a dimension
 * that is IR_DIM_UNKNOWN, an output -- is filled in by infer_commit: from the schema, the
 * declaration or what was known before, at last by fresh symbols. So a rule says only
 * what is sure.
 *
 * A value rule computes the items of a small integer output from those of the operands
 * after the shape rule has run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_INFER_IMPL_H
#define IR_INFER_IMPL_H

#include "ir/infer.h"
#include "ir/param.h"

#define INFER_MAX_RANK 64u  /* shapes of higher rank are taken as unranked */
#define INFER_MAX_ITEMS 64u /* of a known value */

struct infer_shape {
    uint32_t rank;
    ir_dim dim[INFER_MAX_RANK];
};
struct infer_out {
    bool known;                     /* the rule said something of the type */
    struct ir_type type;            /* dims in tmp */
    const struct ir_symval *symval; /* in tmp; NULL: not known */
};
struct infer_attrs {
    uint32_t n;
    struct ir_attr *at;
};
/* A call of a function whose body is being inferred. */
struct infer_call {
    struct ir_model *m;
    const struct ir_function *f;
    struct infer_attrs attrs; /* of the calling node */
};
/* One inference, over a node or a model. */
struct infer_run {
    struct ir_model *m;
    struct diag_sink *diags;  /* or NULL */
    bool strict;              /* contradicted declarations are errors, ... */
    bool contradicted;        /* ... and there was one */
    bool proving;             /* what operands must agree in has to be known already */
    bool assuming;            /* what the node demands holds, for it runs */
    bool whole;               /* all of the model, as it was read or rewritten */
    struct arena scratch;     /* of the nodes under way */
    const struct infer_call *call; /* the innermost, or NULL */
    uint32_t call_depth;      /* of calls of functions under way */
    uint32_t call_nodes;      /* inferred inside calls so far */
};
struct infer {
    struct infer_run *run;
    struct ir_graph *g;
    ir_node n;
    struct ir_model *m;
    struct ir_dims *d;
    const struct ir_schema *schema; /* ONNX Runtime's own if there is no other, or NULL */
    struct arena *tmp;              /* until the node is done */
    uint32_t nin, nout;
    struct infer_out *out;
    const char *why;                /* set by infer_fail */
    bool failed_inside;             /* a body has an error, which is reported there */
};
typedef bool infer_rule(struct infer *x);
typedef void infer_value_rule(struct infer *x);

struct infer_entry {
    const char *domain, *op;
    infer_rule *rule;
    infer_value_rule *value; /* or NULL */
};
/* The rule of an operator: that of the table, else the generic one of the schema facts. */
struct infer_entry infer_find(const char *domain, const char *op);
/* The table, in order of domain and operator. */
const struct infer_entry *infer_table(size_t *n);

/* --- operands ---------------------------------------------------------------------- */
bool infer_has(const struct infer *x, uint32_t k); /* is operand k given? */
const struct ir_type *infer_in(const struct infer *x, uint32_t k);
enum ir_dtype infer_dtype(const struct infer *x, uint32_t k);
/* The dims of operand k, present forms; false when its rank is not known. */
bool infer_shape_of(const struct infer *x, uint32_t k, struct infer_shape *s);
bool infer_type_shape(const struct infer *x, const struct ir_type *t,
                      struct infer_shape *s);
/* The known value of operand k, a number or a list; of floats too, where all items are
 * integers. */
const struct ir_symval *infer_value_of(const struct infer *x, uint32_t k);
/* The same, or a table of two dimensions, row by row: pads, as PyTorch turns them round. */
const struct ir_symval *infer_table_of(const struct infer *x, uint32_t k);
/* The items of a list operand; when those are not known but their number is, unknown
 * ones. false when not even that. */
bool infer_items_of(const struct infer *x, uint32_t k, struct infer_shape *items);
/* The one item of operand k as a dimension; unknown when it might be negative. */
ir_dim infer_size_of(const struct infer *x, uint32_t k);

/* --- parameters -------------------------------------------------------------------- */
int64_t infer_int(const struct infer *x, const char *name, int64_t otherwise);
const char *infer_string(const struct infer *x, const char *name); /* "" when absent */
/* The element type that an attribute names by its number. */
enum ir_dtype infer_named_dtype(const struct infer *x, const char *name,
                                enum ir_dtype otherwise);
struct infer_ints {
    bool given;  /* anything written, by attribute or input */
    bool known;
    uint32_t n;
    const int64_t *at;
};
struct infer_ints infer_ints(const struct infer *x, const char *name);
/* Adds rank to a negative axis; fails when it is out of range. */
bool infer_axis(struct infer *x, int64_t axis, uint32_t rank, uint32_t *out);

/* --- outputs ----------------------------------------------------------------------- */
bool infer_fail(struct infer *x, const char *format, ...) RW_PRINTF(2, 3);
/* dtype IR_UNDEFINED: as the schema ties it to the operands. */
void infer_set(struct infer *x, uint32_t k, enum ir_dtype t, const struct infer_shape *s);
void infer_set_dims(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t rank,
                    const ir_dim *dims);
void infer_set_unranked(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t opaque);
/* The shape of operand `in`, unknown ones included. */
void infer_set_like(struct infer *x, uint32_t k, enum ir_dtype t, uint32_t in);
void infer_set_type(struct infer *x, uint32_t k, const struct ir_type *t);
void infer_set_value(struct infer *x, uint32_t k, uint32_t rank, uint32_t len,
                     const ir_dim *items);
bool infer_out_shape(const struct infer *x, uint32_t k, struct infer_shape *s);

/* --- dims -------------------------------------------------------------------------- */
ir_dim infer_const(const struct infer *x, int64_t value);
bool infer_is_const(const struct infer *x, ir_dim d, int64_t *value);
bool infer_is_one(const struct infer *x, ir_dim d);
bool infer_never_negative(const struct infer *x, ir_dim d);
ir_dim infer_product(const struct infer *x, const struct infer_shape *s, uint32_t from,
                     uint32_t to);
ir_dim infer_ceildiv(const struct infer *x, ir_dim a, int64_t b); /* b > 0 */
/* Does the node run whenever the model does? Then what it demands holds everywhere. */
bool infer_runs_always(const struct infer *x);
/* a and b must be the same dimension: unified, the better known one in *a. */
bool infer_same(struct infer *x, ir_dim *a, ir_dim b, const char *what);
/* s = s broadcast with t, numpy's way. */
bool infer_broadcast_with(struct infer *x, struct infer_shape *s,
                          const struct infer_shape *t);

/* --- computed.c -------------------------------------------------------------------- */
/* The value of the output that no value rule has found, where all that goes in is known. */
void infer_value_computed(struct infer *x);

/* --- infer_commit.c ---------------------------------------------------------------- */
/* Completes the outputs and writes them to the graph. false when a dimension is negative.
 * *changed: some output is not as before. */
bool infer_commit(struct infer *x, bool *changed);
/* The same of a node that nothing is known of, as its operands cannot be right. */
void infer_commit_nothing(struct infer *x, bool *changed);
/* The same type in every part, up to unification. */
bool infer_is_same(const struct ir_dims *d, const struct ir_type *a,
                   const struct ir_type *b);
/* Do the bytes of a ranked tensor fit 63 bits? Symbols count as 1. */
bool infer_is_countable(const struct ir_dims *d, const struct ir_type *t);
/* Are all types of the set tensors? */
bool infer_tensors_only(uint32_t types);
/* The element type the schema gives output k, or IR_UNDEFINED. */
enum ir_dtype infer_schema_dtype(const struct infer *x, uint32_t k);

/* --- infer_axes.c ------------------------------------------------------------------ */
/* Attributes of the node that are axes lie in the operand's rank; infer_fail when not. */
bool infer_check_axes(struct infer *x);

/* --- infer.c ----------------------------------------------------------------------- */
void infer_run_init(struct infer_run *run, struct ir_model *m, struct diag_sink *diags);
void infer_run_end(struct infer_run *run);
/* One node. *changed: some output is not as before. */
bool infer_one(struct infer_run *run, struct ir_graph *g, ir_node n, bool *changed,
               const char **why);
/* All nodes of a graph in order; after an error it goes on, with outputs as declared. */
bool infer_nodes(struct infer_run *run, struct ir_graph *g);
/* The nodes of a body. Its inputs were set before. */
void infer_body(struct infer *x, struct ir_graph *body);

/* --- infer_call.c ------------------------------------------------------------------ */
/* The attributes of a node of a function under the call under way, in scratch: those that
 * refer to the caller's replaced. false where that cannot be told. */
bool infer_bind_attributes(struct infer_run *run, const struct ir_node_info *n,
                           struct infer_attrs *out);
/* Outputs of a call, by inferring the function's body with the operands' types. */
void infer_call(struct infer *x, struct ir_function *f);

/* --- infer_functions.c --------------------------------------------------------------- */
/* Types in the bodies of functions whose calls agree, after everything else was inferred. */
void infer_functions(struct infer_run *run);

/* --- infer_prepare.c --------------------------------------------------------------- */
/* Types of constants and of the inputs that a file leaves half open. */
enum rw_code infer_prepare(struct ir_graph *g, struct diag_sink *diags);

#endif
