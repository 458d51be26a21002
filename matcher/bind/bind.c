/* bind.c -- the bind machine.
 *
 * One function an instruction, exec_<NAME>, false when it fails; the dispatch is made from
 * insn.def. Registers that an alternative may leave unset are written through the trail
 * (MEET, SEE), all others are written before they are read on every way, and need none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/label/label.h"

/* Enough for patterns with a dozen ambiguous operands; beyond it a node is given up. */
#define MAX_STEPS 50000u

/* --- registers -------------------------------------------------------------------- */
static struct pm_binding reg(const struct pm_machine *m, uint16_t r) {
    return m->regs.at[r];
}

static void set(struct pm_machine *m, uint16_t r, enum pm_bound kind, uint32_t a,
                uint32_t b,
                uint32_t c) {
    m->regs.at[r] = (struct pm_binding){kind, a, b, c};
}

static void set_on_trail(struct pm_machine *m, uint16_t r, struct pm_binding b) {
    vec_push(m->arena, &m->trail, (struct pm_trail){r, m->regs.at[r]});
    m->regs.at[r] = b;
}

/* The value in a register; IR_NONE when it is absent or unset. */
static ir_value value(const struct pm_machine *m, uint16_t r) {
    return m->regs.at[r].kind == BOUND_VALUE ? m->regs.at[r].a : IR_NONE;
}

static ir_node node(const struct pm_machine *m, uint16_t r) { return m->regs.at[r].a; }

static void push_frame(struct pm_machine *m, uint32_t pc, bool swap) {
    struct pm_frame f = {pc, m->trail.len, m->nodes.len, swap, 0, 0};
    vec_push(m->arena, &m->frames, f);
}

/* --- structure -------------------------------------------------------------------- */
static bool exec_PROD(struct pm_machine *m, const struct pm_insn *in) {
    ir_value v = value(m, in->b);
    if (v == IR_NONE) return false;
    const struct ir_value_info *x = ir_val(m->site.g, v);
    if (x->producer == IR_NONE || x->output != in->x) return false;
    set(m, in->a, BOUND_NODE, x->producer, 0, 0);
    vec_push(m->arena, &m->nodes, (struct pm_matched){x->producer, in->c != 0});
    return true;
}

static bool exec_OP(struct pm_machine *m, const struct pm_insn *in) {
    return pm_has_op(&m->site, node(m, in->a), in->x);
}

static bool exec_NAMED(struct pm_machine *m, const struct pm_insn *in) {
    struct pm_odd odd;
    return pm_spec_fits(&m->site, node(m, in->a), &m->site.p->spec.at[in->x], &odd);
}

static bool exec_OUTPUTS(struct pm_machine *m, const struct pm_insn *in) {
    const struct ir_node_info *x = ir_nod(m->site.g, node(m, in->a));
    for (uint32_t k = 0; k < x->nout; k++) {
        bool named = k < 32 && (in->x >> k & 1);
        if (!named && x->out[k] != IR_NONE && ir_val(m->site.g, x->out[k])->nuses > 0)
            return false;
    }
    return true;
}

static bool exec_ARG(struct pm_machine *m, const struct pm_insn *in) {
    set(m, in->a, BOUND_VALUE, ir_input(m->site.g, node(m, in->b), in->x), 0, 0);
    return true;
}

static bool pick(struct pm_machine *m, const struct pm_insn *in, bool swap) {
    ir_value v = ir_input(m->site.g, node(m, in->c), 0);
    ir_value w = ir_input(m->site.g, node(m, in->c), 1);
    set(m, in->a, BOUND_VALUE, swap ? w : v, 0, 0);
    set(m, in->b, BOUND_VALUE, swap ? v : w, 0, 0);
    return v != w;
}

static bool exec_PICK(struct pm_machine *m, const struct pm_insn *in) {
    if (pick(m, in, false)) push_frame(m, m->pc - 1, true);
    return true;
}

/* The operator above a value, of the class, whose first output it is; or IR_NONE. */
static ir_node link_above(const struct pm_machine *m, ir_value v, uint32_t ops) {
    ir_node n = v == IR_NONE ? IR_NONE : ir_val(m->site.g, v)->producer;
    if (n == IR_NONE || ir_val(m->site.g, v)->output != 0 || !pm_has_op(&m->site, n, ops))
        return IR_NONE;
    return ir_input(m->site.g, n, 0) == IR_NONE ? IR_NONE : n;
}

