/* reform.c -- re-forming by parameter:
 *
 *   attribute, still one          kept; written out where its default changed
 *   attribute, now an input       becomes a constant operand
 *   attribute, gone               dropped where it had its default, else refused
 *   attribute, new                written where the older version meant another value
 *   output, gone                  dropped where nobody uses it, else refused
 *   type, no longer allowed       refused
 *
 * Nothing is changed before everything is known to fit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/reform.h"

#include "ir/infer.h"
#include "ir/param.h"
#include "ir/schema.h"

struct reform {
    struct ir_graph *g;
    ir_node n;
    const struct ir_schema *from, *to;
    int64_t opset;
    const char **why;
};

static enum ir_reform refuse(struct reform *r, enum ir_reform kind, const char *what,
                             const char *name) {
    if (r->why)
        *r->why = arena_printf(r->g->model->arena, "\"%s\" %s%s%s%s at opset %" PRId64,
                               ir_op_name(r->g, r->n), what, name ? " \"" : "",
                               name ? name : "", name ? "\"" : "", r->opset);
    return kind;
}

static bool crosses_epoch(const struct ir_schema *from, const struct ir_schema *to) {
    size_t count;
    const int32_t *epochs = ir_op_epochs(from->domain, from->name, &count);
    for (size_t i = 0; i < count; i++)
        if (from->since < epochs[i] && epochs[i] <= to->since) return true;
    return false;
}

/* What the attribute is called as a parameter: `value` of Pad is `constant_value`. */
static const char *newest_name(const struct reform *r, const char *attr) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(r->to->domain, r->to->name, &n);
    for (size_t i = 0; i < n; i++)
        if (defs[i].older && rw_streq(defs[i].older, attr)) return defs[i].name;
    return attr;
}

/* The operand that carries the attribute in the newer form, or -1. */
static int operand_of(const struct reform *r, const char *attr) {
    int k = ir_param_operand(r->to->domain, r->to->name, newest_name(r, attr), r->opset);
    return k >= 0 ? k : -1;
}

static bool same_default(const struct ir_schema_attr *a, const struct ir_schema_attr *b) {
    if (a->has_default != IR_HAS_DEFAULT || b->has_default != IR_HAS_DEFAULT)
        return a->has_default == b->has_default;
    if (a->type != b->type) return false;
    switch (a->type) {
    case IR_ATTR_INT: return a->i == b->i;
    case IR_ATTR_FLOAT: return memcmp(&a->f, &b->f, sizeof a->f) == 0;
    case IR_ATTR_STRING: return rw_streq(a->s, b->s);
    default: return a->n == b->n; /* lists: only empty ones are defaults */
    }
}

static bool is_default(const struct ir_attr *a, const struct ir_schema_attr *d) {
    if (d->has_default != IR_HAS_DEFAULT || a->ref) return false;
    if (d->type == IR_ATTR_INT) return a->i == d->i;
    if (d->type == IR_ATTR_FLOAT) return memcmp(&a->f, &d->f, sizeof a->f) == 0;
    if (d->type == IR_ATTR_STRING)
        return strlen(d->s) == a->s.len && memcmp(d->s, a->s.at, a->s.len) == 0;
    return false;
}

/* In inference the mask of Dropout was left open before 12 (ONNX Runtime: all false) and is
 * all true since. */
static bool fills_mask_anew(const struct reform *r) {
    const struct ir_node_info *x = ir_nod(r->g, r->n);
    return rw_streq(r->to->name, "Dropout") && !r->to->domain[0] && r->from->since < 12 &&
           r->to->since >= 12 && x->nout > 1 && x->out[1] != IR_NONE &&
           ir_val(r->g, x->out[1])->nuses > 0;
}

/* The outputs up to the last one that is used or that the newer form has. */
static uint32_t outputs_needed(const struct reform *r) {
    const struct ir_node_info *x = ir_nod(r->g, r->n);
    uint32_t n = x->nout;
    while (n > r->to->max_outputs &&
           (x->out[n - 1] == IR_NONE || ir_val(r->g, x->out[n - 1])->nuses == 0))
        n--;
    return n;
}

