/* tune_variant.c -- models that are made in one way or another, and given to the runtime.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/tune_impl.h"
#include "base/os.h"

static enum rw_code rewrite(struct api_tune *t, const struct tune_state *s,
                            struct diag_sink *diags, struct tune_variant *v,
                            struct ir_model *m) {
    struct pm_options o = *t->options;
    o.target = s->target;
    o.forbidden = s->forbidden;
    o.nforbidden = s->nforbidden;
    TRY(api_prepare(m, o.verify, diags));
    TRY(api_rewrite(t->rules, m, &o, &v->arena, &v->report, diags));
    v->nodes = v->report.nodes_after;
    v->optimisers = tune_optimisers_for(m);
    return judge_model_shared(m, &v->arena, diags, &v->model);
}

/* As users have it: the file, where it is one. */
static enum rw_code take_original(struct api_tune *t, struct diag_sink *diags,
                                  struct tune_variant *v) {
    struct os_stamp stamp;
    const char *name = ir_model_name(t->original);
    uint64_t size = ir_model_file_size(t->original);
    v->nodes = t->nodes;
    v->optimisers = tune_optimisers_for(t->original);
    if (size == 0 || !os_stat(name, &stamp) || stamp.size != size)
        return judge_model_of(t->original, &v->arena, diags, &v->model);
    v->model = (struct judge_model){.path = name};
    return RW_OK;
}

enum rw_code tune_build(struct api_tune *t, const struct tune_state *s,
                        struct diag_sink *diags, struct tune_variant *out) {
    *out = (struct tune_variant){.arena = ARENA_EMPTY, .state = *s};
    if (s->original) return take_original(t, diags, out);
    struct ir_model *m = ir_model_reread(&out->arena, t->original, diags);
    if (!m) return RW_FORMAT;
    enum rw_code code = rewrite(t, s, diags, out, m);
    ir_model_close(m);
    return code;
}

void tune_drop(struct tune_variant *v) { arena_free(&v->arena); }

bool tune_same(const struct tune_variant *a, const struct tune_variant *b) {
    const struct judge_model *x = &a->model, *y = &b->model;
    bool paths = x->path && y->path && rw_streq(x->path, y->path);
    bool bytes = !x->path && !y->path && x->len == y->len &&
                 memcmp(x->bytes, y->bytes, x->len) == 0;
    const char *p = a->state.disabled, *q = b->state.disabled;
    return (paths || bytes) && (p && q ? rw_streq(p, q) : p == q);
}