/* One of the values that a CLIMB or CHAIN found. The nodes of a chain are matched. */
static void take_end(struct pm_machine *m, const struct pm_insn *in, ir_value end) {
    set(m, in->a, BOUND_VALUE, end, 0, 0);
    if (in->op != PM_CHAIN) return;
    for (ir_value v = value(m, in->b); v != end;) {
        ir_node n = ir_val(m->site.g, v)->producer;
        vec_push(m->arena, &m->nodes, (struct pm_matched){n, false});
        v = ir_input(m->site.g, n, 0);
    }
}

/* Goes on with the first of the values found; the others wait in a frame. */
static bool take_first(struct pm_machine *m, const struct pm_insn *in, uint32_t first) {
    if (m->ends.len == first) return false;
    if (m->ends.len > first + 1) {
        push_frame(m, m->pc - 1, false);
        vec_last(&m->frames)->next = first + 1;
        vec_last(&m->frames)->end = m->ends.len;
    }
    take_end(m, in, m->ends.at[first]);
    return true;
}

static bool exec_CHAIN(struct pm_machine *m, const struct pm_insn *in) {
    ir_value way[RULE_CHAIN + 1];
    uint32_t n = 0, first = m->ends.len;
    ir_node link;
    way[n++] = value(m, in->b);
    while (n <= RULE_CHAIN && (link = link_above(m, way[n - 1], in->x)) != IR_NONE)
        way[n++] = ir_input(m->site.g, link, 0);
    while (n > 0) vec_push(m->arena, &m->ends, way[--n]);
    return take_first(m, in, first);
}

static bool exec_CLIMB(struct pm_machine *m, const struct pm_insn *in) {
    uint32_t first = m->ends.len;
    ir_value v = value(m, in->b);
    if (v != IR_NONE) pm_climb(m, v, &m->site.p->way.at[in->x], false);
    return take_first(m, in, first);
}

static bool exec_EACH(struct pm_machine *m, const struct pm_insn *in) {
    return pm_collect(m, in);
}

static bool exec_MEMBER(struct pm_machine *m, const struct pm_insn *in) {
    RW_UNUSED(m);
    RW_UNUSED(in);
    return true;
}

static bool exec_REST(struct pm_machine *m, const struct pm_insn *in) {
    ir_node n = node(m, in->b);
    for (uint32_t k = in->x; k < ir_nod(m->site.g, n)->nin; k++)
        if (ir_input(m->site.g, n, k) == IR_NONE) return false;
    set(m, in->a, BOUND_LIST, n, in->x, 0);
    return true;
}

static bool exec_OUT(struct pm_machine *m, const struct pm_insn *in) {
    set(m, in->a, BOUND_VALUE, ir_output(m->site.g, node(m, in->b), in->x), 0, 0);
    return true;
}

static bool exec_PRESENT(struct pm_machine *m, const struct pm_insn *in) {
    return pm_is_set(reg(m, in->a));
}

static bool exec_ABSENT(struct pm_machine *m, const struct pm_insn *in) {
    return !pm_is_set(reg(m, in->a));
}

/* --- sharing ---------------------------------------------------------------------- */
static bool exec_SAME(struct pm_machine *m, const struct pm_insn *in) {
    return pm_same(&m->site, reg(m, in->a), reg(m, in->b));
}

static bool exec_MEET(struct pm_machine *m, const struct pm_insn *in) {
    struct pm_binding b = reg(m, in->b);
    if (pm_is_set(reg(m, in->a))) return pm_same(&m->site, reg(m, in->a), b);
    set_on_trail(m, in->a, b);
    return true;
}

static bool exec_SEE(struct pm_machine *m, const struct pm_insn *in) {
    ir_value v = value(m, in->b);
    if (pm_is_set(reg(m, in->a)))
        return pm_sees(m->site.g, v, value(m, in->a), m->site.arena);
    v = pm_see_deepest(m->site.g, v, m->site.arena);
    set_on_trail(m, in->a, (struct pm_binding){BOUND_VALUE, v, 0, 0});
    return true;
}

/* --- parameters ------------------------------------------------------------------- */
static bool exec_TEST(struct pm_machine *m, const struct pm_insn *in) {
    return pm_param_fits(&m->site, node(m, in->a), &m->site.p->test.at[in->x]);
}

static bool exec_PARAM(struct pm_machine *m, const struct pm_insn *in) {
    ir_node n = node(m, in->b);
    struct ir_param p = ir_param(m->site.g, n, m->site.p->param.at[in->x], m->site.arena);
    if (p.source == IR_PARAM_NONE) return false;
    if (p.source == IR_PARAM_DYNAMIC && p.input == IR_NONE) return false;
    set(m, in->a, BOUND_ATTR, n, in->x, in->c);
    return true;
}

