/* graph.h -- the graph: values and nodes as dense ids, uses, order, one editor, undo.
 *
 * A model has a main graph, the bodies of If, Loop and Scan (graphs whose `outer` is the
 * graph of their node) and model-local functions (graphs of their own). A value belongs
 * to one graph. A body sees an outer value through a value of its own, marked IR_OUTER,
 * that names it; the outer value then has a use by the node that owns the body.
 *
 * Nodes are in topological order, and every edit keeps them so. Each value knows its
 * producer and its uses. Every change goes through the functions below, which write an
 * undo journal: ir_mark, edits, then ir_undo(mark) gives back the very state before, ids
 * included.
 *
 * Invariants, checked by ir_graph_check in debug builds and tests: producer and outputs
 * agree; a use is in the list of its value exactly once; order keys rise; inputs come
 * from earlier nodes; names of live values are unique in the model (functions apart; bodies
 * that do not see each other may share names that the file had).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_GRAPH_H
#define IR_GRAPH_H

#include "ir/attr.h"

typedef uint32_t ir_value;
typedef uint32_t ir_node;
typedef uint32_t ir_use;
#define IR_NONE UINT32_MAX

struct ir_schema;
struct Onnx__NodeProto;
struct Onnx__GraphProto;

enum ir_value_flag {
    IR_IS_INPUT = 1,  /* of the graph */
    IR_IS_OUTPUT = 2, /* of the graph: at least one use has user IR_NONE */
    IR_IS_INIT = 4,   /* initializer; with IR_IS_INPUT it is overridable: no constant */
    IR_IS_OUTER = 8,  /* stands for a value of the outer graph */
    IR_IS_DEAD = 16,  /* removed; its id is not used again */
    IR_TYPE_DECLARED = 32, /* type was in the file (value_info, input, output) */
    IR_IS_CAPTURED = 64,   /* a body has (or had) a value that stands for it */
    IR_IS_NAMED = 128,     /* by training or an annotation of quantisation: if it is an
                              initializer it stays, read or not */
    IR_IS_TRAINED = 256    /* an initializer that training updates: no constant */
};

struct ir_value_info {
    const char *name;
    uint32_t flags;
    ir_node producer; /* IR_NONE: input, initializer, outer */
    uint32_t output;  /* which output of the producer */
    ir_value outer;   /* IR_IS_OUTER: its id in graph->outer, ... */
    ir_use capture;   /* ... and its use there; IR_NONE while no node owns the body */
    uint32_t named;   /* the entry of its name (ir/graph/names.h); not of IR_IS_OUTER */
    const struct ir_type *type;     /* given or inferred; NULL = nothing known */
    const struct ir_type *given;    /* by the file or an editor: what inference begins with */
    const struct ir_symval *symval; /* known integer value, or NULL */
    /* IR_IS_INIT, or output of a Constant node: the tensor; else NULL. Ask ir_const. */
    struct ir_tensor *tensor;
    ir_use uses; /* first of the list, newest first */
    uint32_t nuses;
};

#define IR_SLOT_BODY UINT32_MAX /* use by a body of the user node (a capture) */
struct ir_use_info {
    ir_value value;
    ir_node user;  /* IR_NONE: graph output number `slot` */
    uint32_t slot; /* input number, output number of the graph, or IR_SLOT_BODY */
    ir_use next, prev;
    struct ir_graph *body; /* IR_SLOT_BODY: the body, ... */
    ir_value inner;        /* ... and the IR_IS_OUTER value in it */
};

enum ir_node_flag {
    IR_NODE_DEAD = 1,
    IR_NODE_CHANGED = 2, /* not as in the file */
    IR_NODE_TRIED = 4    /* folding asked the runtime for it, once and for all */
};

