/* write.c -- model files: what is copied, what is packed and spliced, and that on failure
 * nothing remains.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/data.h"
#include "ir/file/datafiles.h"
#include "ir/model.h"
#include "ir/file/splice.h"
#include "ir/file/store.h"
#include "ir/where.h"

struct writer {
    struct ir_model *m;
    const struct ir_source *source; /* NULL: made in memory */
    const char *path;
    const struct ir_write_options *options;
    struct diag_sink *diags;
    struct arena a;
    const char *share;          /* location of weights that stay in the input */
    struct ir_datafiles *along; /* external data that goes along */
    struct ir_data *data;       /* tensors that leave the model, or NULL */
    struct os_output data_out;  /* ... and their file, where there are any */
};

static enum rw_code failed(struct writer *w, const char *format, ...) RW_PRINTF(2, 3);
static enum rw_code failed(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_where(w->diags, DIAG_ERROR, rw_streq(w->path, "-") ? "standard output" : w->path,
               "%s", arena_vprintf(&w->a, format, args));
    va_end(args);
    return RW_OUTPUT;
}

/* --- weights that stay in the input ----------------------------------------------- */

static bool same_folder(const char *path, const char *other) {
    char *a = os_folder(path), *b = os_folder(other);
    struct os_stamp x, y;
    bool same = os_stat(a, &x) && os_stat(b, &y) && os_same_file(&x, &y);
    free(a);
    free(b);
    return same;
}

/* Readers of ONNX look for external data beside the model, and follow no links. */
static enum rw_code share_with(struct writer *w, const char *input) {
    struct os_stamp in, out;
    if (!os_stat(input, &in) || !os_same_state(&in, &w->source->file.stamp))
        return failed(w, "--weights=share needs an input that is a file");
    if (rw_streq(w->path, "-") || !same_folder(input, w->path))
        return failed(w, "--weights=share needs an output beside the input, \"%s\"", input);
    if (os_stat(w->path, &out) && os_same_file(&in, &out))
        return failed(w, "--weights=share would replace the file that its weights are in");
    w->share = arena_strdup(&w->a, os_basename(input));
    return RW_OK;
}

static enum rw_code prepare_share(struct writer *w) {
    char *input = w->source && w->source->path ? os_resolve(w->source->path) : NULL;
    if (!input) return failed(w, "--weights=share needs an input that is a file");
    enum rw_code code = share_with(w, input);
    free(input);
    return code;
}

/* --- packing ---------------------------------------------------------------------- */

/* *size is beyond INT32_MAX where the model is too large for a file. */
static bool pack(struct writer *w, struct ir_splice *out, uint64_t *size,
                 const char **why) {
    struct ir_store s = {.m = w->m, .a = &w->a, .share = w->share, .data = w->data,
                         .types = w->options->types};
    const Onnx__ModelProto *p = ir_store_model(&s);
    size_t len = onnx__model_proto__get_packed_size(p);
    uint8_t *packed = arena_alloc(&w->a, len);
    onnx__model_proto__pack(p, packed);
    *out = (struct ir_splice){.model = w->m, .type = &onnx__model_proto__descriptor,
                              .packed = packed, .len = len, .payloads = s.payloads.at,
                              .npayloads = s.payloads.len,
                              .input = w->source ? w->source->bytes : NULL,
                              .input_fd = w->source ? w->source->file.fd : -1};
    return ir_splice_size(out, &w->a, size, why);
}

static bool is_stream(const struct writer *w) { return rw_streq(w->path, "-"); }

/* What the options ask for; a model that had external data has its new tensors there too,
 * and one that would be too large for a file all of them. */
static enum rw_code pack_as_asked(struct writer *w, struct ir_splice *out) {
    bool all = w->options->weights == IR_WEIGHTS_EXTERNAL;
    bool some = w->source && w->source->externals.len > 0;
    uint64_t size;
    const char *why;
    if (all && is_stream(w))
        return failed(w, "--weights=external needs an output with a name");
    if (all || some) w->data = ir_data_new(&w->a, w->source, w->path, all);
    if (pack(w, out, &size, &why)) return RW_OK;
    if (all || size <= INT32_MAX || is_stream(w)) return failed(w, "%s", why);
    w->data = ir_data_new(&w->a, w->source, w->path, true);
    if (!pack(w, out, &size, &why)) return failed(w, "%s", why);
    diag_where(w->diags, DIAG_WARNING, w->path,
               "a file has at most 2 GiB: the weights are in \"%s\"", w->data->location);
    return RW_OK;
}

/* --- the files -------------------------------------------------------------------- */

static bool write_spliced(struct writer *w, const struct ir_splice *splice, int fd) {
    struct ir_sink sink;
    ir_sink_open(&sink, fd);
    ir_splice_write(splice, &w->a, &sink);
    return ir_sink_close(&sink);
}

static bool copy_input(const struct writer *w, int fd) {
    const struct ir_source *s = w->source;
    return s->mapped ? os_copy(fd, &s->file) : os_write(fd, s->bytes, (size_t)s->size);
}

