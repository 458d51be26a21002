/* each.c -- the family of the users of a value: every candidate is matched by itself.
 *
 * The code of a member is run like that of a rule, over registers that are cleared for each
 * candidate, on frames of its own; the first way that fits is taken. So a family is found in
 * one step of the code around it, and what its members have is put by as lists.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/bind/bind.h"

/* From the place in the code that the machine is at to MEMBER. */
static bool match_member(struct pm_machine *m, const struct pm_family *f, uint32_t frames) {
    while (m->left > 0) {
        bool done = m->code[m->pc].op == PM_MEMBER;
        if (done && (!f->family->where || m->holds(m->holds_ctx, m, f))) return true;
        m->left--;
        m->tests++;
        if (!done && pm_step_on(m)) continue;
        if (m->frames.len == frames || !pm_back(m)) return false;
    }
    return false;
}

static bool is_used(const struct pm_machine *m, ir_value v) {
    return ir_val(m->site.g, v)->nuses > 0;
}

/* Takes back what a member wrote, but for its nodes. */
static void unwind(struct pm_machine *m, uint32_t frames, uint32_t trail) {
    m->frames.len = frames;
    while (m->trail.len > trail) {
        struct pm_trail t = vec_pop(&m->trail);
        m->regs.at[t.reg] = t.was;
    }
}

/* Nodes that others have too are listed once. */
static void merge_nodes(struct pm_machine *m, uint32_t from) {
    uint32_t kept = from;
    for (uint32_t i = from; i < m->nodes.len; i++) {
        uint32_t k = 0;
        while (k < kept && m->nodes.at[k].node != m->nodes.at[i].node) k++;
        if (k == kept) m->nodes.at[kept++] = m->nodes.at[i];
    }
    m->nodes.len = kept;
}

static bool try_candidate(struct pm_machine *m, const struct pm_family *f, uint32_t pc,
                          ir_value v) {
    uint32_t frames = m->frames.len, trail = m->trail.len, nodes = m->nodes.len;
    for (uint32_t r = f->first; r < f->end; r++) m->regs.at[r] = (struct pm_binding){0};
    m->regs.at[f->member] = (struct pm_binding){BOUND_VALUE, v, 0, 0};
    m->pc = pc;
    bool fits = match_member(m, f, frames);
    if (fits)
        for (uint32_t i = 0; i < f->ncolumns; i++)
            vec_push(m->arena, m->site.members, m->regs.at[f->columns[i].one]);
    unwind(m, frames, trail);
    if (fits) merge_nodes(m, nodes);
    else m->nodes.len = nodes;
    return fits;
}

/* Row by row as they were put down, to a list for each column. */
static void set_lists(struct pm_machine *m, const struct pm_family *f, uint32_t first,
                      uint32_t n) {
    struct pm_members *all = m->site.members;
    uint32_t start = all->len;
    for (uint32_t i = 0; i < f->ncolumns; i++) {
        m->regs.at[f->columns[i].list] =
            (struct pm_binding){BOUND_MEMBERS, start + i * n, n, 0};
        for (uint32_t k = 0; k < n; k++) {
            struct pm_binding b = all->at[first + k * f->ncolumns + i];
            vec_push(m->arena, all, b);
        }
    }
}

bool pm_collect(struct pm_machine *m, const struct pm_insn *in) {
    const struct pm_family *f = &m->site.p->family.at[in->c];
    uint32_t pc = m->pc, first = m->ends.len, row = m->site.members->len;
    ir_value via = m->regs.at[in->b].kind == BOUND_VALUE ? m->regs.at[in->b].a : IR_NONE;
    int64_t n = 0;
    m->pc = in->x;
    if (via == IR_NONE) return false;
    pm_climb(m, via, &f->way, f->is_root);
    for (uint32_t i = first, end = m->ends.len; i < end; i++) {
        ir_value v = m->ends.at[i];
        if (is_used(m, v)) n += try_candidate(m, f, pc, v);
        m->ends.len = end;
        if (f->is_root && n == 1 && m->site.members->at[row].a != m->regs.at[f->root].a)
            break; /* another member begins this family */
    }
    m->ends.len = first;
    m->pc = in->x;
    if (n < f->family->least || (f->family->most >= 0 && n > f->family->most)) return false;
    if (f->is_root && m->site.members->at[row].a != m->regs.at[f->root].a) return false;
    set_lists(m, f, row, (uint32_t)n);
    return true;
}
