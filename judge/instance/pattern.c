/* pattern.c -- patterns to nodes, innermost first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define MOST_DEPTH 200 /* patterns inside each other */
#define TRIES 4        /* of one node */
#define MOST_TRIES 64  /* of all of them */

static bool pattern(struct gen *x, const struct pat *p, struct gen_node *user, uint32_t k,
                    ir_value *out);
static bool pattern_here(struct gen *x, const struct pat *p, struct gen_node *user,
                         uint32_t k, ir_value *out);
static bool slot_value(struct gen *x, uint32_t slot, struct gen_node *user, uint32_t k,
                       ir_value *out);

/* --- choices ---------------------------------------------------------------------- */
static uint32_t choice_of(const struct gen *x, const struct pat *p,
                          enum judge_choice_kind kind) {
    const struct judge_choices *all = x->plan->choices;
    for (uint32_t i = 0; i < all->list.len; i++)
        if (all->list.at[i].pat == p && all->list.at[i].kind == kind) return i;
    return UINT32_MAX;
}

/* Every other time the way that was seen least often so far. */
static uint32_t choose(struct gen *x, const struct pat *p, enum judge_choice_kind kind,
                       uint32_t n) {
    uint32_t number = choice_of(x, p, kind);
    if (number == UINT32_MAX) return judge_draw(x->d, n); /* of another rule's pattern */
    bool wished = x->d->replay == NULL && judge_next(&x->d->state) % 2;
    uint32_t rarest = wished ? judge_rarest_way(x->plan->choices, number) : 0;
    uint32_t way = wished ? judge_draw_wish(x->d, n, rarest) : judge_draw(x->d, n);
    vec_push(x->a, &x->out->made, (struct judge_made){number, way});
    return way;
}

static bool mentions(const struct pat *p, uint32_t slot) {
    bool found = (p->kind == PAT_SLOT || p->kind == PAT_SEE) && p->slot == slot;
    for (uint32_t i = 0; i < p->nargs && !found; i++) found = mentions(p->args[i], slot);
    for (uint32_t i = 0; i < p->nalts && !found; i++) found = mentions(p->alts[i], slot);
    return found;
}

/* Is it the alternative for operands that are decided, there or absent? */
static bool is_open(const struct gen *x, const struct pat *p, uint32_t way) {
    for (uint32_t i = 0; i < x->rule->nslots; i++) {
        struct pm_binding b = x->slots[i];
        if (b.kind != BOUND_VALUE || !mentions(p, i)) continue;
        if (mentions(p->alts[way], i) != (b.a != IR_NONE)) return false;
    }
    return true;
}

/* Of a staged operator's maker: what it is made around is there. */
static uint32_t around(const struct gen *x, const struct pat *p, uint32_t way) {
    for (uint32_t i = 0; i < p->nalts; i++)
        if (is_open(x, p, (way + i) % p->nalts)) return (way + i) % p->nalts;
    return way;
}

const struct pat *judge_gen_decided(struct gen *x, const struct pat *p) {
    while (p->kind == PAT_ALT) {
        uint32_t way = choose(x, p, JUDGE_ALTERNATIVE, p->nalts);
        p = p->alts[x->rule == x->plan->maker ? around(x, p, way) : way];
    }
    return p;
}

/* --- operands --------------------------------------------------------------------- */
bool judge_gen_is_variable(const struct gen *x, const struct pat *p) {
    if (p->kind == PAT_ANY || p->kind == PAT_LITERAL) return true;
    if (p->kind != PAT_SLOT && p->kind != PAT_SEE) return false;
    const struct pat *def = x->rule->slots[p->slot].def;
    if (x->slots[p->slot].kind != BOUND_NOTHING) return false;
    return !def || def->kind == PAT_LITERAL || def->kind == PAT_ANY;
}

static bool see(struct gen *x, ir_value *v) {
    for (uint32_t n = gen_draw(x, 3); n > 0 && *v != IR_NONE; n--) {
        ir_value out = ir_add_value(x->g, "seen", NULL);
        struct ir_new_node node = {.op = "Identity", .domain = "", .nin = 1, .nout = 1,
                                   .in = v, .out = &out};
        GEN(ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL));
        *v = out;
    }
    return true;
}

/* Commuting operands are exchanged now and then. */
static void order_operands(struct gen *x, const struct pat *p, const struct pat **args) {
    if (!p->commutes || p->nargs < 2) return;
    if (choose(x, p, JUDGE_ORDER, 2) == 0) return;
    const struct pat *first = args[0];
    args[0] = args[1];
    args[1] = first;
}

static bool rest(struct gen *x, struct gen_node *n, uint32_t k) {
    uint32_t more = gen_draw(x, 4);
    for (uint32_t i = 0; i < more && k + i < GEN_OPERANDS; i++) {
        GEN(judge_gen_leaf(x, n, k + i, SLOT_NONE, &n->in[k + i]));
        n->known[k + i] = true;
        n->nin = k + i + 1;
    }
    return true;
}

