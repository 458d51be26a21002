/* model.c -- models on their way to the worker.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "judge/runtime/frame.h"

/* Further outputs are further bytes: readers of protobuf join a message that comes twice,
 * here ModelProto.graph with the field GraphProto.output, of which only the names are
 * said. */
enum { MODEL_GRAPH = 7, GRAPH_OUTPUT = 12, VALUE_NAME = 1 };

static void put_varint(struct buf *b, uint64_t x) {
    for (; x >= 0x80; x >>= 7) buf_putc(b, (char)(x | 0x80));
    buf_putc(b, (char)x);
}

static void put_field(struct buf *b, uint32_t number, const void *bytes, size_t len) {
    put_varint(b, number << 3 | 2);
    put_varint(b, len);
    buf_add(b, bytes, len);
}

static void put_outputs(struct buf *b, const struct judge_model *m) {
    struct buf graph = {0};
    for (uint32_t i = 0; i < m->nreveal; i++) {
        struct buf value = {0};
        put_field(&value, VALUE_NAME, m->reveal[i], strlen(m->reveal[i]));
        put_field(&graph, GRAPH_OUTPUT, value.at, value.len);
        buf_free(&value);
    }
    if (m->nreveal) put_field(b, MODEL_GRAPH, graph.at, graph.len);
    buf_free(&graph);
}

static void put_model(struct buf *b, const struct judge_model *m, const void *bytes,
                      size_t len) {
    struct buf outputs = {0};
    put_outputs(&outputs, m);
    judge_put_u64(b, len + outputs.len);
    buf_room(b, len + outputs.len);
    buf_add(b, bytes, len);
    if (outputs.len) buf_add(b, outputs.at, outputs.len);
    buf_free(&outputs);
}

/* A file whose outputs are changed is sent as bytes. */
static bool put_file(struct buf *b, const struct judge_model *m) {
    struct os_file file;
    if (!os_open(m->path, &file)) return false;
    const void *map = os_map(&file);
    if (map) {
        char *folder = os_folder(m->path);
        judge_put_text(b, NULL);
        put_model(b, m, map, (size_t)file.stamp.size);
        judge_put_text(b, folder);
        free(folder);
        os_unmap(map, file.stamp.size);
    }
    os_close(&file);
    return map != NULL;
}

bool judge_put_model(struct buf *b, const struct judge_model *m) {
    if (m->path && m->nreveal) return put_file(b, m);
    judge_put_text(b, m->path);
    put_model(b, m, m->path ? NULL : m->bytes, m->path ? 0 : m->len);
    judge_put_text(b, m->folder);
    return true;
}

static enum rw_code model_of(struct ir_model *m, enum ir_weights weights, struct arena *a,
                             struct diag_sink *diags, struct judge_model *out) {
    struct buf bytes = {0};
    *out = (struct judge_model){.folder = ir_model_folder(m)};
    out->bytes = ir_model_bytes(m, &out->len);
    if (out->bytes) return RW_OK;
    enum rw_code code = ir_model_write_bytes(m, weights, &bytes, diags);
    out->bytes = arena_copy(a, bytes.at, bytes.len);
    out->len = bytes.len;
    buf_free(&bytes);
    return code;
}

enum rw_code judge_model_of(struct ir_model *m, struct arena *a, struct diag_sink *diags,
                            struct judge_model *out) {
    return model_of(m, IR_WEIGHTS_COPY, a, diags, out);
}

enum rw_code judge_model_shared(struct ir_model *m, struct arena *a,
                                struct diag_sink *diags, struct judge_model *out) {
    return model_of(m, IR_WEIGHTS_SHARE, a, diags, out);
}
