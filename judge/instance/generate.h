/* generate.h -- a model whose graph is an instance of a rule's pattern.
 *
 * The pattern is built from the inside out: alternatives and operand orders are chosen,
 * operands that are patterns become nodes, then the variables get shapes and values that
 * their operator can take, led by what the rule's conditions say of them. Nothing here
 * must be right: whether the rule applies is for the matcher to say, whether the model is
 * a good one for ONNX Runtime.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_INSTANCE_GENERATE_H
#define JUDGE_INSTANCE_GENERATE_H

#include "judge/inputs.h"
#include "judge/instance/instance.h"

#define GEN_RANK 8
struct gen_shape {
    uint32_t rank;
    ir_dim dims[GEN_RANK];
};
struct gen_size { /* a symbol of the instance and what it is when the model is run */
    ir_dim symbol;
    uint32_t number; /* in the table of dimensions */
    int64_t size;
};
struct gen_named { /* a symbol of the example, and what it is here */
    const char *name;
    uint32_t number;
    ir_dim dim;
    int64_t size;
};
struct gen_cut { /* Slices that cut a whole: nothing is left, nothing comes twice */
    uint32_t n;     /* pieces; 0: each is drawn by itself */
    uint32_t piece; /* that is made now */
    uint32_t way;   /* how large they are */
    bool has_axis;
    int64_t axis;
};
struct gen_copied { /* a value of the example, and of the instance */
    ir_value there, here;
};
struct gen {
    const struct judge_plan *plan;
    const struct rule *rule;
    struct judge_draws *d;
    struct arena *a;
    struct judge_instance *out;
    struct ir_model *m;
    struct ir_graph *g;  /* where the pattern stands: the main graph, a body, a function */
    struct pm_asker *asker;
    struct pm_binding *slots;
    const struct ir_attr **params; /* of each slot that a parameter is bound to */
    int64_t opset;
    uint32_t wild;      /* percent of the decisions that go against the rule */
    uint32_t against;   /* the condition that is not heeded; nwhere: none */
    enum ir_dtype dtype; /* of what is not bound to another type */
    struct gen_shape base;
    VEC(struct gen_size) sizes;
    const struct judge_example *example; /* that leads the way, or NULL */
    VEC(struct gen_named) named;
    enum ir_dtype dtype_there; /* what the type of its first input is here */
    bool copies;         /* variables are what they are there, computed as there */
    VEC(struct gen_copied) copied;
    ir_value at;         /* of the example: what the pattern at work is there, or IR_NONE */
    VEC(ir_value) interior; /* results of pattern nodes, the roots too */
    VEC(ir_value) members;  /* of families */
    struct gen_cut cut;     /* that the family at work makes */
    VEC(ir_value) args;     /* of the function that the pattern stands in, by input */
    uint32_t depth;
    uint32_t tries;      /* to make a node */
    bool was_free;       /* a constant was made of what need not be one */
};

/* A node while it is made. */
#define GEN_OPERANDS 32
struct gen_node {
    const struct pat *pat;
    const char *domain, *op;
    const struct ir_schema *schema;
    uint32_t present; /* operands of the pattern up to the last that is there */
    uint32_t nin;
    ir_value in[GEN_OPERANDS];
    bool known[GEN_OPERANDS]; /* in[] is decided, absent or not */
    bool attributed; /* its attributes are decided */
    ir_node there;   /* of the example: what it is there, or IR_NONE; ... */
    bool exchanged;  /* ... its first two operands in the other order */
    VEC(struct ir_attr) attrs;
    const struct gen_relation *relation; /* of its operands, or NULL */
    struct gen_letters *letters;
};
/* What an operand should be. */
struct gen_operand {
    enum ir_dtype dtype;
    struct gen_shape shape;
    int64_t low, below;  /* of its elements, when integers; 0, 0: whatever */
    bool positive;       /* no element is negative ... */
    bool modest;         /* ... or large */
    bool rather_known;   /* a constant more often than not, such as a shape */
    bool has_items;      /* its elements */
    uint32_t nitems;
    int64_t items[GEN_RANK];
    int32_t divisor; /* of the items where they are floats; 0: none */
};
static inline float gen_float_item(const struct gen_operand *o, uint32_t i) {
    return (float)o->items[i] / (float)(o->divisor ? o->divisor : 1);
}

