/* diff.c -- two models: versions, interface, initializers, functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/diff/impl.h"

void judge_diff_add(struct differ *d, enum judge_thing thing, const char *name,
                    const char *before, const char *after) {
    struct judge_change c = {.thing = thing, .graph = d->graph, .name = name,
                             .before = before, .after = after};
    vec_push(d->a, &d->out->changes, c);
}

static const char *keep(struct differ *d, struct buf *text) {
    const char *copy = arena_strdup(d->a, buf_text(text));
    buf_free(text);
    return copy;
}

/* --- versions ----------------------------------------------------------------------- */

static const char *number(struct differ *d, int64_t n) {
    return n ? arena_printf(d->a, "%" PRId64, n) : NULL;
}

static void diff_version(struct differ *d) {
    int64_t before = d->m[0]->ir_version, after = d->m[1]->ir_version;
    if (before != after)
        judge_diff_add(d, JUDGE_VERSION, "ir_version", number(d, before), number(d, after));
}

static void diff_opset(struct differ *d, const char *domain) {
    int64_t before = ir_opset(d->m[0]->main, domain);
    int64_t after = ir_opset(d->m[1]->main, domain);
    const char *name = *domain ? domain : "ai.onnx";
    if (before != after)
        judge_diff_add(d, JUDGE_OPSET, name, number(d, before), number(d, after));
}

static void diff_opsets(struct differ *d) {
    for (uint32_t i = 0; i < d->m[0]->opsets.len; i++)
        diff_opset(d, d->m[0]->opsets.at[i].domain);
    for (uint32_t i = 0; i < d->m[1]->opsets.len; i++) {
        const char *domain = d->m[1]->opsets.at[i].domain;
        if (ir_opset(d->m[0]->main, domain) == 0) diff_opset(d, domain);
    }
}

/* --- interface ---------------------------------------------------------------------- */

static const char *type_text(struct differ *d, const struct ir_graph *g, ir_value v) {
    struct buf text = {0};
    if (v == IR_NONE) return NULL;
    ir_type_print(g->model->dims, ir_val(g, v)->type, &text);
    return keep(d, &text);
}

static ir_value port(const struct ir_graph *g, bool input, uint32_t i) {
    return input ? g->inputs.at[i] : g->uses.at[g->outputs.at[i]].value;
}

static uint32_t port_count(const struct ir_graph *g, bool input) {
    return input ? g->inputs.len : g->outputs.len;
}

static ir_value find_port(const struct ir_graph *g, bool input, const char *name) {
    ir_value v = ir_find_value(g, name);
    bool is = v != IR_NONE && ir_has(g, v, input ? IR_IS_INPUT : IR_IS_OUTPUT);
    return is ? v : IR_NONE;
}

/* Ports of one graph beside those of that name in the other. */
static void diff_ports(struct differ *d, const struct ir_graph *before,
                       const struct ir_graph *after, bool input) {
    enum judge_thing thing = input ? JUDGE_INPUT : JUDGE_OUTPUT;
    for (uint32_t i = 0; i < port_count(before, input); i++) {
        ir_value v = port(before, input, i);
        const char *name = ir_val(before, v)->name, *x = type_text(d, before, v);
        const char *y = type_text(d, after, find_port(after, input, name));
        if (!y || !rw_streq(x, y)) judge_diff_add(d, thing, name, x, y);
    }
    for (uint32_t i = 0; i < port_count(after, input); i++) {
        ir_value v = port(after, input, i);
        const char *name = ir_val(after, v)->name;
        if (find_port(before, input, name) == IR_NONE)
            judge_diff_add(d, thing, name, NULL, type_text(d, after, v));
    }
}

/* --- initializers ------------------------------------------------------------------- */

static const char *tensor_text(struct differ *d, const struct ir_tensor *t) {
    struct buf text = {0};
    buf_puts(&text, ir_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        buf_printf(&text, "%s%" PRId64, i ? ", " : "[", t->dims[i]);
    if (t->rank) buf_putc(&text, ']');
    return keep(d, &text);
}

static const struct ir_tensor *initializer(const struct ir_graph *g, const char *name) {
    ir_value v = ir_find_value(g, name);
    return v != IR_NONE && ir_has(g, v, IR_IS_INIT) ? ir_val(g, v)->tensor : NULL;
}

static bool is_initializer(const struct ir_value_info *v) {
    return (v->flags & IR_IS_INIT) && !(v->flags & IR_IS_DEAD) && v->tensor;
}

static void diff_initializers(struct differ *d, const struct ir_graph *before,
                              const struct ir_graph *after) {
    for (uint32_t i = 0; i < before->values.len; i++) {
        const struct ir_value_info *v = &before->values.at[i];
        if (!is_initializer(v)) continue;
        const struct ir_tensor *t = initializer(after, v->name);
        if (!t || !judge_same_tensor(d->m[0], v->tensor, d->m[1], t))
            judge_diff_add(d, JUDGE_INIT, v->name, tensor_text(d, v->tensor),
                           t ? tensor_text(d, t) : NULL);
    }
    for (uint32_t i = 0; i < after->values.len; i++) {
        const struct ir_value_info *v = &after->values.at[i];
        if (is_initializer(v) && !initializer(before, v->name))
            judge_diff_add(d, JUDGE_INIT, v->name, NULL, tensor_text(d, v->tensor));
    }
}

/* --- all ---------------------------------------------------------------------------- */

void judge_diff_graphs(struct differ *d, struct ir_graph *before, struct ir_graph *after,
                       const struct judge_pairs *around) {
    struct judge_pairs pairs;
    diff_ports(d, before, after, true);
    diff_ports(d, before, after, false);
    diff_initializers(d, before, after);
    judge_pairs_find(d->a, before, after, around, &pairs);
    judge_diff_nodes(d, &pairs);
}

static struct ir_function *find_function(const struct ir_model *m,
                                         const struct ir_function *like) {
    for (uint32_t i = 0; i < m->functions.len; i++) {
        struct ir_function *f = m->functions.at[i];
        if (rw_streq(f->domain, like->domain) && rw_streq(f->name, like->name) &&
            rw_streq(f->overload ? f->overload : "", like->overload ? like->overload : ""))
            return f;
    }
    return NULL;
}

static void diff_functions(struct differ *d) {
    for (uint32_t i = 0; i < d->m[0]->functions.len; i++) {
        struct ir_function *f = d->m[0]->functions.at[i], *g = find_function(d->m[1], f);
        const char *name = arena_printf(d->a, "%s.%s", f->domain, f->name);
        d->graph = "";
        if (!g) judge_diff_add(d, JUDGE_FUNCTION, name, name, NULL);
        d->graph = name;
        if (g) judge_diff_graphs(d, f->body, g->body, NULL);
    }
    d->graph = "";
    for (uint32_t i = 0; i < d->m[1]->functions.len; i++) {
        const struct ir_function *f = d->m[1]->functions.at[i];
        const char *name = arena_printf(d->a, "%s.%s", f->domain, f->name);
        if (!find_function(d->m[0], f)) judge_diff_add(d, JUDGE_FUNCTION, name, NULL, name);
    }
}

void judge_diff_models(struct ir_model *before, struct ir_model *after, struct arena *a,
                       struct judge_diff *out) {
    struct differ d = {a, {before, after}, out, ""};
    *out = (struct judge_diff){0};
    diff_version(&d);
    diff_opsets(&d);
    judge_diff_graphs(&d, before->main, after->main, NULL);
    diff_functions(&d);
}
