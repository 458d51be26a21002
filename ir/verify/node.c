/* node.c -- operands, outputs and attributes of a node against its schema.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

/* --- arity ------------------------------------------------------------------------- */

static const char *range(struct verify *v, uint16_t least, uint16_t most) {
    if (most == UINT16_MAX) return arena_printf(&v->tmp, "%u or more", least);
    if (least == most) return arena_printf(&v->tmp, "%u", least);
    return arena_printf(&v->tmp, "%u to %u", least, most);
}

static void verify_count(struct verify *v, const char *what, const char *verb,
                         uint32_t count, uint16_t least, uint16_t most) {
    if (count >= least && (most == UINT16_MAX || count <= most)) return;
    ir_verify_wrong(v, "has %u %s%s, \"%s\" %s %s", count, what, count == 1 ? "" : "s",
                    v->x->schema->name, verb, range(v, least, most));
}

/* Running mean and variance are there in training only. */
static void verify_training(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    const struct ir_attr *a = ir_find_attr(v->g, v->n, "training_mode");
    if (!*s->domain && rw_streq(s->name, "BatchNormalization") && s->since >= 14 &&
        v->x->nout == s->max_outputs && !(a && (a->ref || a->i)))
        ir_verify_wrong(v, "has %u outputs, without \"training_mode\" it gives 1",
                        v->x->nout);
}

/* Y alone, or in training all that there is. */
static void verify_batch_norm(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    if (!*s->domain && rw_streq(s->name, "BatchNormalization") && v->x->nout > 1 &&
        v->x->nout < s->max_outputs)
        ir_verify_wrong(v, "has %u outputs, \"%s\" gives 1 or %u", v->x->nout, s->name,
                        s->max_outputs);
    verify_training(v);
}

/* Only operands that stand alone can be left out. */
static void verify_variadic(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    if (rw_streq(s->domain, "com.microsoft") || !s->ninputs) return;
    if (s->inputs[s->ninputs - 1].option != IR_VARIADIC) return;
    for (uint32_t k = s->ninputs - 1u; k < v->x->nin; k++)
        if (ir_input(v->g, v->n, k) == IR_NONE) {
            ir_verify_wrong(v, "operand %u (\"%s\") is missing", k,
                            s->inputs[s->ninputs - 1].name);
            return;
        }
}

static void verify_arity(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    verify_count(v, "operand", "takes", v->x->nin, s->min_inputs, s->max_inputs);
    verify_count(v, "output", "gives", v->x->nout, s->min_outputs, s->max_outputs);
    verify_batch_norm(v);
    for (uint32_t k = 0; k < v->x->nin && k < s->ninputs; k++)
        if (s->inputs[k].option == IR_SINGLE && ir_input(v->g, v->n, k) == IR_NONE)
            ir_verify_wrong(v, "operand %u (\"%s\") is missing", k, s->inputs[k].name);
    verify_variadic(v);
    for (uint32_t k = 0; k < v->x->nout && k < s->noutputs; k++)
        if (s->outputs[k].option == IR_SINGLE && v->x->out[k] == IR_NONE)
            ir_verify_wrong(v, "output %u (\"%s\") has no name", k, s->outputs[k].name);
}

/* --- attributes -------------------------------------------------------------------- */

static const char *attr_type_name(enum ir_attr_type t) {
    static const char *const names[] = {
        "nothing", "a float", "an int", "a string", "a tensor", "a graph", "floats",
        "ints", "strings", "tensors", "graphs", "a sparse tensor", "sparse tensors",
        "a type", "types",
    };
    return (unsigned)t < countof(names) ? names[t] : "something unknown";
}

static void suggest_attr(struct verify *v, const char *name) {
    const struct ir_schema *s = v->x->schema;
    const char **names = arena_new_array(&v->tmp, const char *, (size_t)s->nattrs + 1);
    for (uint32_t i = 0; i < s->nattrs; i++) names[i] = s->attrs[i].name;
    const char *nearest = diag_nearest(name, names, s->nattrs);
    if (nearest) ir_verify_help(v, "did you mean \"%s\"?", nearest);
}

/* No runtime loads an attribute that a schema does not have; but of the operators of ONNX
 * Runtime another version than that of the table may know it, and the schema of
 * LayerNormalization lets any pass. */
static bool lets_attrs_pass(const struct ir_schema *s) {
    return rw_streq(s->domain, "com.microsoft") ||
           rw_streq(s->name, "LayerNormalization") ||
           rw_streq(s->name, "SimplifiedLayerNormalization");
}

static void unknown_attr(struct verify *v, const char *name) {
    const struct ir_schema *s = v->x->schema;
    if (strncmp(name, "__", 2) == 0) return; /* free for private use */
    if (lets_attrs_pass(s)) {
        ir_verify_warn(v, "\"%s\" has no attribute \"%s\"", s->name, name);
        return;
    }
    ir_verify_wrong(v, "\"%s\" has no attribute \"%s\"", s->name, name);
    suggest_attr(v, name);
}

/* Readers guess, but from IR version 2 on it is to be said. */
static bool says_its_type(const struct verify *v, const struct ir_attr *a) {
    const Onnx__AttributeProto *p = a->proto;
    return !p || v->m->ir_version < 2 ||
           (p->has_type && p->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED);
}

static void verify_attr(struct verify *v, uint32_t k) {
    const struct ir_attr *a = &v->x->attr[k];
    for (uint32_t i = 0; i < k; i++)
        if (rw_streq(v->x->attr[i].name, a->name))
            ir_verify_wrong(v, "attribute \"%s\" is there twice", a->name);
    const struct ir_schema_attr *s = ir_schema_attr(v->x->schema, a->name);
    ir_verify_tensor_attr(v, a);
    if (a->ref) ir_verify_reference(v, a);
    if (!s) unknown_attr(v, a->name);
    else if (!says_its_type(v, a))
        ir_verify_wrong(v, "attribute \"%s\" does not say its type, which is to be %s",
                        a->name, attr_type_name(s->type));
    else if (a->type != s->type)
        ir_verify_wrong(v, "attribute \"%s\" is %s, wanted %s", a->name,
                        attr_type_name(a->type), attr_type_name(s->type));
    else
        ir_verify_range(v, a);
}

/* Which of its attributes a Constant has is its own affair, but it has one. */
static void verify_constant(struct verify *v) {
    if (ir_is_op(v->g, v->n, "Constant") && v->x->nattr != 1)
        ir_verify_wrong(v, "has %u values, wanted one", v->x->nattr);
}

static void verify_attrs(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    if (v->x->nattr > 4u * s->nattrs + 16) { /* many are unknown or there twice */
        ir_verify_wrong(v, "has %u attributes, \"%s\" takes %u", v->x->nattr, s->name,
                        s->nattrs);
        return;
    }
    for (uint32_t k = 0; k < v->x->nattr; k++) verify_attr(v, k);
    for (uint32_t i = 0; i < s->nattrs; i++)
        if (s->attrs[i].has_default == IR_REQUIRED &&
            !ir_find_attr(v->g, v->n, s->attrs[i].name))
            ir_verify_wrong(v, "attribute \"%s\" is missing", s->attrs[i].name);
    verify_constant(v);
}

void ir_verify_node(struct verify *v) {
    struct arena_mark mark = arena_mark(&v->tmp);
    verify_arity(v);
    verify_attrs(v);
    arena_reset(&v->tmp, mark);
}
