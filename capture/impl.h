/* impl.h -- what the files of capture/ share: the place, its names, its constants.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CAPTURE_IMPL_H
#define CAPTURE_IMPL_H

#include "base/intern.h"
#include "capture/capture.h"

static inline bool cap_has_node(const struct cap_place *p, ir_node n) {
    return n != IR_NONE && map_get(&p->at, n) != MAP_NONE;
}
/* Is the value the result of a captured node? */
static inline bool cap_is_inside(const struct cap_place *p, ir_value v) {
    return cap_has_node(p, ir_val(p->g, v)->producer);
}
bool cap_is_input(const struct cap_place *p, ir_value v);
bool cap_is_output(const struct cap_place *p, ir_value v);
/* A user that is not captured (IR_NONE: the graph's output), if there is one. */
bool cap_outside_user(const struct cap_place *p, ir_value v, ir_node *user);
bool cap_used_inside(const struct cap_place *p, ir_value v);
/* Is it replaced by the rule: an output that no captured node reads? */
bool cap_is_root(const struct cap_place *p, ir_value v);
static inline bool cap_is_kept(const struct cap_place *p, ir_node n) {
    return p->kept[map_get(&p->at, n)];
}

/* --- check.c: which nodes stay, and what no rule can stand for ------------------------- */
void cap_find_kept(struct cap_place *p);
enum rw_code cap_check(const struct cap_place *p, struct diag_sink *diags);

/* --- names.c ------------------------------------------------------------------------- */
struct cap_names {
    struct arena *arena;
    struct intern taken;
    struct map of_value, of_dim; /* -> id in `taken` */
};
void cap_names_init(struct cap_names *x, struct arena *a);
/* A legal name made from the hint that was not given before. */
const char *cap_fresh(struct cap_names *x, const char *hint);
/* The name of a value; when it is new, made from the one that it has in the model. */
enum cap_role { CAP_INSIDE, CAP_INPUT, CAP_ROOT };
const char *cap_name_as(struct cap_names *x, const struct ir_graph *g, ir_value v,
                        enum cap_role role);
const char *cap_name(struct cap_names *x, const struct ir_graph *g, ir_value v);
/* That of a dimension which is no number. */
const char *cap_dim_name(struct cap_names *x, const struct ir_dims *dims, ir_dim d);

/* --- constants.c --------------------------------------------------------------------- */
enum cap_constant {
    CAP_TENSOR, /* any constant */
    CAP_SCALAR, /* any of one element */
    CAP_NUMBER, /* this very number, */
    CAP_LIST    /* these integers: a statement of its own, ... */
};
struct cap_known {
    enum cap_constant kind;
    bool is_inline; /* ... or CAP_NUMBER written where it is read */
    const char *text;
};
/* What a pattern says of a constant that captured nodes read as an operand. */
struct cap_known cap_known(const struct cap_place *p, ir_value v);
/* A number as it is written in rules. false: it has no spelling there. */
bool cap_put_real(struct buf *out, double x);
bool cap_put_int(struct buf *out, int64_t x);

/* --- call.c: a node as it is written ------------------------------------------------- */
struct cap_call {
    const char *op;     /* with its domain */
    const char *params; /* "axis = 1, to = float", or "" */
    uint32_t nin;
    const ir_value *in; /* operands; IR_NONE: absent. Those that params speak of left out */
};
struct cap_call cap_call(struct cap_names *names, const struct cap_place *p, ir_node n);

/* --- example.c ----------------------------------------------------------------------- */
/* `example { ... } => Op N`, or a comment that says why there is none. */
void cap_print_example(const struct cap_place *p, struct cap_names *names, struct buf *out);

#endif