/* Did the older version allow the type of a value where the newer one does not? */
static bool loses_type(const struct reform *r, ir_value v, const struct ir_formal_param *old,
                       const struct ir_formal_param *now) {
    enum ir_dtype t = v == IR_NONE ? IR_UNDEFINED : ir_type_dtype(ir_val(r->g, v)->type);
    return t != IR_UNDEFINED && old && now && ir_types_allow(old->types, t) &&
           !ir_types_allow(now->types, t);
}

/* The operand or output whose type the newer version does not allow, by name, or NULL. */
static const char *lost_type(const struct reform *r) {
    const struct ir_node_info *x = ir_nod(r->g, r->n);
    for (uint32_t k = 0; k < x->nin; k++)
        if (loses_type(r, ir_input(r->g, r->n, k), ir_schema_input(r->from, k),
                       ir_schema_input(r->to, k)))
            return ir_schema_input(r->from, k)->name;
    for (uint32_t k = 0; k < x->nout; k++)
        if (loses_type(r, x->out[k], ir_schema_output(r->from, k),
                       ir_schema_output(r->to, k)))
            return ir_schema_output(r->from, k)->name;
    return NULL;
}

/* An attribute that comes from the call can be that of a Constant, from opset 12 on, where it
 * comes for sure: Constant cannot do without. */
static bool may_refer(const struct reform *r, const struct ir_attr *a) {
    const struct ir_function *f = r->g->function;
    const struct ir_schema_attr *old = ir_schema_attr(r->from, a->name);
    struct ir_attr given;
    return r->opset >= 12 && a->type == IR_ATTR_INTS && old && f &&
           (old->has_default == IR_REQUIRED ||
            ir_function_default(r->g->model, f, a->ref, &given));
}

static enum ir_reform check_attribute(struct reform *r, const struct ir_attr *a) {
    if (ir_schema_attr(r->to, a->name)) return IR_REFORM_DONE;
    if (operand_of(r, a->name) >= 0)
        return !a->ref || may_refer(r, a)
                   ? IR_REFORM_DONE
                   : refuse(r, IR_REFORM_IMPOSSIBLE, "takes from its function's attribute",
                            a->name);
    const struct ir_schema_attr *old = ir_schema_attr(r->from, a->name);
    if (!old || ir_attr_is_inert(r->from->domain, r->from->name, a->name) ||
        is_default(a, old))
        return IR_REFORM_DONE;
    return refuse(r, IR_REFORM_NEEDS_RULE, "has no attribute", a->name);
}

/* Every attribute of the node has a place, and every operand of the newer form that is
 * required is there or will be. */
static enum ir_reform check(struct reform *r) {
    const struct ir_node_info *x = ir_nod(r->g, r->n);
    for (uint32_t i = 0; i < x->nattr; i++) {
        enum ir_reform of_one = check_attribute(r, &x->attr[i]);
        if (of_one != IR_REFORM_DONE) return of_one;
    }
    if (x->nin > r->to->max_inputs || outputs_needed(r) > r->to->max_outputs)
        return refuse(r, IR_REFORM_NEEDS_RULE, "has fewer operands or results", NULL);
    if (fills_mask_anew(r))
        return refuse(r, IR_REFORM_NEEDS_RULE, "fills otherwise its output", "mask");
    const char *lost = lost_type(r);
    return lost ? refuse(r, IR_REFORM_NEEDS_RULE, "does not allow the type of", lost)
                : IR_REFORM_DONE;
}

/* The element type that an operand must have: int64 where the schema has only that, the
 * type of operand 0 where both share a constraint, else float. */
static enum ir_dtype operand_dtype(const struct reform *r, uint32_t k) {
    const struct ir_formal_param *p = ir_schema_input(r->to, k);
    const struct ir_formal_param *first = ir_schema_input(r->to, 0);
    if (!ir_types_allow(p->types, IR_FLOAT))
        return ir_types_allow(p->types, IR_INT64) ? IR_INT64 : IR_BOOL;
    if (p->constraint >= 0 && first && p->constraint == first->constraint)
        return ir_type_dtype(ir_val(r->g, ir_input(r->g, r->n, 0))->type);
    return IR_FLOAT;
}