static const char *data_path(struct writer *w) {
    char *folder = os_folder(w->path);
    const char *path = arena_printf(&w->a, "%s/%s", folder, w->data->location);
    free(folder);
    return path;
}

static enum rw_code write_data(struct writer *w) {
    if (!w->data || w->data->items.len == 0) return RW_OK;
    const char *path = data_path(w);
    if (!os_create(path, &w->data_out))
        return failed(w, "\"%s\" cannot be written: %s", path, os_error());
    struct ir_sink sink;
    ir_sink_open(&sink, w->data_out.fd);
    bool ok = ir_data_write(w->data, w->m, &sink);
    ok = ir_sink_close(&sink) && ok;
    return ok ? RW_OK : failed(w, "\"%s\" cannot be written: %s", path, os_error());
}

static bool commit_data(struct writer *w) {
    bool durable = w->options->durable;
    return ir_datafiles_commit(w->along, durable) &&
           (w->data_out.fd < 0 || os_commit(&w->data_out, durable));
}

/* Data gets its names first: a model is never there without what it refers to. */
static enum rw_code write_output(struct writer *w, const struct ir_splice *splice) {
    struct os_output out;
    TRY(write_data(w));
    if (!os_create(w->path, &out)) return failed(w, "cannot be written: %s", os_error());
    bool ok = splice ? write_spliced(w, splice, out.fd) : copy_input(w, out.fd);
    const char *why = os_error();
    if (w->source && !ir_source_unchanged(w->source)) {
        os_abandon(&out);
        return failed(w, "\"%s\" was changed while it was read", w->source->name);
    }
    if (ok) {
        ok = commit_data(w) && os_commit(&out, w->options->durable);
        why = os_error();
    }
    if (ok) return RW_OK;
    os_abandon(&out);
    return failed(w, "cannot be written: %s", why);
}

static enum rw_code write_model(struct writer *w) {
    struct ir_splice splice;
    const struct ir_write_options *o = w->options;
    bool share = o->weights == IR_WEIGHTS_SHARE;
    bool copy = w->source && w->m->edits == 0 && o->weights == IR_WEIGHTS_COPY && !o->types;
    if (share) TRY(prepare_share(w));
    if (!copy) TRY(pack_as_asked(w, &splice));
    if (w->source && w->source->externals.len)
        TRY(ir_datafiles_copy(w->source, ir_datafiles_kept(w->m, &w->a), w->path, &w->a,
                              w->diags, &w->along));
    enum rw_code code = write_output(w, copy ? NULL : &splice);
    if (code != RW_OK) os_abandon(&w->data_out);
    ir_datafiles_close(w->along, code == RW_OK);
    return code;
}

enum rw_code ir_model_write(struct ir_model *m, const char *path,
                            const struct ir_write_options *o, struct diag_sink *diags) {
    struct writer w = {.m = m, .source = m->source, .path = path, .options = o,
                       .diags = diags, .data_out = {.fd = -1}};
    enum rw_code code = write_model(&w);
    arena_free(&w.a);
    return code;
}

const void *ir_model_bytes(const struct ir_model *m, size_t *len) {
    bool unchanged = m->source && m->edits == 0;
    *len = unchanged ? (size_t)m->source->size : 0;
    return unchanged ? m->source->bytes : NULL;
}

/* Of the input file in the folder of its external data; NULL: it is not there. */
static const char *name_in_folder(struct writer *w) {
    const struct ir_source *s = w->source;
    struct os_stamp there;
    if (!s || !s->path || !s->folder) return NULL;
    const char *name = os_basename(s->path);
    bool same = os_stat(arena_printf(&w->a, "%s/%s", s->folder, name), &there) &&
                os_same_state(&there, &s->file.stamp);
    return same ? arena_strdup(&w->a, name) : NULL;
}

static enum rw_code write_bytes(struct writer *w, struct buf *out) {
    struct ir_splice splice;
    struct ir_sink sink;
    size_t len;
    const void *unchanged = ir_model_bytes(w->m, &len);
    if (unchanged) {
        buf_add(out, unchanged, len);
        return RW_OK;
    }
    uint64_t size;
    const char *why;
    if (w->options->weights == IR_WEIGHTS_SHARE) w->share = name_in_folder(w);
    if (!pack(w, &splice, &size, &why)) return failed(w, "%s", why);
    ir_sink_open_memory(&sink, out);
    ir_splice_write(&splice, &w->a, &sink);
    return ir_sink_close(&sink) ? RW_OK : failed(w, "cannot be read: %s", os_error());
}

enum rw_code ir_model_write_bytes(struct ir_model *m, enum ir_weights weights,
                                  struct buf *out, struct diag_sink *diags) {
    const struct ir_write_options options = {.weights = weights};
    struct writer w = {.m = m, .source = m->source, .path = ir_model_name(m),
                       .options = &options, .diags = diags};
    enum rw_code code = write_bytes(&w, out);
    arena_free(&w.a);
    return code;
}
