/* datafiles.c -- SPDX-License-Identifier: Apache-2.0 */
#include "ir/file/datafiles.h"

#include "ir/onnx.pb-c.h"

struct datafile {
    const char *path;
    struct os_output out;
    size_t made; /* bytes of the path that name the outermost folder made for it; 0: none */
    bool committed;
};
struct ir_datafiles {
    const struct ir_source *source;
    struct arena *a;
    struct diag_sink *diags;
    VEC(struct datafile) files;
};

/* --- what the model refers to ----------------------------------------------------- */

static void keep(const struct ir_source *s, const struct ir_tensor *t, bool *kept) {
    if (t && t->storage == IR_EXTERNAL)
        kept[intern_find(&s->locations, t->location) - 1] = true;
}

static void keep_of_graph(const struct ir_source *s, const struct ir_graph *g, bool *kept) {
    for (ir_value v = 0; v < g->values.len; v++)
        if (!ir_has(g, v, IR_IS_DEAD)) keep(s, ir_val(g, v)->tensor, kept);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        for (uint32_t i = 0; i < ir_nod(g, n)->nattr; i++) {
            const struct ir_attr *a = &ir_nod(g, n)->attr[i];
            for (uint32_t k = 0; a->tensors && k < a->n; k++) keep(s, a->tensors[k], kept);
        }
}

/* Messages that are written as they were read may have tensors that the graph has not. */
static bool has_unread(const struct ir_model *m) {
    bool unread = m->has_training || m->functions.len > 0;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const Onnx__GraphProto *p = m->graphs.at[i]->proto;
        unread |= p && p->n_sparse_initializer > 0;
    }
    return unread;
}

const bool *ir_datafiles_kept(const struct ir_model *m, struct arena *a) {
    const struct ir_source *s = m->source;
    bool all = m->edits == 0 || has_unread(m);
    bool *kept = arena_zalloc(a, (size_t)s->externals.len + 1);
    for (uint32_t i = 0; all && i < s->externals.len; i++) kept[i] = true;
    for (uint32_t i = 0; !all && i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) keep_of_graph(s, m->graphs.at[i], kept);
    return kept;
}

/* --- copying ---------------------------------------------------------------------- */

static enum rw_code failed(struct ir_datafiles *d, const char *path) {
    diag_where(d->diags, DIAG_ERROR, path, "cannot be written: %s", os_error());
    return RW_OUTPUT;
}

static bool same_contents(const struct os_file *x, const struct os_file *y) {
    enum { BLOCK = 1 << 16 };
    bool same = x->stamp.size == y->stamp.size;
    char *p = malloc(BLOCK), *q = malloc(BLOCK);
    if (!p || !q) rw_out_of_memory();
    for (uint64_t at = 0; same && at < x->stamp.size;) {
        uint64_t data = os_next_data(x, at), other = os_next_data(y, at);
        at = data < other ? data : other; /* both are holes before */
        uint64_t left = x->stamp.size - at;
        size_t n = left < BLOCK ? (size_t)left : BLOCK;
        same = os_read_at(x->fd, at, p, n) && os_read_at(y->fd, at, q, n) &&
               memcmp(p, q, n) == 0;
        at += n;
    }
    free(p);
    free(q);
    return same;
}

static enum rw_code check_existing(struct ir_datafiles *d, const struct os_file *in,
                                   const struct os_file *there, const char *path) {
    if (os_same_file(&in->stamp, &there->stamp) || same_contents(in, there)) return RW_OK;
    diag_where(d->diags, DIAG_ERROR, path,
               "external data of the model would replace a file with other contents");
    diag_where(d->diags, DIAG_HELP, path,
               "write to another folder, or move this file away");
    return RW_OUTPUT;
}

static enum rw_code copy_new(struct ir_datafiles *d, const struct os_file *in,
                             const char *path) {
    struct datafile f = {.path = path};
    bool made = os_make_folders(path, &f.made);
    if (!made || !os_create(path, &f.out)) {
        enum rw_code code = failed(d, path);
        os_remove_folders(path, f.made);
        return code;
    }
    vec_push(d->a, &d->files, f);
    return os_copy(f.out.fd, in) ? RW_OK : failed(d, path);
}

static enum rw_code copy_file(struct ir_datafiles *d, const char *location,
                              const char *folder) {
    struct os_file in, there;
    const char *path = arena_printf(d->a, "%s/%s", folder, location);
    if (os_open_within(d->source->folder, location, &in) != OS_WITHIN) {
        diag_where(d->diags, DIAG_ERROR, path,
                   "external data \"%s\" cannot be read any more", location);
        return RW_OUTPUT;
    }
    bool exists = os_open(path, &there);
    enum rw_code code =
        exists ? check_existing(d, &in, &there, path) : copy_new(d, &in, path);
    os_close(&in);
    if (exists) os_close(&there);
    return code;
}

/* A model must not be written over its own data, here or where the data goes along. */
static bool is_data(const struct ir_external *e, const char *model_path) {
    const char *location = e->location;
    struct os_stamp there;
    while (location[0] == '.' && location[1] == '/') location += 2;
    return rw_streq(location, os_basename(model_path)) ||
           (os_stat(model_path, &there) && os_same_file(&there, &e->stamp));
}

static enum rw_code check_model_path(struct ir_datafiles *d, const char *model_path) {
    for (uint32_t i = 0; i < d->source->externals.len; i++) {
        if (!is_data(&d->source->externals.at[i], model_path)) continue;
        diag_where(d->diags, DIAG_ERROR, model_path,
                   "the output would replace \"%s\", external data of the model",
                   d->source->externals.at[i].location);
        return RW_OUTPUT;
    }
    return RW_OK;
}

enum rw_code ir_datafiles_copy(const struct ir_source *s, const bool *kept,
                               const char *model_path, struct arena *a,
                               struct diag_sink *diags, struct ir_datafiles **out) {
    struct ir_datafiles *d = arena_new(a, struct ir_datafiles);
    *d = (struct ir_datafiles){.source = s, .a = a, .diags = diags};
    uint32_t nkept = 0;
    for (uint32_t i = 0; i < s->externals.len; i++) nkept += kept[i];
    if (nkept > 0 && rw_streq(model_path, "-")) {
        diag_where(diags, DIAG_ERROR, s->name,
                   "external data cannot go along to standard output");
        return RW_OUTPUT;
    }
    TRY(check_model_path(d, model_path));
    char *path = os_folder(model_path);
    const char *folder = arena_strdup(a, path);
    free(path);
    struct os_stamp from, to;
    if (os_stat(s->folder, &from) && os_stat(folder, &to) && os_same_file(&from, &to))
        return RW_OK;
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; code == RW_OK && i < s->externals.len; i++)
        if (kept[i]) code = copy_file(d, s->externals.at[i].location, folder);
    if (code == RW_OK) *out = d;
    else ir_datafiles_close(d, false);
    return code;
}

bool ir_datafiles_commit(struct ir_datafiles *d, bool durable) {
    for (uint32_t i = 0; d && i < d->files.len; i++) {
        if (!os_commit(&d->files.at[i].out, durable)) return false;
        d->files.at[i].committed = true;
    }
    return true;
}

void ir_datafiles_close(struct ir_datafiles *d, bool keep) {
    for (uint32_t i = 0; d && !keep && i < d->files.len; i++) {
        struct datafile *f = &d->files.at[i];
        if (f->committed) os_remove(f->path);
        else os_abandon(&f->out);
        os_remove_folders(f->path, f->made);
    }
}