static struct ir_tensor *float_operand(struct arena *a, enum ir_dtype t, uint32_t rank,
                                       uint32_t n, const float *values) {
    if (rank == 0) return ir_tensor_scalar_float(a, t, (double)values[0]);
    if (t != IR_FLOAT) return NULL; /* no list parameter has another type */
    int64_t dims[1] = {n};
    return ir_tensor_new(a, t, 1, dims, values);
}

/* The attribute as a tensor for operand k; NULL when its type has no such form. K of TopK
 * is an int that became a tensor of one element; every other int or float became a scalar. */
static struct ir_tensor *as_operand(const struct reform *r, const struct ir_attr *a, uint32_t k) {
    struct arena *arena = r->g->model->arena;
    enum ir_dtype t = operand_dtype(r, k);
    int64_t one[1] = {1};
    switch (a->type) {
    case IR_ATTR_INTS: return t == IR_INT64 ? ir_tensor_ints(arena, a->n, a->ints) : NULL;
    case IR_ATTR_INT:
        if (t == IR_BOOL) return ir_tensor_new(arena, t, 0, NULL, &(uint8_t){a->i != 0});
        if (t != IR_INT64) return NULL;
        return ir_tensor_new(arena, t, rw_streq(a->name, "k"), one, &a->i);
    case IR_ATTR_FLOAT: return t ? float_operand(arena, t, 0, 1, &a->f) : NULL;
    case IR_ATTR_FLOATS: return t ? float_operand(arena, t, 1, a->n, a->floats) : NULL;
    default: return NULL;
    }
}

static const char *hint_of(const struct reform *r, const char *name) {
    ir_value first = ir_input(r->g, r->n, 0);
    const char *of = first != IR_NONE ? ir_val(r->g, first)->name : ir_op_name(r->g, r->n);
    return arena_printf(r->g->model->arena, "%s_%s", of, name);
}

static ir_value constant_of_call(struct reform *r, const struct ir_attr *a) {
    struct ir_attr value = {.name = "value_ints", .type = IR_ATTR_INTS, .ref = a->ref};
    ir_value v = ir_add_value(r->g, hint_of(r, a->name), NULL);
    ir_node n = ir_add_node(r->g, &(struct ir_new_node){.op = "Constant", .nout = 1, .out = &v,
                                                        .nattr = 1, .attr = &value},
                            r->n);
    ir_infer_node(r->g, n, NULL);
    return v;
}

static void set_operand(struct reform *r, uint32_t k, ir_value v) {
    if (ir_nod(r->g, r->n)->nin <= k) ir_set_input_count(r->g, r->n, k + 1);
    ir_set_input(r->g, r->n, k, v);
}

/* Attributes that are inputs in the newer form, and those that are gone. */
static enum ir_reform move_attributes(struct reform *r) {
    for (uint32_t i = 0; i < ir_nod(r->g, r->n)->nattr;) {
        const struct ir_attr a = ir_nod(r->g, r->n)->attr[i];
        if (ir_schema_attr(r->to, a.name)) {
            i++;
            continue;
        }
        int k = operand_of(r, a.name);
        if (k >= 0) {
            struct ir_tensor *t = a.ref ? NULL : as_operand(r, &a, (uint32_t)k);
            if (!t && !a.ref)
                return refuse(r, IR_REFORM_IMPOSSIBLE, "cannot take as an operand", a.name);
            set_operand(r, (uint32_t)k, t ? ir_add_constant(r->g, hint_of(r, a.name), t)
                                          : constant_of_call(r, &a));
        }
        ir_drop_attr(r->g, r->n, a.name);
    }
    return IR_REFORM_DONE;
}

static struct ir_attr default_as_attr(const struct ir_schema_attr *d) {
    if (d->type == IR_ATTR_INTS) return ir_attr_ints(d->name, d->n, d->ints);
    if (d->type == IR_ATTR_FLOAT) return ir_attr_float(d->name, d->f);
    if (d->type == IR_ATTR_STRING) return ir_attr_string(d->name, d->s);
    return ir_attr_int(d->name, d->i);
}

/* onnx.checker infers MeanVarianceNormalization by its body, and there misses a list that is
 * left to its default. */
static bool must_be_said(const struct reform *r, const struct ir_schema_attr *old,
                         const struct ir_schema_attr *now) {
    return !same_default(old, now) || (r->to->has_body && now->type == IR_ATTR_INTS);
}

