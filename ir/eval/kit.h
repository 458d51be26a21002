/* kit.h -- what the kernels of the evaluator share.
 *
 * A kernel sees an operand in one of two forms. Moved, not computed: struct eval_cells,
 * one cell of whole bytes an element (sub-byte types unpacked, strings as struct
 * ir_string). Computed: struct eval_array, numbers widened to one of four classes, so
 * that a kernel is written for four types and not for twenty; integers wrap when they
 * are stored, float16 and bfloat16 are rounded then.
 *
 * A kernel makes whole results, or, where each element of the result is made of one
 * element of each operand, it is a map: a function over tiles, which can be run over any
 * part of the result with a bounded amount of memory.
 *
 * Working memory lives in the job and goes with it. Operands are read when a kernel asks
 * for their elements, never for their shape alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_EVAL_KIT_H
#define IR_EVAL_KIT_H

#include "ir/eval.h"
#include "ir/tensor/view.h"

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
extern const struct eval_op ir_eval_along_ops[], ir_eval_blocks_ops[],
    ir_eval_einsum_ops[], ir_eval_index_ops[], ir_eval_make_ops[], ir_eval_matmul_ops[],
    ir_eval_move_ops[], ir_eval_normalise_ops[], ir_eval_reduce_ops[],
    ir_eval_remap_ops[], ir_eval_scatter_ops[], ir_eval_sort_ops[];
/* May a kernel do so many multiplications? */
bool ir_eval_work(const struct eval_job *j, uint64_t n);

/* Prepares a map of the operands, or returns false: not evaluated. */
struct eval_map;
typedef bool eval_plan(struct eval_job *j, struct eval_map *m);
struct eval_map_op {
    const char *name; /* NULL ends a table */
    eval_plan *plan;
    uint32_t which;
};
extern const struct eval_map_op ir_eval_binary_ops[], ir_eval_cast_ops[],
    ir_eval_quantise_ops[], ir_eval_unary_ops[];

/* Takes bytes that are read or made from the budget; false when it does not reach. */
bool ir_eval_spend(const struct eval_job *j, uint64_t bytes);

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

/* The lines along an axis: line i has `length` items, `step` apart. */
struct eval_lines {
    uint64_t count, length, step;
};
struct eval_lines ir_eval_lines(const struct eval_shape *s, uint32_t axis);
uint64_t ir_eval_line(const struct eval_lines *l, uint64_t i); /* where it begins */

/* Appends dims begin .. end - 1 of a shape. */
void ir_eval_append(struct eval_shape *s, const struct eval_shape *from, uint32_t begin,
                    uint32_t end);

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
bool ir_eval_cells_of(struct eval_job *j, const struct ir_tensor *t,
                      struct eval_cells *out);
/* Cells for a result of that type and shape, zeroed; false when too large. */
bool ir_eval_cells_new(struct eval_job *j, enum ir_dtype t, const struct eval_shape *s,
                    struct eval_cells *out);
bool ir_eval_put_cells(struct eval_job *j, uint32_t k, const struct eval_cells *c);
/* A tensor of the results' arena with zeroed bytes; NULL when it is too large. */
struct ir_tensor *ir_eval_result(struct eval_job *j, enum ir_dtype t,
                                 const struct eval_shape *s);

/* --- elements that only move (results.c) ------------------------------------------- */
/* Makes output k of that shape from the elements of an operand that the view names, or
 * from all operands side by side on an axis: now or, where that is allowed and large, when
 * it is read. */
bool ir_eval_put_view(struct eval_job *j, uint32_t k, uint32_t operand,
                      const struct ir_view *v, const struct eval_shape *s);
bool ir_eval_put_joined(struct eval_job *j, uint32_t axis, const struct eval_shape *s);
/* The view of a whole operand in its order; room for EVAL_RANK axes. */
void ir_eval_view_all(const struct eval_shape *s, struct ir_axis *axes, struct ir_view *v);

enum eval_class { EVAL_F32, EVAL_F64, EVAL_I64, EVAL_U64 };
#define EVAL_CLASSES 4
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
/* Bounds of an integer type below 64 bits; is x within the type (bool, 64 bits: any)? */
int64_t ir_eval_least(enum ir_dtype t);
int64_t ir_eval_most(enum ir_dtype t);
bool ir_eval_fits(enum ir_dtype t, int64_t x);
bool ir_eval_array(struct eval_job *j, uint32_t k, struct eval_array *out);
/* The same with F32 widened to F64. */
bool ir_eval_array_wide(struct eval_job *j, uint32_t k, struct eval_array *out);
bool ir_eval_array_new(struct eval_job *j, enum ir_dtype t, enum eval_class c,
                    const struct eval_shape *s, struct eval_array *out);
/* Makes output k: F32 and F64 to a floating type of 16 bits or more, I64 and U64 to an
 * integer type or bool, or, as bit patterns, to one of the small floating types. */
bool ir_eval_put(struct eval_job *j, uint32_t k, const struct eval_array *a);

