/* tune_print.c -- see tune.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/bench.h"
#include "cli/json.h"
#include "cli/tune.h"

/* --- for people ----------------------------------------------------------------------- */

void tune_print_choice(const struct api_choice *c, struct buf *out) {
    static const char *const ends[] = {"not tried, the time was over", "the runtime makes the same of it",
                                       "failed", "stays", "taken"};
    buf_printf(out, "%s%s", c->kind == API_CHOICE_TARGET ? "target " : "without ", c->name);
    if (c->pairs)
        buf_printf(out, ": %.3f (%.3f-%.3f) of the time", c->ratio.is, c->ratio.low,
                   c->ratio.high);
    const char *end = c->end == API_KEPT && c->kind == API_CHOICE_TARGET ? "not taken"
                                                                         : ends[c->end];
    buf_printf(out, "%s %s%s%s\n", c->pairs ? "," : ":", end, c->why ? ": " : "",
               c->why ? c->why : "");
}

void tune_print_text(const struct tune_found *f, struct buf *out) {
    const struct api_tune *t = f->tune;
    bool all = f->s->options.verbosity > 0;
    buf_printf(out, "%s: %u node%s, now %u, in %s\n", f->in, t->nodes, plural(t->nodes),
               f->nodes, f->out);
    for (uint32_t i = 0; i < t->choices.len; i++) {
        if (!all && t->choices.at[i].end != API_TAKEN) continue;
        buf_puts(out, "  ");
        tune_print_choice(&t->choices.at[i], out);
    }
    if (!t->complete) buf_puts(out, "  not all was tried: the time was over (--time)\n");
    if (t->disabled) buf_printf(out, "  session option %s: %s\n", JUDGE_DISABLE, t->disabled);
    buf_printf(out, "  %.3f ms a run, now %.3f: %.3f (%.3f-%.3f); %u thread%s, "
               "ONNX Runtime %s\n", t->before * 1e3, t->after * 1e3, t->ratio.is,
               t->ratio.low, t->ratio.high, t->threads, plural(t->threads), t->version);
}

/* --- for tools ------------------------------------------------------------------------ */

static void member(struct buf *out, const char *name, const char *text) {
    buf_printf(out, "\"%s\": ", name);
    json_string(out, text);
}

static void names(struct buf *out, const char *name, uint32_t n, const char *const *at) {
    buf_printf(out, "\"%s\": [", name);
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_puts(out, ", ");
        json_string(out, at[i]);
    }
    buf_putc(out, ']');
}

static void choice(const struct api_choice *c, struct buf *out) {
    static const char *const kinds[] = {"target", "optimiser", "group", "rules"};
    static const char *const ends[] = {"untried", "alike", "failed", "kept", "taken"};
    buf_printf(out, "{\"kind\": \"%s\", ", kinds[c->kind]);
    member(out, "name", c->name);
    buf_printf(out, ", \"end\": \"%s\", ", ends[c->end]);
    member(out, "why", c->why);
    buf_printf(out, ", \"nodes\": %u, \"processes\": %u, ", c->nodes, c->pairs);
    if (c->pairs) bench_print_ratio(&c->ratio, out);
    else buf_puts(out, "\"ratio\": null");
    buf_puts(out, ", ");
    names(out, "rules", c->nrules, c->rules);
    buf_putc(out, '}');
}

/* What a program has to set, by the names that the runtime gives its options. */
static void session(const struct api_tune *t, struct buf *out) {
    buf_printf(out, "\"session\": {\"intra_op_num_threads\": %u, \"config\": {", t->threads);
    if (t->disabled) member(out, JUDGE_DISABLE, t->disabled);
    buf_puts(out, "}},\n");
}

static void result(const struct tune_found *f, struct buf *out) {
    const struct api_tune *t = f->tune;
    buf_printf(out, "\"nodes\": [%u, %u], \"complete\": %s, \"processes\": %u,\n"
               "\"seconds\": [", t->nodes, f->nodes, t->complete ? "true" : "false", t->pairs);
    buf_double(out, t->before);
    buf_puts(out, ", ");
    buf_double(out, t->after);
    buf_puts(out, "], ");
    bench_print_ratio(&t->ratio, out);
    buf_puts(out, ",\n");
}

void tune_print_json(const struct tune_found *f, struct buf *out) {
    const struct api_tune *t = f->tune;
    const struct options *o = &f->s->options;
    buf_putc(out, '{');
    member(out, "model", f->in);
    buf_puts(out, ", ");
    member(out, "output", f->out);
    buf_puts(out, ", ");
    member(out, "runtime", t->version);
    buf_puts(out, ",\n\"inputs\": ");
    bench_print_inputs(t->in, out);
    buf_puts(out, ",\n");
    names(out, "packs", o->packs.len, o->packs.at);
    buf_puts(out, ", ");
    member(out, "target", t->original_is_best ? NULL : rule_target_word(t->target));
    buf_puts(out, ",\n\"without\": [");
    for (uint32_t i = 0; i < t->forbidden.len; i++) {
        if (i) buf_puts(out, ", ");
        json_string(out, t->forbidden.at[i].rule);
    }
    buf_puts(out, "],\n");
    session(t, out);
    result(f, out);
    buf_puts(out, "\"choices\": [");
    for (uint32_t i = 0; i < t->choices.len; i++) {
        buf_puts(out, i ? ",\n  " : "\n  ");
        choice(&t->choices.at[i], out);
    }
    buf_puts(out, "]}\n");
}