struct ir_node_info {
    const char *name;
    sym_t op, domain; /* interned in the model; "ai.onnx" is stored as "" */
    const char *overload; /* of the function that is called; mostly "" */
    const struct ir_schema *schema; /* of the imported opset; NULL: unknown operator */
    uint32_t flags;
    uint32_t nin, nout, nattr;
    ir_use *in;      /* uses; ask ir_input. An absent operand has value IR_NONE */
    ir_value *out;   /* IR_NONE: an output left empty */
    struct ir_attr *attr;
    uint64_t order;  /* rises along the list */
    ir_node prev, next;
    sym_t rule;      /* provenance: the rule that made it, or SYM_NONE */
    struct Onnx__NodeProto *proto; /* read from, or NULL */
};

struct ir_graph {
    struct ir_model *model;
    uint32_t number;        /* in model->graphs */
    struct ir_graph *outer; /* NULL: main graph or function */
    ir_node owner;          /* the node of `outer` that holds this body */
    struct ir_function *function; /* of a function's body and all graphs inside, or NULL */
    const char *name;
    VEC(struct ir_value_info) values;
    VEC(struct ir_node_info) nodes;
    VEC(struct ir_use_info) uses;
    VEC(ir_value) inputs;
    VEC(ir_use) outputs; /* uses with user IR_NONE, in order */
    uint32_t unlisted;   /* so many of the last outputs are there for training graphs, which
                            see them; the file does not list them */
    ir_node first, last; /* topological order */
    uint32_t live;       /* nodes not dead ... */
    uint32_t constants;  /* ... and how many of them are Constant */
    struct map outer_of; /* outer value -> the IR_IS_OUTER value here */
    struct Onnx__GraphProto *proto; /* read from, or NULL */
};

struct ir_opset { const char *domain; int64_t version; };
struct ir_function {
    const char *domain, *name, *overload;
    struct ir_graph *body;
    VEC(struct ir_opset) opsets;
    bool dropped; /* no function of the model any more */
    void *proto;  /* Onnx__FunctionProto */
};

struct ir_source; /* model.h: files behind the weights */
struct ir_journal;
struct ir_names;

/* What computed tensors hold in memory while they are read (ir/tensor/lazy.h). */
struct ir_lazy;
struct ir_held {
    struct ir_lazy *newest;
    uint64_t bytes, limit;
    uint32_t readers;
};

/* What folding did to the size of the file (ir/pass/fold.c). */
struct ir_folding {
    uint64_t growth; /* bytes, net */
    uint64_t allowed; /* bytes that may be read or made at once, by how large the weights were; 0: unset */
    uint64_t spent;  /* ... and that were */
    uint32_t left;   /* nodes over constants that it left because of the limit, last time */
    uint32_t asked;  /* nodes whose results were asked of a runtime, ... */
    uint32_t given;  /* ... those that it gave, ... */
    uint64_t read;   /* ... and bytes of their operands */
};

struct ir_model {
    struct arena *arena;
    struct intern names;  /* operators, domains, rule names */
    struct ir_dims *dims;
    struct ir_graph *main;
    VEC(struct ir_graph *) graphs; /* all: main, bodies, functions with theirs */
    VEC(struct ir_function *) functions;
    struct map function_index;   /* of inference: (domain, name) -> number, ... */
    uint32_t functions_indexed;  /* ... made when there were so many */
    VEC(struct ir_opset) opsets;
    int64_t ir_version;
    struct ir_journal *journal;
    struct ir_source *source;      /* NULL for a model made in memory */
    struct ir_held held;
    struct ir_folding folding;
    void *proto;                   /* Onnx__ModelProto, skeleton */
    struct ir_names *value_names;  /* names in use */
    bool has_training;             /* graphs that are carried along as they are */
    uint32_t opaque;               /* counter of unknown shapes */
    uint64_t edits;                /* since reading; 0: nothing to write anew. Types and
                                      symvals found by inference do not count */
    uint64_t changes;              /* edits and undos: never the same number twice, so who
                                      remembers it knows whether all is as it was */
    uint64_t multiplied;           /* for constants (ir/eval.h), which is bounded in sum */
};