/* A pattern as operand k: what it computes has a type that the operator takes. */
static bool inner(struct gen *x, const struct pat *p, struct gen_node *n, uint32_t k) {
    enum ir_dtype own = x->dtype;
    judge_gen_usual_dtype(n, k, &x->dtype);
    GEN(pattern(x, p, n, k, &n->in[k]));
    n->known[k] = true;
    x->dtype = own;
    return true;
}

static bool operands(struct gen *x, struct gen_node *n) {
    const struct pat *args[GEN_OPERANDS];
    GEN(n->pat->nargs <= GEN_OPERANDS);
    for (uint32_t k = 0; k < n->pat->nargs; k++) args[k] = n->pat->args[k];
    order_operands(x, n->pat, args);
    for (uint32_t k = 0; k < n->pat->nargs; k++) {
        args[k] = judge_gen_decided(x, args[k]);
        if (args[k]->kind != PAT_ABSENT) n->present = k + 1;
    }
    n->exchanged = judge_gen_is_exchanged(x, n, args);
    for (uint32_t k = 0; k < n->pat->nargs; k++) {
        if (args[k]->kind == PAT_REST || judge_gen_is_variable(x, args[k])) continue;
        GEN(inner(x, args[k], n, k));
    }
    n->nin = n->pat->nargs;
    bool attrs = false;
    for (uint32_t k = 0; k < n->pat->nargs; k++) {
        if (k > 0 && !attrs) GEN(judge_gen_attrs(x, n));
        attrs |= k > 0;
        if (args[k]->kind == PAT_REST) {
            n->nin = k;
            GEN(rest(x, n, k));
        } else if (!n->known[k]) {
            GEN(pattern(x, args[k], n, k, &n->in[k]));
            n->known[k] = true;
        }
    }
    return attrs || judge_gen_attrs(x, n);
}

/* --- nodes ------------------------------------------------------------------------ */
static void bind_attrs(struct gen *x, const struct pat *p, ir_node node) {
    for (uint32_t i = 0; i < p->nattrs; i++) {
        const struct attr_test *t = &p->attrs[i];
        if (t->kind == ATTR_BIND && x->slots[t->slot].kind == BOUND_NOTHING)
            x->slots[t->slot] = pm_asker_attr(x->asker, node, t->name, t->is_axis);
    }
    if (p->op_slot != SLOT_NONE && x->slots[p->op_slot].kind == BOUND_NOTHING)
        x->slots[p->op_slot] = (struct pm_binding){.kind = BOUND_OP, .a = node};
}

/* As many as the pattern names and the operator must have. */
static uint32_t make_outputs(struct gen *x, const struct gen_node *n, ir_value *out) {
    const struct pat *p = n->pat;
    uint32_t nout = rw_max_u32(rw_max_u32(p->nouts, 1), n->schema->min_outputs);
    if (nout > GEN_OPERANDS) nout = GEN_OPERANDS;
    for (uint32_t k = 0; k < nout; k++) {
        bool named = k < p->nouts && p->outs[k] != SLOT_NONE;
        const char *name = named ? x->rule->slots[p->outs[k]].name : "t";
        bool needed = named || k < n->schema->min_outputs || (k == 0 && p->nouts == 0);
        out[k] = needed ? ir_add_value(x->g, *name ? name : "t", NULL) : IR_NONE;
        if (needed) vec_push(x->a, &x->interior, out[k]);
        if (named)
            x->slots[p->outs[k]] = (struct pm_binding){.kind = BOUND_VALUE, .a = out[k]};
    }
    return nout;
}

static bool finish(struct gen *x, struct gen_node *n, ir_value *result) {
    ir_value out[GEN_OPERANDS];
    while (n->nin > 0 && n->in[n->nin - 1] == IR_NONE) n->nin--;
    GEN(n->nin >= n->schema->min_inputs && n->nin <= n->schema->max_inputs);
    uint32_t nout = make_outputs(x, n, out);
    struct ir_new_node node = {.op = n->op, .domain = n->domain, .nin = n->nin,
                               .nout = nout, .in = n->in, .out = out,
                               .nattr = n->attrs.len, .attr = n->attrs.at};
    ir_node made = ir_add_node(x->g, &node, IR_NONE);
    bind_attrs(x, n->pat, made);
    judge_gen_note_copy(x, n->there, nout, out);
    *result = out[0];
    return ir_infer_node(x->g, made, NULL);
}

/* What a node that fails takes back. */
struct before {
    ir_mark_t mark;
    struct pm_binding *slots;
    const struct ir_attr **params;
    struct gen_shape base;
    enum ir_dtype dtype;
    uint32_t leaves, made, interior, members, copied, depth;
    ir_value at;
};

static struct before before(struct gen *x) {
    uint32_t n = x->rule->nslots + 1;
    return (struct before){ir_mark(x->m), arena_copy(x->a, x->slots, n * sizeof *x->slots),
                           arena_copy(x->a, x->params, n * sizeof *x->params), x->base,
                           x->dtype, x->out->leaves.len, x->out->made.len, x->interior.len,
                           x->members.len, x->copied.len, x->depth, x->at};
}

