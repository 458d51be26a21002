/* pair.c -- see pair.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/diff/pair_impl.h"

/* --- pairs -------------------------------------------------------------------------- */

static void pair_values(struct judge_pairs *p, ir_value v, ir_value w, enum judge_how how) {
    p->other[0][v] = w;
    p->how[v] = how;
    if (p->other[1][w] == IR_NONE) p->other[1][w] = v;
}

static bool same_op(const struct judge_pairs *p, ir_node n, ir_node k) {
    return rw_streq(ir_op_name(p->g[0], n), ir_op_name(p->g[1], k)) &&
           rw_streq(ir_domain_name(p->g[0], n), ir_domain_name(p->g[1], k)) &&
           rw_streq(ir_nod(p->g[0], n)->overload, ir_nod(p->g[1], k)->overload);
}

/* What nodes of two kinds give goes by its name alone. */
static void pair_nodes(struct judge_pairs *p, ir_node n, ir_node k, enum judge_how how) {
    bool same = same_op(p, n, k);
    p->node[0][n] = k;
    p->node[1][k] = n;
    for (uint32_t i = 0; same && i < ir_nod(p->g[0], n)->nout; i++) {
        ir_value v = ir_output(p->g[0], n, i), w = ir_output(p->g[1], k, i);
        if (is_free(p, 0, v) && is_free(p, 1, w)) pair_values(p, v, w, how);
    }
}

static bool is_constant(const struct ir_graph *g, ir_node n) {
    return ir_is_op(g, n, "Constant");
}

void judge_pair_values(struct judge_pairs *p, ir_value v, ir_value w, enum judge_how how) {
    const struct ir_value_info *x = ir_val(p->g[0], v), *y = ir_val(p->g[1], w);
    pair_values(p, v, w, how);
    if (x->producer == IR_NONE || y->producer == IR_NONE || x->output != y->output) return;
    if (p->node[0][x->producer] != IR_NONE || p->node[1][y->producer] != IR_NONE) return;
    if (same_op(p, x->producer, y->producer)) pair_nodes(p, x->producer, y->producer, how);
}

/* --- interface ---------------------------------------------------------------------- */

static uint32_t port_count(const struct ir_graph *g, bool input) {
    return input ? g->inputs.len : ir_noutputs(g);
}

static ir_value port(const struct ir_graph *g, bool input, uint32_t i) {
    return input ? g->inputs.at[i] : g->uses.at[g->outputs.at[i]].value;
}

static ir_value next_free(const struct judge_pairs *p, uint32_t side, bool input,
                          uint32_t *i) {
    for (; *i < port_count(p->g[side], input); ++*i) {
        ir_value v = port(p->g[side], input, *i);
        if (is_free(p, side, v)) return v;
    }
    return IR_NONE;
}

static void pair_named_ports(struct judge_pairs *p, bool input) {
    for (uint32_t i = 0; i < port_count(p->g[0], input); i++) {
        ir_value v = port(p->g[0], input, i);
        ir_value w = ir_find_value(p->g[1], ir_val(p->g[0], v)->name);
        bool same = w != IR_NONE && ir_has(p->g[1], w, input ? IR_IS_INPUT : IR_IS_OUTPUT);
        if (same && is_free(p, 0, v) && is_free(p, 1, w))
            judge_pair_values(p, v, w, JUDGE_BY_NAME);
    }
}

static uint32_t count_free(const struct judge_pairs *p, uint32_t side, bool input) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < port_count(p->g[side], input); i++)
        n += is_free(p, side, port(p->g[side], input, i));
    return n;
}

/* What is left, in order, if it is equally much. */
static void pair_other_ports(struct judge_pairs *p, bool input) {
    bool equal = count_free(p, 0, input) == count_free(p, 1, input);
    for (uint32_t i = 0, k = 0; equal; i++, k++) {
        ir_value v = next_free(p, 0, input, &i), w = next_free(p, 1, input, &k);
        if (v == IR_NONE || w == IR_NONE) break;
        judge_pair_values(p, v, w, JUDGE_BY_PLACE);
    }
}

/* What a body sees of the graphs around it. */
static void pair_outer(struct judge_pairs *p) {
    const struct map *seen = &p->g[1]->outer_of;
    for (ir_value v = 0; p->around && v < p->g[0]->values.len; v++) {
        const struct ir_value_info *x = ir_val(p->g[0], v);
        if ((x->flags & (IR_IS_OUTER | IR_IS_DEAD)) != IR_IS_OUTER) continue;
        ir_value w = other(p->around, x->outer);
        w = w == IR_NONE ? IR_NONE : map_get(seen, w);
        if (w != IR_NONE && !ir_has(p->g[1], w, IR_IS_DEAD))
            pair_values(p, v, w, JUDGE_BY_PLACE);
    }
}