/* --- making ------------------------------------------------------------------------ */
/* A model with an empty main graph, without opsets. */
struct ir_model *ir_model_new(struct arena *a, int64_t ir_version);
/* A body, to be filled and given to its node by ir_own_body. */
struct ir_graph *ir_graph_new(struct ir_model *m, struct ir_graph *outer, const char *name);
/* A function with an empty body. */
struct ir_function *ir_function_new(struct ir_model *m, const char *domain,
                                    const char *name);
/* Keeps only the functions that are marked, per number; nobody calls the others. */
void ir_keep_functions(struct ir_model *m, const bool *keep);
/* Imports a version of a domain. Where another version was imported the nodes keep the
 * schema that they were written for, until ir_reform_node (reform.h) says the same in the
 * new version. */
void ir_set_opset(struct ir_model *m, const char *domain, int64_t version);
/* The same of a function that imports the domain. */
void ir_raise_import(struct ir_function *f, const char *domain, int64_t version);
/* Crossing version 4 takes initializers off the list of graph inputs, where they had to
 * stand before and would be overridable from then on. */
void ir_set_ir_version(struct ir_model *m, int64_t version);
/* The version imported for a domain as seen by a graph (a function's own), 0: none. */
int64_t ir_opset(const struct ir_graph *g, const char *domain);

/* For readers, when all is built: the graph is as in the file, so no node is changed,
 * no edit was made, and nothing can be undone. */
void ir_model_settle(struct ir_model *m);

/* --- asking ------------------------------------------------------------------------ */
static inline const struct ir_value_info *ir_val(const struct ir_graph *g, ir_value v) {
    return &g->values.at[v];
}
static inline const struct ir_node_info *ir_nod(const struct ir_graph *g, ir_node n) {
    return &g->nodes.at[n];
}
/* Operand k, IR_NONE when absent or beyond the last. */
static inline ir_value ir_input(const struct ir_graph *g, ir_node n, uint32_t k) {
    const struct ir_node_info *x = &g->nodes.at[n];
    return k < x->nin ? g->uses.at[x->in[k]].value : IR_NONE;
}
/* Output k, IR_NONE when empty or beyond the last. */
static inline ir_value ir_output(const struct ir_graph *g, ir_node n, uint32_t k) {
    const struct ir_node_info *x = &g->nodes.at[n];
    return k < x->nout ? x->out[k] : IR_NONE;
}
/* How many outputs the file lists. */
static inline uint32_t ir_noutputs(const struct ir_graph *g) {
    return g->outputs.len - g->unlisted;
}
static inline bool ir_is_dead(const struct ir_graph *g, ir_node n) {
    return g->nodes.at[n].flags & IR_NODE_DEAD;
}
static inline bool ir_has(const struct ir_graph *g, ir_value v, enum ir_value_flag f) {
    return (g->values.at[v].flags & (uint32_t)f) != 0;
}
/* The schema of an operator as imported where g stands; NULL: unknown. */
const struct ir_schema *ir_schema_in(const struct ir_graph *g, const char *domain,
                                     const char *op);
static inline const char *ir_op_name(const struct ir_graph *g, ir_node n) {
    return intern_text(&g->model->names, g->nodes.at[n].op);
}
/* "" = ai.onnx */
static inline const char *ir_domain_name(const struct ir_graph *g, ir_node n) {
    return intern_text(&g->model->names, g->nodes.at[n].domain);
}
/* Of ai.onnx. */
static inline bool ir_is_op(const struct ir_graph *g, ir_node n, const char *op) {
    return g->nodes.at[n].domain == SYM_NONE && rw_streq(ir_op_name(g, n), op);
}
/* Does the graph belong to the model: main, a function of it, or a body whose node, and the
 * nodes around it, are alive? Passes skip others in model->graphs. */
