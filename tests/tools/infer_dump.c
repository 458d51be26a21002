/* infer_dump.c -- what is inferred of a model, for tests: a line of JSON a value.
 *
 *     infer_dump MODEL
 *
 *     {"name": "x", "kind": 0, "dtype": 1, "dims": ["batch", "2*seq"], "value": ["12"]}
 *
 * Values of the main graph; "dims" is missing where the rank is not known, "value" where
 * no value is. The last line has the seconds that inference took.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/ir.h"

#include <stdio.h>
#include <time.h>

static void put_dims(const struct ir_dims *d, const char *key, const ir_dim *dims, uint32_t n,
                     struct buf *out) {
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

static void put_value(struct ir_graph *g, ir_value v, struct buf *out) {
    const struct ir_value_info *x = ir_val(g, v);
    const struct ir_type *t = x->type;
    const struct ir_symval *s = ir_symval_of(g, v);
    buf_puts(out, "{\"name\": ");
    buf_quote(out, x->name);
    if (t) buf_printf(out, ", \"kind\": %d, \"dtype\": %d", (int)t->kind, (int)t->dtype);
    if (ir_type_ranked(t)) put_dims(g->model->dims, "dims", t->dims, t->rank, out);
    if (s) put_dims(g->model->dims, "value", s->items, s->len, out);
    buf_puts(out, "}\n");
}

static void print_diagnostics(const struct diag_sink *diags) {
    struct buf b = {0};
    diag_print_all(diags, DIAG_NOTE, &b);
    fputs(buf_text(&b), stderr);
    buf_free(&b);
}

int main(int argc, char **argv) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink diags;
    struct buf out = {0};
    if (argc != 2) return RW_USAGE;
    diag_init(&diags, &a);
    struct ir_model *m = ir_model_read(&a, argv[1], &diags);
    clock_t start = clock();
    enum rw_code code = m ? ir_infer_model(m, &diags) : RW_FORMAT;
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (ir_value v = 0; m && v < m->main->values.len; v++)
        if (!ir_has(m->main, v, IR_IS_DEAD)) put_value(m->main, v, &out);
    printf("%s{\"seconds\": %g}\n", buf_text(&out), seconds);
    print_diagnostics(&diags);
    buf_free(&out);
    if (m) ir_model_close(m);
    arena_free(&a);
    return (int)code;
}