/* --- nodes by name ------------------------------------------------------------------ */

/* The first output that has a name, by which the node goes. */
static ir_value first_output(const struct ir_graph *g, ir_node n) {
    for (uint32_t i = 0; i < ir_nod(g, n)->nout; i++)
        if (ir_output(g, n, i) != IR_NONE) return ir_output(g, n, i);
    return IR_NONE;
}

static ir_value same_name(const struct judge_pairs *p, ir_value v) {
    ir_value w = v == IR_NONE ? v : ir_find_value(p->g[1], ir_val(p->g[0], v)->name);
    return w != IR_NONE && ir_val(p->g[1], w)->producer != IR_NONE ? w : IR_NONE;
}

static ir_node namesake(const struct judge_pairs *p, ir_node n) {
    ir_value w = same_name(p, first_output(p->g[0], n));
    ir_node k = w == IR_NONE ? w : ir_val(p->g[1], w)->producer;
    bool is = k != IR_NONE && p->node[1][k] == IR_NONE && !is_constant(p->g[1], k);
    return is && first_output(p->g[1], k) == w ? k : IR_NONE;
}

static uint32_t operands(const struct judge_pairs *p, ir_node n, ir_node k) {
    uint32_t x = ir_nod(p->g[0], n)->nin, y = ir_nod(p->g[1], k)->nin;
    return x > y ? x : y;
}

static bool contradict(const struct judge_pairs *p, ir_value v, ir_value w) {
    if (v == IR_NONE || w == IR_NONE) return false;
    return other(p, v) != IR_NONE ? !is_pair(p, v, w) : p->other[1][w] != IR_NONE;
}

/* Operand i of n, of operators that commute the other one when `swapped`. */
static ir_value operand(const struct judge_pairs *p, ir_node n, uint32_t i, bool swapped) {
    return ir_input(p->g[0], n, swapped && i < 2 ? 1 - i : i);
}

static bool may_swap(const struct judge_pairs *p, ir_node n) {
    return ir_op_commutes(ir_domain_name(p->g[0], n), ir_op_name(p->g[0], n));
}

/* Is some operand, no constant, known to be the same one, and none to be another one? */
static bool agree(const struct judge_pairs *p, ir_node n, ir_node k) {
    for (int swapped = 0; swapped <= may_swap(p, n); swapped++) {
        uint32_t i = 0, count = operands(p, n, k), same = 0, open = 0;
        for (; i < count; i++) {
            ir_value v = operand(p, n, i, swapped), w = ir_input(p->g[1], k, i);
            if (contradict(p, v, w)) break;
            if (v == IR_NONE || constant(p->g[0], v)) continue;
            open++;
            same += is_pair(p, v, w);
        }
        if (i == count && (same || !open)) return true;
    }
    return false;
}

static bool is_believed(const struct judge_pairs *p, ir_node n, ir_node k) {
    bool rule = ir_node_rule(p->g[0], n) || ir_node_rule(p->g[1], k);
    return rule || (same_op(p, n, k) && agree(p, n, k));
}

/* --- nodes by place ----------------------------------------------------------------- */

enum fit {
    EXACT, /* with its attributes */
    LOOSE, /* but for attributes and their like */
    GUESS  /* but for the operator too */
};

/* An operand that only one has, a constant, may be an attribute of the other. */
static bool is_form(const struct ir_graph *g, ir_value v) {
    return v == IR_NONE || constant(g, v);
}

static bool same_operands(const struct judge_pairs *p, ir_node n, ir_node k, enum fit fit,
                          bool swapped) {
    for (uint32_t i = 0; i < operands(p, n, k); i++) {
        ir_value v = operand(p, n, i, swapped), w = ir_input(p->g[1], k, i);
        bool none = v == IR_NONE && w == IR_NONE;
        bool form = fit == LOOSE && i > 0 && is_form(p->g[0], v) && is_form(p->g[1], w);
        if (!none && !form && (v == IR_NONE || !is_pair(p, v, w))) return false;
    }
    return true;
}

static bool fits(const struct judge_pairs *p, ir_node n, ir_node k, enum fit fit) {
    if (ir_nod(p->g[0], n)->nout != ir_nod(p->g[1], k)->nout) return false;
    if (fit == GUESS ? ir_node_rule(p->g[1], k) != NULL : !same_op(p, n, k)) return false;
    if (!same_operands(p, n, k, fit, false) &&
        !(may_swap(p, n) && same_operands(p, n, k, fit, true)))
        return false;
    return fit != EXACT || judge_same_attrs(p->g[0], n, p->g[1], k);
}

/* Of the operands that have a pair the one that least nodes read; no constant, if it can
 * be, for others may be equal. */
