/* attr.c -- making, copying and comparing attributes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/attr.h"

struct ir_attr ir_attr_int(const char *name, int64_t value) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_INT, .i = value};
}

struct ir_attr ir_attr_float(const char *name, float value) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_FLOAT, .f = value};
}

struct ir_attr ir_attr_string(const char *name, const char *value) {
    return (struct ir_attr){
        .name = name, .type = IR_ATTR_STRING, .s = {value, strlen(value)}};
}

struct ir_attr ir_attr_ints(const char *name, uint32_t n, const int64_t *values) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_INTS, .n = n, .ints = values};
}

struct ir_attr ir_attr_floats(const char *name, uint32_t n, const float *values) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_FLOATS, .n = n, .floats = values};
}

struct ir_attr ir_attr_tensor(struct arena *a, const char *name, struct ir_tensor *t) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_TENSOR, .n = 1,
                            .tensors = arena_copy(a, &t, sizeof t)};
}

struct ir_attr ir_attr_graph(struct arena *a, const char *name, struct ir_graph *g) {
    return (struct ir_attr){.name = name, .type = IR_ATTR_GRAPH, .n = 1,
                            .graphs = arena_copy(a, &g, sizeof g)};
}

static struct ir_string copy_string(struct arena *a, struct ir_string s) {
    return (struct ir_string){arena_strndup(a, s.at, s.len), s.len};
}

struct ir_attr ir_attr_copy(struct arena *a, const struct ir_attr *attr) {
    struct ir_attr x = *attr;
    x.name = arena_strdup(a, attr->name);
    if (x.ref) x.ref = arena_strdup(a, x.ref);
    if (x.s.at) x.s = copy_string(a, x.s);
    if (x.ints) x.ints = arena_copy(a, x.ints, x.n * sizeof *x.ints);
    if (x.floats) x.floats = arena_copy(a, x.floats, x.n * sizeof *x.floats);
    if (x.tensors) x.tensors = arena_copy(a, x.tensors, x.n * sizeof(void *));
    if (x.graphs) x.graphs = arena_copy(a, x.graphs, x.n * sizeof(void *));
    if (!x.strings) return x;
    struct ir_string *strings = arena_new_array(a, struct ir_string, x.n);
    for (uint32_t i = 0; i < x.n; i++) strings[i] = copy_string(a, attr->strings[i]);
    x.strings = strings;
    return x;
}

static bool text_equal(const char *a, const char *b) {
    return a && b ? rw_streq(a, b) : a == b;
}

static bool string_equal(struct ir_string a, struct ir_string b) {
    return a.len == b.len && (!a.len || memcmp(a.at, b.at, a.len) == 0);
}

/* Items of plain numbers, by their bits: -0.0 is not 0.0, a NaN equals itself. */
static bool items_equal(const void *a, const void *b, uint32_t n, size_t size) {
    return n == 0 || memcmp(a, b, n * size) == 0;
}

static bool lists_equal(struct ir_model *m, const struct ir_attr *a,
                        const struct ir_attr *b) {
    for (uint32_t i = 0; i < a->n; i++) {
        bool equal = a->type == IR_ATTR_STRINGS
                         ? string_equal(a->strings[i], b->strings[i])
                         : ir_tensor_equal(m, a->tensors[i], b->tensors[i]);
        if (!equal) return false;
    }
    return true;
}

bool ir_attr_equal(struct ir_model *m, const struct ir_attr *a, const struct ir_attr *b) {
    if (!rw_streq(a->name, b->name) || a->type != b->type || !text_equal(a->ref, b->ref))
        return false;
    if (a->ref) return true;
    if (a->n != b->n) return false;
    switch (a->type) {
    case IR_ATTR_INT: return a->i == b->i;
    case IR_ATTR_FLOAT: return items_equal(&a->f, &b->f, 1, sizeof a->f);
    case IR_ATTR_STRING: return string_equal(a->s, b->s);
    case IR_ATTR_INTS: return items_equal(a->ints, b->ints, a->n, sizeof *a->ints);
    case IR_ATTR_FLOATS: return items_equal(a->floats, b->floats, a->n, sizeof *a->floats);
    case IR_ATTR_STRINGS:
    case IR_ATTR_TENSOR:
    case IR_ATTR_TENSORS: return lists_equal(m, a, b);
    case IR_ATTR_GRAPH:
    case IR_ATTR_GRAPHS: return false;
    default: return a->proto && a->proto == b->proto; /* kept as messages only */
    }
}
