/* schema_runtime.c -- what ONNX Runtime runs on a CPU, from a generated table.
 *
 * Rows are sorted by name and opset; bit t of a mask stands for element type t of the
 * first operand, bit 0 for "some type, or none at all".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema.h"

struct support {
    const char *name;
    int32_t first, last; /* opsets */
    uint32_t types;
};

#include "ir/schema/runtime_table.inc"

/* The first row of that name or a later one. */
static size_t lower_bound(const struct support *rows, size_t n, const char *name) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(rows[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool has(const struct support *rows, size_t n, const char *name, int64_t opset,
                enum ir_dtype t) {
    for (size_t i = lower_bound(rows, n, name); i < n && rw_streq(rows[i].name, name); i++)
        if (rows[i].first <= opset && opset <= rows[i].last)
            return (uint32_t)t < 32 && (rows[i].types >> (uint32_t)t & 1u);
    return false;
}

bool ir_runtime_has(const char *domain, const char *name, int64_t opset, enum ir_dtype t) {
    if (!*domain || rw_streq(domain, "ai.onnx"))
        return has(support_onnx, countof(support_onnx), name, opset, t);
    if (rw_streq(domain, "com.microsoft"))
        return has(support_ms, countof(support_ms), name, opset, t);
    if (rw_streq(domain, "ai.onnx.ml"))
        return has(support_ml, countof(support_ml), name, opset, t);
    return false;
}

const char *ir_runtime_version(void) { return RUNTIME_VERSION; }
