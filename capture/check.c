/* check.c -- what no rule can stand for: bodies, unknown operators, paths that come back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

/* --- asking -------------------------------------------------------------------------- */

bool cap_is_input(const struct cap_place *p, ir_value v) {
    for (uint32_t i = 0; i < p->inputs.len; i++)
        if (p->inputs.at[i] == v) return true;
    return false;
}

bool cap_is_output(const struct cap_place *p, ir_value v) {
    for (uint32_t i = 0; i < p->outputs.len; i++)
        if (p->outputs.at[i] == v) return true;
    return false;
}

bool cap_outside_user(const struct cap_place *p, ir_value v, ir_node *user) {
    for (ir_use u = ir_val(p->g, v)->uses; u != IR_NONE; u = p->g->uses.at[u].next) {
        *user = p->g->uses.at[u].user;
        if (!cap_has_node(p, *user)) return true;
    }
    return false;
}

bool cap_used_inside(const struct cap_place *p, ir_value v) {
    for (ir_use u = ir_val(p->g, v)->uses; u != IR_NONE; u = p->g->uses.at[u].next)
        if (cap_has_node(p, p->g->uses.at[u].user)) return true;
    return false;
}

bool cap_is_root(const struct cap_place *p, ir_value v) {
    return cap_is_output(p, v) && !cap_used_inside(p, v);
}

static bool has_root(const struct cap_place *p, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(p->g, n)->nout; k++)
        if (ir_output(p->g, n, k) != IR_NONE && cap_is_root(p, ir_output(p->g, n, k)))
            return true;
    return false;
}

/* A user of any of its results that stays: one outside, or a kept one. */
static bool has_lasting_user(const struct cap_place *p, ir_value v) {
    for (ir_use u = ir_val(p->g, v)->uses; u != IR_NONE; u = p->g->uses.at[u].next) {
        ir_node user = p->g->uses.at[u].user;
        if (!cap_has_node(p, user) || cap_is_kept(p, user)) return true;
    }
    return false;
}

void cap_find_kept(struct cap_place *p) {
    p->kept = arena_zalloc(p->arena, p->nodes.len + 1);
    for (uint32_t i = p->nodes.len; i-- > 0;) {
        ir_node n = p->nodes.at[i];
        if (has_root(p, n)) continue;
        for (uint32_t k = 0; k < ir_nod(p->g, n)->nout; k++)
            if (ir_output(p->g, n, k) != IR_NONE)
                p->kept[i] |= has_lasting_user(p, ir_output(p->g, n, k));
    }
}

/* --- nodes --------------------------------------------------------------------------- */

static enum rw_code no_rule(const struct cap_place *p, ir_node n, struct diag_sink *diags,
                            const char *why) {
    ir_diag_node(diags, DIAG_ERROR, p->g, n, why);
    diag_where(diags, DIAG_HELP, NULL,
               "name its result among the inputs, or end the subgraph in front of it");
    return RW_USAGE;
}

static enum rw_code check_attrs(const struct cap_place *p, ir_node n,
                                struct diag_sink *diags) {
    for (uint32_t i = 0; i < ir_nod(p->g, n)->nattr; i++) {
        const struct ir_attr *at = &ir_nod(p->g, n)->attr[i];
        if (at->ref)
            return no_rule(p, n, diags, "an attribute of the function is in it, and a rule "
                                        "knows values only");
        if (ir_attr_is_body(at))
            return no_rule(p, n, diags, "it has a body, which no pattern can describe");
    }
    return RW_OK;
}

static enum rw_code check_operator(const struct cap_place *p, ir_node n,
                                   struct diag_sink *diags) {
    if (ir_callee(p->g, n))
        return no_rule(p, n, diags, "it calls a function of the model, and a rule cannot "
                                    "emit that");
    const struct ir_schema *s = ir_nod(p->g, n)->schema;
    if (!s) return no_rule(p, n, diags, "the operator is not known, so a rule cannot emit it");
    if (*s->domain && s != ir_schema_newest(s->domain, s->name))
        return no_rule(p, n, diags, "a rule means the newest version of its domain, where the "
                                    "operator is another");
    if (*s->domain && s->deprecated)
        return no_rule(p, n, diags, "the operator is deprecated, so a rule cannot emit it");
    return RW_OK;
}

