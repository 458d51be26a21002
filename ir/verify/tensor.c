/* tensor.c -- element types by number: of constants, of what a file declares.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

void ir_verify_element_type(struct verify *v, const char *where, int32_t number) {
    bool newer = v->m->ir_version > ir_version_for_opset(INT64_MAX);
    if (number > IR_UNDEFINED && number < IR_DTYPE_N) return;
    if (number == IR_UNDEFINED)
        diag_where(v->diags, DIAG_ERROR, where, "has no element type");
    else
        diag_where(v->diags, newer ? DIAG_WARNING : DIAG_ERROR, where,
                   "has the element type %d, which is not known", number);
    if (number == IR_UNDEFINED || !newer) v->code = RW_WRONG;
}

static bool is_unknown(const struct ir_tensor *t) {
    return t && t->proto && t->dtype == IR_UNDEFINED;
}

void ir_verify_initializers(struct verify *v, const struct ir_graph *g) {
    for (ir_value i = 0; i < g->values.len; i++) {
        const struct ir_value_info *x = ir_val(g, i);
        if ((x->flags & IR_IS_DEAD) || !(x->flags & IR_IS_INIT) || !is_unknown(x->tensor))
            continue;
        const char *where =
            arena_printf(&v->tmp, "%s: initializer \"%s\"", ir_model_name(v->m), x->name);
        ir_verify_element_type(v, where, x->tensor->proto->data_type);
    }
}

void ir_verify_tensor_attr(struct verify *v, const struct ir_attr *a) {
    if ((a->type != IR_ATTR_TENSOR && a->type != IR_ATTR_TENSORS) || a->ref) return;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!is_unknown(a->tensors[i])) continue;
        const char *where = arena_printf(&v->tmp, "%s: attribute \"%s\"",
                                         ir_node_where(v->g, v->n, &v->tmp), a->name);
        ir_verify_element_type(v, where, a->tensors[i]->proto->data_type);
    }
}
