/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/rule_kit.h"

static const struct rule_pack *parse(struct kit *k, const char *name, const char *text) {
    struct diag_source *s = arena_new(&k->arena, struct diag_source);
    *s = (struct diag_source){name, arena_strdup(&k->arena, text), strlen(text)};
    return dsl_parse(&k->arena, s, &(struct dsl_paths){0}, &k->diags);
}

void kit_open(struct kit *k, const char *rules, const char *opset, const char *model) {
    *k = (struct kit){.options = {.target = TARGET_ORT, .level = CLASS_FLOAT}};
    diag_init(&k->diags, &k->arena);
    const struct rule_pack *packs[2] = {parse(k, "test.rules", rules), NULL};
    if (opset) packs[1] = parse(k, "opset.rules", opset);
    struct diag_source *s = arena_new(&k->arena, struct diag_source);
    *s = (struct diag_source){"model.txt", arena_strdup(&k->arena, model), strlen(model)};
    k->model = ir_text_parse(&k->arena, s, &k->diags);
    k->pack = packs[0];
    if (packs[0] && (packs[1] || !opset))
        k->rules = pm_compile(&k->arena, packs, opset ? 2 : 1, &k->diags);
    if (k->model && ir_infer_model(k->model, &k->diags) != RW_OK) k->model = NULL;
    k->code = k->rules && k->model ? RW_OK : RW_USAGE;
}

void kit_run(struct kit *k) {
    if (k->code != RW_OK) return;
    k->code = pm_run(k->rules, k->model, &k->options, &k->arena, &k->report, &k->diags);
    for (uint32_t i = 0; i < k->model->graphs.len; i++)
        if (ir_graph_is_live(k->model->graphs.at[i]))
            if (!ir_graph_check(k->model->graphs.at[i], &k->diags)) k->code = RW_WRONG;
}

static const char *keep(struct kit *k, struct buf *b) {
    const char *text = arena_strdup(&k->arena, buf_text(b));
    buf_free(b);
    return text;
}

const char *kit_messages(struct kit *k) {
    struct buf b = {0};
    diag_print_all(&k->diags, DIAG_NOTE, &b);
    return keep(k, &b);
}

const char *kit_nodes(struct kit *k) {
    if (k->code != RW_OK) return kit_messages(k);
    struct buf b = {0};
    const struct ir_graph *g = k->model->main;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        ir_text_print_node(g, n, &b);
        buf_putc(&b, '\n');
    }
    return keep(k, &b);
}

uint32_t kit_count(const struct kit *k, const char *rule) {
    for (uint32_t i = 0; i < k->report.rules.len; i++)
        if (rw_streq(k->report.rules.at[i].rule->name, rule))
            return k->report.rules.at[i].count;
    return 0;
}

uint32_t kit_refused(const struct kit *k, const char *rule) {
    for (uint32_t i = 0; i < k->report.rules.len; i++)
        if (rw_streq(k->report.rules.at[i].rule->name, rule))
            return k->report.rules.at[i].refused;
    return 0;
}

void kit_close(struct kit *k) { arena_free(&k->arena); }

const char *kit_rewrite(const char *rules, const char *model) {
    static char text[8192];
    struct kit k;
    kit_open(&k, rules, NULL, model);
    kit_run(&k);
    const char *nodes = kit_nodes(&k);
    size_t len = strlen(nodes);
    if (len >= sizeof text) len = sizeof text - 1;
    memcpy(text, nodes, len);
    text[len] = 0;
    kit_close(&k);
    return text;
}
