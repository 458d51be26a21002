/* einsum.c -- Einsum without an ellipsis: an odometer runs over the labels of the result
 * and then those that are summed, every operand has a stride for each label. Sums of
 * floats are made in double and rounded once; sums of integers wrap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

#define MOST_OPERANDS 8u
#define LETTERS 52

struct einsum {
    uint32_t nin;
    struct eval_array in[MOST_OPERANDS];
    int64_t dim[LETTERS];                   /* 0: the label does not occur */
    int64_t stride[MOST_OPERANDS][LETTERS]; /* a label that repeats: their sum */
    uint32_t label[EVAL_RANK], kept, n;     /* those of the result, then the others */
};

/* 0..51, or LETTERS. */
static uint32_t letter(char c) {
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a');
    return c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') + 26 : LETTERS;
}

static bool add_label(struct einsum *e, uint32_t operand, uint32_t axis, uint32_t label) {
    const struct eval_shape *s = &e->in[operand].shape;
    int64_t stride[EVAL_RANK];
    if (label == LETTERS || axis >= s->rank) return false;
    if (e->dim[label] && e->dim[label] != s->at[axis]) return false;
    if (s->at[axis] == 0) return false;
    e->dim[label] = s->at[axis];
    ir_eval_strides(s, stride);
    e->stride[operand][label] += stride[axis];
    return true;
}

/* The labels of the operands up to "->" or the end; *rest is what follows. */
static bool read_operands(struct einsum *e, const char **rest, const char *end) {
    uint32_t operand = 0, axis = 0;
    const char *p = *rest;
    for (; p < end && *p != '-'; p++) {
        if (*p == ' ') continue;
        if (*p == ',') {
            if (axis != e->in[operand].shape.rank || ++operand >= e->nin) return false;
            axis = 0;
        } else if (!add_label(e, operand, axis++, letter(*p))) return false;
    }
    *rest = p;
    return operand + 1 == e->nin && axis == e->in[operand].shape.rank;
}

/* Without "->" the labels that occur once, in the order of their letters ('A' first). */
static bool implied_result(struct einsum *e, const char *text, const char *end) {
    for (uint32_t i = 0; i < LETTERS; i++) {
        uint32_t label = (i + 26) % LETTERS, times = 0;
        for (const char *p = text; p < end; p++) times += letter(*p) == label;
        if (times != 1) continue;
        if (e->n == EVAL_RANK) return false;
        e->label[e->n++] = label;
    }
    return true;
}

static bool has_label(const struct einsum *e, uint32_t label) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->label[i] == label) return true;
    return false;
}

static bool named_result(struct einsum *e, const char *p, const char *end) {
    for (; p < end; p++) {
        uint32_t label = letter(*p);
        if (*p == ' ') continue;
        if (label == LETTERS || !e->dim[label] || has_label(e, label) || e->n == EVAL_RANK)
            return false;
        e->label[e->n++] = label;
    }
    return true;
}

static bool parse(struct einsum *e, const struct ir_string *equation) {
    const char *text = equation->at, *end = text + equation->len, *rest = text;
    if (!read_operands(e, &rest, end)) return false;
    if (rest == end && !implied_result(e, text, end)) return false;
    if (rest < end && (end - rest < 2 || rest[1] != '>' || !named_result(e, rest + 2, end)))
        return false;
    e->kept = e->n;
    for (uint32_t label = 0; label < LETTERS; label++) {
        if (!e->dim[label] || has_label(e, label)) continue;
        if (e->n == EVAL_RANK) return false;
        e->label[e->n++] = label;
    }
    return true;
}

/* Adds the product of the operands' elements at `at` to element i of the result. */
static void add_product(const struct einsum *e, const int64_t *at, struct eval_array *r,
                        uint64_t i) {
    double product = 1;
    uint64_t whole = 1;
    for (uint32_t k = 0; k < e->nin; k++) {
        if (r->class == EVAL_F64) product *= e->in[k].f64[at[k]];
        else whole *= e->in[k].u64[at[k]];
    }
    if (r->class == EVAL_F64) r->f64[i] += product;
    else r->u64[i] += whole;
}

static void sum_products(const struct einsum *e, struct eval_array *r, uint64_t total) {
    int64_t pos[EVAL_RANK] = {0}, at[MOST_OPERANDS] = {0};
    uint64_t inner = total / r->count;
    for (uint64_t i = 0; i < total; i++) {
        add_product(e, at, r, i / inner);
        for (uint32_t d = e->n; d-- > 0;) {
            uint32_t label = e->label[d];
            bool wraps = ++pos[d] == e->dim[label];
            for (uint32_t k = 0; k < e->nin; k++)
                at[k] += e->stride[k][label] * (wraps ? 1 - pos[d] : 1);
            if (!wraps) break;
            pos[d] = 0;
        }
    }
}

static bool eval_einsum(struct eval_job *j) {
    const struct ir_attr *equation = ir_eval_attr(j, "equation");
    struct einsum *e = arena_new(&j->work, struct einsum);
    struct eval_shape kept = {0}, all = {0};
    struct eval_array r;
    uint64_t total;
    e->nin = j->e->nin;
    if (!equation || e->nin == 0 || e->nin > MOST_OPERANDS) return false;
    for (uint32_t k = 0; k < e->nin; k++)
        if (!ir_eval_array_wide(j, k, &e->in[k]) || e->in[k].dtype != e->in[0].dtype)
            return false;
    if (!parse(e, &equation->s)) return false;
    for (uint32_t i = 0; i < e->n; i++) all.at[all.rank++] = e->dim[e->label[i]];
    kept = all;
    kept.rank = e->kept;
    if (!ir_eval_count(&all, &total) || !ir_eval_work(j, total) ||
        !ir_eval_array_new(j, e->in[0].dtype, e->in[0].class, &kept, &r))
        return false;
    sum_products(e, &r, total);
    return ir_eval_put(j, 0, &r);
}

const struct eval_op ir_eval_einsum_ops[] = {
    {"Einsum", eval_einsum, 0},
    {NULL, NULL, 0},
};