/* A model cannot be made of this: every function passes it up. */
#define GEN(expr)                                                                      \
    do {                                                                               \
        if (!(expr)) return false;                                                     \
    } while (0)

static inline bool gen_chance(struct gen *x, uint32_t percent) {
    return judge_chance(x->d, percent);
}
static inline uint32_t gen_draw(struct gen *x, uint32_t below) {
    return judge_draw(x->d, below);
}
static inline bool gen_goes_wild(struct gen *x) {
    return x->wild > 0 && judge_chance(x->d, x->wild);
}

/* pattern.c: the value that a pattern stands for; IR_NONE: absent. */
bool judge_gen_slot(struct gen *x, uint32_t slot, ir_value *out);
bool judge_gen_pattern(struct gen *x, const struct pat *p, ir_value *out);
/* The alternative taken, down to a pattern that is none. */
const struct pat *judge_gen_decided(struct gen *x, const struct pat *p);
/* Is it made by itself, or is it a variable whose shape its user decides? */
bool judge_gen_is_variable(const struct gen *x, const struct pat *p);

/* generate.c: all roots of x->rule, and what must be there beside them. */
bool judge_gen_roots(struct gen *x);

/* staged.c: what stands for a staged operator. */
bool judge_gen_staged(struct gen *x, const struct pat *p, ir_value *out);

/* chain.c: nodes of a chain above a value; the members of a family. */
bool judge_gen_links(struct gen *x, const struct pat *p, ir_value *v);
bool judge_gen_family(struct gen *x, const struct rule_family *f, ir_value *last);

/* body.c: now and then all that follows stands in the body of a Loop, or in a
 * function. */
void judge_gen_begin_body(struct gen *x);
/* What stands there may be of that domain, too; an import that is there stays. */
void judge_gen_import(struct gen *x, const char *domain, int64_t version);
bool judge_gen_end_body(struct gen *x);
/* An input of the model, and what it is called where the instance stands. */
ir_value judge_gen_input(struct gen *x, const char *name, const struct ir_type *t);
ir_value judge_gen_seen_inside(struct gen *x, ir_value v);

/* dims.c */
void judge_gen_base(struct gen *x);             /* sizes, symbols, the base shape */
ir_dim judge_gen_dim(struct gen *x);            /* one of those of the base, or a new one */
ir_dim judge_gen_any_size(struct gen *x, int64_t least); /* a number or a symbol */
ir_dim judge_gen_image_side(struct gen *x);
bool judge_gen_size(struct gen *x, ir_dim d, int64_t *out);
/* The number that a symbol has in its table. */
uint32_t judge_gen_number_of(const struct ir_dims *t, ir_dim symbol);
bool judge_gen_shape_of(const struct gen *x, ir_value v, struct gen_shape *out);
/* Does each symbol still stand for its size after all that nodes ask of it? */
bool judge_gen_sizes_agree(struct gen *x);
/* Are all values together, as far as shapes tell, no more than a machine bears easily? */
bool judge_gen_is_small(struct gen *x);
/* Equal dimensions for a model: numbers and plain symbols; others get a new symbol. */
bool judge_gen_plain(struct gen *x, struct gen_shape *s);

/* What annotation and conditions ask of a variable's shape. */
void judge_gen_wishes(struct gen *x, uint32_t slot, struct gen_operand *o);
/* The names of dimensions in a slot's annotation, from the value it has. */
void judge_gen_bind_dims(struct gen *x, uint32_t slot, ir_value v);

/* operand.c: shape, type and values for operand k, those known before it. */
bool judge_gen_operand(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o);
/* The same where something is known of that very operator; else false. */
bool judge_gen_proposed(struct gen *x, struct gen_node *n, uint32_t k,
                        struct gen_operand *o);

/* relation.c: the same by what is known of how operands depend on each other;
 * false: nothing, or they contradict each other. */
