/* constant.c -- which values are constants: initializers and Constant nodes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/schema.h"
#include "ir/tensor/tensor_bytes.h"

struct ir_tensor *ir_const(const struct ir_graph *g, ir_value v) {
    if (v == IR_NONE) return NULL;
    while (ir_has(g, v, IR_IS_OUTER)) {
        v = g->values.at[v].outer;
        g = g->outer;
    }
    bool overridable = ir_has(g, v, IR_IS_INPUT) && g->model->ir_version >= 4;
    return overridable || ir_has(g, v, IR_IS_TRAINED) ? NULL : g->values.at[v].tensor;
}

/* --- Constant nodes ---------------------------------------------------------------- */

static struct ir_tensor *floats_of(struct arena *a, uint32_t rank, uint32_t n,
                                   const float *values) {
    int64_t dims[1] = {n};
    unsigned char *bytes = arena_array(a, n, 4);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        ir_store_le(bytes + 4 * (size_t)i, 4, word);
    }
    return ir_tensor_new(a, IR_FLOAT, rank, dims, bytes);
}

static struct ir_tensor *int_of(struct arena *a, int64_t value) {
    unsigned char bytes[8];
    ir_store_le(bytes, 8, (uint64_t)value);
    return ir_tensor_new(a, IR_INT64, 0, NULL, bytes);
}

/* The tensor that an attribute of a Constant node stands for; NULL for a sparse one and
 * for a reference to an attribute of the function. */
static struct ir_tensor *tensor_of(struct arena *a, const struct ir_attr *x) {
    if (x->ref) return NULL;
    int64_t n = x->n;
    if (x->type == IR_ATTR_TENSOR && rw_streq(x->name, "value")) return x->tensors[0];
    if (x->type == IR_ATTR_INT && rw_streq(x->name, "value_int")) return int_of(a, x->i);
    if (x->type == IR_ATTR_INTS && rw_streq(x->name, "value_ints"))
        return ir_tensor_ints(a, x->n, x->ints);
    if (x->type == IR_ATTR_FLOAT && rw_streq(x->name, "value_float"))
        return floats_of(a, 0, 1, &x->f);
    if (x->type == IR_ATTR_FLOATS && rw_streq(x->name, "value_floats"))
        return floats_of(a, 1, x->n, x->floats);
    if (x->type == IR_ATTR_STRING && rw_streq(x->name, "value_string"))
        return ir_tensor_strings(a, 0, NULL, &x->s);
    if (x->type == IR_ATTR_STRINGS && rw_streq(x->name, "value_strings"))
        return ir_tensor_strings(a, 1, &n, x->strings);
    return NULL;
}

void ir_sync_constant(struct ir_graph *g, ir_node n) {
    ir_value v = ir_output(g, n, 0);
    if (v == IR_NONE || !ir_is_op(g, n, "Constant")) return;
    const struct ir_node_info *x = &g->nodes.at[n];
    struct ir_tensor *t =
        x->nin == 0 && x->nattr == 1 ? tensor_of(g->model->arena, &x->attr[0]) : NULL;
    if (g->values.at[v].tensor != t) SET_VALUE(g, v, tensor, t);
}

/* --- making one -------------------------------------------------------------------- */

#define SYMVAL_MAX 64 /* items of a constant that counts as a shape value */

static const struct ir_type *type_of(struct ir_model *m, const struct ir_tensor *t) {
    struct arena scratch = ARENA_EMPTY;
    ir_dim *dims = arena_new_array(&scratch, ir_dim, t->rank);
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = ir_dim_const(m->dims, t->dims[i]);
    const struct ir_type *type = ir_type_tensor(m->arena, t->dtype, t->rank, dims);
    arena_free(&scratch);
    return type;
}

const struct ir_symval *ir_symval_of_tensor(struct ir_model *m, const struct ir_tensor *t) {
    if (t->rank > 2 || t->count > SYMVAL_MAX) return NULL;
    if (!ir_dtype_is_int(t->dtype) && t->dtype != IR_BOOL) return NULL;
    ir_dim items[SYMVAL_MAX];
    for (uint32_t i = 0; i < t->count; i++) {
        int64_t value;
        if (!ir_tensor_int_at(m, t, i, &value)) return NULL;
        items[i] = ir_dim_const(m->dims, value);
    }
    struct ir_symval *s = arena_new(m->arena, struct ir_symval);
    *s = (struct ir_symval){.rank = t->rank, .len = (uint32_t)t->count,
                            .items = arena_copy(m->arena, items, t->count * sizeof *items)};
    return s;
}

