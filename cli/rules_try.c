/* rules_try.c -- see rules_try.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/rules_try.h"

#include "base/os.h"

#define LEAST_OPSET 7
#define SECONDS_FOR_RULE 120

/* --- the rule alone ---------------------------------------------------------------- */
/* Other rules of the pack would take what belongs to this one. A pack that raises opsets is run
 * as it is. */
static const struct pm_auto *compile_alone(struct session *s, const struct rule_pack *pack,
                                           const struct rule **r) {
    if (!(*r)->pack->raises_opset) {
        pack = dsl_alone(&s->arena, 1, r);
        *r = pack->rules[0];
    }
    return packs_compile(s, 1, &pack);
}

/* --- rules that match staged operators ---------------------------------------------- */
static const struct rule_operator *staged_in(const struct pat *p) {
    const struct rule_operator *op = p->staged;
    for (uint32_t i = 0; i < p->nargs && !op; i++) op = staged_in(p->args[i]);
    for (uint32_t i = 0; i < p->nalts && !op; i++) op = staged_in(p->alts[i]);
    return op;
}

static const struct rule_operator *matched_by(const struct rule *r) {
    const struct rule_operator *op = NULL;
    for (uint32_t i = 0; i < r->nslots && !op; i++)
        if (r->slots[i].def) op = staged_in(r->slots[i].def);
    return op;
}

static bool emits(const struct rule *r, const struct rule_operator *op) {
    for (uint32_t i = 0; i < r->nblocks; i++)
        for (uint32_t k = 0; k < r->blocks[i].n; k++)
            if (r->blocks[i].stmts[k].what->staged == op) return true;
    return false;
}

/* One that makes it out of operators of models: what it matches, the other comes to match. */
static const struct rule *maker_of(const struct rule_pack *pack,
                                   const struct rule_operator *op) {
    for (uint32_t i = 0; i < pack->nrules; i++)
        if (emits(pack->rules[i], op) && !matched_by(pack->rules[i])) return pack->rules[i];
    return NULL;
}

/* Two phases: the maker, then the rule, whose results are no more exact than what it is given. */
static const struct pm_auto *compile_both(struct session *s, const struct rule **maker,
                                          const struct rule **r) {
    struct rule second = **r;
    if ((*maker)->class > second.class) second.class = (*maker)->class;
    const struct rule_pack *both =
        dsl_alone(&s->arena, 2, (const struct rule *const[]){*maker, &second});
    *maker = both->rules[0];
    *r = both->rules[1];
    return packs_compile(s, 1, &both);
}

/* --- what was not seen ------------------------------------------------------------- */
static uint32_t tell_choice(struct session *s, const struct judge_choice *c) {
    static const char *const kinds[] = {"alternative", "operator", "order of operands"};
    uint32_t scarce = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        if (c->seen[k] >= JUDGE_SEEN_ENOUGH) continue;
        struct span at = c->kind == JUDGE_ALTERNATIVE ? c->pat->alts[k]->at : c->pat->at;
        scarce++;
        diag_at(&s->diags, DIAG_WARNING, at.source ? at : c->pat->at,
                "%s %u of %u was compared %u times, in %u tries", kinds[c->kind], k + 1,
                c->n, c->seen[k], c->tried[k]);
    }
    return scarce;
}

static uint32_t tell_scarce(struct session *s, const struct judge_rule_report *r) {
    uint32_t scarce = 0;
    for (uint32_t i = 0; i < r->choices.list.len; i++)
        scarce += tell_choice(s, &r->choices.list.at[i]);
    for (uint32_t i = 0; i < r->rule->nwhere; i++) {
        if (judge_is_seen_false(r, i)) continue;
        scarce++;
        diag_at(&s->diags, DIAG_WARNING, r->rule->where[i]->at,
                "condition turned a match down %u times, in %u graphs: do those in front of it "
                "imply it?", r->failed[i] + r->unknown[i], r->made);
    }
    for (uint32_t i = 0; i < r->rule->nblocks; i++) {
        if (r->emitted[i] >= JUDGE_SEEN_ENOUGH) continue;
        scarce++;
        diag_at(&s->diags, DIAG_WARNING, r->rule->blocks[i].n
                    ? r->rule->blocks[i].stmts[0].at : r->rule->at,
                "block %u of emit was compared %u times", i + 1, r->emitted[i]);
    }
    return scarce;
}

/* --- what was wrong ---------------------------------------------------------------- */
static void write_kept(struct session *s, const struct rule *r, const char *extension,
                       const struct buf *bytes) {
    size_t made;
    const char *path =
        arena_printf(&s->arena, "%s/%s.%s", s->options.keep, r->name, extension);
    if (os_make_folders(path, &made)) session_write(s, path, bytes);
    else diag_where(&s->diags, DIAG_ERROR, path, "cannot be written: %s", os_error());
}

