/* param_defs.c -- the virtual parameters of operators, from a generated table.
 *
 * The table has, for each operator, its parameters sorted by name; in which form a version
 * has one is asked of its schema.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/param.h"

struct param_domain {
    const char *name;
    uint32_t nops;
    const char *const *names;
    const uint16_t *first; /* nops + 1 items */
    const struct ir_param_def *defs;
};

#include "ir/schema/param_table.inc"

const struct ir_param_def *ir_param_defs(const char *domain, const char *op, size_t *n) {
    if (rw_streq(domain, "ai.onnx")) domain = "";
    *n = 0;
    for (size_t i = 0; i < countof(domains); i++) {
        const struct param_domain *d = &domains[i];
        if (!rw_streq(d->name, domain)) continue;
        uint32_t at = ir_find_name(d->names, d->nops, op);
        if (at == d->nops) return NULL;
        *n = (size_t)(d->first[at + 1] - d->first[at]);
        return d->defs + d->first[at];
    }
    return NULL;
}

const struct ir_param_def *ir_param_def(const char *domain, const char *op,
                                        const char *name) {
    size_t n;
    const struct ir_param_def *defs = ir_param_defs(domain, op, &n);
    for (size_t i = 0; i < n; i++)
        if (rw_streq(defs[i].name, name)) return &defs[i];
    return NULL;
}

static const struct ir_schema *schema_at(const char *domain, const char *op,
                                         int64_t opset) {
    const struct ir_schema *s = ir_schema_find(domain, op, opset);
    if (s || (*domain && !rw_streq(domain, "ai.onnx"))) return s;
    return ir_schema_runtime(op, opset);
}

const char *ir_param_attr_name(const struct ir_schema *s, const struct ir_param_def *d) {
    if (ir_schema_attr(s, d->name)) return d->name;
    return d->older && ir_schema_attr(s, d->older) ? d->older : NULL;
}

int ir_param_place(const struct ir_schema *s, const struct ir_param_def *d) {
    if (ir_param_attr_name(s, d)) return IR_PARAM_IS_ATTR;
    for (uint16_t i = 0; i < s->ninputs; i++)
        if (rw_streq(s->inputs[i].name, d->name)) return i;
    return IR_PARAM_IS_NOT;
}

int ir_param_operand(const char *domain, const char *op, const char *name, int64_t opset) {
    const struct ir_schema *s = schema_at(domain, op, opset);
    const struct ir_param_def *d = s ? ir_param_def(domain, op, name) : NULL;
    return d ? ir_param_place(s, d) : IR_PARAM_IS_NOT;
}

const char *ir_param_of_operand(const char *domain, const char *op, uint32_t i,
                                int64_t opset) {
    const struct ir_schema *s = schema_at(domain, op, opset);
    if (!s || i >= s->ninputs || s->inputs[i].option == IR_VARIADIC) return NULL;
    const struct ir_param_def *d = ir_param_def(domain, op, s->inputs[i].name);
    return d && d->is_input_somewhere && !ir_param_attr_name(s, d) ? d->name : NULL;
}
