/* import.c -- versions of opsets and of the format.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

const char *ir_shown_domain(const char *domain) { return *domain ? domain : "ai.onnx"; }

static void verify_opset(struct verify *v, const char *where, const struct ir_opset *o) {
    const char *domain = ir_shown_domain(o->domain);
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

static void verify_ir_version(struct verify *v) {
    const struct ir_model *m = v->m;
    const Onnx__ModelProto *p = m->proto;
    int64_t newest = ir_version_for_opset(INT64_MAX);
    if (m->ir_version < 1) {
        diag_where(v->diags, DIAG_ERROR, ir_model_name(m),
                   "has IR version %" PRId64 ", wanted one from 1", m->ir_version);
        v->code = RW_WRONG;
    } else if (m->ir_version > newest) {
        diag_where(v->diags, DIAG_WARNING, ir_model_name(m),
                   "has IR version %" PRId64 ", newer than %" PRId64
                   ", the newest that is known", m->ir_version, newest);
    } else if (m->ir_version < 3 && p && p->n_opset_import) {
        diag_where(v->diags, DIAG_WARNING, ir_model_name(m),
                   "has IR version %" PRId64 ", but imports opsets, which came with 3",
                   m->ir_version);
    }
}

void ir_verify_imports(struct verify *v) {
    const struct ir_model *m = v->m;
    verify_ir_version(v);
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
