/* verify.c -- imports, operators, and the walk over all nodes of all graphs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify_parts.h"

#include <stdarg.h>

/* --- saying it ---------------------------------------------------------------------- */

static void say(struct verify *v, enum diag_level level, const char *format, va_list args) {
    struct arena_mark mark = arena_mark(&v->tmp);
    const char *where = ir_node_where(v->g, v->n, &v->tmp);
    diag_where(v->diags, level, where, "%s", arena_vprintf(&v->tmp, format, args));
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
static uint64_t op_key(uint32_t kind, sym_t domain, sym_t op) {
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

/* --- imports ----------------------------------------------------------------------- */

static const char *shown(const char *domain) { return *domain ? domain : "ai.onnx"; }

static void verify_opset(struct verify *v, const char *where, const struct ir_opset *o) {
    const char *domain = shown(o->domain);
    int64_t newest = ir_schema_newest_opset(o->domain);
    if (o->version < 1) {
        diag_where(v->diags, DIAG_ERROR, where,
                   "imports version %" PRId64 " of %s, wanted one from 1", o->version,
                   domain);
        v->code = RW_WRONG;
    } else if (newest && o->version > newest) {
        diag_where(v->diags, DIAG_WARNING, where,
                   "imports version %" PRId64 " of %s, newer than %" PRId64
                   ", the newest that is known", o->version, domain, newest);
    }
}

static void verify_imports(struct verify *v) {
    const struct ir_model *m = v->m;
    int64_t newest = ir_version_for_opset(INT64_MAX);
    if (m->ir_version > newest)
        diag_where(v->diags, DIAG_WARNING, ir_model_name(m),
                   "has IR version %" PRId64 ", newer than %" PRId64
                   ", the newest that is known", m->ir_version, newest);
    for (uint32_t i = 0; i < m->opsets.len; i++)
        verify_opset(v, ir_model_name(m), &m->opsets.at[i]);
    if (m->opsets.len == 0) {
        diag_where(v->diags, DIAG_ERROR, ir_model_name(m), "imports no opset");
        v->code = RW_WRONG;
    }
    for (uint32_t i = 0; i < m->functions.len; i++) {
        const struct ir_function *f = m->functions.at[i];
        const char *where =
            arena_printf(&v->tmp, "%s: function \"%s\"", ir_model_name(m), f->name);
        for (uint32_t k = 0; k < f->opsets.len; k++)
            verify_opset(v, where, &f->opsets.at[k]);
    }
}

/* More are left to ir_verify_model, which refuses them. */
#define MISSING_MAX 64

/* The newest that is known, where it still has the operator. */
static int64_t version_to_import(const char *domain, const char *op) {
    const struct ir_schema *s = ir_schema_newest(domain, op);
    int64_t newest = ir_schema_newest_opset(domain);
    if (s && s->deprecated) return s->since - 1;
    return newest ? newest : 1;
}

static void add_import(struct ir_model *m, const struct ir_graph *g, ir_node n,
                       struct diag_sink *diags) {
    const char *domain = ir_domain_name(g, n);
    ir_set_opset(m, domain, version_to_import(domain, ir_op_name(g, n)));
    diag_where(diags, DIAG_WARNING, ir_model_name(m),
               "uses \"%s\" of %s, which it does not import; the import is added",
               ir_op_name(g, n), domain);
}

void ir_add_missing_imports(struct ir_model *m, struct diag_sink *diags) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        if (g->function) continue;
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            const char *domain = ir_domain_name(g, n);
            if (!*domain || ir_opset(g, domain) != 0) continue;
            if (added++ == MISSING_MAX) return;
            add_import(m, g, n, diags);
        }
    }
}

/* --- nodes ------------------------------------------------------------------------- */

/* A call of a function of the model, which comes before an operator of that name. */
static bool verify_call(struct verify *v) {
    uint32_t at = map_get(&v->functions, op_key(0, v->x->domain, v->x->op));
    if (at == MAP_NONE) return false;
    const struct ir_graph *body = v->m->functions.at[at]->body;
    if (v->x->nin > body->inputs.len)
        ir_verify_wrong(v, "has %u operands, the function takes %u", v->x->nin,
                        body->inputs.len);
    if (v->x->nout > body->outputs.len)
        ir_verify_wrong(v, "has %u outputs, the function gives %u", v->x->nout,
                        body->outputs.len);
    return true;
}

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
        ir_verify_wrong(v, "is of %s, which is not imported", shown(domain));
    else if (rw_streq(domain, "com.microsoft")) remark(v, VERIFY_UNKNOWN_CONTRIB);
    else if (ir_schema_newest_opset(domain)) {
        ir_verify_wrong(v, "opset %" PRId64 " of %s has no operator \"%s\"", opset,
                        shown(domain), op);
        suggest_operator(v, domain, op);
    }
}

static void verify_operator(struct verify *v) {
    const char *domain = ir_domain_name(v->g, v->n), *op = ir_op_name(v->g, v->n);
    const struct ir_schema *s = v->x->schema;
    if (verify_call(v)) return;
    if (!s) {
        verify_unknown(v, domain, ir_opset(v->g, domain));
        return;
    }
    if (s->deprecated) {
        ir_verify_wrong(v, "\"%s\" is deprecated in opset %" PRId64 " of %s", op,
                        ir_opset(v->g, domain), shown(domain));
        return;
    }
    if (!*domain && s == ir_schema_runtime(op, ir_opset(v->g, domain)))
        remark(v, VERIFY_RUNTIME_ONLY);
    ir_verify_node(v);
    ir_verify_types(v);
    ir_verify_bodies(v);
}

static void verify_graph(struct verify *v, const struct ir_graph *g) {
    if (!ir_graph_check(g, v->diags)) { /* ours: a file gives no such graph */
        v->code = RW_WRONG;
        return;
    }
    v->g = g;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        v->n = n;
        v->x = ir_nod(g, n);
        verify_operator(v);
    }
}

static void note_functions(struct verify *v) {
    struct intern *names = &v->m->names;
    for (uint32_t i = 0; i < v->m->functions.len; i++) {
        const struct ir_function *f = v->m->functions.at[i];
        sym_t domain = intern_find(names, f->domain), name = intern_find(names, f->name);
        if (domain != MAP_NONE && name != MAP_NONE) /* else nobody calls it */
            map_put(&v->functions, op_key(0, domain, name), i);
    }
}

enum rw_code ir_verify_model(struct ir_model *m, struct diag_sink *diags) {
    struct verify v = {.m = m, .diags = diags, .code = RW_OK};
    map_init(&v.functions, &v.tmp);
    map_init(&v.once_at, &v.tmp);
    note_functions(&v);
    verify_imports(&v);
    for (uint32_t i = 0; i < m->graphs.len; i++)
        if (ir_graph_is_live(m->graphs.at[i])) verify_graph(&v, m->graphs.at[i]);
    tell_remarks(&v);
    arena_free(&v.tmp);
    return v.code;
}
