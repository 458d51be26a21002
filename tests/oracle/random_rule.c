/* random_rule.c -- rules cut from a graph.
 *
 * From some node down, each operand becomes its own operator, a named result, a variable,
 * a literal, anything; then come alternatives that do not fit, swapped operands, keep, ~.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/random.h"

#define MOST_SLOTS 40

struct cutter {
    struct arena *a;
    struct dice *d;
    struct ir_graph *g;
    struct rule_slot slots[MOST_SLOTS];
    ir_value value[MOST_SLOTS]; /* that the slot was made for */
    ir_node open[MOST_SLOTS];   /* nodes whose pattern is being cut, the outermost first */
    uint32_t nopen;
    uint32_t nslots, nodes;
};

static uint32_t new_slot(struct cutter *c, enum slot_kind kind, ir_value v) {
    uint32_t s = c->nslots++;
    rw_assert(s < MOST_SLOTS);
    c->slots[s] = (struct rule_slot){.name = arena_printf(c->a, "s%u", s), .kind = kind};
    c->value[s] = v;
    return s;
}

/* A result of a node that is being cut would be defined by itself. */
static bool is_open(const struct cutter *c, ir_value v) {
    for (uint32_t i = 0; i < c->nopen; i++)
        if (ir_val(c->g, v)->producer == c->open[i]) return true;
    return false;
}

/* A slot that stands for the value already, now and then. */
static uint32_t slot_for(struct cutter *c, enum slot_kind kind, ir_value v) {
    bool open = kind == SLOT_VALUE && is_open(c, v);
    for (uint32_t s = 0; s < c->nslots; s++)
        if (c->slots[s].kind == kind && c->value[s] == v && !open && chance(c->d, 80))
            return s;
    /* Few slots are left: any that will do. */
    for (uint32_t s = 0; c->nslots > MOST_SLOTS - 8 && s < c->nslots; s++)
        if (c->slots[s].kind == kind && !c->slots[s].def) return s;
    return new_slot(c, kind, open ? IR_NONE : v);
}

static struct pat *new_pat(struct cutter *c, enum pat_kind kind) {
    struct pat *p = arena_new(c->a, struct pat);
    p->kind = kind;
    p->op_slot = p->attrs_slot = p->slot = SLOT_NONE;
    return p;
}

static const struct pat *pat_of_slot(struct cutter *c, uint32_t slot, bool see) {
    struct pat *p = new_pat(c, see ? PAT_SEE : PAT_SLOT);
    p->slot = slot;
    return p;
}

static const struct pat *cut(struct cutter *c, ir_value v, uint32_t depth);

/* --- parameters ------------------------------------------------------------------- */
static void cut_attr(struct cutter *c, const struct ir_attr *x, struct attr_test *t) {
    *t = (struct attr_test){.name = x->name, .is_axis = rw_streq(x->name, "axis")};
    if (chance(c->d, 40)) {
        t->kind = ATTR_BIND;
        t->slot = slot_for(c, SLOT_ATTR, x->type == IR_ATTR_INT ? 0 : 1);
        return;
    }
    t->kind = chance(c->d, 20) ? ATTR_ANY : ATTR_LITERAL;
    if (x->type == IR_ATTR_INT) {
        t->lit = (struct literal){.kind = LIT_INT, .i = chance(c->d, 50) ? x->i : -1};
    } else if (x->type == IR_ATTR_FLOAT) {
        t->lit = (struct literal){.kind = LIT_REAL, .real = (double)x->f};
    } else {
        struct pat_dim *items = arena_zalloc(c->a, x->n * sizeof *items);
        for (uint32_t i = 0; i < x->n; i++)
            items[i] = (struct pat_dim){.kind = DIM_CONST, .value = x->ints[i]};
        t->lit = (struct literal){.kind = LIT_LIST, .n = x->n, .items = items};
    }
}

