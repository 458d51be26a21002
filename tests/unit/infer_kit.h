/* infer_kit.h -- graphs in a few lines, for the tests of inference.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_INFER_KIT_H
#define TESTS_INFER_KIT_H

#include "ir/ir.h"

#include <CUnit/Basic.h>
#include <stdio.h>

struct kit {
    struct arena a;
    struct ir_model *m;
    struct ir_graph *g;
};

static inline void kit_start(struct kit *k, int64_t opset) {
    *k = (struct kit){.a = ARENA_EMPTY};
    k->m = ir_model_new(&k->a, 8);
    k->g = ir_graph_new(k->m, NULL, "g");
    k->m->main = k->g;
    ir_set_opset(k->m, "", opset);
    ir_set_opset(k->m, "com.microsoft", 1);
}
static inline void kit_end(struct kit *k) { arena_free(&k->a); }

/* An input; dims as text, such as "batch 128 ?". NULL: of unknown rank. */
static inline ir_value kit_input(struct kit *k, const char *name, enum ir_dtype t,
                                 const char *dims) {
    ir_dim d[16];
    uint32_t rank = 0;
    char word[32];
    int used;
    const char *p = dims ? dims : "";
    for (; sscanf(p, "%31s%n", word, &used) == 1; p += used) {
        char *end;
        long long value = strtoll(word, &end, 10);
        d[rank++] = rw_streq(word, "?") ? ir_dim_fresh(k->m->dims)
                    : *end              ? ir_dim_symbol(k->m->dims, word)
                                        : ir_dim_const(k->m->dims, value);
    }
    const struct ir_type *type = dims ? ir_type_tensor(k->m->arena, t, rank, d)
                                      : ir_type_unranked(k->m->arena, t, ++k->m->opaque);
    ir_value v = ir_add_value(k->g, name, type);
    ir_add_input(k->g, v);
    return v;
}

static inline ir_value kit_ints(struct kit *k, uint32_t n, const int64_t *values) {
    return ir_add_constant(k->g, "c", ir_tensor_ints(k->m->arena, n, values));
}
#define INTS(k, ...)                                                                   \
    kit_ints((k), countof(((const int64_t[]){__VA_ARGS__})), (const int64_t[]){__VA_ARGS__})

struct kit_node {
    const char *op, *domain;
    uint32_t nin, nout, nattr;
    ir_value in[8];
    struct ir_attr attr[4];
};
static inline ir_node kit_add(struct kit *k, const struct kit_node *n) {
    ir_value out[8];
    uint32_t nout = n->nout ? n->nout : 1;
    for (uint32_t i = 0; i < nout; i++) out[i] = ir_add_value(k->g, NULL, NULL);
    return ir_add_node(k->g,
                       &(struct ir_new_node){.op = n->op,
                                             .domain = n->domain ? n->domain : "",
                                             .nin = n->nin,
                                             .in = n->in,
                                             .nout = nout,
                                             .out = out,
                                             .nattr = n->nattr,
                                             .attr = n->attr},
                       IR_NONE);
}
/* Adds a node, infers it, and gives its first output. */
static inline ir_value kit_run(struct kit *k, const struct kit_node *n) {
    ir_node id = kit_add(k, n);
    const char *why = NULL;
    if (!ir_infer_node(k->g, id, &why)) {
        fprintf(stderr, "%s: %s\n", n->op, why);
        CU_FAIL("inference failed");
    }
    return ir_output(k->g, id, 0);
}
#define RUN(k, ...) kit_run((k), &(struct kit_node){__VA_ARGS__})

static inline void kit_type(struct kit *k, ir_value v, const char *wanted) {
    struct buf b = {0};
    ir_type_print(k->m->dims, ir_val(k->g, v)->type, &b);
    if (!rw_streq(buf_text(&b), wanted))
        fprintf(stderr, "%s, not %s\n", buf_text(&b), wanted);
    CU_ASSERT_STRING_EQUAL(buf_text(&b), wanted);
    buf_free(&b);
}

/* The known value as text: "[batch, 12]", "3" for a scalar, "none". */
static inline void kit_value(struct kit *k, ir_value v, const char *wanted) {
    struct buf b = {0};
    const struct ir_symval *s = ir_symval_of(k->g, v);
    if (!s) buf_puts(&b, "none");
    if (s && s->rank) buf_putc(&b, '[');
    for (uint32_t i = 0; s && i < s->len; i++) {
        if (i) buf_puts(&b, ", ");
        ir_dim_print(k->m->dims, s->items[i], &b);
    }
    if (s && s->rank) buf_putc(&b, ']');
    if (!rw_streq(buf_text(&b), wanted))
        fprintf(stderr, "%s, not %s\n", buf_text(&b), wanted);
    CU_ASSERT_STRING_EQUAL(buf_text(&b), wanted);
    buf_free(&b);
}

static inline void kit_fails(struct kit *k, const struct kit_node *n, const char *wanted) {
    const char *why = NULL;
    ir_node id = kit_add(k, n);
    CU_ASSERT_FALSE(ir_infer_node(k->g, id, &why));
    CU_ASSERT_STRING_EQUAL(why ? why : "", wanted);
}
#define FAILS(k, wanted, ...) kit_fails((k), &(struct kit_node){__VA_ARGS__}, (wanted))

#endif
