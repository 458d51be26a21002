/* constants.c -- which constants a rule names by their value, and how.
 *
 * A number that belongs to the idea (an exponent, 1, 0.5, the root of 2) stays what it is;
 * one that a model chose (an epsilon, a scale, a size, a weight) becomes any constant. Lists
 * of integers choose axes and places, and stay.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

#include <math.h>

#define MOST_ITEMS 8u

/* --- spelling ------------------------------------------------------------------------ */

bool cap_put_real(struct buf *out, double x) {
    if (!isfinite(x)) return false;
    size_t from = out->len;
    if ((double)(float)x == x) buf_float(out, (float)x);
    else buf_double(out, x);
    if (!strpbrk(out->at + from, ".e")) buf_puts(out, ".0");
    return true;
}

bool cap_put_int(struct buf *out, int64_t x) {
    if (x == INT64_MIN) return false;
    buf_printf(out, "%" PRId64, x);
    return true;
}

static const char *kept(const struct cap_place *p, struct buf *text) {
    const char *out = arena_strdup(p->arena, buf_text(text));
    buf_free(text);
    return out;
}

/* --- which numbers stay -------------------------------------------------------------- */

static bool is_near(double x, double y) { return fabs(x - y) <= fabs(y) * 1e-6; }

static bool is_structural(double x) {
    static const double known[] = {
        0.5, 0.25, 1.5, 0.044715, 1.702,
        1.4142135623730951,  /* sqrt(2) */
        0.70710678118654752, /* its inverse */
        0.79788456080286536, /* sqrt(2 / pi) */
        1.1283791670955126,  /* 2 / sqrt(pi) */
        3.1415926535897932, 0.69314718055994531, 2.7182818284590452,
        0.16666666666666667, 0.2, 0.33333333333333333};
    if (x == floor(x) && fabs(x) <= 6) return true;
    for (size_t i = 0; i < countof(known); i++)
        if (is_near(fabs(x), known[i])) return true;
    return false;
}

/* The exponent of a Pow, whatever it is, says what is computed. */
static bool is_exponent(const struct cap_place *p, ir_value v) {
    for (uint32_t i = 0; i < p->nodes.len; i++)
        if (ir_is_op(p->g, p->nodes.at[i], "Pow") && ir_input(p->g, p->nodes.at[i], 1) == v)
            return true;
    return false;
}

/* --- where a number can stand -------------------------------------------------------- */

/* The operand beside a constant of an elementwise operator of two operands. */
static ir_value beside(const struct cap_place *p, ir_node n, ir_value v) {
    bool pair = ir_nod(p->g, n)->nin == 2 &&
                ir_op_is_broadcasting(ir_domain_name(p->g, n), ir_op_name(p->g, n));
    if (!pair) return IR_NONE;
    ir_value other = ir_input(p->g, n, ir_input(p->g, n, 0) == v);
    return other == v || other == IR_NONE || ir_const(p->g, other) ? IR_NONE : other;
}

static bool reads(const struct ir_graph *g, ir_node n, ir_value v) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++)
        if (ir_input(g, n, k) == v) return true;
    return false;
}

/* Emitted, a number takes the type of the operand beside it, and no dimension. */
static bool can_be_inline(const struct cap_place *p, ir_value v) {
    const struct ir_tensor *t = ir_const(p->g, v);
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        if (!reads(p->g, p->nodes.at[i], v)) continue;
        ir_value other = beside(p, p->nodes.at[i], v);
        if (other == IR_NONE) return false;
        const struct ir_type *type = ir_val(p->g, other)->type;
        if (ir_type_dtype(type) != t->dtype) return false;
        if (t->rank > 0 && (!ir_type_ranked(type) || type->rank < t->rank)) return false;
    }
    return true;
}

/* --- kinds --------------------------------------------------------------------------- */

static bool put_number(const struct cap_place *p, ir_value v, struct buf *out) {
    const struct ir_tensor *t = ir_const(p->g, v);
    struct ir_model *m = p->g->model;
    int64_t i;
    double x;
    if (t->dtype == IR_BOOL) {
        if (!ir_tensor_int_at(m, t, 0, &i)) return false;
        buf_puts(out, i ? "true" : "false");
        return true;
    }
    if (ir_dtype_is_int(t->dtype)) {
        bool stays = ir_tensor_int_at(m, t, 0, &i) && ((i >= -3 && i <= 3) || i >= INT32_MAX);
        return stays && cap_put_int(out, i);
    }
    if (!ir_dtype_is_float(t->dtype) || !ir_tensor_double_at(m, t, 0, &x)) return false;
    if (!isfinite(x) || (!is_structural(x) && !is_exponent(p, v))) return false;
    if (x == floor(x) && fabs(x) < 1e6) return cap_put_int(out, (int64_t)x);
    return cap_put_real(out, x);
}

static bool put_list(const struct cap_place *p, ir_value v, struct buf *out) {
    const struct ir_tensor *t = ir_const(p->g, v);
    if (t->rank != 1 || t->count == 0 || t->count > MOST_ITEMS) return false;
    if (t->dtype != IR_INT64 && t->dtype != IR_INT32) return false;
    buf_putc(out, '[');
    for (uint64_t i = 0; i < t->count; i++) {
        int64_t item;
        if (!ir_tensor_int_at(p->g->model, t, i, &item)) return false;
        if (i) buf_puts(out, ", ");
        if (!cap_put_int(out, item)) return false;
    }
    buf_putc(out, ']');
    return true;
}

struct cap_known cap_known(const struct cap_place *p, ir_value v) {
    const struct ir_tensor *t = ir_const(p->g, v);
    struct buf text = {0};
    if (t->count == 1 && put_number(p, v, &text))
        return (struct cap_known){CAP_NUMBER, can_be_inline(p, v), kept(p, &text)};
    buf_free(&text);
    if (put_list(p, v, &text)) return (struct cap_known){CAP_LIST, false, kept(p, &text)};
    buf_free(&text);
    return (struct cap_known){t->count == 1 ? CAP_SCALAR : CAP_TENSOR, false, NULL};
}