/* --- cells and numbers ------------------------------------------------------------- */
size_t ir_eval_cell_size(enum ir_dtype t);
bool ir_eval_is_number(enum ir_dtype t);
bool ir_eval_is_small_float(enum ir_dtype t); /* below 16 bits */
/* The bits of f in such a type; false when it is a NaN that the type does not have. */
bool ir_eval_to_small_float(enum ir_dtype t, float f, bool saturate, uint64_t *bits);
/* Between the array's `count` cells of its dtype, and its items. To store: F32 and F64 as
 * a floating type of 16 bits or more; I64 and U64 as the low bits of any type, a bool as
 * whether it is not 0. */
void ir_eval_load(const unsigned char *cells, const struct eval_array *a);
void ir_eval_store(const struct eval_array *a, unsigned char *cells);
/* Between cells and the raw layout of a type below a byte. */
void ir_eval_unpack(const unsigned char *raw, uint32_t width, uint64_t n,
                    unsigned char *cells);
void ir_eval_pack(const unsigned char *cells, uint32_t width, uint64_t n,
                  unsigned char *raw);
/* Item i of any class, rounded. */
double ir_eval_as_double(const struct eval_array *x, uint64_t i);
float ir_eval_as_float(const struct eval_array *x, uint64_t i);
bool ir_eval_has_nan(const struct eval_array *x);
static inline bool ir_eval_is_floating(const struct eval_array *x) {
    return x->class == EVAL_F32 || x->class == EVAL_F64;
}

/* --- maps -------------------------------------------------------------------------- */

/* Makes the items of r, whose count is set, from as many of each operand; their shapes
 * are not set. false: not evaluated. */
typedef bool eval_tiler(const struct eval_map *m, const struct eval_array *x,
                       struct eval_array *r);
struct eval_source {
    const struct ir_tensor *tensor;
    enum ir_dtype dtype; /* as which its cells are read */
    enum eval_class class;
    struct eval_shape shape;
    int64_t stride[EVAL_RANK]; /* in the shape of the map; 0: broadcast */
    bool in_step;              /* its element i goes into element i of the result */
    const unsigned char *cells; /* all of them, when it is not in step */
};
struct eval_map {
    eval_tiler *run;
    struct eval_source *in;
    uint32_t nin;
    enum ir_dtype dtype;    /* of the result */
    enum eval_class class;  /* in which it is made */
    struct eval_shape shape; /* over which the map runs */
    struct eval_shape result; /* the result's: as many elements */
    uint64_t count;
    /* Parameters of the tile's function. */
    eval_tiler *inner;
    uint32_t which;
    bool flag;
    float alpha, beta;
};
/* Makes operand k the next operand of the map. */
bool ir_eval_map_add(struct eval_job *j, struct eval_map *m, uint32_t k);
/* Gives the map the shape to which its operands are broadcast; the result's type. */
bool ir_eval_map_broadcast(struct eval_map *m, enum ir_dtype t, enum eval_class c);
/* The same with a shape to which they all can be broadcast. */
bool ir_eval_map_over(struct eval_map *m, const struct eval_shape *s, enum ir_dtype t,
                      enum eval_class c);
/* Elements first .. first + n of the result in the raw layout; `first`: a multiple of 8. */
bool ir_eval_map_run(struct eval_job *j, const struct eval_map *m, uint64_t first,
                     uint64_t n, unsigned char *raw);

/* --- indices ----------------------------------------------------------------------- */
/* Operand k as indices; one index as 0..dim-1, or false. */
bool ir_eval_indices(struct eval_job *j, uint32_t k, struct eval_array *out);
bool ir_eval_index(int64_t *index, int64_t dim);

/* Tuples of indices (operand 1 of GatherND and ScatterND) into data of a shape. */
struct eval_tuples {
    uint32_t batch, length;  /* leading axes in common; axes that a tuple addresses */
    uint64_t count, a_batch; /* of tuples; of tuples for each batch */
    uint64_t slice;          /* elements that a tuple addresses */
    struct eval_array index;
};
bool ir_eval_tuples_of(struct eval_job *j, const struct eval_shape *data, int64_t batch,
                       struct eval_tuples *out);
/* Element at which the slice of tuple n begins; false when it is outside. */
bool ir_eval_tuple_at(const struct eval_tuples *t, const struct eval_shape *data,
                      const int64_t *stride, uint64_t n, uint64_t *out);

/* (results.c) Makes the output of a map that can be computed when it is read; false when it
 * cannot wait, and has to be made now or not at all. */
bool ir_eval_put_waiting(struct eval_job *j, const struct eval_map *m);

/* --- parameters -------------------------------------------------------------------- */
const struct ir_attr *ir_eval_attr(const struct eval_job *j, const char *name);
int64_t ir_eval_attr_int(const struct eval_job *j, const char *name, int64_t fallback);
/* A type given as an integer; false when it is none. */
bool ir_eval_attr_dtype(const struct eval_job *j, const char *name, enum ir_dtype fallback,
                        enum ir_dtype *out);
/* When absent: the default of the schema, or 0. */
float ir_eval_attr_float(const struct eval_job *j, const char *name);
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