static ir_value rarest(const struct judge_pairs *p, ir_node n) {
    ir_value best = IR_NONE;
    for (uint32_t i = 0; i < ir_nod(p->g[0], n)->nin; i++) {
        ir_value w = other(p, ir_input(p->g[0], n, i));
        if (w == IR_NONE) continue;
        bool is = constant(p->g[1], w), was = best != IR_NONE && constant(p->g[1], best);
        uint32_t uses = ir_val(p->g[1], w)->nuses;
        if (best == IR_NONE || is < was || (is == was && uses < ir_val(p->g[1], best)->nuses))
            best = w;
    }
    return best == IR_NONE ? best : p->like[best];
}

struct search {
    const struct judge_pairs *p;
    ir_node n;
    enum fit fit;
    bool all; /* also nodes that have a pair */
    uint32_t uses;
    ir_node best;
};

static void look_at_readers(struct search *s, ir_value w) {
    const struct ir_graph *g = s->p->g[1];
    ir_use u = ir_val(g, w)->uses;
    for (; u != IR_NONE && s->uses < MOST_USES; u = g->uses.at[u].next, s->uses++) {
        ir_node k = g->uses.at[u].user;
        if (k == IR_NONE || (!s->all && s->p->node[1][k] != IR_NONE)) continue;
        if (s->best != IR_NONE && !ir_precedes(g, k, s->best)) continue;
        if (fits(s->p, s->n, k, s->fit)) s->best = k;
    }
}

/* The first of those after that does the same. */
static ir_node by_place(const struct judge_pairs *p, ir_node n, enum fit fit, bool all) {
    struct search s = {p, n, fit, all, 0, IR_NONE};
    ir_value w = rarest(p, n);
    for (; w != IR_NONE && s.uses < MOST_USES; w = p->next_like[w]) look_at_readers(&s, w);
    return s.best;
}

/* What follows from a guess is one. */
static enum judge_how how_placed(const struct judge_pairs *p, ir_node n) {
    for (uint32_t i = 0; i < ir_nod(p->g[0], n)->nin; i++) {
        ir_value v = ir_input(p->g[0], n, i);
        if (v != IR_NONE && p->how[v] == JUDGE_GUESSED) return JUDGE_GUESSED;
    }
    return JUDGE_BY_PLACE;
}

/* What is gone because it was there twice, or an Identity. */
static void pair_merged(struct judge_pairs *p, ir_node n) {
    const struct ir_graph *g = p->g[0];
    ir_value v = ir_output(g, n, 0);
    if (ir_is_op(g, n, "Identity")) {
        ir_value w = other(p, ir_input(g, n, 0));
        if (is_free(p, 0, v) && w != IR_NONE) pair_values(p, v, w, how_placed(p, n));
        return;
    }
    ir_node k = judge_pair_may_be_equal(g, n) ? by_place(p, n, EXACT, true) : IR_NONE;
    for (uint32_t i = 0; k != IR_NONE && i < ir_nod(g, n)->nout; i++) {
        ir_value w = ir_output(p->g[1], k, i);
        v = ir_output(g, n, i);
        if (is_free(p, 0, v) && w != IR_NONE) pair_values(p, v, w, how_placed(p, n));
    }
}

/* --- walks -------------------------------------------------------------------------- */

#define EACH_FREE_NODE(n)                                                                  \
    for (ir_node n = p->g[0]->first; n != IR_NONE; n = ir_nod(p->g[0], n)->next)           \
        if (p->node[0][n] == IR_NONE && !is_constant(p->g[0], n))

/* Values that keep their names though other nodes give them: those that rules made, or
 * all. */
static void pair_same_names(struct judge_pairs *p, ir_node n, bool all) {
    bool rule = ir_node_rule(p->g[0], n) != NULL;
    for (uint32_t i = 0; i < ir_nod(p->g[0], n)->nout; i++) {
        ir_value v = ir_output(p->g[0], n, i), w = same_name(p, v);
        if (!is_free(p, 0, v) || !is_free(p, 1, w)) continue;
        if (all || rule || ir_node_rule(p->g[1], ir_val(p->g[1], w)->producer))
            pair_values(p, v, w, JUDGE_BY_NAME);
    }
}

static void pair_surely(struct judge_pairs *p) {
    EACH_FREE_NODE(n) {
        ir_node k = namesake(p, n);
        bool believed = k != IR_NONE && is_believed(p, n, k);
        if (believed) pair_nodes(p, n, k, JUDGE_BY_NAME);
        pair_same_names(p, n, false);
        if (believed) continue;
        k = by_place(p, n, EXACT, false);
        if (k != IR_NONE) pair_nodes(p, n, k, JUDGE_BY_PLACE);
    }
}