bool judge_gen_related(struct gen *x, struct gen_node *n, uint32_t k,
                       struct gen_operand *o);
/* What elements of operand k are like, whatever its shape. */
void judge_gen_nature(const char *domain, const char *op, uint32_t k, struct gen_operand *o);
/* The value that an attribute has by operands that are known. */
bool judge_gen_related_int(struct gen *x, const struct gen_node *n, const char *name,
                           int64_t *out);
/* The first operand of an operator of the rule: what the instance is about. */
bool judge_gen_related_base(struct gen *x, struct gen_shape *out);

/* from_example.c: now and then all that follows is led by an example of the rule. */
void judge_gen_begin_example(struct gen *x);
/* An operand, a number that a slot stands for, a parameter, as the example has it; false:
 * it says nothing. */
bool judge_gen_by_example(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                          struct gen_operand *o);
bool judge_gen_number_by_example(struct gen *x, uint32_t slot, int64_t *out);
/* Is the example what is wanted, or is a condition not to hold that holds in it? */
bool judge_gen_heeds(const struct gen *x);
/* Integers that are not as a condition wants them. */
void judge_gen_disturb_items(struct gen *x, uint32_t n, int64_t *items);
/* What a name of the rule that is at work is there. */
const struct judge_known *judge_gen_known(const struct gen *x, uint32_t slot);
/* Of a value of the example: its shape here; how many there are to choose from where its
 * elements index something, 0: they do not. */
bool judge_gen_shape_there(struct gen *x, ir_value v, struct gen_shape *out);
int64_t judge_gen_choices_there(struct gen *x, ir_value v);
bool judge_gen_param_by_example(struct gen *x, struct gen_node *n,
                                const struct ir_param_def *d, struct ir_attr *out);

/* copy.c: may variables be what they are in the example? */
bool judge_gen_can_copy(const struct gen *x);
/* What operand k, or a slot, is there; IR_NONE: not known. */
ir_value judge_gen_there(const struct gen *x, const struct gen_node *user, uint32_t k,
                         uint32_t slot);
/* The node that makes what x->at is, if it is of that operator; else IR_NONE. */
ir_node judge_gen_node_there(const struct gen *x, const struct gen_node *n);
/* Do the operands stand in the other order there? */
bool judge_gen_is_exchanged(const struct gen *x, const struct gen_node *n,
                            const struct pat *const *args);
enum ir_dtype judge_gen_dtype_there(const struct gen *x, ir_value v);
/* Is this variable to be a copy, of *v? */
bool judge_gen_is_copy(struct gen *x, const struct gen_node *user, uint32_t k,
                       uint32_t slot, ir_value *v);
/* v with all that it is computed from, made once. */
bool judge_gen_copy(struct gen *x, ir_value v, ir_value *out);
/* A parameter as the node there has it, unwritten ones too; false: it says nothing. */
bool judge_gen_param_there(struct gen *x, const struct gen_node *n,
                           const struct ir_param_def *d, struct ir_attr *out);
/* The same of one that is an operand, and no constant. */
bool judge_gen_copy_param(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                          bool *copied);
/* Results that are what those of that node are. */
void judge_gen_note_copy(struct gen *x, ir_node node, uint32_t n, const ir_value *out);

/* attr.c: all that the pattern and the operator ask for in <...>. */
bool judge_gen_attrs(struct gen *x, struct gen_node *n);
/* A parameter in the form that the opset has for it. */
bool judge_gen_write_param(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                           struct ir_attr v);
/* sensible.c: a value that makes sense for a parameter of that node. */
bool judge_gen_sensible(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                        struct ir_attr *out);
/* Of its first operand, -1 when that is not known; an axis for that rank, from either end. */
int64_t judge_gen_rank_of(const struct gen *x, const struct gen_node *n);
int64_t judge_gen_axis(struct gen *x, int64_t rank);
/* One item of starts, ends, axes or steps of a Slice, which may follow another. */
int64_t judge_gen_bound(struct gen *x, const struct gen_node *n, const char *name);
struct ir_attr judge_gen_ints_attr(struct gen *x, const char *name, uint32_t n,
                                   const int64_t *at);
