/* npz.c -- see npz.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/npz.h"
#include "base/os.h"
#include "judge/npz/npy.h"
#include "judge/npz/zip.h"

#define INPUT "in:"
#define MOST_NAMES 8 /* that a message lists */

static enum rw_code refuse(struct diag_sink *diags, const char *path, const char *what,
                           const char *name) {
    if (name) diag_where(diags, DIAG_ERROR, path, "array \"%s\" %s", name, what);
    else diag_where(diags, DIAG_ERROR, path, "%s", what);
    return RW_FORMAT;
}

static const char *array_name(struct arena *a, const char *member) {
    size_t len = strlen(member);
    bool npy = len > 4 && rw_streq(member + len - 4, ".npy");
    return arena_strndup(a, member, npy ? len - 4 : len);
}

static bool is_input(const char *name) { return !strncmp(name, INPUT, strlen(INPUT)); }

/* Names first: whether the file marks its inputs decides what is read. */
static enum rw_code read_arrays(struct zip z, const char *path, bool marked,
                                struct arena *a, struct diag_sink *diags,
                                struct judge_values *out) {
    VEC(struct judge_value) values = {0};
    struct zip_member m;
    while (judge_zip_next(&z, a, &m) == ZIP_MEMBER) {
        const char *name = array_name(a, m.name), *why = "cannot be unpacked";
        if (marked && !is_input(name)) continue;
        const uint8_t *bytes = judge_zip_read(&m, a);
        struct ir_tensor *t = bytes ? judge_npy_read(bytes, m.size, a, &why) : NULL;
        if (!t) return refuse(diags, path, why, name);
        struct judge_value v = {.name = marked ? name + strlen(INPUT) : name, .tensor = t};
        vec_push(a, &values, v);
    }
    *out = (struct judge_values){values.at, values.len};
    return RW_OK;
}

static enum rw_code read_zip(const void *bytes, uint64_t size, const char *path,
                             struct arena *a, struct diag_sink *diags,
                             struct judge_values *out) {
    struct zip z, again;
    struct zip_member m;
    enum zip_next next;
    bool marked = false;
    if (!judge_zip_open(&z, bytes, size))
        return refuse(diags, path, "is no .npz file", NULL);
    again = z;
    while ((next = judge_zip_next(&z, a, &m)) == ZIP_MEMBER)
        if (is_input(m.name)) marked = true;
    if (next == ZIP_DAMAGED) return refuse(diags, path, "is damaged", NULL);
    return read_arrays(again, path, marked, a, diags, out);
}

enum rw_code judge_npz_read(const char *path, struct arena *a, struct diag_sink *diags,
                            struct judge_values *out) {
    struct os_file file;
    if (!os_open(path, &file)) {
        diag_where(diags, DIAG_ERROR, path, "cannot be read: %s", os_error());
        return RW_FORMAT;
    }
    uint64_t size = file.stamp.size;
    const void *map = os_map(&file);
    enum rw_code code = map ? read_zip(map, size, path, a, diags, out)
                            : refuse(diags, path, "is no .npz file", NULL);
    if (map) os_unmap(map, size);
    os_close(&file);
    return code;
}

/* --- what a model asks for ---------------------------------------------------------- */

/* Small integers, one in a byte, as the packed type that they stand for. */
static struct ir_tensor *pack(const struct ir_tensor *t, enum ir_dtype type,
                              struct arena *a) {
    uint32_t bits = ir_dtype_bits(type);
    const uint8_t *from = t->data;
    uint64_t nbytes = (t->count * bits + 7) / 8;
    uint8_t *to = arena_zalloc(a, (size_t)nbytes + 1);
    for (uint64_t i = 0; i < t->count * bits; i++)
        if (from[i / bits] >> i % bits & 1) to[i / 8] = (uint8_t)(to[i / 8] | 1u << i % 8);
    return ir_tensor_new(a, type, t->rank, t->dims, to);
}

/* The same values in a type that numpy has no name for; NULL: they do not stand for it. */
static struct ir_tensor *as_type(const struct ir_tensor *t, enum ir_dtype type,
                                 struct arena *a) {
    bool bits = t->dtype == IR_UINT8 || t->dtype == IR_UINT16;
    bool integers = t->dtype == IR_INT8 || t->dtype == IR_UINT8;
    uint32_t width = ir_dtype_bits(type);
    if (integers && width > 0 && width < 8) return pack(t, type, a);
    if (!bits || !ir_dtype_is_float(type) || type == IR_FLOAT16) return NULL;
    if (ir_dtype_bits(t->dtype) != width) return NULL;
    return ir_tensor_new(a, type, t->rank, t->dims, t->data);
}

static const struct judge_value *find(const struct judge_values *values, const char *name) {
    for (uint32_t i = 0; i < values->n; i++)
        if (rw_streq(values->at[i].name, name)) return &values->at[i];
    return NULL;
}

static enum rw_code no_array(const struct judge_values *given, const char *input,
                             const char *path, struct diag_sink *diags) {
    struct buf names = {0};
    for (uint32_t i = 0; i < given->n && i < MOST_NAMES; i++) {
        buf_puts(&names, i ? ", " : "");
        buf_quote(&names, given->at[i].name);
    }
    diag_where(diags, DIAG_ERROR, path, "there is no array for input \"%s\"", input);
    diag_where(diags, DIAG_HELP, path, "%s%s%s",
               given->n ? "arrays are called like inputs; there are " : "the file is empty",
               buf_text(&names), given->n > MOST_NAMES ? ", ..." : "");
    buf_free(&names);
    return RW_FORMAT;
}

static enum rw_code fit(const struct ir_value_info *input, const struct judge_values *given,
                        const char *path, struct arena *a, struct diag_sink *diags,
                        struct judge_value *out) {
    const struct judge_value *v = find(given, input->name);
    enum ir_dtype type = ir_type_dtype(input->type);
    if (!v) return no_array(given, input->name, path, diags);
    *out = *v;
    if (type == IR_UNDEFINED || v->tensor->dtype == type) return RW_OK;
    out->tensor = as_type(v->tensor, type, a);
    if (out->tensor) return RW_OK;
    diag_where(diags, DIAG_ERROR, path, "the array for input \"%s\" is %s, not %s",
               input->name, ir_dtype_name(v->tensor->dtype), ir_dtype_name(type));
    return RW_FORMAT;
}

enum rw_code judge_fit(const struct ir_model *m, const struct judge_values *given,
                       const char *path, struct arena *a, struct diag_sink *diags,
                       struct judge_values *out) {
    const struct ir_graph *g = m->main;
    *out = (struct judge_values){arena_new_array(a, struct judge_value, g->inputs.len), 0};
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        const struct ir_value_info *input = ir_val(g, g->inputs.at[i]);
        if ((input->flags & IR_IS_INIT) && !find(given, input->name)) continue;
        TRY(fit(input, given, path, a, diags, &out->at[out->n]));
        out->n++;
    }
    return RW_OK;
}