bool ir_graph_is_live(const struct ir_graph *g);
/* The attribute of that name as written on the node, or NULL (no defaults: param.h). */
const struct ir_attr *ir_find_attr(const struct ir_graph *g, ir_node n, const char *name);
/* The body that an attribute of a node holds, or NULL. */
struct ir_graph *ir_body(const struct ir_graph *g, ir_node n, const char *attribute);
bool ir_has_body(const struct ir_graph *g, ir_node n);
/* Is every output of the node without a use? */
bool ir_is_unused(const struct ir_graph *g, ir_node n);
/* The constant that v is: an initializer that cannot be overridden or trained, the output of a
 * Constant node, an outer value that is one; else NULL. Before IR version 4 an
 * initializer is a constant although it is listed as a graph input. Looking through
 * Identity and Casts is the business of the fold pass and of param.h. */
struct ir_tensor *ir_const(const struct ir_graph *g, ir_value v);
/* The items of a small integer or bool constant as symval; NULL when it is none. */
const struct ir_symval *ir_symval_of_tensor(struct ir_model *m, const struct ir_tensor *t);
/* The tensor that v is known to be by its symval: of int64, int32, bool, float or double, each
 * item a number that the type has. NULL when it is not known, or of another type. */
struct ir_tensor *ir_tensor_of_symval(const struct ir_graph *g, ir_value v, struct arena *a);
bool ir_precedes(const struct ir_graph *g, ir_node a, ir_node b);
/* The value of a graph by name, IR_NONE: unknown. */
ir_value ir_find_value(const struct ir_graph *g, const char *name);

/* --- editing (journalled) ---------------------------------------------------------- */
/* A value without a producer. name NULL or taken: a fresh one made from `name`. */
ir_value ir_add_value(struct ir_graph *g, const char *name, const struct ir_type *type);
/* For readers: a value of that very name, which no value that g sees has; values of bodies
 * elsewhere may. */
ir_value ir_add_value_as(struct ir_graph *g, const char *name, const struct ir_type *type);
/* A constant of the graph: an initializer; a Constant node in a function body and before
 * IR version 4. Its type and symval are set. */
ir_value ir_add_constant(struct ir_graph *g, const char *name, struct ir_tensor *t);
/* Makes v an initializer with that tensor (an overridable one if it is an input), as
 * readers do; rules add constants with ir_add_constant. */
void ir_set_initializer(struct ir_graph *g, ir_value v, struct ir_tensor *t);
/* Marks v an input (behind the last) or adds an output. Not for interfaces read from a
 * file, which stay as they are. */
void ir_add_input(struct ir_graph *g, ir_value v);
void ir_add_output(struct ir_graph *g, ir_value v);
/* A value standing in g for value v of g->outer; made once, then found again. */
ir_value ir_add_outer(struct ir_graph *g, ir_value v);
struct ir_new_node {
    const char *op, *domain, *name; /* name NULL: none; nodes may share one */
    const char *overload;           /* NULL: none */
    uint32_t nin, nout, nattr;
    const ir_value *in;        /* IR_NONE: absent */
    const ir_value *out;       /* values without a producer; IR_NONE: empty */
    const struct ir_attr *attr; /* copied, names and lists too */
    sym_t rule;
};
/* Adds a node in front of `before` (IR_NONE: at the end). Its operands must be made
 * earlier. Looks up the schema at the graph's opset. */
ir_node ir_add_node(struct ir_graph *g, const struct ir_new_node *n, ir_node before);
/* Attaches a body graph made with ir_graph_new(m, g, ...) to the node whose attribute
 * holds it: captures of the body become uses by n. */
void ir_own_body(struct ir_graph *g, ir_node n, struct ir_graph *body);
void ir_set_input(struct ir_graph *g, ir_node n, uint32_t k, ir_value v); /* k < nin */
/* Drops absent operands at the end, or lengthens with absent ones. */
void ir_set_input_count(struct ir_graph *g, ir_node n, uint32_t nin);
/* Adds or replaces. An attribute that goes releases its bodies; ir_own_body is for new
 * ones. */
