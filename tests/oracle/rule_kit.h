/* rule_kit.h -- rules and models as text, for tests of the matcher.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef RULE_KIT_H
#define RULE_KIT_H

#include "dsl/dsl.h"
#include "matcher/matcher.h"

/* A pack and a model, and what became of it. */
struct kit {
    struct arena arena;
    struct diag_sink diags;
    const struct rule_pack *pack; /* the first one */
    const struct pm_auto *rules;
    struct ir_model *model;
    struct pm_options options;
    struct pm_report report;
    enum rw_code code;
};
/* rules: the text of a pack; a second one may follow in `opset`, or NULL. */
void kit_open(struct kit *k, const char *rules, const char *opset, const char *model);
void kit_run(struct kit *k);
/* The nodes of the main graph, one a line; lives as long as the kit. */
const char *kit_nodes(struct kit *k);
/* All diagnostics as text. */
const char *kit_messages(struct kit *k);
/* Times that a rule was applied, or refused. */
uint32_t kit_count(const struct kit *k, const char *rule);
uint32_t kit_refused(const struct kit *k, const char *rule);
void kit_close(struct kit *k);

/* Runs the rules over the model; the nodes afterwards, or the messages. The text is kept
 * until the next call. */
const char *kit_rewrite(const char *rules, const char *model);
/* The model's opset and options by a kit that is open. */
#define KIT_OPSET(version) "<ir_version: 8, opset_import: [\"\" : " #version "]>\n"

#endif
