/* atomic.c -- phases of which either all is done or nothing.
 *
 * Nothing is committed while such a phase runs. When it comes to an end, the last sweep, which
 * found nothing more to do, must have met no match that was refused, and of the staged
 * operators that its rules match none may be left. Else the graph and the report are as
 * before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/run/run.h"

void pm_commit(struct pm_run *r) {
    if (!r->atomic) ir_commit(r->model);
}

void pm_atomic_begin(struct pm_run *r, struct pm_atomic *a) {
    const struct pm_report *rep = r->report;
    *a = (struct pm_atomic){.mark = ir_mark(r->model), .before = *rep,
                            .staged = r->staged.len};
    a->before.rules.at =
        arena_copy(&r->arena, rep->rules.at, rep->rules.len * sizeof *rep->rules.at);
    r->atomic = a;
}

void pm_atomic_missed(struct pm_run *r, const struct pm_match *m, const char *why) {
    struct pm_atomic *a = r->atomic;
    if (!a || a->rule) return;
    const struct pm_site *s = &r->matcher.machine.site;
    uint32_t root = m->accept->rule->roots[0];
    a->rule = m->accept->rule;
    a->why = why;
    a->value = "";
    if (pm_values_of(m->slots[root]) > 0)
        a->value = ir_val(s->g, pm_value_of(s, m->slots[root], 0))->name;
}

static uint64_t times_applied(const struct pm_report *rep) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < rep->rules.len; i++) n += rep->rules.at[i].count;
    return n;
}

/* --- what is left over -------------------------------------------------------------- */
static bool mentions(const struct pat *p, const struct rule_operator *op) {
    if (p->staged == op) return true;
    for (uint32_t i = 0; i < p->nargs; i++)
        if (mentions(p->args[i], op)) return true;
    for (uint32_t i = 0; i < p->nalts; i++)
        if (mentions(p->alts[i], op)) return true;
    return false;
}

static bool is_matched_by(const struct rule *r, const struct rule_operator *op) {
    for (uint32_t i = 0; i < r->nslots; i++)
        if (r->slots[i].def && mentions(r->slots[i].def, op)) return true;
    return false;
}

/* One that a rule of the phase is there for. */
static void find_left_over(struct pm_run *r, const struct pm_stage *s) {
    for (uint32_t i = 0; i < r->staged.len && !r->atomic->rule; i++) {
        const struct pm_staged *x = &r->staged.at[i];
        if (pm_staged_at(r, x->g, x->node) != x) continue;
        for (uint32_t k = 0; k < s->stage->nrules; k++) {
            const struct rule *rule = s->pack->rules[s->stage->rules[k]];
            if (!is_matched_by(rule, x->op)) continue;
            r->atomic->rule = rule;
            r->atomic->value = x->name;
            r->atomic->why = "the staged operator there is left over";
        }
    }
}

/* --- taking back -------------------------------------------------------------------- */
/* The newer entries go; those from before are as they were. */
static void restore_report(struct pm_run *r, const struct pm_atomic *a) {
    struct pm_report *rep = r->report;
    for (uint32_t i = 0; i < r->p->rules.len; i++)
        if (r->applied[i] > a->before.rules.len) r->applied[i] = 0;
    rep->rules.len = a->before.rules.len;
    if (rep->rules.len > 0)
        memcpy(rep->rules.at, a->before.rules.at, rep->rules.len * sizeof *rep->rules.at);
    rep->steps = a->before.steps;
    rep->last = a->before.last;
    rep->last_rule = a->before.last_rule;
}

static void tell(struct pm_run *r, const struct pm_stage *s) {
    const struct pm_atomic *a = r->atomic;
    diag_at(r->diags, DIAG_WARNING, s->stage->at,
            "the phase \"%s\" is not applied, because all of it cannot be", s->stage->name);
    diag_at(r->diags, DIAG_NOTE, a->rule->at, "\"%s\" is not applied at \"%s\": %s",
            a->rule->name, a->value, a->why);
}

void pm_atomic_end(struct pm_run *r, const struct pm_stage *s) {
    struct pm_atomic *a = r->atomic;
    bool any = times_applied(r->report) > times_applied(&a->before);
    if (any) find_left_over(r, s);
    /* A run that was to end early is not kept anyway. */
    if (any && a->rule && !pm_steps_end(r)) {
        tell(r, s);
        restore_report(r, a);
        r->staged.len = a->staged;
        ir_undo(r->model, a->mark);
    }
    r->atomic = NULL;
    ir_commit(r->model);
}
