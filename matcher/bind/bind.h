/* bind.h -- the bind machine: runs a merged program at a node and reports every match.
 *
 * The machine is flat: registers, a stack of choice frames, a trail of registers to unset
 * again, the operator nodes matched so far. A failing instruction goes back to the newest
 * frame. Nothing recurses, and the instructions spent on one node are bounded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_BIND_H
#define PM_BIND_H

#include "matcher/auto.h"

struct pm_match {
    const struct pm_accept *accept;
    struct pm_binding *slots;       /* of each slot of the rule */
    const struct pm_binding *exprs; /* what accept->exprs are compared with */
    uint32_t nnodes;                /* matched operators, the root first */
    const ir_node *nodes;
    const bool *kept; /* of each of them: by a `keep` of the pattern */
};

/* Names of the automaton as symbols of a model. */
struct pm_names {
    struct {
        sym_t domain, op;
    } *op;
    struct map op_of; /* domain << 32 | op -> number */
};
void pm_names_init(struct pm_names *n, const struct pm_auto *p, struct ir_model *m,
                   struct arena *a);
/* What questions at bind time are about. */
struct pm_site {
    const struct pm_auto *p;
    const struct pm_names *names;
    struct ir_graph *g;
    struct arena *arena; /* of the step: reset when the node is done */
    struct pm_members *members; /* of the families found at this node */
    struct pm_labels *labels; /* label.h, or NULL: the operator alone tells */
};

/* Is the node's operator of that class, of pm_auto.ops? */
bool pm_has_op(const struct pm_site *s, ir_node n, uint32_t ops);

struct pm_members { /* a vector */
    struct pm_binding *at;
    uint32_t len, cap;
};

struct pm_frame {
    uint32_t pc, trail, nodes;
    bool swap; /* pc is at a PICK: take the other order */
    uint32_t next, end; /* pc is at a CLIMB or CHAIN: values to go on with, in ends */
};
struct pm_trail {
    uint16_t reg;
    struct pm_binding was;
};
struct pm_matched {
    ir_node node;
    bool keep;
};
/* False: stop looking. The match lives in the arena of the step. */
typedef bool pm_found(void *ctx, const struct pm_match *m);

struct pm_machine {
    struct pm_site site;
    struct arena *arena; /* of the run: the stacks, reused from node to node */
    VEC(struct pm_binding) regs;
    VEC(struct pm_frame) frames;
    VEC(struct pm_trail) trail;
    VEC(struct pm_matched) nodes;
    VEC(ir_value) ends; /* of the frames */
    /* Is the condition of a family true of the member that is matched now? */
    bool (*holds)(void *ctx, const struct pm_machine *m, const struct pm_family *f);
    void *holds_ctx;
    const struct pm_insn *code;
    uint32_t pc, left; /* instructions that may still be spent on this node */
    bool stop;
    uint64_t tests; /* instructions run, in sum */
    pm_found *found;
    void *ctx;
};

/* The program that is run at a node, or NULL: that of the node's label (label.h) where the
 * labels are right, else that of its operator. Both give the same matches. */
const struct pm_program *pm_program_at(const struct pm_stage *s, const struct pm_site *site,
                                       ir_node n);
/* Runs the program at root. Matches come in order of choice; of the rules' conditions only
 * those that are part of the pattern have been asked. */
void pm_bind(struct pm_machine *m, const struct pm_program *prog, ir_node root);

/* pm_bind in steps, for explain: from the beginning; one instruction, false when it fails;
 * back to the newest frame, false when there is none. */
void pm_begin(struct pm_machine *m, const struct pm_program *prog, ir_node root);
bool pm_step_on(struct pm_machine *m);
bool pm_back(struct pm_machine *m);
/* In how many ways the instruction that was run last may go on: 1, unless it left a frame.
 * Goes on in one of them, the i-th. */