void ir_set_attr(struct ir_graph *g, ir_node n, const struct ir_attr *attr);
void ir_set_schema(struct ir_graph *g, ir_node n, const struct ir_schema *schema);
void ir_drop_attr(struct ir_graph *g, ir_node n, const char *name);
void ir_set_type(struct ir_graph *g, ir_value v, const struct ir_type *t);
/* What inference found; what was given stays. */
void ir_set_inferred(struct ir_graph *g, ir_value v, const struct ir_type *t);
void ir_set_symval(struct ir_graph *g, ir_value v, const struct ir_symval *s);
/* Another tensor for an initializer. */
void ir_set_tensor(struct ir_graph *g, ir_value v, struct ir_tensor *t);
/* Gives v another name; the name must be free. Graph inputs keep theirs. */
void ir_rename(struct ir_graph *g, ir_value v, const char *name);
/* The same for a node; NULL: none. Nodes may share one, which outlives the model. */
void ir_name_node(struct ir_graph *g, ir_node n, const char *name);
/* All uses of `old` (graph outputs and captures too) become uses of `now`, which must
 * precede them. Names stay: see ir_replace_value. */
void ir_replace_uses(struct ir_graph *g, ir_value old, ir_value now);
/* Takes output k of node n away from its value, which is left without a producer. */
void ir_detach_output(struct ir_graph *g, ir_node n, uint32_t k);
/* Makes v, which has no producer, output k of n. */
void ir_attach_output(struct ir_graph *g, ir_node n, uint32_t k, ir_value v);
/* Removes a node none of whose outputs has a use; its outputs and bodies die with it. */
void ir_remove_node(struct ir_graph *g, ir_node n);
/* Takes the operands or outputs k of n with !keep[k] out of the row: those behind them move
 * up. Such outputs have no use. */
void ir_keep_inputs(struct ir_graph *g, ir_node n, const bool *keep);
void ir_keep_outputs(struct ir_graph *g, ir_node n, const bool *keep);
/* The same of the inputs and outputs of a body; such inputs have no use. */
void ir_keep_body_inputs(struct ir_graph *g, const bool *keep);
void ir_keep_body_outputs(struct ir_graph *g, const bool *keep);
/* Gives back a node without bodies that was removed, in front of `before`. Operands and
 * outputs are nin and nout values; outputs have died with it, or have no producer. Those
 * that died have their names again, if they are free. The node counts as unchanged if it
 * did before; where an operand is another, ir_set_input says so. */
void ir_revive_node(struct ir_graph *g, ir_node n, const ir_value *in, const ir_value *out,
                    ir_node before);
/* Removes an initializer or an outer value that has no use. */
void ir_remove_value(struct ir_graph *g, ir_value v);
/* Moves nodes so that n precedes every user of its outputs again, after n was added or
 * its outputs attached where users stand earlier. Touches only the nodes between. false,
 * with nothing moved, when there is a cycle (the match was not convex). */
bool ir_restore_order(struct ir_graph *g, ir_node n);
/* May every use of `old` become a use of `now` with the interface intact? false where a
 * graph output (of a body too) would become an input, an initializer, a captured value,
 * or a second name of another output. */
bool ir_can_replace(const struct ir_graph *g, ir_value old, ir_value now);
/* ir_replace_uses; where `old` is a graph output, `now` takes over its name. Only after
 * ir_can_replace said yes. `old` is left without uses. */
void ir_replace_value(struct ir_graph *g, ir_value old, ir_value now);

/* --- undo -------------------------------------------------------------------------- */
typedef uint32_t ir_mark_t;
/* Edits are saved from the first mark on until ir_commit. */
ir_mark_t ir_mark(struct ir_model *m);
/* Marks set later are void; this one stays good, to try something else. */
void ir_undo(struct ir_model *m, ir_mark_t mark);
/* Forgets the journal up to now: what was done stays. */
void ir_commit(struct ir_model *m);

/* A name that no value of the main graph and its bodies has, made from `hint`. Kept in
 * the model's arena. Functions are apart: there ir_add_value finds a free name. */
const char *ir_fresh_name(struct ir_model *m, const char *hint);

/* Checks every invariant above; false and a diagnostic on the first that is broken. */
bool ir_graph_check(const struct ir_graph *g, struct diag_sink *diags);

#endif