/* Names that mean other values in most places mean nothing in the rest. */
static bool names_count(const struct judge_pairs *p) {
    const struct ir_graph *g = p->g[0];
    uint32_t same = 0, others = 0;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        ir_value v = first_output(g, n), w = same_name(p, v);
        if (w == IR_NONE || other(p, v) == IR_NONE) continue;
        if (other(p, v) == w) same++;
        else others++;
    }
    return same >= others;
}

static void pair_namesakes(struct judge_pairs *p) {
    EACH_FREE_NODE(n) {
        ir_node k = namesake(p, n);
        if (k != IR_NONE) pair_nodes(p, n, k, JUDGE_BY_NAME);
        pair_same_names(p, n, true);
    }
}

static void pair_places(struct judge_pairs *p) {
    EACH_FREE_NODE(n) {
        ir_node k = by_place(p, n, EXACT, false);
        ir_node like = k == IR_NONE ? by_place(p, n, LOOSE, false) : IR_NONE;
        if (k != IR_NONE) pair_nodes(p, n, k, how_placed(p, n));
        else if (like != IR_NONE) pair_nodes(p, n, like, JUDGE_GUESSED);
        else pair_merged(p, n);
    }
}

/* The only operand in which two nodes differ, where none has another pair. */
static uint32_t only_free(const struct judge_pairs *p, ir_node n, ir_node k) {
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < operands(p, n, k); i++) {
        ir_value v = ir_input(p->g[0], n, i), w = ir_input(p->g[1], k, i);
        if (v == IR_NONE ? w == IR_NONE : is_pair(p, v, w)) continue;
        bool open = is_free(p, 0, v) && is_free(p, 1, w);
        if (found != UINT32_MAX || !open) return UINT32_MAX;
        found = i;
    }
    return found;
}

static void guess_operand(struct judge_pairs *p, ir_node n, ir_node k) {
    uint32_t i = same_op(p, n, k) ? only_free(p, n, k) : UINT32_MAX;
    if (i == UINT32_MAX) return;
    ir_value v = ir_input(p->g[0], n, i), w = ir_input(p->g[1], k, i);
    if (ir_val(p->g[0], v)->producer == IR_NONE) return;
    if (ir_val(p->g[1], w)->producer == IR_NONE) return;
    judge_pair_values(p, v, w, JUDGE_GUESSED);
}

/* Backwards, so that what is found leads on. */
static void guess_by_uses(struct judge_pairs *p) {
    for (ir_node n = p->g[0]->last; n != IR_NONE; n = ir_nod(p->g[0], n)->prev)
        if (p->node[0][n] != IR_NONE) guess_operand(p, n, p->node[0][n]);
}

/* Forwards, past what became another operator. */
static void guess_by_operands(struct judge_pairs *p) {
    EACH_FREE_NODE(n) {
        ir_node k = by_place(p, n, LOOSE, false);
        ir_value v = first_output(p->g[0], n);
        if (k != IR_NONE) {
            pair_nodes(p, n, k, JUDGE_GUESSED);
            continue;
        }
        k = ir_node_rule(p->g[0], n) ? IR_NONE : by_place(p, n, GUESS, false);
        ir_value w = k == IR_NONE ? IR_NONE : first_output(p->g[1], k);
        if (is_free(p, 0, v) && is_free(p, 1, w)) pair_values(p, v, w, JUDGE_GUESSED);
    }
}

/* --- all ---------------------------------------------------------------------------- */

static uint32_t *none(struct arena *a, uint32_t n) {
    uint32_t *at = arena_new_array(a, uint32_t, n + 1);
    memset(at, 0xff, (n + 1) * sizeof *at);
    return at;
}

void judge_pairs_find(struct arena *a, struct ir_graph *before, struct ir_graph *after,
                      const struct judge_pairs *around, struct judge_pairs *out) {
    *out = (struct judge_pairs){.a = a, .g = {before, after}, .around = around};
    for (uint32_t i = 0; i < 2; i++) {
        out->other[i] = none(a, out->g[i]->values.len);
        out->node[i] = none(a, out->g[i]->nodes.len);
    }
    out->next_like = none(a, after->values.len);
    out->like = arena_new_array(a, ir_value, after->values.len);
    for (ir_value w = 0; w < after->values.len; w++) out->like[w] = w;
    out->how = arena_zalloc(a, (before->values.len + 1) * sizeof *out->how);
    pair_named_ports(out, true);
    pair_other_ports(out, true);
    pair_named_ports(out, false);
    pair_outer(out);
    judge_pair_named_constants(out, true);
    judge_pair_equal_constants(out);
    judge_pair_find_alike(out);
    pair_surely(out);
    judge_pair_named_constants(out, false);
    if (names_count(out)) pair_namesakes(out);
    pair_other_ports(out, false);
    pair_places(out);
    guess_by_uses(out);
    guess_by_operands(out);
}
