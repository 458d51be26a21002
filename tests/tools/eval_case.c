/* eval_case.c -- evaluates the first node of each model that it is given, whose operands
 * are initializers, and prints the results: for eval_backend.py.
 *
 *     = MODEL            or    = MODEL none        when it is not evaluated
 *     TYPE DIMS HEX      one line a result: number of the type, dims joined by commas,
 *                        raw bytes; of strings, the bytes of each, each followed by '.'
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"
#include "ir/model.h"

#include <stdio.h>

#define MAX_BYTES ((uint64_t)16 << 20)

static void print_hex(const void *bytes, size_t n) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++) printf("%02x", b[i]);
}

/* A Constant's result is the attribute's tensor, which may lie in the file still. */
static void print_tensor(struct ir_model *m, const struct ir_tensor *t, struct arena *a) {
    printf("%d ", t->dtype);
    for (uint32_t i = 0; i < t->rank; i++) printf("%s%" PRId64, i ? "," : "", t->dims[i]);
    putchar(' ');
    for (uint64_t i = 0; t->storage == IR_STRINGS && i < t->count; i++) {
        print_hex(t->strings[i].at, t->strings[i].len);
        putchar('.');
    }
    const void *bytes = ir_tensor_read(m, t, a);
    if (bytes) print_hex(bytes, (size_t)t->nbytes);
    putchar('\n');
}

static bool results_of(struct ir_model *m, uint64_t max_lazy, struct arena *a,
                       struct ir_tensor **out) {
    const struct ir_eval_limits limits = {.max_bytes = MAX_BYTES, .max_lazy = max_lazy};
    return ir_eval_node(m->main, m->main->first, a, &limits, out);
}

/* What is computed when it is read must be the same. */
static bool lazy_is_same(struct ir_model *m, uint32_t nout, struct ir_tensor *const *want,
                         struct arena *a) {
    struct ir_tensor **out = arena_new_array(a, struct ir_tensor *, nout);
    bool same = results_of(m, MAX_BYTES, a, out);
    for (uint32_t k = 0; same && k < nout; k++) same = ir_tensor_equal(m, want[k], out[k]);
    return same;
}

static void evaluate(struct ir_model *m, const char *path, struct arena *a) {
    struct ir_graph *g = m->main;
    uint32_t nout = g->first == IR_NONE ? 0 : ir_nod(g, g->first)->nout;
    struct ir_tensor **out = arena_new_array(a, struct ir_tensor *, nout);
    bool done = nout && results_of(m, 0, a, out);
    printf("= %s%s\n", path, done ? "" : " none");
    for (uint32_t k = 0; done && k < nout; k++) print_tensor(m, out[k], a);
    if (done && !lazy_is_same(m, nout, out, a)) {
        fprintf(stderr, "%s: the lazy results differ\n", path);
        exit(1);
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        struct arena a = ARENA_EMPTY;
        struct diag_sink diags;
        diag_init(&diags, &a);
        struct ir_model *m = ir_model_read(&a, argv[i], &diags);
        if (!m) {
            struct buf out = {0};
            diag_print_all(&diags, DIAG_WARNING, &out);
            fprintf(stderr, "%s", buf_text(&out));
            buf_free(&out);
            arena_free(&a);
            return 1;
        }
        evaluate(m, argv[i], &a);
        ir_model_close(m);
        arena_free(&a);
    }
    return 0;
}