static void take_back(struct gen *x, const struct before *b) {
    uint32_t n = x->rule->nslots + 1;
    ir_undo(x->m, b->mark);
    memcpy(x->slots, b->slots, n * sizeof *x->slots);
    memcpy(x->params, b->params, n * sizeof *x->params);
    x->base = b->base;
    x->dtype = b->dtype;
    x->out->leaves.len = b->leaves;
    x->out->made.len = b->made;
    x->interior.len = b->interior;
    x->members.len = b->members;
    x->copied.len = b->copied;
    x->at = b->at;
    x->depth = b->depth;
}

/* Operands and parameters that do not fit each other are made anew some times, as long as
 * the whole has not been tried too often. */
static bool attempt(struct gen *x, const struct gen_node *empty, ir_value *out) {
    for (uint32_t i = 0; i < TRIES && x->tries < MOST_TRIES; i++) {
        struct gen_node n = *empty;
        struct before b = before(x);
        x->tries++;
        if (operands(x, &n) && finish(x, &n, out)) return true;
        take_back(x, &b);
    }
    return false;
}

static bool node_of(struct gen *x, const struct pat *p, ir_value *out) {
    if (p->staged) return judge_gen_staged(x, p, out);
    uint32_t which = 0;
    if (p->nops > 1) which = choose(x, p, JUDGE_OPERATOR, p->nops);
    struct gen_node n = {.pat = p, .domain = p->ops[which].domain,
                         .op = p->ops[which].name};
    if (p->op_slot != SLOT_NONE && x->slots[p->op_slot].kind == BOUND_OP)
        n.op = ir_op_name(x->g, x->slots[p->op_slot].a);
    judge_gen_import(x, n.domain, ir_schema_newest_opset(n.domain));
    n.schema = ir_schema_in(x->g, n.domain, n.op);
    if (!n.schema && !*n.domain) n.schema = ir_schema_runtime(n.op, x->opset);
    GEN(n.schema && !n.schema->deprecated);
    n.there = judge_gen_node_there(x, &n);
    return attempt(x, &n, out);
}

/* --- patterns --------------------------------------------------------------------- */
static bool slot_value(struct gen *x, uint32_t slot, struct gen_node *user, uint32_t k,
                       ir_value *out) {
    const struct rule_slot *s = &x->rule->slots[slot];
    struct pm_binding *b = &x->slots[slot];
    if (b->kind == BOUND_NOTHING) {
        ir_value v = IR_NONE, around = x->at;
        x->at = judge_gen_there(x, user, k, slot);
        GEN(s->def && pattern_here(x, s->def, user, k, &v));
        x->at = around;
        if (b->kind == BOUND_NOTHING) *b = (struct pm_binding){.kind = BOUND_VALUE, .a = v};
        if (b->a != IR_NONE) judge_gen_bind_dims(x, slot, b->a);
    }
    *out = b->a;
    return b->kind == BOUND_VALUE;
}

bool judge_gen_pattern(struct gen *x, const struct pat *p, ir_value *out) {
    return pattern(x, p, NULL, 0, out);
}

bool judge_gen_slot(struct gen *x, uint32_t slot, ir_value *out) {
    return slot_value(x, slot, NULL, 0, out);
}

static bool variable(struct gen *x, const struct pat *p, struct gen_node *user, uint32_t k,
                     ir_value *out) {
    GEN(user);
    bool named = p->kind == PAT_SLOT || p->kind == PAT_SEE;
    uint32_t slot = named ? p->slot : SLOT_NONE;
    if (named && x->rule->slots[slot].def) p = x->rule->slots[slot].def;
    if (p->kind == PAT_LITERAL) GEN(judge_gen_literal(x, user, k, &p->lit, out));
    else GEN(judge_gen_leaf(x, user, k, slot, out));
    if (!named) return true;
    x->slots[slot] = (struct pm_binding){.kind = BOUND_VALUE, .a = *out};
    judge_gen_bind_dims(x, slot, *out);
    return true;
}

static bool pattern(struct gen *x, const struct pat *p, struct gen_node *user, uint32_t k,
                    ir_value *out) {
    ir_value around = x->at;
    x->at = judge_gen_there(x, user, k, SLOT_NONE);
    bool ok = pattern_here(x, p, user, k, out);
    x->at = around;
    return ok;
}

/* x->at is what it is in the example. */
static bool pattern_here(struct gen *x, const struct pat *p, struct gen_node *user,
                         uint32_t k, ir_value *out) {
    GEN(x->depth < MOST_DEPTH);
    x->depth++;
    p = judge_gen_decided(x, p);
    bool ok = false;
    if (p->kind == PAT_NODE) ok = node_of(x, p, out);
    else if (p->kind == PAT_CHAIN)
        ok = pattern(x, p->args[0], user, k, out) && judge_gen_links(x, p, out);
    else if (p->kind == PAT_ABSENT) ok = true, *out = IR_NONE;
    else if (judge_gen_is_variable(x, p)) ok = variable(x, p, user, k, out);
    else if (p->kind == PAT_SLOT || p->kind == PAT_SEE) 
        ok = slot_value(x, p->slot, user, k, out);
    if (ok && p->kind == PAT_SEE) ok = see(x, out);
    x->depth--;
    return ok;
}