static void cut_attrs(struct cutter *c, ir_node n, struct pat *p) {
    const struct ir_node_info *x = ir_nod(c->g, n);
    struct attr_test *tests = arena_zalloc(c->a, (x->nattr + 1) * sizeof *tests);
    for (uint32_t i = 0; i < x->nattr; i++)
        if (chance(c->d, 70)) cut_attr(c, &x->attr[i], &tests[p->nattrs++]);
    p->attrs = tests;
    if (chance(c->d, 30)) p->attrs_slot = new_slot(c, SLOT_ATTRS, IR_NONE);
}

/* --- operators -------------------------------------------------------------------- */
static void cut_ops(struct cutter *c, ir_node n, struct pat *p) {
    struct pat_op *ops = arena_zalloc(c->a, 2 * sizeof *ops);
    ops[0] = (struct pat_op){"", ir_op_name(c->g, n)};
    p->nops = 1;
    if (chance(c->d, 15)) {
        ops[1] = (struct pat_op){"", "Mul"};
        p->nops = 2;
        if (chance(c->d, 60)) p->op_slot = slot_for(c, SLOT_OP, 0);
    }
    p->ops = ops;
}

static void cut_args(struct cutter *c, ir_node n, struct pat *p, uint32_t depth) {
    uint32_t nin = ir_nod(c->g, n)->nin;
    const struct pat **args = arena_zalloc(c->a, (nin + 1) * sizeof *args);
    bool rest = ir_is_op(c->g, n, "Concat") && chance(c->d, 50);
    uint32_t last = rest ? roll(c->d, nin + 1) : nin;
    for (uint32_t k = 0; k < last; k++) {
        ir_value v = ir_input(c->g, n, k);
        args[k] = v == IR_NONE ? new_pat(c, PAT_ABSENT) : cut(c, v, depth + 1);
    }
    if (rest) {
        struct pat *all = new_pat(c, PAT_REST);
        if (chance(c->d, 80)) all->slot = slot_for(c, SLOT_VALUES, 0);
        args[last] = all;
    }
    p->nargs = last + rest;
    p->args = args;
    p->commutes = ir_op_commutes("", ir_op_name(c->g, n)) && chance(c->d, 90);
    if (p->commutes && p->nargs == 2 && chance(c->d, 50)) {
        const struct pat *first = args[0];
        args[0] = args[1];
        args[1] = first;
    }
}

static void cut_outs(struct cutter *c, ir_node n, struct pat *p, uint32_t own,
                     uint32_t output) {
    uint32_t nout = ir_nod(c->g, n)->nout;
    uint32_t *outs = arena_zalloc(c->a, nout * sizeof *outs);
    for (uint32_t k = 0; k < nout; k++) {
        outs[k] = SLOT_NONE;
        if (k == output) outs[k] = own;
        else if (chance(c->d, 80)) {
            outs[k] = new_slot(c, SLOT_VALUE, ir_output(c->g, n, k));
            c->slots[outs[k]].def = p;
            c->slots[outs[k]].def_output = k;
        }
    }
    p->outs = outs;
    p->nouts = nout;
}

/* own: the slot that the pattern defines, or SLOT_NONE. */
static struct pat *cut_node(struct cutter *c, ir_value v, uint32_t own, uint32_t depth) {
    const struct ir_value_info *x = ir_val(c->g, v);
    struct pat *p = new_pat(c, PAT_NODE);
    uint32_t output = x->output;
    ir_node n = x->producer;
    c->nodes++;
    c->open[c->nopen++] = n;
    cut_ops(c, n, p);
    cut_attrs(c, n, p);
    if (own != SLOT_NONE) cut_outs(c, n, p, own, output);
    cut_args(c, n, p, depth);
    c->nopen--;
    p->keep = depth > 0 && chance(c->d, 15); /* the root is replaced, not kept */
    return p;
}

static const struct pat *cut_alt(struct cutter *c, const struct pat *fits, ir_value v,
                                 uint32_t depth) {
    const struct pat **alts = arena_zalloc(c->a, 3 * sizeof *alts);
    struct pat *p = new_pat(c, PAT_ALT);
    uint32_t n = 2 + roll(c->d, 2), at = roll(c->d, n);
    c->open[c->nopen++] = ir_val(c->g, v)->producer;
    for (uint32_t i = 0; i < n; i++) {
        if (i == at) alts[i] = fits;
        else if (chance(c->d, 20)) alts[i] = new_pat(c, PAT_ABSENT);
        else {
            ir_value other = chance(c->d, 50) ? v : roll(c->d, c->g->values.len);
            alts[i] = cut(c, other, depth + 1);
        }
    }
    c->nopen--;
    p->nalts = n;
    p->alts = alts;
    return p;
}