/* What the node left to a default that the newer form has not, is written out: to an
 * attribute whose default changed, or to an operand that was an attribute. */
static enum ir_reform write_defaults(struct reform *r) {
    for (uint32_t i = 0; i < r->from->nattrs; i++) {
        const struct ir_schema_attr *old = &r->from->attrs[i];
        if (old->has_default != IR_HAS_DEFAULT || ir_find_attr(r->g, r->n, old->name)) continue;
        const struct ir_schema_attr *now = ir_schema_attr(r->to, old->name);
        if (now && must_be_said(r, old, now)) {
            struct ir_attr a = default_as_attr(old);
            ir_set_attr(r->g, r->n, &a);
        }
        int k = now ? -1 : operand_of(r, old->name);
        if (k >= 0 && ir_schema_input(r->to, (uint32_t)k)->option == IR_SINGLE) {
            struct ir_attr a = default_as_attr(old);
            struct ir_tensor *t = as_operand(r, &a, (uint32_t)k);
            if (!t) return refuse(r, IR_REFORM_IMPOSSIBLE, "lacks operand", old->name);
            set_operand(r, (uint32_t)k, ir_add_constant(r->g, hint_of(r, old->name), t));
        }
    }
    return IR_REFORM_DONE;
}

/* What the older version meant by itself, where the newer one means something else by
 * default: the running statistics among the outputs of BatchNormalization say that it is in
 * training. */
static void write_meant(struct reform *r, struct ir_graph *g) {
    for (uint32_t i = 0; i < r->to->nattrs; i++) {
        const struct ir_schema_attr *now = &r->to->attrs[i];
        if (now->has_default != IR_HAS_DEFAULT || ir_schema_attr(r->from, now->name)) continue;
        struct ir_param p = ir_param(g, r->n, now->name, g->model->arena);
        if (p.source == IR_PARAM_ATTR && p.attr.type == now->type && !is_default(&p.attr, now))
            ir_set_attr(g, r->n, &p.attr);
    }
}

static void drop_outputs(struct reform *r) {
    uint32_t n = outputs_needed(r), nout = ir_nod(r->g, r->n)->nout;
    if (n == nout) return;
    bool *keep = arena_zalloc(r->g->model->arena, nout * sizeof *keep);
    for (uint32_t k = 0; k < n; k++) keep[k] = true;
    ir_keep_outputs(r->g, r->n, keep);
}

/* From opset 18 on a Split without sizes says into how many parts. */
static void say_number_of_parts(struct reform *r) {
    if (!rw_streq(r->to->name, "Split") || r->to->domain[0] || r->to->since < 18) return;
    if (r->from->since >= 18 || ir_input(r->g, r->n, 1) != IR_NONE) return;
    struct ir_attr a = ir_attr_int("num_outputs", ir_nod(r->g, r->n)->nout);
    ir_set_attr(r->g, r->n, &a);
}

enum ir_reform ir_reform_node(struct ir_graph *g, ir_node n, int64_t opset, const char **why) {
    const struct ir_schema *from = ir_nod(g, n)->schema;
    if (!from) return IR_REFORM_DONE; /* unknown operators are nobody's business */
    const struct ir_schema *to = ir_schema_find(from->domain, from->name, opset);
    if (!to && !*from->domain) to = ir_schema_runtime(from->name, opset);
    struct reform r = {g, n, from, to, opset, why};
    if (to == from) return IR_REFORM_DONE;
    if (!to || to->deprecated)
        return refuse(&r, IR_REFORM_NEEDS_RULE, "is no longer an operator", NULL);
    if (crosses_epoch(from, to))
        return refuse(&r, IR_REFORM_NEEDS_RULE, "means something else", NULL);
    enum ir_reform result = check(&r);
    if (result != IR_REFORM_DONE) return result;
    ir_mark_t mark = ir_mark(g->model);
    write_meant(&r, g);
    drop_outputs(&r);
    result = move_attributes(&r);
    if (result == IR_REFORM_DONE) result = write_defaults(&r);
    if (result != IR_REFORM_DONE) {
        ir_undo(g->model, mark);
        return result;
    }
    say_number_of_parts(&r);
    ir_set_schema(g, n, to);
    return IR_REFORM_DONE;
}
