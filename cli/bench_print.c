/* bench_print.c -- see bench.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/bench.h"
#include "cli/json.h"

#include <math.h>

/* --- for people ----------------------------------------------------------------------- */

static void range(uint32_t n, const double *x, double *least, double *greatest) {
    *least = *greatest = x[0];
    for (uint32_t i = 1; i < n; i++) {
        *least = fmin(*least, x[i]);
        *greatest = fmax(*greatest, x[i]);
    }
}

static void line(const struct bench_found *f, uint32_t i, int width, struct buf *out) {
    const struct judge_contestant *c = f->at[i];
    double least, greatest;
    struct buf times = {0};
    range(c->seconds.len, c->seconds.at, &least, &greatest);
    buf_printf(&times, "%.3f (%.3f-%.3f)", judge_median(c->seconds.len, c->seconds.at) * 1e3,
               least * 1e3, greatest * 1e3);
    buf_printf(out, "%-*s  %-28s  ", width, c->name, buf_text(&times));
    buf_free(&times);
    if (i == 0) buf_puts(out, "1\n");
    else {
        struct judge_ratio r = judge_bench_ratio(f->at[0], c);
        buf_printf(out, "%.3f (%.3f-%.3f)\n", r.is, r.low, r.high);
    }
}

static void print_setting(const struct bench_found *f, bool sure, struct buf *out) {
    uint32_t n = f->at[0]->seconds.len, threads = f->bench->threads;
    buf_printf(out, "%u process%s each, %u thread%s, ONNX Runtime %s", n, n == 1 ? "" : "es",
               threads, plural(threads), f->bench->version);
    if (!sure) buf_puts(out, "; six processes or more give an interval of 95 %");
    buf_putc(out, '\n');
}

void bench_print_text(const struct bench_found *f, struct buf *out) {
    int width = 5;
    bool sure = judge_bench_ratio(f->at[0], f->at[1]).sure;
    for (uint32_t i = 0; i < f->n; i++) {
        size_t len = strlen(f->at[i]->name);
        if (len > (size_t)width) width = len < 60 ? (int)len : 60;
    }
    buf_printf(out, "inputs%s: ", f->inputs ? "" : " made up");
    measure_print_inputs(f->bench->in, out);
    buf_printf(out, "\n%-*s  %-28s  ratio (%s)\n", width, "model", "ms a run (processes)",
               sure ? "95 %" : "least-greatest");
    for (uint32_t i = 0; i < f->n; i++) line(f, i, width, out);
    print_setting(f, sure, out);
}

/* --- for tools ------------------------------------------------------------------------ */

static void number(struct buf *out, const char *name, double x) {
    buf_printf(out, "\"%s\": ", name);
    buf_double(out, x);
}

void bench_print_ratio(const struct judge_ratio *r, struct buf *out) {
    buf_puts(out, "\"ratio\": {");
    number(out, "is", r->is);
    buf_puts(out, ", ");
    number(out, "low", r->low);
    buf_puts(out, ", ");
    number(out, "high", r->high);
    buf_printf(out, ", \"sure\": %s}", r->sure ? "true" : "false");
}

void bench_print_inputs(const struct judge_values *in, struct buf *out) {
    buf_putc(out, '[');
    for (uint32_t i = 0; i < in->n; i++) {
        const struct ir_tensor *t = in->at[i].tensor;
        buf_puts(out, i ? ", {\"name\": " : "{\"name\": ");
        json_string(out, in->at[i].name);
        buf_printf(out, ", \"type\": \"%s\", \"dims\": [", ir_dtype_name(t->dtype));
        for (uint32_t k = 0; k < t->rank; k++)
            buf_printf(out, "%s%" PRId64, k ? ", " : "", t->dims[k]);
        buf_puts(out, "]}");
    }
    buf_putc(out, ']');
}

static void model(const struct bench_found *f, uint32_t i, struct buf *out) {
    const struct judge_contestant *c = f->at[i];
    struct judge_ratio r = judge_bench_ratio(f->at[0], c);
    buf_puts(out, "{\"path\": ");
    json_string(out, c->name);
    buf_puts(out, ", \"disabled\": ");
    json_string(out, c->disabled);
    buf_puts(out, ", \"seconds\": [");
    for (uint32_t k = 0; k < c->seconds.len; k++) {
        if (k) buf_puts(out, ", ");
        buf_double(out, c->seconds.at[k]);
    }
    buf_puts(out, "], ");
    number(out, "fastest", c->fastest);
    buf_puts(out, ", ");
    bench_print_ratio(&r, out);
    buf_puts(out, ", \"differs\": ");
    json_string(out, f->differs[i].output);
    buf_putc(out, '}');
}

void bench_print_json(const struct bench_found *f, struct buf *out) {
    buf_puts(out, "{\"runtime\": ");
    json_string(out, f->bench->version);
    buf_printf(out, ", \"threads\": %u,\n\"file\": ", f->bench->threads);
    json_string(out, f->inputs);
    buf_puts(out, ", \"inputs\": ");
    bench_print_inputs(f->bench->in, out);
    buf_puts(out, ",\n\"models\": [");
    for (uint32_t i = 0; i < f->n; i++) {
        buf_puts(out, i ? ",\n  " : "\n  ");
        model(f, i, out);
    }
    buf_puts(out, "]}\n");
}
