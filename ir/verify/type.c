/* type.c -- element types of operands and outputs against the type constraints.
 *
 * What is not known is not compared. Operands and outputs that share a constraint have the
 * same type; that is looked at in one pass, with the first known type of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

#define NESTING_MAX 16

/* The type as the schemas write it, `seq(tensor(float))`; false when a part is unknown. */
static bool type_text(const struct ir_type *t, struct buf *out, uint32_t depth) {
    static const char *const heads[] = {"tensor(", "sparse_tensor(", "seq(", "optional(",
                                        "map("};
    if (!t || depth > NESTING_MAX || (unsigned)t->kind >= countof(heads)) return false;
    buf_puts(out, heads[t->kind]);
    if (t->kind == IR_TENSOR || t->kind == IR_SPARSE_TENSOR || t->kind == IR_MAP) {
        const char *name = t->dtype == IR_UNDEFINED ? NULL : ir_dtype_name(t->dtype);
        if (!name) return false;
        buf_puts(out, name);
    }
    if (t->kind == IR_MAP) {
        /* Values of a map are tensors of no dimension, written by their element type. */
        const char *name = t->elem ? ir_dtype_name(ir_type_dtype(t->elem)) : NULL;
        if (!name) return false;
        buf_printf(out, ", %s", name);
    }
    if ((t->kind == IR_SEQUENCE || t->kind == IR_OPTIONAL) &&
        !type_text(t->elem, out, depth + 1))
        return false;
    buf_putc(out, ')');
    return true;
}

/* The same in the arena, or NULL. */
static const char *type_words(const struct ir_type *t, struct arena *a) {
    struct buf b = {0};
    const char *text = type_text(t, &b, 0) ? arena_strdup(a, buf_text(&b)) : NULL;
    buf_free(&b);
    return text;
}

/* Most types are tensors, which need no words. */
static bool is_known(const struct ir_type *t, struct arena *a) {
    if (t && t->kind == IR_TENSOR) return t->dtype != IR_UNDEFINED;
    return t && type_words(t, a);
}

static bool is_same(const struct ir_type *a, const struct ir_type *b, struct arena *tmp) {
    if (a->kind == IR_TENSOR && b->kind == IR_TENSOR) return a->dtype == b->dtype;
    return rw_streq(type_words(a, tmp), type_words(b, tmp));
}

static bool is_allowed(const struct ir_formal_param *p, const struct ir_type *t,
                       struct arena *a) {
    if (t->kind == IR_TENSOR) return ir_types_allow(p->types, t->dtype);
    const char *text = type_words(t, a);
    size_t n;
    const char *const *list = ir_types_list(p->types, &n);
    for (size_t i = 0; i < n; i++)
        if (rw_streq(list[i], text)) return true;
    return false;
}

struct bound {
    const struct ir_type *type; /* the first that is known; NULL: none yet */
    const char *role;           /* "operand" or "output" */
    uint32_t at;
};

/* Before 9 a Constant was one of floats by its schema; exporters and runtimes never
 * cared. */
static bool is_any_constant(const struct ir_schema *s) {
    return rw_streq(s->name, "Constant") && !*s->domain;
}

static void verify_one(struct verify *v, bool is_operand, uint32_t k, ir_value value,
                       const struct ir_formal_param *p, struct bound *bounds) {
    const char *role = is_operand ? "operand" : "output";
    const struct ir_type *t = value == IR_NONE || !p ? NULL : ir_val(v->g, value)->type;
    if (!is_known(t, &v->tmp)) return;
    const struct ir_schema *s = v->x->schema;
    if (!is_allowed(p, t, &v->tmp) && !is_any_constant(s)) {
        ir_verify_wrong(v, "%s %u (\"%s\") is %s, which \"%s\" of opset %" PRId64
                        " does not %s", role, k, p->name, type_words(t, &v->tmp), s->name,
                        ir_opset(v->g, s->domain), is_operand ? "take" : "give");
        return;
    }
    if (p->constraint < 0 || (p->option == IR_VARIADIC && !p->homogeneous)) return;
    struct bound *bound = &bounds[p->constraint];
    if (!bound->type) *bound = (struct bound){t, role, k};
    else if (!is_same(bound->type, t, &v->tmp))
        ir_verify_wrong(v, "%s %u (\"%s\") is %s, wanted %s as %s %u", role, k, p->name,
                        type_words(t, &v->tmp), type_words(bound->type, &v->tmp),
                        bound->role, bound->at);
}

#define MOSTLY 8 /* constraints of an operator at most, but for a few */

void ir_verify_types(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    struct arena_mark mark = arena_mark(&v->tmp);
    struct bound few[MOSTLY] = {{0}}, *bounds = few;
    if (s->nconstraints > MOSTLY)
        bounds = arena_zalloc(&v->tmp, s->nconstraints * sizeof *bounds);
    for (uint32_t k = 0; k < v->x->nin; k++)
        verify_one(v, true, k, ir_input(v->g, v->n, k), ir_schema_input(s, k), bounds);
    for (uint32_t k = 0; k < v->x->nout; k++)
        verify_one(v, false, k, v->x->out[k], ir_schema_output(s, k), bounds);
    arena_reset(&v->tmp, mark);
}