static bool exec_OPNAME(struct pm_machine *m, const struct pm_insn *in) {
    set(m, in->a, BOUND_OP, node(m, in->b), 0, 0);
    return true;
}

static bool exec_ATTRS(struct pm_machine *m, const struct pm_insn *in) {
    set(m, in->a, BOUND_ATTRS, node(m, in->b), in->x, 0);
    return true;
}

static bool exec_LOSSLESS(struct pm_machine *m, const struct pm_insn *in) {
    return pm_cast_is_lossless(&m->site, node(m, in->a));
}

/* --- constants and types ---------------------------------------------------------- */
static bool exec_CONST(struct pm_machine *m, const struct pm_insn *in) {
    ir_value v = value(m, in->a);
    return v == IR_NONE || ir_const(m->site.g, v) != NULL;
}

static bool exec_SCALAR(struct pm_machine *m, const struct pm_insn *in) {
    ir_value v = value(m, in->a);
    if (v == IR_NONE) return true;
    const struct ir_tensor *t = ir_const(m->site.g, v);
    if (t) return t->count == 1;
    const struct ir_type *type = ir_val(m->site.g, v)->type;
    if (!ir_type_ranked(type)) return false;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t d;
        if (!ir_dim_is_const(m->site.g->model->dims, type->dims[i], &d) || d != 1)
            return false;
    }
    return true;
}

static bool exec_LITERAL(struct pm_machine *m, const struct pm_insn *in) {
    ir_value v = value(m, in->a);
    return v != IR_NONE &&
           pm_literal_fits(m->site.g, v, m->site.p->literal.at[in->x], m->site.arena);
}

static bool exec_LENGTH(struct pm_machine *m, const struct pm_insn *in) {
    uint32_t n;
    return pm_length(&m->site, reg(m, in->a), &n) && n == in->x;
}

static bool exec_ITEM(struct pm_machine *m, const struct pm_insn *in) {
    return pm_item(&m->site, reg(m, in->b), in->x, &m->regs.at[in->a]);
}

static bool exec_IS(struct pm_machine *m, const struct pm_insn *in) {
    struct pm_binding b = reg(m, in->a);
    int64_t i;
    if (b.kind == BOUND_NOTHING) return true;
    if (b.kind != BOUND_DIM || !ir_dim_is_const(m->site.g->model->dims, b.a, &i))
        return false;
    return pm_axes_equal(i, b.b, m->site.p->literal.at[in->x]->i, b.b);
}

static const struct ir_type *type_of(const struct pm_machine *m, uint16_t r) {
    return ir_val(m->site.g, value(m, r))->type;
}

static bool exec_DTYPE(struct pm_machine *m, const struct pm_insn *in) {
    if (value(m, in->a) == IR_NONE) return true;
    return in->x >> ir_type_dtype(type_of(m, in->a)) & 1;
}

static bool exec_RANK(struct pm_machine *m, const struct pm_insn *in) {
    if (value(m, in->a) == IR_NONE) return true;
    const struct ir_type *t = type_of(m, in->a);
    if (!ir_type_ranked(t)) return false;
    return in->c ? t->rank >= in->x : t->rank == in->x;
}

/* Only behind a RANK that held. */
static bool exec_DIM(struct pm_machine *m, const struct pm_insn *in) {
    m->regs.at[in->a] = (struct pm_binding){0};
    if (value(m, in->b) == IR_NONE) return true;
    const struct ir_type *t = type_of(m, in->b);
    set(m, in->a, BOUND_DIM, t->dims[in->c ? t->rank - in->x : in->x], 0, 0);
    return true;
}

static bool exec_DIMS(struct pm_machine *m, const struct pm_insn *in) {
    m->regs.at[in->a] = (struct pm_binding){0};
    if (value(m, in->b) != IR_NONE)
        set(m, in->a, BOUND_DIMS, value(m, in->b), in->x, in->c);
    return true;
}

/* --- control ---------------------------------------------------------------------- */
static bool exec_CLEAR(struct pm_machine *m, const struct pm_insn *in) {
    for (uint32_t r = in->a; r < in->b; r++) m->regs.at[r] = (struct pm_binding){0};
    return true;
}

static bool exec_TRY(struct pm_machine *m, const struct pm_insn *in) {
    push_frame(m, in->x, false);
    return true;
}

static bool exec_JUMP(struct pm_machine *m, const struct pm_insn *in) {
    m->pc = in->x;
    return true;
}