/* Pads, strides, dilations, kernel_shape. */
struct ir_attr judge_gen_window(struct gen *x, const struct gen_node *n, const char *name);
int64_t judge_gen_int(const struct gen_node *n, const char *name, int64_t otherwise);
const struct ir_attr *judge_gen_attr(const struct gen_node *n, const char *name);

/* Does the condition that is not heeded speak of the slot? */
bool judge_hint_against(const struct gen *x, uint32_t slot);

/* hint.c: what conditions ask of a slot; false: nothing that is known now. */
bool judge_hint_shape(struct gen *x, uint32_t slot, struct gen_shape *out);
bool judge_hint_product(struct gen *x, uint32_t slot, struct gen_shape *out);
bool judge_hint_rank(struct gen *x, uint32_t slot, uint32_t *out);
bool judge_hint_dim(struct gen *x, uint32_t slot, struct gen_shape *s);
bool judge_hint_dtype(struct gen *x, uint32_t slot, enum ir_dtype *out);
/* An opset for which the condition that is not heeded fails. */
bool judge_hint_other_opset(struct gen *x, int64_t *out);
/* Is its type what the condition is about that is not heeded? */
bool judge_hint_other_dtype(const struct gen *x, uint32_t slot);
/* Makes all items what conditions ask of them. */
void judge_hint_items(struct gen *x, uint32_t slot, uint32_t n, int64_t *items);
bool judge_hint_real(struct gen *x, uint32_t slot, double *out);
bool judge_hint_ints(struct gen *x, uint32_t slot, uint32_t *n, int64_t *out);
bool judge_hint_type_param(struct gen *x, uint32_t slot, enum ir_dtype *out);
const char *judge_hint_text(struct gen *x, uint32_t slot);
/* Must, or must not, the slot be a constant? 0: nobody says. */
int judge_hint_const(struct gen *x, uint32_t slot);

/* leaf.c: values without a pattern. */
bool judge_gen_leaf(struct gen *x, struct gen_node *n, uint32_t k, uint32_t slot,
                    ir_value *out);
bool judge_gen_literal(struct gen *x, struct gen_node *n, uint32_t k,
                       const struct literal *l, ir_value *out);
ir_value judge_gen_ints(struct gen *x, uint32_t rank, uint32_t n, const int64_t *items);
/* An input, fed with what suits o. */
bool judge_gen_fed(struct gen *x, const char *name, struct gen_operand *o, ir_value *out);
/* A constant, in one of the forms that a file may have it. */
ir_value judge_gen_constant(struct gen *x, struct ir_tensor *t);
/* Elements low .. below - 1 for integers, as inputs.h makes them for others; without such
 * bounds, large ones reach to the ends of their type. NULL: a type
 * that cannot be made up. */
struct ir_tensor *judge_gen_tensor(struct arena *a, enum ir_dtype t, uint32_t rank,
                                   const int64_t *dims, enum judge_fill fill, int64_t low,
                                   int64_t below, uint64_t *seed);
/* Without the signs of floats. */
void judge_gen_make_positive(struct ir_tensor *t);
/* Those numbers, again and again; NULL when the type cannot hold one. */
struct ir_tensor *judge_gen_numbers(struct arena *a, enum ir_dtype t, uint32_t rank,
                                    const int64_t *dims, uint64_t given,
                                    const double *items);
/* One number of that type with dimensions of 1; NULL when the type cannot hold it. */
struct ir_tensor *judge_gen_number(struct arena *a, enum ir_dtype t, double value,
                                   uint32_t rank, const int64_t *dims);
struct ir_tensor *judge_gen_floats(struct arena *a, uint32_t n, const float *items);
/* Leaves a type alone that operand k may have, and else makes it one. */
void judge_gen_usual_dtype(const struct gen_node *n, uint32_t k, enum ir_dtype *t);
/* The element type that operand k must or may have. */
bool judge_gen_dtype(struct gen *x, const struct gen_node *n, uint32_t k, uint32_t slot,
                     enum ir_dtype *out);

#endif