/* A node is replaced or stays as a whole. */
static enum rw_code check_outputs(const struct cap_place *p, ir_node n,
                                  struct diag_sink *diags) {
    for (uint32_t k = 0; k < ir_nod(p->g, n)->nout && has_root(p, n); k++) {
        ir_value v = ir_output(p->g, n, k);
        if (v == IR_NONE || cap_is_root(p, v) || !has_lasting_user(p, v)) continue;
        ir_diag_node(diags, DIAG_ERROR, p->g, n,
                     "one of its results is an output of the subgraph, and another is "
                     "needed elsewhere");
        diag_where(diags, DIAG_HELP, NULL, "name that among the outputs: \"%s\"",
                   ir_val(p->g, v)->name);
        return RW_USAGE;
    }
    return RW_OK;
}

/* --- the way back -------------------------------------------------------------------- */

struct upward {
    const struct cap_place *p;
    struct map seen; /* value -> the input that it leads to */
    VEC(ir_value) work;
};

static void push(struct upward *x, ir_value v, ir_value input) {
    if (v == IR_NONE || map_get(&x->seen, v) != MAP_NONE) return;
    map_put(&x->seen, v, input);
    vec_push(x->p->arena, &x->work, v);
}

/* A value that is replaced and that a listed input is computed from, or IR_NONE. What stays
 * may be on the way: it is there before and after. */
static ir_value comes_back(struct upward *x, ir_value *input) {
    const struct ir_graph *g = x->p->g;
    for (uint32_t i = 0; i < x->p->inputs.len; i++)
        push(x, x->p->inputs.at[i], x->p->inputs.at[i]);
    for (uint32_t i = 0; i < x->work.len; i++) {
        ir_value v = x->work.at[i];
        ir_node n = ir_val(g, v)->producer;
        *input = map_get(&x->seen, v);
        if (n == IR_NONE) continue;
        if (cap_has_node(x->p, n) && !cap_is_kept(x->p, n)) return v;
        for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++)
            push(x, ir_input(g, n, k), *input);
    }
    return IR_NONE;
}

static enum rw_code check_convex(const struct cap_place *p, struct diag_sink *diags) {
    struct upward x = {.p = p};
    ir_value input = IR_NONE;
    map_init(&x.seen, p->arena);
    ir_value v = comes_back(&x, &input);
    if (v == IR_NONE) return RW_OK;
    diag_where(diags, DIAG_ERROR, NULL,
               "a path leaves the subgraph at \"%s\" and comes back by \"%s\", so it cannot "
               "be replaced as a whole",
               ir_val(p->g, v)->name, ir_val(p->g, input)->name);
    diag_where(diags, DIAG_HELP, NULL,
               "leave \"%s\" out of the inputs, so that the path is captured too, or name "
               "\"%s\" instead, so that the subgraph begins behind it",
               ir_val(p->g, input)->name, ir_val(p->g, v)->name);
    return RW_USAGE;
}

enum rw_code cap_check(const struct cap_place *p, struct diag_sink *diags) {
    if (p->inputs.len == 0) {
        diag_where(diags, DIAG_ERROR, NULL, "these outputs are made from constants alone");
        diag_where(diags, DIAG_HELP, NULL, "that needs no rule: `pass fold` computes them");
        return RW_USAGE;
    }
    if (p->nodes.len > CAP_MOST_NODES) {
        diag_where(diags, DIAG_ERROR, NULL,
                   "%u nodes lie between these values; %u are the most that a rule is made of",
                   p->nodes.len, CAP_MOST_NODES);
        diag_where(diags, DIAG_HELP, NULL, "name inputs that are nearer to the outputs");
        return RW_USAGE;
    }
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        TRY(check_attrs(p, p->nodes.at[i], diags));
        TRY(check_operator(p, p->nodes.at[i], diags));
        TRY(check_outputs(p, p->nodes.at[i], diags));
    }
    return check_convex(p, diags);
}
