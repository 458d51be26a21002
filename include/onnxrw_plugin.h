/* onnxrw_plugin.h -- native predicates: conditions of rules that a shared library computes.
 *
 * A pack declares one, and asks it in a condition:
 *
 *     predicate is_nice(value, int)
 *     rule r: Mul(x, const w) => x { where { is_nice(w, 4) } }
 *
 * The library exports one function, `onnxrw_plugin`, which gives a table of them; it is
 * loaded by `--plugin LIBRARY`, and by nothing else. It runs with the rights of the process.
 *
 *     static int is_nice(const struct onnxrw_arg *args, size_t n) { ... }
 *     static const struct onnxrw_predicate all[] = {
 *         {"is_nice", "is_nice(value, int)", is_nice}};
 *     const struct onnxrw_plugin *onnxrw_plugin(void) {
 *         static const struct onnxrw_plugin p = {ONNXRW_PLUGIN_ABI, 1, all};
 *         return &p;
 *     }
 *
 * Ownership: the table and its texts stay valid and unchanged while the process lives.
 * Arguments, and all that they point to, belong to the caller, are read-only, and are valid
 * until the function returns.
 * Threads: a function may be called from several threads at once. The same arguments must
 * always give the same answer.
 * Errors: there are none but ONNXRW_UNKNOWN, which any number but 0 and 1 means too; a rule
 * is applied only where its conditions are true. A function must return: no longjmp, no
 * exception of C++. It is not called where an argument is unknown or absent; the condition
 * is unknown then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ONNXRW_PLUGIN_H
#define ONNXRW_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ONNXRW_PLUGIN_ABI 1u /* a library of another one is refused */

enum onnxrw_truth { ONNXRW_NO = 0, ONNXRW_YES = 1, ONNXRW_UNKNOWN = 2 };

/* A value of the graph, as far as it is known. */
struct onnxrw_value {
    int32_t dtype;       /* TensorProto.DataType; 0: not known */
    int32_t rank;        /* -1: not known */
    const int64_t *dims; /* rank of them; -1: not known, or a symbol. NULL without a rank */
    const void *data;    /* of a constant of at most 1 MiB that is no tensor of strings: its
                            `size` bytes in the layout of raw_data (little-endian, not always
                            aligned), else NULL. An empty constant has data, and size 0 */
    size_t size;
};

/* What the signature says; only its own member is set. */
struct onnxrw_arg {
    struct onnxrw_value value; /* value */
    int64_t i;                 /* int */
    double f;                  /* float */
    const char *text;          /* string: `size` bytes and a NUL, which may also be inside */
    const int64_t *ints;       /* ints: `size` of them; not NULL */
    size_t size;
};

/* Gets the n arguments of the signature; an enum onnxrw_truth. */
typedef int onnxrw_predicate_fn(const struct onnxrw_arg *args, size_t n);

struct onnxrw_predicate {
    const char *name;
    const char *signature; /* as the pack's: name, types, ", " between: "is_nice(value, int)";
                              types are value, int, float, string and ints */
    onnxrw_predicate_fn *holds;
};

struct onnxrw_plugin {
    uint32_t abi; /* ONNXRW_PLUGIN_ABI */
    uint32_t n;
    const struct onnxrw_predicate *predicates;
};

/* What the library exports. */
const struct onnxrw_plugin *onnxrw_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
