/* infer_dump.c -- what is inferred of a model, for tests: a line of JSON a value.
 *
 *     infer_dump MODEL...
 *
 *     {"graph": "", "name": "x", "kind": 0, "dtype": 1, "dims": ["batch", "2*seq"],
 *      "value": ["12"]}
 *
 * "graph" is empty for the main graph, and the path to a body: the first output of the node
 * and the attribute that holds it, "/y:then_branch". "dims" is missing where the rank is
 * not known, "value" where no value is; a sequence, an optional or a map has its parts as
 * "elem". The last line of a model has the seconds that inference took and its code:
 *
 *     {"model": "x.onnx", "seconds": 0.0012, "code": 0}
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <stdio.h>
#include <time.h>

static void put_dims(const struct ir_dims *d, const char *key, const ir_dim *dims,
                     uint32_t n, struct buf *out) {
    buf_printf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        struct buf text = {0};
        ir_dim_print(d, dims[i], &text);
        if (i) buf_puts(out, ", ");
        buf_quote(out, buf_text(&text));
        buf_free(&text);
    }
    buf_putc(out, ']');
}

static const char *attribute_of(const struct ir_graph *g) {
    const struct ir_node_info *n = ir_nod(g->outer, g->owner);
    for (uint32_t i = 0; i < n->nattr; i++)
        for (uint32_t k = 0; n->attr[i].type == IR_ATTR_GRAPH && k < n->attr[i].n; k++)
            if (n->attr[i].graphs[k] == g) return n->attr[i].name;
    return "";
}

static void put_path(const struct ir_graph *g, struct buf *out) {
    if (!g->outer || g->owner == IR_NONE) return;
    put_path(g->outer, out);
    ir_value first = ir_output(g->outer, g->owner, 0);
    buf_printf(out, "/%s:%s", first == IR_NONE ? "" : ir_val(g->outer, first)->name,
               attribute_of(g));
}

static void put_type(const struct ir_dims *d, const struct ir_type *t, struct buf *out) {
    buf_printf(out, ", \"kind\": %d, \"dtype\": %d", (int)t->kind, (int)t->dtype);
    if (ir_type_ranked(t)) put_dims(d, "dims", t->dims, t->rank, out);
    uint32_t open = 0;
    for (t = t->elem; t; t = t->elem, open++) {
        buf_printf(out, ", \"elem\": {\"kind\": %d, \"dtype\": %d", (int)t->kind,
                   (int)t->dtype);
        if (ir_type_ranked(t)) put_dims(d, "dims", t->dims, t->rank, out);
    }
    while (open--) buf_putc(out, '}');
}

static void put_value(struct ir_graph *g, ir_value v, struct buf *out) {
    struct buf path = {0};
    const struct ir_value_info *x = ir_val(g, v);
    const struct ir_type *t = x->type;
    const struct ir_symval *s = ir_symval_of(g, v);
    put_path(g, &path);
    buf_puts(out, "{\"graph\": ");
    buf_quote(out, buf_text(&path));
    buf_puts(out, ", \"name\": ");
    buf_quote(out, x->name);
    buf_free(&path);
    if (t) put_type(g->model->dims, t, out);
    if (s) put_dims(g->model->dims, "value", s->items, s->len, out);
    buf_puts(out, "}\n");
}

static void print_diagnostics(const struct diag_sink *diags) {
    struct buf b = {0};
    diag_print_all(diags, DIAG_NOTE, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
}

static enum rw_code dump(const char *path) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct buf out = {0};
    diag_init(&diags, &a);
    struct ir_model *m = ir_model_read(&a, path, &diags);
    clock_t start = clock();
    enum rw_code code = m ? ir_infer_model(m, &diags) : RW_FORMAT;
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (uint32_t i = 0; m && i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        for (ir_value v = 0; !g->function && v < g->values.len; v++)
            if (!ir_has(g, v, IR_IS_DEAD)) put_value(g, v, &out);
    }
    buf_puts(&out, "{\"model\": ");
    buf_quote(&out, path);
    printf("%s, \"seconds\": %g, \"code\": %d}\n", buf_text(&out), seconds, (int)code);
    print_diagnostics(&diags);
    buf_free(&out);
    if (m) ir_model_close(m);
    arena_free(&a);
    return code;
}

int main(int argc, char **argv) {
    enum rw_code code = argc < 2 ? RW_USAGE : RW_OK;
    for (int i = 1; i < argc; i++) {
        enum rw_code one = dump(argv[i]);
        if (one) code = one;
    }
    return (int)code;
}