static const struct pat *cut_constant(struct cutter *c, ir_value v) {
    struct pat *p = new_pat(c, PAT_LITERAL);
    double x = 0;
    ir_tensor_double_at(c->g->model, ir_const(c->g, v), 0, &x);
    p->lit = (struct literal){.kind = LIT_REAL, .real = x};
    return p;
}

/* The value of a variable or of a named result. */
static const struct pat *cut_name(struct cutter *c, ir_value v, uint32_t depth) {
    uint32_t before = c->nslots, slot = slot_for(c, SLOT_VALUE, v);
    struct rule_slot *s = &c->slots[slot];
    bool free = slot == before && ir_val(c->g, v)->producer != IR_NONE && !is_open(c, v);
    if (!free || depth > 3 || chance(c->d, 50)) {
        if (slot == before && ir_const(c->g, v) && chance(c->d, 50)) s->flags |= SLOT_CONST;
        return pat_of_slot(c, slot, chance(c->d, 15));
    }
    uint32_t output = ir_val(c->g, v)->output;
    const struct pat *def = cut_node(c, v, slot, depth);
    c->slots[slot].def = def;
    c->slots[slot].def_output = output;
    if (def->nouts == 1 && chance(c->d, 20)) c->slots[slot].def = cut_alt(c, def, v, depth);
    if (chance(c->d, 10)) c->slots[slot].flags |= SLOT_KEEP;
    return pat_of_slot(c, slot, chance(c->d, 10));
}

/* Of up to two nodes from v down, and maybe of others. */
static const struct pat *cut_chain(struct cutter *c, ir_value v, uint32_t depth) {
    struct pat *p = new_pat(c, PAT_CHAIN);
    struct pat_op *ops = arena_zalloc(c->a, 3 * sizeof *ops);
    const struct pat **behind = arena_new(c->a, const struct pat *);
    uint32_t opened = 0;
    for (uint32_t i = roll(c->d, 3); i > 0; i--) {
        const struct ir_value_info *x = ir_val(c->g, v);
        if (x->producer == IR_NONE || is_open(c, v) || ir_input(c->g, x->producer, 0) == IR_NONE)
            break;
        ops[p->nops++] = (struct pat_op){"", ir_op_name(c->g, x->producer)};
        c->open[c->nopen++] = x->producer;
        opened++;
        v = ir_input(c->g, x->producer, 0);
    }
    if (!p->nops || chance(c->d, 30)) ops[p->nops++] = (struct pat_op){"", "Mul"};
    *behind = cut(c, v, depth + 1);
    c->nopen -= opened;
    p->ops = ops;
    p->nargs = 1;
    p->args = behind;
    return p;
}

static const struct pat *cut(struct cutter *c, ir_value v, uint32_t depth) {
    bool full = c->nslots > MOST_SLOTS - 14 || c->nodes > 12;
    if (ir_const(c->g, v) && chance(c->d, 50)) return cut_constant(c, v);
    if (chance(c->d, 10)) return new_pat(c, PAT_ANY);
    if (!full && depth < 3 && chance(c->d, 8)) return cut_chain(c, v, depth);
    if (full || depth > 3 || chance(c->d, 50)) return cut_name(c, v, full ? 9 : depth);
    const struct ir_value_info *x = ir_val(c->g, v);
    if (x->producer == IR_NONE || x->output > 0 || is_open(c, v))
        return cut_name(c, v, depth);
    const struct pat *p = cut_node(c, v, SLOT_NONE, depth);
    return chance(c->d, 25) ? cut_alt(c, p, v, depth) : p;
}

