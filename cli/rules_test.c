/* rules_test.c -- onnxrw rules test: examples and near misses.
 *
 * An example is a graph in ONNX text. The pack that the rule comes from is run on it, for
 * the rule's own target; an example holds when the rule was applied and the operator that
 * it names is then there as often as it says, a near miss when the rule was not applied.
 * Rules that raise opsets run when a model is raised, so for them it is. Behind them come
 * graphs that are generated (rules_try.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/rewrite.h"
#include "cli/rules.h"
#include "cli/rules_try.h"

#include <stdio.h>

struct tests {
    struct session *s;
    const struct pm_auto *rules;
    uint32_t run, failed, without;
};

static int64_t count_in_graph(const struct ir_graph *g, const char *domain,
                              const char *op) {
    int64_t n = 0;
    for (ir_node x = g->first; x != IR_NONE; x = ir_nod(g, x)->next)
        n += rw_streq(ir_op_name(g, x), op) &&
             (!domain || rw_streq(ir_domain_name(g, x), domain));
    return n;
}

/* Nodes of an operator in all graphs of the model: "domain.Op", or "Op" of any domain. */
static int64_t count_op(struct arena *a, const struct ir_model *m, const char *name) {
    const char *dot = strrchr(name, '.');
    const char *domain = dot ? arena_strndup(a, name, (size_t)(dot - name)) : NULL;
    int64_t n = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i]))
            n += count_in_graph(m->graphs.at[i], domain, dot ? dot + 1 : name);
    return n;
}

uint32_t rules_applied(const struct pm_report *r, const struct rule *rule) {
    for (uint32_t i = 0; i < r->rules.len; i++)
        if (rw_streq(r->rules.at[i].rule->name, rule->name)) return r->rules.at[i].count;
    return 0;
}

/* The rewritten graph behind the message, so that one sees what did happen. */
static void show(struct session *s, const struct ir_model *m) {
    struct buf text = {0};
    ir_text_print(m, &(struct ir_text_options){0}, &text);
    diag_where(&s->diags, DIAG_NOTE, NULL, "the result is\n%s", buf_text(&text));
    buf_free(&text);
}

static bool judge(struct tests *t, const struct rule *r, const struct rule_example *e,
                  const struct ir_model *m, const struct pm_report *report) {
    struct diag_sink *diags = &t->s->diags;
    uint32_t applied = rules_applied(report, r);
    int64_t n = e->is_near ? 0 : count_op(&t->s->arena, m, e->expects);
    if (e->is_near && applied == 0) return true;
    if (!e->is_near && applied > 0 && n == e->count) return true;
    if (!e->is_near && applied == 0)
        diag_at(diags, DIAG_ERROR, e->graph, "rule \"%s\" does not apply to its example",
                r->name);
    else if (e->is_near)
        diag_at(diags, DIAG_ERROR, e->graph, "rule \"%s\" applies to its near miss \"%s\"",
                r->name, e->name);
    else
        diag_at(diags, DIAG_ERROR, e->graph,
                "example of \"%s\": %" PRId64 " nodes of \"%s\" afterwards, wanted %" PRId64,
                r->name, n, e->expects, e->count);
    show(t->s, m);
    return false;
}

static struct pm_options options_for(const struct session *s, const struct rule *r) {
    return (struct pm_options){
        .target = r->targets & TARGET_ONNX ? TARGET_ONNX : r->targets,
        .level = r->class > CLASS_FLOAT ? r->class : CLASS_FLOAT,
        .opset = r->pack->raises_opset ? r->requires_opset : 0,
        .verify = PM_VERIFY_STRUCTURE,
        .natives = &s->natives};
}

/* The parameter that an example gives, as -D does. */
static void define(struct session *s, const struct rule_example *e, struct pm_options *o) {
    const char *equals = e->is_near ? NULL : strchr(e->name, '=');
    if (!equals) return;
    struct pm_define d = {arena_strndup(&s->arena, e->name, (size_t)(equals - e->name)),
                          equals + 1};
    o->ndefines = 1;
    o->defines = arena_copy(&s->arena, &d, sizeof d);
}