#define DOUBLE_EXACT (INT64_C(1) << 53) /* double has every integer up to here */

/* The bits of x in a type; false when it does not have it. */
static bool encode(enum ir_dtype t, int64_t x, uint64_t *bits) {
    bool exact = x >= -DOUBLE_EXACT && x <= DOUBLE_EXACT;
    float narrow = (float)x;
    double wide = (double)x;
    uint32_t word;
    *bits = (uint64_t)x;
    switch (t) {
    case IR_INT64: return true;
    case IR_INT32: return x >= INT32_MIN && x <= INT32_MAX;
    case IR_BOOL: return x == 0 || x == 1;
    case IR_DOUBLE: memcpy(bits, &wide, sizeof wide); return exact;
    case IR_FLOAT:
        memcpy(&word, &narrow, sizeof word);
        *bits = word;
        return exact && (int64_t)narrow == x;
    default: return false;
    }
}

static bool dims_of(const struct ir_dims *d, const struct ir_type *t,
                    const struct ir_symval *s, int64_t dims[2]) {
    dims[0] = s->len;
    if (s->rank < 2) return true;
    return s->rank == 2 && ir_type_ranked(t) && t->rank == 2 &&
           ir_dim_is_const(d, t->dims[0], &dims[0]) && ir_dim_is_const(d, t->dims[1], &dims[1]);
}

struct ir_tensor *ir_tensor_of_symval(const struct ir_graph *g, ir_value v, struct arena *a) {
    const struct ir_symval *s = ir_val(g, v)->symval;
    const struct ir_type *type = ir_val(g, v)->type;
    enum ir_dtype t = ir_type_dtype(type);
    unsigned char bytes[8 * SYMVAL_MAX];
    int64_t dims[2], x;
    uint64_t bits;
    if (!s || s->len > SYMVAL_MAX || !dims_of(g->model->dims, type, s, dims)) return NULL;
    uint32_t width = ir_dtype_bits(t) / 8;
    for (uint32_t i = 0; i < s->len; i++) {
        if (!ir_dim_is_const(g->model->dims, s->items[i], &x) || !encode(t, x, &bits)) return NULL;
        ir_store_le(bytes + (size_t)i * width, width, bits);
    }
    bool holds = t == IR_INT64 || t == IR_INT32 || t == IR_BOOL || t == IR_FLOAT || t == IR_DOUBLE;
    return holds ? ir_tensor_new(a, t, s->rank, dims, bytes) : NULL;
}

#define FIRST_WITHOUT_INPUTS 4 /* IR version of initializers that are no inputs */

/* Before that a Constant node makes no input more. Up to opset 8 it holds floats only. */
static bool is_to_be_initializer(struct ir_graph *g, const struct ir_tensor *t) {
    if (g->function) return false;
    if (g->model->ir_version >= FIRST_WITHOUT_INPUTS) return true;
    const struct ir_schema *constant = ir_schema_in(g, "", "Constant");
    if (!constant || ir_types_allow(ir_schema_output(constant, 0)->types, t->dtype)) return false;
    ir_set_ir_version(g->model, FIRST_WITHOUT_INPUTS);
    return true;
}

ir_value ir_add_constant(struct ir_graph *g, const char *name, struct ir_tensor *t) {
    struct ir_model *m = g->model;
    ir_value v = ir_add_value(g, name, type_of(m, t));
    SET_VALUE(g, v, symval, ir_symval_of_tensor(m, t));
    if (is_to_be_initializer(g, t)) {
        ir_set_initializer(g, v, t);
        return v;
    }
    struct ir_attr value = {.name = "value", .type = IR_ATTR_TENSOR, .n = 1, .tensors = &t};
    ir_add_node(g, &(struct ir_new_node){.op = "Constant", .nout = 1, .out = &v, .nattr = 1,
                                         .attr = &value}, g->first);
    return v;
}
