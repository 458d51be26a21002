/* eval.c -- finds the kernel of an operator and guards it.
 *
 * What a kernel may take for granted: the operator's version is known, and every
 * attribute has the type that this version gives it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"

static const struct eval_op *const families[] = {
    ir_eval_elementwise_ops, ir_eval_cast_ops,   ir_eval_move_ops,   ir_eval_remap_ops,
    ir_eval_index_ops,       ir_eval_make_ops,   ir_eval_reduce_ops, ir_eval_matmul_ops,
};

static const struct eval_op *find_op(const char *domain, const char *op) {
    if (*domain && !rw_streq(domain, "ai.onnx")) return NULL;
    for (size_t f = 0; f < countof(families); f++)
        for (const struct eval_op *o = families[f]; o->name; o++)
            if (rw_streq(o->name, op)) return o;
    return NULL;
}

bool ir_eval_has(const char *domain, const char *op) { return find_op(domain, op) != NULL; }

static bool attributes_are_known(const struct ir_eval *e) {
    for (uint32_t i = 0; i < e->nattr; i++) {
        const struct ir_schema_attr *known = ir_schema_attr(e->schema, e->attr[i].name);
        if (!known || known->type != e->attr[i].type || e->attr[i].ref) return false;
    }
    return true;
}

bool ir_eval(const struct ir_eval *e, struct ir_tensor **out) {
    const struct ir_schema *s = e->schema;
    if (!s || e->nin > s->max_inputs || e->nout > s->max_outputs) return false;
    const struct eval_op *op = find_op(s->domain, s->name);
    if (!op || !attributes_are_known(e)) return false;
    struct eval_job j = {.e = e, .out = out, .which = op->which};
    if (e->nout) memset(out, 0, e->nout * sizeof *out);
    bool done = op->run(&j);
    for (uint32_t k = 0; done && k < e->nout; k++) done = out[k] != NULL;
    arena_free(&j.work);
    return done;
}
