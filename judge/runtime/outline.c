/* outline.c -- what the runtime makes of a model, told from what it saves of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "judge/runtime/value.h"

struct outline {
    const struct ir_graph *g;
    struct map number; /* of a value: in the order in which nodes use them */
    uint32_t next;
    uint64_t hash;
};

static void join(struct outline *o, uint64_t x) { o->hash = hash_join(o->hash, x); }
static void join_bytes(struct outline *o, const void *p, size_t len) {
    join(o, len);
    o->hash = hash_bytes(p, len, o->hash);
}
static void join_text(struct outline *o, const char *text) {
    join_bytes(o, text, strlen(text));
}

/* Constants go by type: which numbers they hold takes no time. */
static void join_tensor(struct outline *o, const struct ir_tensor *t) {
    join(o, (uint64_t)t->dtype);
    join_bytes(o, t->dims, t->rank * sizeof *t->dims);
}

static void join_value(struct outline *o, ir_value v) {
    if (v == IR_NONE) {
        join(o, UINT64_MAX);
        return;
    }
    uint32_t known = map_get(&o->number, v);
    if (known == MAP_NONE) {
        const struct ir_tensor *t = ir_val(o->g, v)->tensor;
        known = o->next++;
        map_put(&o->number, v, known);
        if (t) join_tensor(o, t);
    }
    join(o, known);
}

static void join_attr(struct outline *o, const struct ir_attr *x) {
    join_text(o, x->name);
    join(o, (uint64_t)x->type);
    switch (x->type) {
    case IR_ATTR_INT: join(o, (uint64_t)x->i); break;
    case IR_ATTR_FLOAT: join_bytes(o, &x->f, sizeof x->f); break;
    case IR_ATTR_STRING: join_bytes(o, x->s.at, x->s.len); break;
    case IR_ATTR_INTS: join_bytes(o, x->ints, x->n * sizeof *x->ints); break;
    case IR_ATTR_FLOATS: join_bytes(o, x->floats, x->n * sizeof *x->floats); break;
    default: join(o, x->n); /* bodies are graphs of their own */
    }
}

static void join_graph(struct outline *o, const struct ir_graph *g, struct arena *a) {
    o->g = g;
    o->next = 0;
    map_init(&o->number, a);
    for (uint32_t i = 0; i < g->inputs.len; i++) join_value(o, g->inputs.at[i]);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        const struct ir_node_info *x = ir_nod(g, n);
        join_text(o, ir_op_name(g, n));
        join_text(o, ir_domain_name(g, n));
        for (uint32_t i = 0; i < x->nin; i++) join_value(o, ir_input(g, n, i));
        for (uint32_t i = 0; i < x->nout; i++) join_value(o, ir_output(g, n, i));
        for (uint32_t i = 0; i < x->nattr; i++) join_attr(o, &x->attr[i]);
    }
}

static const char *read_outline(const char *path, const struct judge_model *m,
                                struct arena *a, uint64_t *out) {
    struct diag_sink unheard;
    struct os_file file;
    struct outline o = {0};
    diag_init(&unheard, a);
    if (!os_open(path, &file)) return arena_strdup(a, os_error());
    const void *bytes = os_map(&file);
    size_t len = (size_t)file.stamp.size;
    struct ir_model *saved =
        bytes ? ir_model_read_bytes(a, bytes, len, path, m->folder, &unheard) : NULL;
    for (uint32_t i = 0; saved && i < saved->graphs.len; i++)
        join_graph(&o, saved->graphs.at[i], a);
    *out = o.hash;
    if (saved) ir_model_close(saved);
    os_close(&file);
    return saved ? NULL : "what the runtime saved cannot be read";
}

/* The runtime writes what it has made of the model to a path: here to a file without a name. */
const char *judge_runtime_outline(struct runtime *r, const struct judge_model *m,
                                  struct arena *a, uint64_t *out) {
    struct runtime_session s;
    int fd = os_nameless();
    if (fd < 0) return arena_strdup(a, os_error());
    const char *path = arena_printf(a, "/proc/self/fd/%d", fd);
    const char *why = judge_runtime_failed(r, r->api.set_saved_path(r->options, path), a);
    if (!why) why = judge_runtime_load(r, m, a, &s);
    if (!why) {
        judge_runtime_unload(r, &s);
        why = read_outline(path, m, a, out);
    }
    const char *reset = judge_runtime_failed(r, r->api.set_saved_path(r->options, ""), a);
    if (!why) why = reset;
    os_close(&(struct os_file){.fd = fd});
    return why;
}
