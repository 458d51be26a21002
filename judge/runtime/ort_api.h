/* ort_api.h -- what is used of ONNX Runtime's C API: functions by their position in the
 * table that OrtGetApiBase()->GetApi(version) gives. Positions never change; newer
 * versions append. Private to judge/.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef JUDGE_RUNTIME_ORT_API_H
#define JUDGE_RUNTIME_ORT_API_H

#include "base/base.h"

/* Objects of the runtime; errors are objects too, NULL is success. */
struct ort_status;
struct ort_env;
struct ort_options;
struct ort_session;
struct ort_value;
struct ort_shape; /* element type and shape of a tensor */
struct ort_memory;
struct ort_allocator;
struct ort_run_options;

/* What the entry of the library gives. */
struct ort_base {
    const void *const *(*get_api)(uint32_t version); /* NULL: too new for the library */
    const char *(*get_version)(void);
};
#define ORT_ENTRY "OrtGetApiBase"
#define ORT_API_WANTED 17 /* the first with all element types of 8 bits */
#define ORT_OLDEST "1.17" /* the release that has it */

#define ORT_LOG_FATAL 4
#define ORT_NO_OPTIMISATION 0
#define ORT_ALL_OPTIMISATIONS 99
#define ORT_DEVICE_ALLOCATOR 0
#define ORT_MEMORY_DEFAULT 0
enum ort_kind {
    ORT_UNKNOWN, ORT_TENSOR, ORT_SEQUENCE, ORT_MAP, ORT_OPAQUE, ORT_SPARSE, ORT_OPTIONAL
};

typedef struct ort_status *ort_result;
/* X(position, name, what it returns, arguments) */
#define ORT_FUNCTIONS(X)                                                                   \
    X(2, error_message, const char *, (const struct ort_status *))                         \
    X(3, create_env, ort_result, (int log_level, const char *id, struct ort_env **))       \
    X(7, create_session, ort_result,                                                       \
      (const struct ort_env *, const char *path, const struct ort_options *,               \
       struct ort_session **))                                                             \
    X(8, create_session_from_array, ort_result,                                            \
      (const struct ort_env *, const void *bytes, size_t len, const struct ort_options *,  \
       struct ort_session **))                                                             \
    X(9, run, ort_result,                                                                  \
      (struct ort_session *, const struct ort_run_options *, const char *const *in_names,  \
       const struct ort_value *const *in, size_t nin, const char *const *out_names,        \
       size_t nout, struct ort_value **out))                                               \
    X(10, create_options, ort_result, (struct ort_options **))                             \
    X(11, set_saved_path, ort_result, (struct ort_options *, const char *path))           \
    X(19, disable_arena, ort_result, (struct ort_options *))                               \
    X(22, set_log_level, ort_result, (struct ort_options *, int level))                    \
    X(23, set_optimisation, ort_result, (struct ort_options *, int level))                 \
    X(24, set_intra_threads, ort_result, (struct ort_options *, int n))                    \
    X(25, set_inter_threads, ort_result, (struct ort_options *, int n))                    \
    X(31, output_count, ort_result, (const struct ort_session *, size_t *))                \
    X(37, output_name, ort_result,                                                         \
      (const struct ort_session *, size_t i, struct ort_allocator *, char **))             \
    X(48, create_tensor, ort_result,                                                       \
      (struct ort_allocator *, const int64_t *dims, size_t rank, int type,                 \
       struct ort_value **))                                                               \
    X(49, create_tensor_of, ort_result,                                                    \
      (const struct ort_memory *, void *bytes, size_t len, const int64_t *dims,            \
       size_t rank, int type, struct ort_value **))                                        \
    X(51, tensor_data, ort_result, (struct ort_value *, void **))                          \
    X(52, fill_strings, ort_result,                                                        \
      (struct ort_value *, const char *const *texts, size_t n))                            \
    X(53, strings_length, ort_result, (const struct ort_value *, size_t *))                \
    X(54, strings_content, ort_result,                                                     \
      (const struct ort_value *, void *to, size_t len, size_t *offsets, size_t n))         \
    X(60, element_type, ort_result, (const struct ort_shape *, int *))                     \
    X(61, dims_count, ort_result, (const struct ort_shape *, size_t *))                    \
    X(62, dims, ort_result, (const struct ort_shape *, int64_t *, size_t n))               \
    X(65, tensor_shape, ort_result, (const struct ort_value *, struct ort_shape **))       \
    X(67, value_kind, ort_result, (const struct ort_value *, enum ort_kind *))             \
    X(69, cpu_memory, ort_result, (int allocator, int type, struct ort_memory **))         \
    X(76, free_with, ort_result, (struct ort_allocator *, void *))                         \
    X(78, default_allocator, ort_result, (struct ort_allocator **))                        \
    X(92, release_env, void, (struct ort_env *))                                           \
    X(93, release_status, void, (struct ort_status *))                                     \
    X(95, release_session, void, (struct ort_session *))                                   \
    X(96, release_value, void, (struct ort_value *))                                       \
    X(99, release_shape, void, (struct ort_shape *))                                       \
    X(100, release_options, void, (struct ort_options *))                                  \
    X(130, set_config, ort_result,                                                         \
      (struct ort_options *, const char *key, const char *value))

struct ort_api {
#define X(position, name, result, args) result(*name) args;
    ORT_FUNCTIONS(X)
#undef X
};

#endif
