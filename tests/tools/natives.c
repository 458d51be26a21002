/* natives.c -- a plug-in for tests/natives.py. -DABI=2: of a version that is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "include/onnxrw_plugin.h"

#include <string.h>

#ifndef ABI
#define ABI ONNXRW_PLUGIN_ABI
#endif

/* Are all elements of a float constant that number? Its type must be known too. */
static int is_all(const struct onnxrw_arg *args, size_t n) {
    const struct onnxrw_value *v = &args[0].value;
    if (n != 2 || !v->data) return ONNXRW_UNKNOWN;
    if (v->dtype != 1) return ONNXRW_NO;
    for (size_t i = 0; i + 4 <= v->size; i += 4) {
        float x;
        memcpy(&x, (const char *)v->data + i, sizeof x);
        if (x < (float)args[1].i || x > (float)args[1].i) return ONNXRW_NO;
    }
    return ONNXRW_YES;
}

/* Is it float[a, b, ...], -1 for what is no number? */
static int has_dims(const struct onnxrw_arg *args, size_t n) {
    const struct onnxrw_value *v = &args[0].value;
    if (n != 2 || v->rank < 0) return ONNXRW_UNKNOWN;
    if (v->data || v->dtype != 1 || (size_t)v->rank != args[1].size) return ONNXRW_NO;
    for (size_t i = 0; i < args[1].size; i++)
        if (v->dims[i] != args[1].ints[i]) return ONNXRW_NO;
    return ONNXRW_YES;
}

/* Does a constant show no bytes? */
static int hides_bytes(const struct onnxrw_arg *args, size_t n) {
    return n == 1 && !args[0].value.data && args[0].value.rank == 1;
}

static int is_half(const struct onnxrw_arg *args, size_t n) {
    return n == 2 && args[0].f > 0.49 && args[0].f < 0.51 && args[1].size == 4 &&
           strcmp(args[1].text, "half") == 0;
}

static int says(const struct onnxrw_arg *args, size_t n) {
    return n == 1 ? (int)args[0].i : ONNXRW_UNKNOWN;
}

static const struct onnxrw_predicate all[] = {
    {"is_all", "is_all(value, int)", is_all},
    {"has_dims", "has_dims(value, ints)", has_dims},
    {"hides_bytes", "hides_bytes(value)", hides_bytes},
    {"is_half", "is_half(float, string)", is_half},
    {"says", "says(int)", says},
};

const struct onnxrw_plugin *onnxrw_plugin(void) {
    static const struct onnxrw_plugin p = {ABI, sizeof all / sizeof *all, all};
    return &p;
}
