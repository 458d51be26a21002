/* onnxrw.c -- the installed interface, over the headers of the folders.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "include/onnxrw.h"

#include "api/packs.h"
#include "api/paths.h"
#include "api/rewrite.h"

/* Each object lives in its own arena. */
struct onnxrw_rules {
    struct arena arena;
    struct diag_sink diags;
    const struct pm_auto *compiled;
    const char *messages;
};
struct onnxrw_model {
    struct arena arena;
    struct diag_sink diags;
    struct ir_model *model; /* NULL: it could not be read */
    bool prepared;
    enum rw_code code; /* of preparing */
    struct pm_report report;
};

_Static_assert((int)ONNXRW_OUTPUT == (int)RW_OUTPUT, "statuses are the codes of base.h");

static enum onnxrw_status status_of(enum rw_code code) { return (enum onnxrw_status)code; }

static const char *all_messages(const struct diag_sink *diags, struct arena *a) {
    struct buf text = {0};
    diag_print_all(diags, DIAG_WARNING, &text);
    const char *kept = arena_strndup(a, buf_text(&text), text.len);
    buf_free(&text);
    return kept;
}

const char *onnxrw_version(void) { return ONNXRW_VERSION; }

/* --- rules -------------------------------------------------------------------------- */

static const struct pm_auto *compile(struct onnxrw_rules *r, const char *const *names,
                                     size_t n) {
    struct dsl_paths paths = api_paths(&r->arena);
    struct api_images images;
    const struct rule_pack **packs =
        arena_new_array(&r->arena, const struct rule_pack *, n);
    api_images_init(&images, &r->arena);
    if (!api_load_packs(&r->arena, &images, (uint32_t)n, names, &paths, &r->diags, packs))
        return NULL;
    return api_compile(&r->arena, &images, packs, (uint32_t)n, &paths, &r->diags);
}

enum onnxrw_status onnxrw_load_rules(const char *const *packs, size_t npacks,
                                     struct onnxrw_rules **out) {
    static const char *const standard[] = {"auto.rules"};
    struct arena own = ARENA_EMPTY;
    struct onnxrw_rules *r = arena_new(&own, struct onnxrw_rules);
    r->arena = own;
    diag_init(&r->diags, &r->arena);
    r->compiled = npacks ? compile(r, packs, npacks) : compile(r, standard, 1);
    r->messages = all_messages(&r->diags, &r->arena);
    *out = r;
    return r->compiled ? ONNXRW_OK : ONNXRW_USAGE;
}

const char *onnxrw_rules_messages(const struct onnxrw_rules *rules) {
    return rules->messages;
}

void onnxrw_free_rules(struct onnxrw_rules *rules) {
    if (!rules) return;
    struct arena own = rules->arena; /* it holds the object itself */
    arena_free(&own);
}

/* --- models ------------------------------------------------------------------------- */

enum onnxrw_status onnxrw_read(const char *path, struct onnxrw_model **out) {
    struct arena own = ARENA_EMPTY;
    struct onnxrw_model *m = arena_new(&own, struct onnxrw_model);
    m->arena = own;
    diag_init(&m->diags, &m->arena);
    m->model = ir_model_read(&m->arena, path, &m->diags);
    *out = m;
    return m->model ? ONNXRW_OK : ONNXRW_FORMAT;
}

static const struct onnxrw_options standard_options = ONNXRW_OPTIONS;

/* The options of a caller that may have been compiled with an older, shorter struct. */
static struct onnxrw_options options_of(const struct onnxrw_options *given) {
    struct onnxrw_options o = standard_options;
    if (given) memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

static struct pm_options run_options(struct arena *a, const struct onnxrw_options *o) {
    static const uint32_t targets[] = {TARGET_ORT, TARGET_ORT_CPU, TARGET_ORT_CUDA,
                                       TARGET_ONNX};
    static const enum rule_class levels[] = {CLASS_EXACT, CLASS_FLOAT, CLASS_APPROX};
    struct pm_define *defines = arena_new_array(a, struct pm_define, o->ndefines);
    for (size_t i = 0; i < o->ndefines; i++)
        defines[i] = (struct pm_define){o->defines[2 * i], o->defines[2 * i + 1]};
    return (struct pm_options){
        .target = targets[(size_t)o->target < countof(targets) ? o->target : ONNXRW_ORT],
        .level = levels[(size_t)o->level < countof(levels) ? o->level : ONNXRW_FLOAT],
        .opset = o->opset, .keep_opset = o->keep_opset != 0,
        .inline_functions = o->inline_functions != 0, .verify = PM_VERIFY_STRUCTURE,
        .ndefines = (uint32_t)o->ndefines, .defines = defines};
}

static enum onnxrw_status nothing_to_use(struct onnxrw_model *m) {
    diag_where(&m->diags, DIAG_ERROR, NULL, "the %s could not be loaded before",
               m->model ? "rules" : "model");
    return ONNXRW_USAGE;
}

enum onnxrw_status onnxrw_run(struct onnxrw_model *model, const struct onnxrw_rules *rules,
                              const struct onnxrw_options *options) {
    struct onnxrw_options given = options_of(options);
    if (!model->model || !rules->compiled) return nothing_to_use(model);
    struct pm_options o = run_options(&model->arena, &given);
    if (!model->prepared)
        model->code = api_prepare(model->model, o.verify, &model->diags);
    model->prepared = true;
    model->report = (struct pm_report){0};
    if (model->code != RW_OK) return status_of(model->code);
    pm_check_natives(rules->compiled, NULL, &model->diags); /* a library loads no plug-ins */
    return status_of(api_rewrite(rules->compiled, model->model, &o, &model->arena,
                                 &model->report, &model->diags));
}

enum onnxrw_status onnxrw_write(struct onnxrw_model *model, const char *path,
                                const struct onnxrw_options *options) {
    struct onnxrw_options given = options_of(options);
    struct ir_write_options o = {
        .weights = given.share_weights ? IR_WEIGHTS_SHARE : IR_WEIGHTS_COPY,
        .durable = given.durable != 0};
    if (!model->model) return nothing_to_use(model);
    return status_of(ir_model_write(model->model, path, &o, &model->diags));
}

const char *onnxrw_messages(struct onnxrw_model *model) {
    return all_messages(&model->diags, &model->arena);
}

const char *onnxrw_text(struct onnxrw_model *model) {
    struct buf text = {0};
    if (model->model) ir_text_print(model->model, &(struct ir_text_options){0}, &text);
    const char *kept = arena_strndup(&model->arena, buf_text(&text), text.len);
    buf_free(&text);
    return kept;
}

size_t onnxrw_nodes(const struct onnxrw_model *model) {
    const struct ir_model *m = model->model;
    size_t n = 0;
    for (uint32_t i = 0; m && i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) n += m->graphs.at[i]->live;
    return n;
}

const char *onnxrw_applied(const struct onnxrw_model *model, size_t i, size_t *times) {
    for (uint32_t k = 0; k < model->report.rules.len; k++) {
        const struct pm_applied *x = &model->report.rules.at[k];
        if (x->count == 0 || i-- > 0) continue;
        if (times) *times = x->count;
        return x->rule->name;
    }
    return NULL;
}

void onnxrw_free_model(struct onnxrw_model *model) {
    if (!model) return;
    if (model->model) ir_model_close(model->model);
    struct arena own = model->arena; /* it holds the object itself */
    arena_free(&own);
}