static void tell_wrong(struct session *s, const struct rule *r,
                       const struct judge_counterexample *w) {
    struct buf text = {0}, model = {0};
    buf_printf(&text, "%s\n", w->before ? w->before : "");
    if (w->after) buf_printf(&text, "becomes\n\n%s\n", w->after);
    diag_at(&s->diags, DIAG_ERROR, r->at, "rule \"%s\" is wrong: %s", r->name, w->what);
    diag_where(&s->diags, DIAG_NOTE, NULL, "the smallest graph found is\n%s",
               buf_text(&text));
    if (s->options.keep) {
        write_kept(s, r, "txt", &text);
        buf_add(&model, w->model.bytes, w->model.len);
        write_kept(s, r, "onnx", &model);
    }
    buf_free(&text);
    buf_free(&model);
}

static void tell_steps(struct session *s, const struct rule *r, const struct judge_steps *n) {
    diag_at(&s->diags, DIAG_ERROR, r->at,
            "rule \"%s\" is wrong: %" PRIu64 " of %" PRIu64 " integers are a step off, over all "
            "graphs", r->name, n->steps, n->elements);
}

/* How often each condition turned a match down. */
static void tell_conditions(const struct judge_rule_report *r, struct buf *out) {
    for (uint32_t i = 0; i < r->rule->nwhere; i++) {
        struct span at = r->rule->where[i]->at;
        buf_printf(out, "%12u false, %u unknown: ", r->failed[i], r->unknown[i]);
        for (uint32_t k = at.begin; at.source && k < at.end; k++) {
            char c = at.source->text[k];
            if (c != '\n' && (c != ' ' || at.source->text[k - 1] != ' ')) buf_putc(out, c);
        }
        buf_putc(out, '\n');
    }
}

static void tell(struct session *s, const struct judge_rule_report *r, struct buf *out) {
    if (s->options.verbosity < 0) return;
    buf_printf(out, "%-4s  %-24s %5u compared, %u applied, %u refused, %u made",
               r->wrong ? "FAIL" : r->compared ? "ok" : "none", r->rule->name, r->compared,
               r->applied, r->refused, r->made);
    if (r->broken) buf_printf(out, ", %u not for ONNX Runtime", r->broken);
    if (r->empty) buf_printf(out, ", %u refused without elements", r->empty);
    if (r->silent) buf_printf(out, ", %u without a number", r->silent);
    buf_printf(out, "; largest error %.2g\n", r->error);
    if (s->options.verbosity > 0) tell_conditions(r, out);
}

static struct judge_rule_options options_of(const struct session *s, struct judge *j,
                                            const struct rule *r,
                                            const struct rule *maker) {
    const struct rule_pack *pack = r->pack;
    int64_t least = pack->opset_least, most = ir_schema_newest_opset("");
    if (least < LEAST_OPSET) least = LEAST_OPSET;
    if (pack->opset_most > 0 && pack->opset_most < most) most = pack->opset_most;
    return (struct judge_rule_options){
        .judge = j, .maker = maker, .natives = &s->natives, .seed = (uint64_t)s->options.seed, .seconds = SECONDS_FOR_RULE,
        .count = (uint32_t)s->options.count, .opset_least = least, .opset_most = most};
}

/* What is said with -D is true of a graph that somebody knows, not of one that is made up. */
static bool rests_on_define(const struct rule *r) {
    for (uint32_t i = 0; i < r->nexamples; i++)
        if (!r->examples[i].is_near && *r->examples[i].name) return true;
    return false;
}

void rule_try(struct session *s, struct judge *j, const struct rule_pack *pack,
              const struct rule *r, struct rule_tried *t) {
    struct judge_rule_report report;
    *t = (struct rule_tried){0};
    if (rests_on_define(r)) return;
    const struct rule_operator *staged = matched_by(r);
    const struct rule *maker = staged ? maker_of(pack, staged) : NULL;
    const struct pm_auto *alone = maker ? compile_both(s, &maker, &r)
                                        : compile_alone(s, pack, &r);
    uint32_t first = s->diags.list.len;
    if (staged && !maker)
        diag_at(&s->diags, DIAG_NOTE, r->at,
                "no rule makes \"%s\" out of operators of models, so it cannot be tried",
                staged->name);
    t->wrong = !alone;
    if (alone) {
        struct judge_rule_options o = options_of(s, j, r, maker);
        judge_test_rule(alone, r, &o, &s->arena, &report);
        bool few = judge_are_few(&report.steps, JUDGE_FEW);
        t->wrong = report.wrong || report.compared == 0 || !few;
        if (report.wrong) tell_wrong(s, r, report.wrong);
        else if (!few) tell_steps(s, r, &report.steps);
        else if (report.compared == 0)
            diag_at(&s->diags, DIAG_ERROR, r->at, "rule \"%s\" was never exercised",
                    r->name);
        else t->scarce = tell_scarce(s, &report);
        tell(s, &report, &t->out);
    }
    for (uint32_t i = first; i < s->diags.list.len; i++)
        if (s->options.verbosity >= 0 || s->diags.list.at[i].level == DIAG_ERROR)
            diag_print(&s->diags.list.at[i], &t->err);
    s->printed = s->diags.list.len;
}
