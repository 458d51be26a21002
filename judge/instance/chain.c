/* chain.c -- what may stand on the way of a chain{...}*, and the members of a
 * family.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define MOST_LINKS 3
#define MORE_MEMBERS 3

/* --- chains ------------------------------------------------------------------------ */
static bool static_shape(const struct gen *x, ir_value v, int64_t *dims, uint32_t *rank) {
    const struct ir_type *t = ir_val(x->g, v)->type;
    if (!ir_type_ranked(t) || t->rank > GEN_RANK) return false;
    *rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!ir_dim_is_const(x->m->dims, t->dims[i], &dims[i])) return false;
    return true;
}

/* The shape that is there, or flat. */
static bool reshape_target(struct gen *x, ir_value v, ir_value *out) {
    int64_t dims[GEN_RANK], n = 1, flat = -1;
    unsigned char bytes[8 * GEN_RANK];
    uint32_t rank = 0;
    bool is_flat = gen_chance(x, 30) || !static_shape(x, v, dims, &rank);
    if (is_flat) dims[0] = flat;
    n = is_flat ? 1 : rank;
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        for (uint32_t k = 0; k < 8; k++)
            bytes[8 * i + k] = (unsigned char)((uint64_t)dims[i] >> (8 * k));
    *out = ir_add_constant(x->g, "shape", ir_tensor_new(x->a, IR_INT64, 1, &n, bytes));
    return true;
}

static bool is_unary(const struct ir_schema *s) {
    for (uint32_t i = 0; i < s->nattrs; i++)
        if (s->attrs[i].has_default == IR_REQUIRED) return false;
    return s->min_inputs == 1;
}

static bool link(struct gen *x, const struct pat_op *op, ir_value *v) {
    ir_value in[2] = {*v, IR_NONE}, out;
    struct ir_attr attr = ir_attr_int("to", x->dtype == IR_FLOAT ? IR_DOUBLE : IR_FLOAT);
    const struct ir_schema *s = ir_schema_in(x->g, op->domain, op->name);
    bool casts = rw_streq(op->name, "Cast"), reshapes = rw_streq(op->name, "Reshape");
    GEN(s && (casts || reshapes || is_unary(s)));
    if (casts && gen_chance(x, 60)) attr.i = ir_type_dtype(ir_val(x->g, *v)->type);
    if (casts && gen_chance(x, 30)) attr.i = x->dtype;
    if (reshapes) GEN(reshape_target(x, *v, &in[1]));
    out = ir_add_value(x->g, "link", NULL);
    struct ir_new_node node = {.op = op->name, .domain = op->domain, .nin = 1 + reshapes,
                               .nout = 1, .in = in, .out = &out, .nattr = casts,
                               .attr = &attr};
    *v = out;
    vec_push(x->a, &x->interior, out);
    return ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL);
}

bool judge_gen_links(struct gen *x, const struct pat *p, ir_value *v) {
    for (uint32_t n = gen_draw(x, MOST_LINKS + 1); n > 0 && *v != IR_NONE; n--)
        GEN(link(x, &p->ops[gen_draw(x, p->nops)], v));
    return true;
}

/* --- families ---------------------------------------------------------------------- */
bool judge_gen_family(struct gen *x, const struct rule_family *f, ir_value *last) {
    uint32_t n = (uint32_t)f->least + gen_draw(x, MORE_MEMBERS);
    if (gen_chance(x, 10)) n--;
    uint32_t first = n ? gen_draw(x, n) : 0;
    x->cut = (struct gen_cut){.n = gen_chance(x, 60) ? n : 0, .way = gen_draw(x, 3)};
    for (uint32_t i = 0; i < n; i++) {
        x->cut.piece = (first + i) % n;
        for (uint32_t s = f->first; s < f->end; s++) x->slots[s] = (struct pm_binding){0};
        GEN(judge_gen_slot(x, f->member, last));
        vec_push(x->a, &x->members, *last);
    }
    x->cut.n = 0;
    return n > 0;
}
