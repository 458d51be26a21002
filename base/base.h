/* base.h -- attributes, small helpers and result codes that every folder uses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_H
#define BASE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RW_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define RW_NORETURN __attribute__((noreturn))
#define RW_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define RW_PREFETCH(address) __builtin_prefetch(address)
#define RW_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define RW_UNUSED(x) ((void)(x))
#define countof(array) (sizeof(array) / sizeof *(array))

/* What a fallible function returns; the values are the exit statuses of the command.
 * The function that knows the fact adds one diagnostic, its callers pass the code up. */
enum rw_code {
    RW_OK = 0,
    RW_WRONG = 1,  /* a rewrite, or by `check` the model, was found wrong */
    RW_USAGE = 2,  /* wrong use of the command line, or a bad rules file */
    RW_FORMAT = 3, /* the input cannot be read or is malformed */
    RW_OUTPUT = 4  /* the output cannot be written */
};

/* Passes a failure up. The only control-flow macro. */
#define TRY(expr)                                                                      \
    do {                                                                               \
        enum rw_code try_code_ = (expr);                                               \
        if (try_code_ != RW_OK) return try_code_;                                      \
    } while (0)

/* An invariant of ours that does not hold: prints to stderr and aborts, in release too. */
RW_NORETURN void rw_broken(const char *file, int line, const char *what);
#define rw_assert(cond) ((cond) ? (void)0 : rw_broken(__FILE__, __LINE__, #cond))

/* Memory ran out. Calls the handler that the program set, then aborts. The command sets
 * one that removes its temporary file and reports; a library user may set another. */
void rw_set_oom_handler(void (*handler)(void));
RW_NORETURN void rw_out_of_memory(void);

/* Checked arithmetic: true and *out set, or false on overflow. */
static inline bool rw_add_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool rw_sub_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_sub_overflow(a, b, out);
}
static inline bool rw_mul_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool rw_add_size(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool rw_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool rw_add_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

static inline uint32_t rw_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t rw_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
/* The first letter tells most texts apart without a call. */
static inline int rw_strcmp(const char *a, const char *b) {
    return *a != *b ? (unsigned char)*a - (unsigned char)*b : *a ? strcmp(a, b) : 0;
}
static inline bool rw_streq(const char *a, const char *b) { return rw_strcmp(a, b) == 0; }
/* Of ASCII, whatever the locale. */
static inline bool rw_is_digit(char c) { return c >= '0' && c <= '9'; }

#endif
