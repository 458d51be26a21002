/* eval_kit.h -- evaluations written as text, for tests.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EVAL_KIT_H
#define EVAL_KIT_H

#include "ir/eval.h"
#include "ir/tensor/tensor_bytes.h"

#include "base/buf.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>

/* One evaluation written as text: operands as "float[2,2] 1 2 3 4" or "-" (absent),
 * joined by ';', and the results in the same form ("none": not evaluated). */
struct bench {
    struct arena arena;
    struct ir_attr attr[4];
    uint32_t nattr, nout;
    int64_t opset;
    uint64_t max_bytes;
};
#define BENCH ((struct bench){.nout = 1, .opset = 22, .max_bytes = 1 << 16})

static const struct ir_tensor *read_tensor(struct bench *b, const char **text) {
    int64_t dims[8];
    double values[64] = {0};
    uint32_t rank = 0, n = 0;
    size_t name = strcspn(*text, "[");
    enum ir_dtype t = ir_dtype_from_name(arena_strndup(&b->arena, *text, name));
    char *p = (char *)(uintptr_t)(*text + name + 1);
    while (*p != ']') {
        dims[rank++] = strtoll(p, &p, 10);
        if (*p == ',') p++;
    }
    for (p++; *p == ' ' && p[1] != ';';) values[n++] = strtod(p, &p);
    *text = *p == ' ' ? p + 1 : p;

    /* Encoded by ONNX's own way for each type, through Cast's partner in tensor.h. */
    unsigned char bytes[512] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t width = ir_dtype_bits(t);
        uint64_t bits = (uint64_t)(int64_t)values[i];
        float f = (float)values[i];
        if (t == IR_DOUBLE) memcpy(&bits, &values[i], 8);
        else if (t == IR_FLOAT) bits = 0, memcpy(&bits, &f, 4);
        else if (ir_dtype_is_float(t)) bits = ir_small_float_encode(t, values[i], true);
        ir_put_bits(bytes, width, i, bits);
    }
    return ir_tensor_new(&b->arena, t, rank, dims, bytes);
}

static void print_tensor(const struct ir_tensor *t, struct buf *out) {
    buf_printf(out, "%s[", ir_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        buf_printf(out, "%s%" PRId64, i ? "," : "", t->dims[i]);
    buf_puts(out, "]");
    for (uint64_t i = 0; i < t->count; i++) {
        double x;
        int64_t whole;
        if (t->dtype == IR_STRING)
            buf_printf(out, " %.*s", (int)t->strings[i].len, t->strings[i].at);
        else if (ir_dtype_is_int(t->dtype) && ir_tensor_int_at(NULL, t, i, &whole))
            buf_printf(out, " %" PRId64, whole);
        else if (ir_tensor_double_at(NULL, t, i, &x)) buf_printf(out, " %.6g", x);
        else buf_puts(out, " ?");
    }
}

static const char *run_on(struct bench *b, const char *op, struct ir_tensor **in,
                          uint32_t nin) {
    struct ir_tensor *out[4];
    const struct ir_eval e = {
        .schema = ir_schema_find("", op, b->opset), .nin = nin, .nout = b->nout,
        .nattr = b->nattr, .in = in, .attr = b->attr, .arena = &b->arena,
        .max_bytes = b->max_bytes,
    };
    if (!ir_eval(&e, out)) return "none";
    struct buf text = {0};
    for (uint32_t k = 0; k < b->nout; k++) {
        if (k) buf_puts(&text, "; ");
        print_tensor(out[k], &text);
    }
    const char *kept = arena_strdup(&b->arena, buf_text(&text));
    buf_free(&text);
    return kept;
}

static inline const char *run(struct bench *b, const char *op, const char *operands) {
    struct ir_tensor *in[8];
    uint32_t nin = 0;
    for (const char *p = operands; *p;) {
        if (*p == '-') in[nin++] = NULL, p++;
        else in[nin++] = (struct ir_tensor *)(uintptr_t)read_tensor(b, &p);
        p += strspn(p, "; ");
    }
    return run_on(b, op, in, nin);
}

/* Evaluates with the bench's attributes and expects that text. */
#define SHOWS(b, op, operands, text)                                                   \
    do {                                                                               \
        const char *got_ = run(&(b), op, operands);                                    \
        if (!rw_streq(got_, text)) printf("\n%s: %s\n", op, got_);                     \
        CU_ASSERT_STRING_EQUAL(got_, text);                                            \
    } while (0)

static inline void set_int(struct bench *b, const char *name, int64_t value) {
    b->attr[b->nattr++] = ir_attr_int(name, value);
}
static inline void set_ints(struct bench *b, const char *name, uint32_t n,
                            const int64_t *values) {
    b->attr[b->nattr++] = ir_attr_ints(name, n, values);
}

#endif
