/* cmd_explain.c -- onnxrw explain: why a rule did not match.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/rewrite.h"
#include "cli/explain.h"

#include <stdio.h>

#define MOST_FATES 3u
#define MOST_NAMES 2u

/* A name that was not found is an error, with one that is near. */
static enum rw_code check_names(struct session *s, const struct rule_pack *const *packs,
                                uint32_t n, const struct pm_answer *a) {
    const struct options *o = &s->options;
    TRY(packs_check_rule(s, n, packs));
    if (o->node && a->rule_known && !a->node_known)
        return (enum rw_code)session_usage(s, "no node \"%s\", and none that makes it, is "
                                           "there when the rule is tried",
                                           o->node);
    return RW_OK;
}

static enum rw_code print_answer(struct session *s, const struct pm_answer *a) {
    uint32_t most = s->options.verbosity > 0 ? UINT32_MAX : MOST_FATES;
    struct buf text = {0};
    if (s->options.json) explain_json(a, most, &text);
    else explain_text(a, most, &text);
    fputs(buf_text(&text), stdout);
    buf_free(&text);
    return RW_OK;
}

static enum rw_code explain(struct session *s, const struct pm_auto *rules,
                            struct ir_model *m, struct pm_answer *a) {
    const struct options *o = &s->options;
    const struct pm_natives *natives = packs_natives(s, rules);
    if (!natives) return RW_USAGE;
    struct pm_options run = {.target = o->target, .level = o->level, .opset = o->opset,
                             .keep_opset = o->keep_opset, .verify = o->verify,
                             .inline_functions = o->inline_functions,
                             .ndefines = o->defines.len, .defines = o->defines.at,
                             .natives = natives};
    struct pm_question q = {o->rule, o->node, o->verbosity > 0 ? UINT32_MAX : MOST_NAMES};
    TRY(api_prepare(m, o->verify, &s->diags));
    return pm_explain(rules, m, &run, &q, &s->arena, a, &s->diags);
}

static enum rw_code run(struct session *s) {
    const struct options *o = &s->options;
    uint32_t n = o->packs.len ? o->packs.len : 1;
    const struct rule_pack *const *packs = packs_load(s, o->packs.len, o->packs.at);
    const struct pm_auto *rules = packs ? packs_compile(s, n, packs) : NULL;
    if (!rules) return RW_USAGE;
    struct ir_model *m = ir_model_read(&s->arena, o->args.at[0], &s->diags);
    if (!m) return RW_FORMAT;
    struct pm_answer a;
    enum rw_code code = explain(s, rules, m, &a);
    if (code == RW_OK) code = check_names(s, packs, n, &a);
    if (code == RW_OK) code = print_answer(s, &a);
    ir_model_close(m);
    return code;
}

enum rw_code cmd_explain(struct session *s) { return run(s); }
