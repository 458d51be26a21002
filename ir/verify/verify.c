/* verify.c -- operators, and the walk over all nodes of all graphs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

#include <stdarg.h>

/* --- saying it ---------------------------------------------------------------------- */

static void say(struct verify *v, enum diag_level level, const char *format, va_list args) {
    struct arena_mark mark = arena_mark(&v->tmp);
    ir_diag_node(v->diags, level, v->g, v->n, arena_vprintf(&v->tmp, format, args));
    arena_reset(&v->tmp, mark);
}

void ir_verify_wrong(struct verify *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(v, DIAG_ERROR, format, args);
    va_end(args);
    v->code = RW_WRONG;
}

void ir_verify_warn(struct verify *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(v, DIAG_WARNING, format, args);
    va_end(args);
}

void ir_verify_help(struct verify *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(v, DIAG_HELP, format, args);
    va_end(args);
}

/* --- once for an operator ------------------------------------------------------------ */

/* Ids of names are far below 2^30. */
static uint64_t op_key(enum verify_remark kind, sym_t domain, sym_t op) {
    return (uint64_t)kind << 62 | (uint64_t)domain << 32 | op;
}

static void remark(struct verify *v, enum verify_remark what) {
    uint64_t key = op_key(what, v->x->domain, v->x->op);
    uint32_t at = map_get(&v->once_at, key);
    if (at == MAP_NONE) {
        at = v->once.len;
        map_put(&v->once_at, key, at);
        vec_push(&v->tmp, &v->once, (struct verify_once){what, v->g, v->n, 0});
    }
    v->once.at[at].count++;
}

static const char *others(struct arena *a, uint32_t count) {
    if (count == 1) return "";
    return arena_printf(a, " (and %u more node%s)", count - 1, count == 2 ? "" : "s");
}

static void tell_remarks(struct verify *v) {
    for (uint32_t i = 0; i < v->once.len; i++) {
        const struct verify_once *o = &v->once.at[i];
        v->g = o->g, v->n = o->n;
        const char *op = ir_op_name(o->g, o->n), *more = others(&v->tmp, o->count);
        int64_t opset = ir_opset(o->g, ir_domain_name(o->g, o->n));
        if (o->remark == VERIFY_RUNTIME_ONLY)
            ir_verify_warn(v, "\"%s\" is no operator of opset %" PRId64
                           "; ONNX Runtime alone knows it there%s", op, opset, more);
        else
            ir_verify_warn(v, "com.microsoft has no operator \"%s\" that is known%s", op,
                           more);
    }
}

/* --- nodes ------------------------------------------------------------------------- */

static void suggest_operator(struct verify *v, const char *domain, const char *op) {
    const struct ir_schema *newest = ir_schema_newest(domain, op);
    size_t n;
    const char *const *names = ir_schema_names(domain, &n);
    if (newest) {
        const struct ir_schema *first = ir_schema_versions(domain, op, &n);
        ir_verify_help(v, "opset %d has it", first->since);
    } else {
        const char *nearest = diag_nearest(op, names, n);
        if (nearest) ir_verify_help(v, "did you mean \"%s\"?", nearest);
    }
}

static void verify_unknown(struct verify *v, const char *domain, int64_t opset) {
    const char *op = ir_op_name(v->g, v->n);
    if (opset == 0)
        ir_verify_wrong(v, "is of %s, which is not imported", ir_shown_domain(domain));
    else if (rw_streq(domain, "com.microsoft")) remark(v, VERIFY_UNKNOWN_CONTRIB);
    else if (ir_schema_newest_opset(domain)) {
        ir_verify_wrong(v, "opset %" PRId64 " of %s has no operator \"%s\"", opset,
                        ir_shown_domain(domain), op);
        suggest_operator(v, domain, op);
    }
}

static void verify_by_schema(struct verify *v) {
    ir_verify_node(v);
    ir_verify_types(v);
    ir_verify_operator_rules(v);
    ir_verify_bodies(v);
}

static void verify_operator(struct verify *v) {
    const char *domain = ir_domain_name(v->g, v->n), *op = ir_op_name(v->g, v->n);
    const struct ir_schema *s = v->x->schema;
    if (ir_verify_call(v)) return;
    if (!s) {
        verify_unknown(v, domain, ir_opset(v->g, domain));
        return;
    }
    if (s->deprecated) {
        ir_verify_wrong(v, "\"%s\" is deprecated in opset %" PRId64 " of %s", op,
                        ir_opset(v->g, domain), ir_shown_domain(domain));
        return;
    }
    if (ir_schema_is_runtime(s))
        remark(v, VERIFY_RUNTIME_ONLY);
    verify_by_schema(v);
}

static void verify_graph(struct verify *v, const struct ir_graph *g) {
    if (!ir_graph_check(g, v->diags)) { /* ours: a file gives no such graph */
        v->code = RW_WRONG;
        return;
    }
    v->g = g;
    ir_verify_initializers(v, g);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        v->n = n;
        v->x = ir_nod(g, n);
        verify_operator(v);
    }
}

enum rw_code ir_verify_model(struct ir_model *m, struct diag_sink *diags) {
    struct verify v = {.m = m, .diags = diags, .code = RW_OK};
    map_init(&v.functions, &v.tmp);
    map_init(&v.once_at, &v.tmp);
    ir_verify_note_functions(&v);
    ir_verify_imports(&v);
    ir_verify_interface(&v);
    ir_verify_functions(&v);
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) verify_graph(&v, m->graphs.at[i]);
    tell_remarks(&v);
    arena_free(&v.tmp);
    return v.code;
}

bool ir_verify_new_node(const struct ir_graph *g, ir_node n, struct arena *a,
                        const char **why) {
    struct arena own = ARENA_EMPTY;
    struct diag_sink diags;
    diag_init(&diags, &own);
    struct verify v = {.m = g->model, .diags = &diags, .code = RW_OK,
                       .g = g, .n = n, .x = ir_nod(g, n)};
    map_init(&v.functions, &v.tmp);
    map_init(&v.once_at, &v.tmp);
    if (v.x->schema) verify_by_schema(&v);
    for (uint32_t i = 0; v.code != RW_OK && i < diags.list.len; i++)
        if (diags.list.at[i].level == DIAG_ERROR) {
            *why = arena_strdup(a, diags.list.at[i].text);
            break;
        }
    arena_free(&v.tmp);
    arena_free(&own);
    return v.code == RW_OK;
}
