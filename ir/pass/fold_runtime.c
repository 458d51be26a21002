/* fold_runtime.c -- nodes over constants that only a runtime can compute.
 *
 * Operators of domains that are known, the same each time, without bodies, whose results
 * are tensors of types that inference knows. What takes weights out of a quantised form is
 * not among them, as in ir_eval_folds. A runtime may be slow and is asked so many times at
 * most; it is no part of what must hold, so its results are checked against inference.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/dim.h"
#include "ir/eval.h"
#include "ir/pass/kit.h"

#define MOST_ASKED 256 /* nodes of a model */

static bool is_known_domain(const char *domain) {
    static const char *const domains[] = {"", "ai.onnx.ml", "com.microsoft"};
    for (size_t i = 0; i < countof(domains); i++)
        if (rw_streq(domain, domains[i])) return true;
    return false;
}

static bool is_used(const struct ir_graph *g, ir_value v) {
    return v != IR_NONE && ir_val(g, v)->nuses > 0;
}

static bool makes_tensors(const struct ir_graph *g, ir_node n) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (is_used(g, v) && ir_type_dtype(ir_val(g, v)->type) == IR_UNDEFINED) return false;
    }
    return true;
}

static bool refers(const struct ir_node_info *x) {
    for (uint32_t i = 0; i < x->nattr; i++)
        if (x->attr[i].ref) return true;
    return false;
}

bool ir_fold_may_ask(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    const char *domain = ir_domain_name(g, n), *op = ir_op_name(g, n);
    if (x->flags & IR_NODE_TRIED || !is_known_domain(domain)) return false;
    if (ir_eval_has(domain, op) || strstr(op, "Dequantize")) return false;
    return ir_op_is_deterministic(domain, op) && !ir_has_body(g, n) && !refers(x) &&
           makes_tensors(g, n);
}

static bool may_read(const struct ir_graph *g, ir_node n) {
    struct ir_folding *f = &g->model->folding;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < ir_nod(g, n)->nin; k++) {
        ir_value v = ir_input(g, n, k);
        if (v != IR_NONE && !rw_add_u64(bytes, ir_const(g, v)->nbytes, &bytes)) return false;
    }
    if (bytes > ir_fold_allowed(g->model) - f->read) return false;
    f->read += bytes;
    return true;
}

/* Is it what inference says? Of a size that it does not know, any. */
static bool fits(const struct ir_model *m, const struct ir_type *t,
                 const struct ir_tensor *x) {
    if (ir_type_dtype(t) != x->dtype) return false;
    if (!ir_type_ranked(t)) return true;
    for (uint32_t i = 0; i < t->rank && t->rank == x->rank; i++) {
        int64_t dim;
        if (ir_dim_is_const(m->dims, t->dims[i], &dim) && dim != x->dims[i]) return false;
    }
    return t->rank == x->rank;
}

static bool all_fit(const struct ir_graph *g, ir_node n, struct ir_tensor *const *out) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value v = ir_output(g, n, k);
        if (is_used(g, v) && (!out[k] || !fits(g->model, ir_val(g, v)->type, out[k])))
            return false;
    }
    return true;
}

bool ir_fold_ask(const struct ir_runtime *r, struct ir_graph *g, ir_node n, struct arena *a,
                 struct ir_tensor **out) {
    struct ir_folding *f = &g->model->folding;
    if (f->asked >= MOST_ASKED || !may_read(g, n)) return false;
    memset(out, 0, ir_nod(g, n)->nout * sizeof *out);
    f->asked++;
    g->nodes.at[n].flags |= IR_NODE_TRIED;
    return r->compute(r->ctx, g, n, a, out) && all_fit(g, n, out);
}
