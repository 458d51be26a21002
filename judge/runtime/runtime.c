/* runtime.c -- loading the library and models.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/library.h"
#include "judge/runtime/runtime.h"
#include "judge/runtime/value.h"

const char *judge_runtime_failed(struct runtime *r, ort_result status, struct arena *a) {
    if (!status) return NULL;
    const char *text = arena_strdup(a, r->api.error_message(status));
    r->api.release_status(status);
    return text;
}

/* Positions as ort_api.h has them; a table entry is a function as a data pointer. */
static void read_table(struct ort_api *api, const void *const *table) {
#define X(position, name, result, args)                                                    \
    memcpy(&api->name, &table[position], sizeof api->name);
    ORT_FUNCTIONS(X)
#undef X
}

static const char *open_library(struct runtime *r, const char *path, struct arena *a) {
    static const char *const known[] = {"libonnxruntime.so.1", "libonnxruntime.so"};
    const char *why = NULL;
    const struct ort_base *(*entry)(void) = NULL;
    void *at = path ? library_function(path, ORT_ENTRY, &why) : NULL;
    for (size_t i = 0; !path && !at && i < countof(known); i++)
        at = library_function(known[i], ORT_ENTRY, &why);
    if (!at) return arena_strdup(a, why);
    memcpy(&entry, &at, sizeof entry);
    const struct ort_base *base = entry();
    const void *const *table = base->get_api(ORT_API_WANTED);
    r->version = arena_strdup(a, base->get_version());
    if (!table)
        return arena_printf(a, "version %s is too old: " ORT_OLDEST " or newer is needed",
                            r->version);
    read_table(&r->api, table);
    return NULL;
}

/* No optimisation, no threads that spin, no memory kept between runs. */
static ort_result set_plain(struct runtime *r) {
    const struct ort_api *o = &r->api;
    ort_result status = o->set_optimisation(r->options, ORT_NO_OPTIMISATION);
    if (!status) status = o->disable_arena(r->options);
    if (!status) status = o->set_config(r->options, "session.intra_op.allow_spinning", "0");
    return status;
}

/* As it is deployed, but for what is left out. */
static ort_result set_optimised(struct runtime *r, const char *disabled) {
    const struct ort_api *o = &r->api;
    ort_result status = o->set_optimisation(r->options, ORT_ALL_OPTIMISATIONS);
    if (!status && disabled) status = o->set_config(r->options, JUDGE_DISABLE, disabled);
    return status;
}

static ort_result set_options(struct runtime *r, const struct worker_options *w) {
    const struct ort_api *o = &r->api;
    ort_result status = o->create_options(&r->options);
    if (!status) status = o->set_intra_threads(r->options, (int)w->threads);
    if (!status) status = o->set_inter_threads(r->options, 1);
    if (!status) status = o->set_log_level(r->options, ORT_LOG_FATAL);
    if (!status) status = w->optimise ? set_optimised(r, w->disabled) : set_plain(r);
    return status;
}

const char *judge_runtime_open(struct runtime *r, const struct worker_options *w,
                               struct arena *a) {
    const char *why = open_library(r, w->library, a);
    if (why) return why;
    const struct ort_api *o = &r->api;
    ort_result status = o->create_env(ORT_LOG_FATAL, "onnxrw", &r->env);
    if (!status) status = set_options(r, w);
    if (!status)
        status = o->cpu_memory(ORT_DEVICE_ALLOCATOR, ORT_MEMORY_DEFAULT, &r->memory);
    if (!status) status = o->default_allocator(&r->allocator);
    return judge_runtime_failed(r, status, a);
}

static ort_result create(struct runtime *r, const struct judge_model *m,
                         struct ort_session **out) {
    if (m->path) return r->api.create_session(r->env, m->path, r->options, out);
    const char *folder = m->folder ? m->folder : "";
    ort_result status = r->api.set_config(
        r->options, "session.model_external_initializers_file_folder_path", folder);
    if (status) return status;
    return r->api.create_session_from_array(r->env, m->bytes, m->len, r->options, out);
}

static ort_result name_outputs(struct runtime *r, struct runtime_session *s) {
    size_t n = 0;
    char *name;
    ort_result status = r->api.output_count(s->at, &n);
    s->outputs = arena_new_array(&s->arena, const char *, n + 1);
    while (!status && s->noutputs < n) {
        status = r->api.output_name(s->at, s->noutputs, r->allocator, &name);
        if (status) break;
        s->outputs[s->noutputs++] = arena_strdup(&s->arena, name);
        status = r->api.free_with(r->allocator, name);
    }
    return status;
}

const char *judge_runtime_load(struct runtime *r, const struct judge_model *m,
                               struct arena *a, struct runtime_session *out) {
    *out = (struct runtime_session){0};
    ort_result status = create(r, m, &out->at);
    if (!status) status = name_outputs(r, out);
    if (status && out->at) judge_runtime_unload(r, out);
    return judge_runtime_failed(r, status, a);
}

void judge_runtime_unload(struct runtime *r, struct runtime_session *s) {
    r->api.release_session(s->at);
    arena_free(&s->arena);
    *s = (struct runtime_session){0};
}
