/* kit.h -- what the kernels of the evaluator share.
 *
 * A kernel sees an operand in one of two forms. Moved, not computed: struct eval_cells,
 * one cell of whole bytes an element (sub-byte types unpacked, strings as struct
 * ir_string). Computed: struct eval_array, numbers widened to one of four classes, so
 * that a kernel is written for four types and not for twenty; integers wrap when they
 * are stored, float16 and bfloat16 are rounded then.
 *
 * Working memory lives in the job and goes with it. Operands are read when a kernel asks
 * for their elements, never for their shape alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_EVAL_KIT_H
#define IR_EVAL_KIT_H

#include "ir/eval.h"

#define EVAL_RANK 24u /* tensors of a higher rank are not evaluated */

struct eval_job {
    const struct ir_eval *e;
    struct ir_tensor **out;
    struct arena work;
    uint32_t which; /* which operator of a kernel that serves several: row of its table */
};
/* Sets the outputs, or returns false: not evaluated. */
typedef bool eval_kernel(struct eval_job *j);
struct eval_op {
    const char *name; /* NULL ends a table */
    eval_kernel *run;
    uint32_t which;
};
extern const struct eval_op ir_eval_cast_ops[], ir_eval_elementwise_ops[],
    ir_eval_index_ops[], ir_eval_make_ops[], ir_eval_matmul_ops[], ir_eval_move_ops[],
    ir_eval_reduce_ops[], ir_eval_remap_ops[];

/* --- shapes ------------------------------------------------------------------------ */
struct eval_shape {
    uint32_t rank;
    int64_t at[EVAL_RANK];
};
/* Product of the dims; false when one is negative or it overflows. */
bool ir_eval_count(const struct eval_shape *s, uint64_t *count);
bool ir_eval_same_shape(const struct eval_shape *a, const struct eval_shape *b);
bool ir_eval_broadcast(const struct eval_shape *a, const struct eval_shape *b,
                    struct eval_shape *out);
/* An axis in -rank..rank-1 as 0..rank-1. */
bool ir_eval_axis(int64_t axis, uint32_t rank, uint32_t *out);
/* Product of dims from..to-1, of a shape whose count is known to fit. */
uint64_t ir_eval_span(const struct eval_shape *s, uint32_t from, uint32_t to);
void ir_eval_strides(const struct eval_shape *s, int64_t *stride);

/* Offsets into up to three operands while an odometer runs over a shape, row-major. */
struct eval_walk {
    uint32_t rank, n;
    int64_t dim[EVAL_RANK], pos[EVAL_RANK];
    int64_t stride[3][EVAL_RANK];
    int64_t off[3];
};
void ir_eval_walk_over(struct eval_walk *w, const struct eval_shape *s);
/* Adds an operand that is broadcast to the shape, or one with strides of its own. */
void ir_eval_walk_broadcast(struct eval_walk *w, const struct eval_shape *operand);
void ir_eval_walk_strided(struct eval_walk *w, const int64_t *stride);
void ir_eval_walk_next(struct eval_walk *w);

/* --- operands ---------------------------------------------------------------------- */
bool ir_eval_given(const struct eval_job *j, uint32_t k);
/* Type and shape; false when absent or of too high a rank. */
bool ir_eval_operand_shape(const struct eval_job *j, uint32_t k, enum ir_dtype *t,
                        struct eval_shape *s);

struct eval_cells {
    enum ir_dtype dtype;
    struct eval_shape shape;
    uint64_t count;
    size_t size; /* of a cell */
    unsigned char *at;
};
bool ir_eval_cells(struct eval_job *j, uint32_t k, struct eval_cells *out);
/* Cells for a result of that type and shape, zeroed; false when too large. */
bool ir_eval_cells_new(struct eval_job *j, enum ir_dtype t, const struct eval_shape *s,
                    struct eval_cells *out);
bool ir_eval_put_cells(struct eval_job *j, uint32_t k, const struct eval_cells *c);

enum eval_class { EVAL_F32, EVAL_F64, EVAL_I64, EVAL_U64 };
struct eval_array {
    enum ir_dtype dtype;
    enum eval_class class;
    struct eval_shape shape;
    uint64_t count;
    union {
        float *f32;
        double *f64;
        int64_t *i64;
        uint64_t *u64;
    };
};
/* float, float16 and smaller: F32; double: F64; uint64: U64; other integers, bool: I64. */
enum eval_class ir_eval_class_of(enum ir_dtype t);
/* Is x within the integer type (bool: any)? */
bool ir_eval_fits(enum ir_dtype t, int64_t x);
bool ir_eval_array(struct eval_job *j, uint32_t k, struct eval_array *out);
/* The same with F32 widened to F64. */
bool ir_eval_array_wide(struct eval_job *j, uint32_t k, struct eval_array *out);
bool ir_eval_array_new(struct eval_job *j, enum ir_dtype t, enum eval_class c,
                    const struct eval_shape *s, struct eval_array *out);
/* Makes output k: F32 and F64 to a floating type of 16 bits or more, I64 and U64 to an
 * integer type or bool, or, as bit patterns, to one of the small floating types. */
bool ir_eval_put(struct eval_job *j, uint32_t k, const struct eval_array *a);

/* --- parameters -------------------------------------------------------------------- */
const struct ir_attr *ir_eval_attr(const struct eval_job *j, const char *name);
int64_t ir_eval_attr_int(const struct eval_job *j, const char *name, int64_t fallback);
/* Is the string attribute equal to `value`? When absent: is `fallback`? */
bool ir_eval_attr_is(const struct eval_job *j, const char *name, const char *value,
                  const char *fallback);

struct eval_ints {
    bool given;
    uint32_t n;
    const int64_t *at;
};
/* A parameter that is a list of integers: from the attribute where the version has one
 * (and it is written), else from operand k. false: unusable (not integers, too long). */
bool ir_eval_ints(struct eval_job *j, const char *name, uint32_t operand,
               struct eval_ints *out);
/* The shape that a list of integers gives; false when negative or too long. */
bool ir_eval_ints_shape(const struct eval_ints *v, struct eval_shape *out);

#endif
