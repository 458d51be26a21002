/* lazy.h -- constants that are computed when somebody reads them. Private to ir/.
 *
 * An expression is one of three things over other tensors: a view of one, several joined,
 * or an elementwise operator. Any range of its elements can be read by itself, so a weight
 * of gigabytes is written a piece at a time. Nothing can fail but reading the files beneath:
 * what an expression cannot do is found when it is made.
 *
 * A view whose runs are short (a transposition) holds its base in memory while the whole
 * is read, between ir_lazy_begin and ir_lazy_end; what is held counts in `held`.
 * Expressions are bounded in depth, and in how often an element is computed for one of
 * theirs (`cost`), so that reading neither recurses far nor repeats what is shared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef IR_LAZY_H
#define IR_LAZY_H

#include "ir/eval.h"
#include "ir/tensor/view.h"

#define IR_LAZY_DEPTH 32u
#define IR_LAZY_COST 16u
#define IR_LAZY_HELD ((uint64_t)2 << 30)

enum ir_lazy_kind { IR_LAZY_VIEW, IR_LAZY_JOIN, IR_LAZY_MAP };

struct ir_lazy_join {
    uint32_t n;
    const struct ir_tensor *const *parts;
    const uint64_t *width; /* elements of each part in a row */
    uint64_t row;          /* their sum */
};
struct ir_lazy {
    enum ir_lazy_kind kind;
    uint32_t depth, cost;
    uint64_t held; /* bytes that reading from begin to end holds, at most */
    size_t size;   /* bytes of an element */
    uint64_t count;
    union {
        struct {
            const struct ir_tensor *base;
            struct ir_view view;
            bool holds; /* its base */
        };
        struct ir_lazy_join join;
        struct ir_eval map;
    };
    /* While it is read from begin to end: */
    struct arena memory;      /* of the base that is held */
    const void *bytes;        /* that base, or NULL */
    struct ir_lazy *next;     /* held before this one */
    uint32_t busy;            /* being read at the moment */
};

/* --- making: NULL where the expression would be too deep, too costly, hold too much -- */
/* Of that shape, in whole bytes an element; `view` has as many elements, at least one, all
 * of them in the base, and is copied. Shares the bytes of the base where that can be. */
struct ir_tensor *ir_lazy_view(struct arena *a, const struct ir_tensor *base,
                               const struct ir_view *view, uint32_t rank,
                               const int64_t *dims);
/* n tensors of one type side by side on an axis; not empty. */
struct ir_tensor *ir_lazy_join(struct arena *a, uint32_t n,
                               const struct ir_tensor *const *parts, uint32_t axis,
                               uint32_t rank, const int64_t *dims);

/* The one result of an elementwise operator, known to exist; `broadcast`: bytes of operands
 * that each piece is made with anew. */
struct ir_tensor *ir_lazy_map(const struct ir_eval *e, enum ir_dtype t, uint32_t rank,
                              const int64_t *dims, uint64_t broadcast);
/* Are two computed tensors the same expression over the same operands, for certain? */
bool ir_lazy_same(const struct ir_tensor *a, const struct ir_tensor *b);

/* --- reading ----------------------------------------------------------------------- */
/* Elements first .. first + n of an IR_COMPUTED tensor; false when a file beneath cannot be
 * read. */
bool ir_lazy_read(struct ir_model *m, struct ir_lazy *x, uint64_t first, uint64_t n,
                  void *out);
/* Bytes of the raw layout. */
bool ir_lazy_bytes_at(struct ir_model *m, struct ir_lazy *x, uint64_t first,
                      uint64_t n, void *out);
/* Bytes of an IR_COMPUTED tensor that are best read at a time: 4 MiB, or some more. */
uint64_t ir_lazy_piece(const struct ir_tensor *t);
/* Around reading all of a tensor, in order (of several, in step). Of one that is not
 * IR_COMPUTED nothing is held. */
void ir_lazy_begin(struct ir_model *m, const struct ir_tensor *t);
void ir_lazy_end(struct ir_model *m, const struct ir_tensor *t);

#endif