static bool exec_IFSET(struct pm_machine *m, const struct pm_insn *in) {
    if (!pm_is_set(reg(m, in->a))) m->pc = in->x;
    return true;
}

static bool exec_UNLESS(struct pm_machine *m, const struct pm_insn *in) {
    if (pm_is_set(reg(m, in->a))) m->pc = in->x;
    return true;
}

/* --- a match ---------------------------------------------------------------------- */
bool pm_is_matched(const struct pm_machine *m, ir_node n) {
    for (uint32_t i = 0; i < m->nodes.len; i++)
        if (m->nodes.at[i].node == n) return true;
    return false;
}

/* May the value be seen outside the match: a root, or one that the rule keeps? */
static bool is_open(const struct pm_machine *m, const struct rule *r,
                    const struct pm_binding *slots, ir_value v) {
    for (uint32_t s = 0; s < r->nslots; s++) {
        if (!(r->slots[s].flags & (SLOT_ROOT | SLOT_KEEP))) continue;
        if (slots[s].kind == BOUND_VALUE && slots[s].a == v) return true;
        for (uint32_t i = 0; slots[s].kind == BOUND_MEMBERS && i < slots[s].b; i++)
            if (m->site.members->at[slots[s].a + i].a == v) return true;
    }
    return false;
}

static bool uses_are_inside(const struct pm_machine *m, ir_value v) {
    const struct ir_graph *g = m->site.g;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        const struct ir_use_info *x = &g->uses.at[u];
        if (x->user == IR_NONE || x->slot == IR_SLOT_BODY || !pm_is_matched(m, x->user))
            return false;
    }
    return true;
}

/* Interior values are not seen from outside. The uses inside are no more than the matched
 * nodes have operands, so that a value with many users costs nothing. */
ir_value pm_leak(const struct pm_machine *m, const struct rule *r,
                 const struct pm_binding *slots) {
    const struct ir_graph *g = m->site.g;
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->nodes.len; i++) most += ir_nod(g, m->nodes.at[i].node)->nin;
    for (uint32_t i = 0; i < m->nodes.len; i++) {
        const struct ir_node_info *x = ir_nod(g, m->nodes.at[i].node);
        if (m->nodes.at[i].keep) continue;
        for (uint32_t k = 0; k < x->nout; k++) {
            ir_value v = x->out[k];
            if (v == IR_NONE || ir_val(g, v)->nuses == 0 || is_open(m, r, slots, v)) continue;
            if (ir_val(g, v)->nuses > most || !uses_are_inside(m, v)) return v;
        }
    }
    return IR_NONE;
}

struct pm_binding *pm_bound_slots(const struct pm_machine *m, const struct pm_accept *a) {
    struct pm_binding *slots = arena_zalloc(m->site.arena, a->rule->nslots * sizeof *slots);
    for (uint32_t i = 0; i < a->rule->nslots; i++)
        if (a->regs[i] != PM_NO_REG && pm_is_set(reg(m, a->regs[i])))
            slots[i] = reg(m, a->regs[i]);
    return slots;
}

static bool exec_ACCEPT(struct pm_machine *m, const struct pm_insn *in) {
    const struct pm_accept *a = &m->site.p->accept.at[in->x];
    struct pm_binding *slots = pm_bound_slots(m, a);
    if (pm_leak(m, a->rule, slots) != IR_NONE) return false;
    struct pm_binding *exprs = arena_new_array(m->site.arena, struct pm_binding, a->nexprs);
    for (uint32_t i = 0; i < a->nexprs; i++) exprs[i] = reg(m, a->exprs[i].reg);
    ir_node *nodes = arena_new_array(m->site.arena, ir_node, m->nodes.len);
    bool *kept = arena_new_array(m->site.arena, bool, m->nodes.len);
    for (uint32_t i = 0; i < m->nodes.len; i++) {
        nodes[i] = m->nodes.at[i].node;
        kept[i] = m->nodes.at[i].keep;
    }
    struct pm_match match = {a, slots, exprs, m->nodes.len, nodes, kept};
    m->stop = !m->found(m->ctx, &match);
    return false; /* there may be more */
}

/* --- the loop --------------------------------------------------------------------- */
static bool step(struct pm_machine *m) {
    const struct pm_insn *in = &m->code[m->pc++];
    switch ((enum pm_opcode)in->op) {
#define PM_INSN(name, layout, meaning)                                                 \
    case PM_##name: return exec_##name(m, in);
#include "matcher/insn.def"
    case PM_INSN_N: break;
    }
    return false;
}

bool pm_step_on(struct pm_machine *m) { return step(m); }