/* A type that all values of the graph have but those without one. */
static const struct pat_type *some_type(struct cutter *c, uint32_t dim_slot) {
    struct pat_type *t = arena_new(c->a, struct pat_type);
    struct pat_dim *dims = arena_zalloc(c->a, 2 * sizeof *dims);
    dims[0] = (struct pat_dim){.kind = DIM_SLOT, .slot = dim_slot};
    dims[1] = (struct pat_dim){.kind = DIM_CONST, .value = chance(c->d, 80) ? 4 : 5};
    *t = (struct pat_type){.dtypes = 1u << IR_FLOAT, .shaped = chance(c->d, 60), .ndims = 2,
                           .dims = dims};
    return t;
}

static void add_types(struct cutter *c) {
    if (!chance(c->d, 25) || c->nslots == MOST_SLOTS) return;
    uint32_t dim = new_slot(c, SLOT_DIM, IR_NONE);
    for (uint32_t s = 0; s < c->nslots; s++)
        if (c->slots[s].kind == SLOT_VALUE && chance(c->d, 20))
            c->slots[s].type = some_type(c, dim);
}

/* A second root, which has a variable of the first one's operator as an operand. */
static bool add_join(struct cutter *c, const struct pat *first, struct rule_join *out) {
    for (uint32_t k = 0; k < first->nargs && c->nslots < MOST_SLOTS - 14; k++) {
        const struct pat *arg = first->args[k];
        if (arg->kind != PAT_SLOT || c->value[arg->slot] == IR_NONE) continue;
        ir_use u = ir_val(c->g, c->value[arg->slot])->uses;
        for (uint32_t i = roll(c->d, 3); i > 0 && u != IR_NONE; i--) u = c->g->uses.at[u].next;
        ir_node n = u == IR_NONE ? IR_NONE : c->g->uses.at[u].user;
        if (n == IR_NONE || c->g->uses.at[u].slot == IR_SLOT_BODY) continue;
        uint32_t slot = new_slot(c, SLOT_VALUE, IR_NONE);
        struct pat *def = cut_node(c, ir_output(c->g, n, 0), slot, 0);
        if (c->g->uses.at[u].slot >= def->nargs) continue;
        const struct pat **args = (const struct pat **)(uintptr_t)def->args;
        args[c->g->uses.at[u].slot] = pat_of_slot(c, arg->slot, false);
        c->slots[slot].def = def;
        c->slots[slot].flags |= SLOT_ROOT;
        *out = (struct rule_join){slot, arg->slot, 1, NULL};
        return true;
    }
    return false;
}

const struct rule *random_rule(struct arena *a, struct dice *d, struct ir_graph *g,
                               const struct rule_pack *pack, const char *name) {
    struct cutter c = {.a = a, .d = d, .g = g};
    ir_value v;
    do v = roll(d, g->values.len);
    while (ir_val(g, v)->producer == IR_NONE || ir_val(g, v)->output > 0);
    uint32_t root = new_slot(&c, SLOT_VALUE, v);
    c.slots[root].flags = SLOT_ROOT;
    const struct pat *def = cut_node(&c, v, root, 0);
    c.slots[root].def = def;
    if (chance(d, 20)) {
        const struct pat **alts = arena_zalloc(a, 2 * sizeof *alts);
        struct pat *p = new_pat(&c, PAT_ALT);
        c.open[c.nopen++] = ir_val(g, v)->producer;
        alts[0] = cut_node(&c, v, SLOT_NONE, 0);
        alts[1] = def;
        p->alts = alts;
        p->nalts = 2;
        c.slots[root].def = p;
    }
    struct rule_join *join = arena_new(a, struct rule_join);
    bool joins = chance(d, 25) && c.slots[root].def == def && add_join(&c, def, join);
    uint32_t roots[2] = {root, join->slot};
    add_types(&c);
    struct rule *r = arena_new(a, struct rule);
    *r = (struct rule){.name = name, .pack = pack, .nslots = c.nslots, .nroots = 1 + joins,
                       .slots = arena_copy(a, c.slots, c.nslots * sizeof *c.slots),
                       .roots = arena_copy(a, roots, sizeof roots), .size = c.nodes,
                       .njoins = joins, .joins = join,
                       .targets = TARGET_ONNX, .priority = (int32_t)roll(d, 3)};
    return r;
}