struct ir_model *rules_example(struct session *s, const struct pm_auto *rules, const struct rule *r,
                               const struct rule_example *e, struct pm_report *report) {
    struct pm_options o = options_for(s, r);
    struct ir_model *m = ir_text_parse_span(&s->arena, e->graph, &s->diags);
    if (!m || api_prepare(m, o.verify, &s->diags) != RW_OK) return NULL;
    if (!rules) return m;
    define(s, e, &o);
    return api_rewrite(rules, m, &o, &s->arena, report, &s->diags) == RW_OK ? m : NULL;
}

static bool run_example(struct tests *t, const struct rule *r,
                        const struct rule_example *e) {
    struct pm_report report = {0};
    struct pm_options o = options_for(t->s, r);
    struct ir_model *m = rules_example(t->s, t->rules, r, e, &report);
    bool ok = m && judge(t, r, e, m, &report);
    if (ok && e->is_near) rules_near(t->s, t->rules, r, e, &o);
    return ok;
}

static void run_rule(struct tests *t, const struct rule *r) {
    if (t->s->options.rule && !rw_streq(r->name, t->s->options.rule)) return;
    if (r->nexamples == 0) t->without++;
    for (uint32_t i = 0; i < r->nexamples; i++) {
        bool ok = run_example(t, r, &r->examples[i]);
        t->run++;
        t->failed += !ok;
        if (t->s->options.verbosity > 0)
            printf("%s  %s%s%s\n", ok ? "ok  " : "FAIL", r->name,
                   r->examples[i].is_near ? ", near miss " : "",
                   r->examples[i].is_near ? r->examples[i].name : "");
        session_flush(t->s);
    }
}

/* Instances of the rules' own patterns. Without the runtime that judges them it is said
 * what is missing, and the examples alone decide; not where --ort names one. */
static enum rw_code run_instances(struct session *s, const char *name,
                                  const struct rule_pack *pack) {
    struct rules_tried sum;
    if (s->options.count == 0) return RW_OK;
    enum rw_code code = rules_try(s, pack, &sum);
    if (code == RW_USAGE && !s->options.ort) { /* one that was named must be there */
        for (uint32_t i = s->printed; i < s->diags.list.len; i++)
            if (s->diags.list.at[i].level == DIAG_ERROR)
                s->diags.list.at[i].level = DIAG_WARNING;
        diag_where(&s->diags, DIAG_WARNING, NULL,
                   "only examples were run: nothing judges generated graphs");
        return RW_OK;
    }
    if (s->options.verbosity >= 0 && sum.rules < pack->nrules && !s->options.rule)
        printf("%s: %u rules of used packs not tried on generated graphs (--all)\n", name,
               pack->nrules - sum.rules);
    if (s->options.verbosity >= 0 && sum.rules > 0)
        printf("%s: %u rule%s tried on generated graphs, %u wrong or never exercised; "
               "%u alternatives or sides of conditions hardly seen\n",
               name, sum.rules, plural(sum.rules), sum.wrong, sum.scarce);
    return code;
}

enum rw_code rules_test(struct session *s, const char *name) {
    const struct rule_pack *const *packs = packs_load(s, 1, &name);
    struct tests t = {.s = s};
    if (packs) TRY(packs_check_rule(s, 1, packs));
    t.rules = packs ? packs_compile(s, 1, packs) : NULL;
    bool ok = t.rules && packs_natives(s, t.rules);
    session_flush(s);
    if (!ok) return RW_USAGE;
    for (uint32_t i = 0; i < packs[0]->nrules; i++) run_rule(&t, packs[0]->rules[i]);
    if (s->options.verbosity >= 0)
        printf("%s: %u examples and near misses, %u failed; %u of %u rules have none\n",
               name, t.run, t.failed, t.without, packs[0]->nrules);
    enum rw_code code = run_instances(s, name, packs[0]);
    return t.failed ? RW_WRONG : code;
}
