/* packs.c -- finding and loading rule packs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/packs.h"
#include "api/paths.h"
#include "cli/cli.h"
#include "lint/lint.h"

static const char *const standard[] = {"auto.rules"};

/* What asks for the text of rules reads files, in which messages point. */
static const struct api_images no_images;

const struct rule_pack *const *packs_load(struct session *s, uint32_t n,
                                          const char *const *names) {
    struct dsl_paths paths = api_paths(&s->arena);
    if (n == 0) n = 1, names = standard;
    const struct rule_pack **packs =
        arena_new_array(&s->arena, const struct rule_pack *, n);
    return api_load_packs(&s->arena, &no_images, n, names, &paths, &s->diags, packs) ? packs
                                                                                     : NULL;
}

enum rw_code packs_check_rule(struct session *s, uint32_t n, const struct rule_pack *const *packs) {
    const char *wanted = s->options.rule;
    VEC(const char *) names = {0};
    for (uint32_t i = 0; wanted && i < n; i++)
        for (uint32_t k = 0; k < packs[i]->nrules; k++) {
            if (rw_streq(packs[i]->rules[k]->name, wanted)) return RW_OK;
            vec_push(&s->arena, &names, packs[i]->rules[k]->name);
        }
    if (!wanted) return RW_OK;
    const char *near = diag_nearest(wanted, names.at, names.len);
    return session_usage(s, "no rule \"%s\" in these packs%s%s%s", wanted,
                         near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

const struct pm_auto *packs_compile(struct session *s, uint32_t n,
                                    const struct rule_pack *const *packs) {
    struct dsl_paths paths = api_paths(&s->arena);
    return api_compile(&s->arena, &no_images, packs, n, &paths, &s->diags);
}

/* The packs of plug-ins, but for those that raise models. */
static void name_plugin_packs(struct session *s, const struct api_images *images) {
    for (uint32_t i = 0; i < images->nplugins; i++) {
        const struct cg_image *image = images->list.at[i];
        for (uint32_t k = 0; k < image->npacks; k++)
            if (!image->packs[k]->raises_opset)
                vec_push(&s->arena, &s->options.packs, image->packs[k]->source->name);
    }
}

/* Compiled packs and predicates, loaded once; NULL after an error. */
static struct api_images *images_of(struct session *s) {
    const struct options *o = &s->options;
    if (s->images) return s->images;
    struct api_images *images = arena_new(&s->arena, struct api_images);
    api_images_init(images, &s->arena);
    for (uint32_t i = 0; i < o->plugins.len; i++)
        if (api_add_plugin(images, &s->arena, o->plugins.at[i], &s->diags) != RW_OK)
            return NULL;
    return s->images = images;
}

const struct pm_natives *packs_natives(struct session *s, const struct pm_auto *rules) {
    const struct api_images *images = images_of(s);
    if (!images) return NULL;
    s->natives = (struct pm_natives){images->natives.len, images->natives.at};
    return pm_check_natives(rules, &s->natives, &s->diags) == RW_OK ? &s->natives : NULL;
}

const struct pm_auto *packs_for_run(struct session *s) {
    struct dsl_paths paths = api_paths(&s->arena);
    struct options *o = &s->options;
    const struct api_images *images = images_of(s);
    if (!images) return NULL;
    if (o->packs.len == 0) name_plugin_packs(s, images);
    uint32_t n = o->packs.len ? o->packs.len : 1;
    uint32_t first = s->diags.list.len;
    const struct rule_pack **packs =
        arena_new_array(&s->arena, const struct rule_pack *, n);
    if (!api_load_packs(&s->arena, images, n, o->packs.len ? o->packs.at : standard,
                        &paths, &s->diags, packs))
        return NULL;
    const struct pm_auto *rules = api_compile(&s->arena, images, packs, n, &paths, &s->diags);
    for (uint32_t i = 0; rules && i < n; i++) {
        if (api_is_compiled(images, packs[i])) continue;
        lint_allow(packs[i], false, &s->diags, first); /* of what reading it said */
        lint_briefly(packs[i], &s->diags);
    }
    return rules;
}

struct pm_options packs_run_options(const struct options *o,
                                    const struct pm_natives *natives) {
    return (struct pm_options){
        .target = o->target, .level = o->level, .opset = o->opset,
        .keep_opset = o->keep_opset, .inline_functions = o->inline_functions,
        .verify = o->verify, .fold_limit = o->fold_limit ? o->fold_limit : 1,
        .ndefines = o->defines.len, .defines = o->defines.at, .natives = natives};
}
