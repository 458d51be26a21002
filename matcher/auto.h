/* auto.h -- the compiled form of packs: programs of bind instructions and their tables.
 *
 * A rule becomes a sequence of steps (plan.c), the sequences of all rules of a stage that
 * share a root operator are merged by common prefixes into one tree (merge.c), and the
 * tree is laid out as flat code. Registers are numbered in the order in which the code
 * fills them, so that equal beginnings have equal numbers and merge. Everything is
 * independent of a model: operators and parameters are names here, and the opset is a
 * question asked at bind time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PM_AUTO_H
#define PM_AUTO_H

#include "base/intern.h"
#include "matcher/label/sets.h"
#include "matcher/matcher.h"

enum pm_opcode {
#define PM_INSN(name, layout, meaning) PM_##name,
#include "matcher/insn.def"
    PM_INSN_N
};

struct pm_insn {
    uint8_t op;
    uint16_t a, b, c;
    uint32_t x;
};

#define PM_NO_REG UINT16_MAX

/* What of a rule an instruction stands for, for explain. */
struct pm_origin {
    struct span at;
    const struct pat *pat; /* or NULL: a parameter, a dimension */
};

/* --- code while it is made -------------------------------------------------------- */
/* A step is an instruction, or one that holds sequences of its own: TRY its alternatives,
 * IFSET and UNLESS (tested: in.a) one block. Registers first .. end - 1 are those that
 * the inner sequences fill, and are cleared in front of them. */
struct pm_step {
    struct pm_insn in;
    uint32_t ninner;
    struct pm_seq *inner;
    const struct pm_origin *place;
    uint16_t first, end;
};
struct pm_seq {
    VEC(struct pm_step) steps;
};

/* --- tables ----------------------------------------------------------------------- */
struct pm_op {
    const char *domain, *name;
};
struct pm_ops { /* a class of operators */
    uint32_t n;
    const uint32_t *at; /* rising */
};
struct pm_test { /* <name = literal> */
    const char *param;
    const struct literal *lit;
    bool is_axis;
};
struct pm_spec { /* what a pattern node says of operands and parameters as a whole */
    uint32_t nargs;    /* operands that the pattern gives */
    bool rest;         /* ..xs takes all the others */
    bool any;          /* <..attrs>: parameters not named have any value */
    uint32_t n;
    const char *const *named;
};
struct pm_way { /* from a value up to where another pattern of the rule may begin */
    uint32_t ends;   /* class of operators that may stand at its end */
    uint32_t output; /* of that */
    uint32_t inner;  /* class of operators that may stand on the way */
    uint32_t levels; /* at most so many operators, the end included */
};
struct pm_column {
    uint16_t one, list; /* registers */
};
struct pm_family {
    const struct rule *rule;
    const struct rule_family *family;
    struct pm_way way;
    bool is_root;        /* matching began at a member, whose value is in `root` */
    uint16_t root, member; /* registers */
    uint16_t first, end;   /* registers that a member fills */
    const uint16_t *regs;  /* of each slot of the rule, when a member is matched */
    uint32_t ncolumns;
    const struct pm_column *columns; /* the first: of the members themselves */
};
struct pm_expr_test { /* <name = (expression)>, compared when all is bound */
    uint16_t reg;
    bool is_axis;
    const struct expr *expr;
};
struct pm_accept {
    const struct rule *rule;
    uint32_t rank;        /* 0 is tried first */
    uint32_t number;      /* of the rule in pm_auto.rules */
    const uint16_t *regs; /* of each slot; PM_NO_REG: never bound by this program */
    uint32_t nexprs;
    const struct pm_expr_test *exprs;
    uint32_t place;       /* in the code of the automaton */
};

struct pm_insns { /* both are vectors */
    struct pm_insn *at;
    uint32_t len, cap;
};
struct pm_origins {
    struct pm_origin *at;
    uint32_t len, cap;
};
struct pm_program {
    uint32_t op;    /* root operator, in ops */
    const struct pm_insn *code; /* NULL: that of the automaton */
    uint32_t start; /* in code */
    uint32_t nregs;
    uint32_t depth; /* of the deepest pattern, in nodes */
};

/* --- the label level --------------------------------------------------------------- */
/* A pattern without its names, interned over all rules (sub.c): what can be told of a
 * value before anything is bound. */
enum pm_sub_kind {
    SUB_ANY, SUB_PRESENT, SUB_ABSENT, SUB_CONST, SUB_LITERAL, SUB_NODE, SUB_ALT
};
enum { PM_SUB_ANY, PM_SUB_PRESENT, PM_SUB_ABSENT, PM_SUB_CONST }; /* always there */
struct pm_sub {
    enum pm_sub_kind kind;
    bool commutes;     /* kids 0 and 1 in either order */
    uint32_t output;   /* SUB_NODE: which one the value is */
    uint32_t ops, spec, literal;
    uint32_t ntests, nkids; /* SUB_ALT: kids are the alternatives */
    const uint32_t *tests, *kids;
};
/* Where a sub-pattern leads (slots.c). */
struct pm_root { /* the root of that variant of that stage */
    uint32_t stage, variant;
};
struct pm_of_sub {
    VEC(uint32_t) alts; /* alternatives that it is one of */
    VEC(struct pm_root) roots;
};
/* What an operator can tell apart. */
struct pm_slot { /* of an operand */
    VEC(uint32_t) relevant; /* sub-patterns asked for there, rising */
};
struct pm_wanted {
    uint32_t kid, sub;
};
struct pm_of_op {
    VEC(uint32_t) subs; /* rising; each is in one of the two below */
    VEC(struct pm_wanted) by_kid; /* by an operand that few others ask for */
    VEC(uint32_t) always;
    uint32_t least_args, most_args; /* that patterns without ..xs give */
    uint32_t nslots;
    struct pm_slot *slots;
};
struct pm_number {
    double value; /* of a literal list: its first item */
    uint32_t sub;
};
struct pm_literals { /* sub-patterns */
    VEC(struct pm_number) numbers, lists; /* rising */
    VEC(uint32_t) others;
    VEC(uint32_t) lengths; /* of lists, rising */
    bool splats;        /* is there one? */
};
struct pm_makes { /* a set of pm_auto.op */
    uint32_t n;
    const uint32_t *at;
};
struct pm_subs {
    VEC(struct pm_sub) list;
    struct pm_of_sub *of_sub; /* of each of them */
    uint32_t nops;
    struct pm_of_op *of_op; /* of each of pm_auto.op */
    struct pm_literals literals;
    uint32_t nrules;
    struct pm_makes *makes; /* the operators that each of pm_auto.rules makes */
};