uint32_t pm_ways(const struct pm_machine *m) {
    if (m->frames.len == 0) return 1;
    const struct pm_frame *f = &m->frames.at[m->frames.len - 1];
    return f->end ? f->end - f->next + 1 : 2;
}

void pm_go_way(struct pm_machine *m, uint32_t i) {
    if (i == 0) return;
    struct pm_frame *f = vec_last(&m->frames);
    if (f->end) f->next += i - 1;
    pm_back(m);
}

bool pm_back(struct pm_machine *m) {
    if (m->frames.len == 0) return false;
    struct pm_frame f = *vec_last(&m->frames);
    if (f.end && f.next + 1 < f.end) vec_last(&m->frames)->next++;
    else m->frames.len--;
    while (m->trail.len > f.trail) {
        struct pm_trail t = vec_pop(&m->trail);
        m->regs.at[t.reg] = t.was;
    }
    m->nodes.len = f.nodes;
    m->pc = f.pc;
    if (f.swap) pick(m, &m->code[m->pc++], true);
    if (!f.end) return true;
    m->ends.len = f.end;
    take_end(m, &m->code[m->pc++], m->ends.at[f.next]);
    return true;
}

void pm_begin(struct pm_machine *m, const struct pm_program *prog, ir_node root) {
    m->frames.len = m->trail.len = m->nodes.len = m->regs.len = m->ends.len = 0;
    vec_reserve(m->arena, &m->regs, prog->nregs);
    memset(m->regs.at, 0, prog->nregs * sizeof *m->regs.at);
    m->regs.len = prog->nregs;
    set(m, 0, BOUND_NODE, root, 0, 0);
    vec_push(m->arena, &m->nodes, (struct pm_matched){root, false});
    m->code = prog->code ? prog->code : m->site.p->code.at;
    m->pc = prog->start;
    m->left = MAX_STEPS;
    m->stop = false;
}

void pm_bind(struct pm_machine *m, const struct pm_program *prog, ir_node root) {
    pm_begin(m, prog, root);
    for (; m->left > 0 && !m->stop; m->left--) {
        m->tests++;
        if (!step(m) && (m->stop || !pm_back(m))) return;
    }
}

/* --- names ------------------------------------------------------------------------ */
/* A function of the model takes the place of a standard operator of its name. A pattern with
 * a name of no standard may well mean the function. */
static bool is_replaced(const struct ir_model *m, const char *domain, const char *op) {
    if (!ir_schema_newest(domain, op)) return false;
    for (uint32_t i = 0; i < m->functions.len; i++) {
        const struct ir_function *f = m->functions.at[i];
        const char *of = rw_streq(f->domain, "ai.onnx") ? "" : f->domain;
        if (!f->dropped && rw_streq(f->name, op) && rw_streq(of, domain)) return true;
    }
    return false;
}

void pm_names_init(struct pm_names *n, const struct pm_auto *p, struct ir_model *m,
                   struct arena *a) {
    n->op = arena_array(a, p->op.len, sizeof *n->op);
    map_init(&n->op_of, a);
    for (uint32_t i = 0; i < p->op.len; i++) {
        n->op[i].op = UINT32_MAX; /* that of no node */
        if (is_replaced(m, p->op.at[i].domain, p->op.at[i].name)) continue;
        n->op[i].domain = intern(&m->names, p->op.at[i].domain);
        n->op[i].op = intern(&m->names, p->op.at[i].name);
        map_put(&n->op_of, (uint64_t)n->op[i].domain << 32 | n->op[i].op, i);
    }
}

bool pm_has_op(const struct pm_site *s, ir_node n, uint32_t ops) {
    const struct ir_node_info *x = ir_nod(s->g, n);
    const struct pm_ops *class = &s->p->ops.at[ops];
    for (uint32_t i = 0; i < class->n; i++) {
        uint32_t op = class->at[i];
        if (s->names->op[op].op == x->op && s->names->op[op].domain == x->domain)
            return true;
    }
    return false;
}

const struct pm_program *pm_program_at(const struct pm_stage *s, const struct pm_site *site,
                                       ir_node n) {
    if (pm_labels_hold(site->labels, site->g))
        return pm_state_program(&site->labels->states, s, site->labels->node.at[n] - 1);
    const struct ir_node_info *x = ir_nod(site->g, n);
    uint32_t op = map_get(&site->names->op_of, (uint64_t)x->domain << 32 | x->op);
    if (op >= s->nops || s->program_of[op] == UINT32_MAX) return NULL;
    return &s->programs[s->program_of[op]];
}