uint32_t pm_ways(const struct pm_machine *m);
void pm_go_way(struct pm_machine *m, uint32_t i);
/* What the slots of a rule are bound to, now that its end is reached. */
struct pm_binding *pm_bound_slots(const struct pm_machine *m, const struct pm_accept *a);
/* A value of the matched nodes that is seen outside and may not be, or IR_NONE. */
ir_value pm_leak(const struct pm_machine *m, const struct rule *r,
                 const struct pm_binding *slots);
bool pm_is_matched(const struct pm_machine *m, ir_node n);

/* climb.c: the values at the upper ends of the way, in order of the graph. */
void pm_climb(struct pm_machine *m, ir_value from, const struct pm_way *way, bool matched);

/* each.c: the family that instruction EACH is about; false: too few fit, or too many. */
bool pm_collect(struct pm_machine *m, const struct pm_insn *in);

/* value.c */
/* Is the constant equal to the literal, within its tolerance? */
bool pm_literal_fits(struct ir_graph *g, ir_value v, const struct literal *l,
                     struct arena *a);
/* The same for a number that has no type. */
bool pm_number_fits(double x, double relative, const struct literal *l);
/* Relative tolerance of a real constant of that type. */
double pm_tolerance(enum ir_dtype t);

/* Can it be, by no more than its first element, if that is a number, or so many of a list? */
#define PM_ITEMS_READ 8
bool pm_literal_may_fit(struct ir_model *m, const struct ir_tensor *t,
                        const struct literal *l);

/* see.c: the value that v is the same as, one value-preserving node deeper, or IR_NONE. */
ir_value pm_see_through(struct ir_graph *g, ir_value v, struct arena *a);
/* The deepest such value. */
ir_value pm_see_deepest(struct ir_graph *g, ir_value v, struct arena *a);
/* Is w on the way? */
bool pm_sees(struct ir_graph *g, ir_value v, ir_value w, struct arena *a);

/* params.c */
bool pm_param_fits(const struct pm_site *s, ir_node n, const struct pm_test *t);
/* Operands behind those given, and parameters not named. What is not as it must be: the
 * name of a parameter or an attribute, or an operand. */
struct pm_odd {
    const char *name; /* or NULL: an operand */
    uint32_t operand;
};
bool pm_spec_fits(const struct pm_site *s, ir_node n, const struct pm_spec *spec,
                  struct pm_odd *odd);
/* The same, as far as the attributes of the node alone tell, whatever is found out later
 * about types and operands: false is final. */
bool pm_param_may_fit(const struct pm_site *s, ir_node n, const struct pm_test *t);
bool pm_attrs_may_fit(const struct pm_site *s, ir_node n, const struct pm_spec *spec);
bool pm_cast_is_lossless(const struct pm_site *s, ir_node n);
/* What an integer counts in: an axis is the same as another when both are counted from the
 * front, as far as the ranks are known; a plain integer beside an axis is meant as one. */
enum { PM_NO_AXIS = 0, PM_AXIS_OF_UNKNOWN = 1, PM_AXIS_OF = 2 /* + rank */ };
/* PM_AXIS_OF + the rank that axes of the node count in, or PM_AXIS_OF_UNKNOWN. */
uint32_t pm_axis_base(const struct ir_graph *g, ir_node n);
/* Counted from the front where the rank is known. */
int64_t pm_axis(int64_t axis, uint32_t base);
bool pm_axes_equal(int64_t x, uint32_t x_base, int64_t y, uint32_t y_base);

/* lists.c: how many values of the graph are bound, one or those of a family; the k-th. */
uint32_t pm_values_of(struct pm_binding b);
ir_value pm_value_of(const struct pm_site *s, struct pm_binding b, uint32_t k);
/* Lists of integers, whether parameter or constant. */
bool pm_length(const struct pm_site *s, struct pm_binding list, uint32_t *n);
bool pm_item(const struct pm_site *s, struct pm_binding list, uint32_t i,
             struct pm_binding *out);
/* Do both hold the same? */
bool pm_same(const struct pm_site *s, struct pm_binding x, struct pm_binding y);

#endif