struct pm_stage {
    const struct rule_pack *pack;
    const struct rule_stage *stage;
    uint32_t nprograms;            /* of a phase, by operator */
    const struct pm_program *programs;
    uint32_t nvariants;
    const struct pm_variant *variants; /* the preferred first */
    const uint32_t *program_of;    /* operator -> program, or UINT32_MAX; nops items */
    uint32_t nops;
    uint32_t depth;                /* of the deepest program */
    bool raises;                   /* runs when a model is raised, and only then */
};

/* Entries of a table are found by a text that says all there is to them; the text is what
 * the disassembler prints. */
struct pm_keys {
    struct intern op, ops, param, test, spec, literal, way;
};
/* Fields are described to the generator of code too: codegen/layout.def. */
struct pm_auto {
    /* While compiling; NULL where the automaton was compiled to C. */
    struct arena *arena;
    struct diag_sink *diags;
    struct pm_keys *keys;
    struct hset *sub_set; /* of subs->list */
    VEC(struct pm_op) op;
    VEC(struct pm_ops) ops;
    VEC(const char *) param;
    VEC(struct pm_test) test;
    VEC(struct pm_spec) spec;
    VEC(const struct literal *) literal;
    VEC(struct pm_way) way;
    VEC(struct pm_family) family;
    VEC(struct pm_accept) accept;
    VEC(const struct rule *) rules; /* each once, in order of first stage */
    struct pm_insns code;
    struct pm_origins places; /* of each instruction; of a shared one, the first rule's.
                                 None where the automaton was compiled to C */
    struct pm_subs *subs;         /* of the label level */
    VEC(struct pm_stage) stages;
    VEC(const struct rule_pack *) packs; /* those given, and those that they use */
};

/* tables.c: the entry, made when it is new. */
uint32_t pm_intern_op(struct pm_auto *p, const char *domain, const char *name);
/* Of one that is there, or MAP_NONE. */
uint32_t pm_find_op(const struct pm_auto *p, const char *domain, const char *name);
uint32_t pm_intern_ops(struct pm_auto *p, uint32_t n, const struct pat_op *ops);
uint32_t pm_intern_param(struct pm_auto *p, const char *name);
uint32_t pm_intern_test(struct pm_auto *p, const struct attr_test *t);
uint32_t pm_intern_spec(struct pm_auto *p, const struct pat *node);
uint32_t pm_intern_literal(struct pm_auto *p, const struct literal *l);
uint32_t pm_intern_way(struct pm_auto *p, struct pm_way w);
/* A literal list that names nothing and so can be compared as a whole. */
bool pm_literal_is_ground(const struct literal *l);

/* plan.c: the ways in which the root of a rule can be an operator: one variant for each
 * alternative of its root. */
struct pm_variant {
    uint32_t op;    /* root operator, in ops */
    uint32_t sub;   /* its root as a sub-pattern */
    uint32_t accept;
    uint32_t depth;
    uint32_t nregs;
    struct pm_seq code; /* ends with ACCEPT */
};
struct pm_variants {
    VEC(struct pm_variant) list;
};
/* Adds the variants of a rule. rank and number go to its accepts. */
enum rw_code pm_plan(struct pm_auto *p, const struct rule *r, uint32_t rank,
                     uint32_t number,
                     struct pm_variants *out);

/* shape.c: facts of a rule's patterns as a graph, needed to plan it. */
struct pm_shape {
    uint32_t *order; /* of each slot: a slot's definition uses only slots of higher order */
    uint32_t depth;  /* operator nodes on the longest way from the root */
};
enum rw_code pm_rule_shape(struct pm_auto *p, const struct rule *r, struct pm_shape *out);

/* sub.c: the sub-pattern that a node of a rule is when it is that operator. */
void pm_subs_init(struct pm_auto *p);
uint32_t pm_sub_of_root(struct pm_auto *p, const struct rule *r, const struct pat *node,
                        uint32_t op, uint32_t output);
/* slots.c: when all rules are in. */
void pm_index_subs(struct pm_auto *p);
int pm_by_kid(const void *a, const void *b); /* order of pm_wanted */
/* makes.c */
void pm_index_makes(struct pm_auto *p);

/* merge.c: merges variants of one operator and appends the code; returns its start.
 * places: NULL where they are not needed. */
uint32_t pm_merge(struct arena *a, const struct pm_variant *const *variants, uint32_t n,
                  struct pm_insns *code, struct pm_origins *places);

#endif
