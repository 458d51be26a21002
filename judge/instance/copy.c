/* copy.c -- variables as an example of the rule computes them.
 *
 * Operands of a large pattern may have to belong together: the limit of a Range is a
 * dimension of the mask that is read, indices end where a sentence does. Drawn one by one
 * they hardly ever do. So where an instance is led by an example, what a variable is there
 * is made here too, with all that it is computed from, in the sizes, types and opset of the
 * instance. A value of the example is made once, so what is shared there is shared here. The
 * pattern's own nodes are not copied: they are made as ever, with all their alternatives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"

#define MOST_DEPTH 200 /* values inside each other, with patterns around them */
#define MOST_BETWEEN 2
#define MOST_ITEMS (1 << 14) /* of a constant */

static const struct ir_graph *there(const struct gen *x) {
    return x->example->written->main;
}

/* --- what corresponds to what ------------------------------------------------------- */
ir_value judge_gen_there(const struct gen *x, const struct gen_node *user, uint32_t k,
                         uint32_t slot) {
    if (!x->copies) return IR_NONE;
    const struct judge_known *known = slot == SLOT_NONE ? NULL : judge_gen_known(x, slot);
    if (known && known->kind == BOUND_VALUE && known->value != IR_NONE) return known->value;
    if (!user || user->there == IR_NONE) return IR_NONE;
    return ir_input(there(x), user->there, user->exchanged && k < 2 ? 1 - k : k);
}

static bool makes(const struct gen *x, ir_value v, const struct pat_op *op) {
    ir_node n = ir_val(there(x), v)->producer;
    return n != IR_NONE && rw_streq(ir_op_name(there(x), n), op->name) &&
           rw_streq(ir_domain_name(there(x), n), op->domain);
}

/* There may be a node more in between, such as an optional one that this instance lacks. */
ir_node judge_gen_node_there(const struct gen *x, const struct gen_node *n) {
    const struct pat_op op = {n->domain, n->op};
    ir_value v = x->copies ? x->at : IR_NONE;
    for (uint32_t i = 0; i <= MOST_BETWEEN && v != IR_NONE; i++) {
        ir_node k = ir_val(there(x), v)->producer;
        if (makes(x, v, &op)) return k;
        v = k == IR_NONE ? IR_NONE : ir_input(there(x), k, 0);
    }
    return IR_NONE;
}

/* May the value of the example be what the pattern describes? */
static bool may_be(const struct gen *x, const struct pat *p, ir_value v) {
    if (v == IR_NONE || p->kind == PAT_ABSENT) return v == IR_NONE && p->kind == PAT_ABSENT;
    if (p->kind == PAT_LITERAL) return ir_const(there(x), v) != NULL;
    if (p->kind == PAT_SLOT) {
        const struct judge_known *known = judge_gen_known(x, p->slot);
        return known->kind != BOUND_VALUE || known->value == v;
    }
    bool any = p->kind != PAT_NODE;
    for (uint32_t i = 0; !any && i < p->nops; i++) any = makes(x, v, &p->ops[i]);
    return any;
}

bool judge_gen_is_exchanged(const struct gen *x, const struct gen_node *n,
                            const struct pat *const *args) {
    if (n->there == IR_NONE || !n->pat->commutes || n->pat->nargs < 2) return false;
    ir_value a = ir_input(there(x), n->there, 0), b = ir_input(there(x), n->there, 1);
    bool straight = may_be(x, args[0], a) && may_be(x, args[1], b);
    return !straight && may_be(x, args[0], b) && may_be(x, args[1], a);
}

void judge_gen_note_copy(struct gen *x, ir_node node, uint32_t n, const ir_value *out) {
    for (uint32_t k = 0; node != IR_NONE && k < n; k++) {
        ir_value v = ir_output(there(x), node, k);
        if (v != IR_NONE && out[k] != IR_NONE)
            vec_push(x->a, &x->copied, (struct gen_copied){v, out[k]});
    }
}

static bool found(const struct gen *x, ir_value v, ir_value *out) {
    for (uint32_t i = x->copied.len; i-- > 0;)
        if (x->copied.at[i].there == v) return *out = x->copied.at[i].here, true;
    return false;
}

/* --- what nothing computes ---------------------------------------------------------- */
enum ir_dtype judge_gen_dtype_there(const struct gen *x, ir_value v) {
    const struct ir_graph *g = there(x);
    enum ir_dtype t = ir_type_dtype(ir_val(g, v)->type), first = IR_UNDEFINED;
    if (g->inputs.len > 0) first = ir_type_dtype(ir_val(g, g->inputs.at[0])->type);
    return t == first ? x->dtype_there : t;
}

/* Integers that index something stay within it; others stay small, for they may be
 * lengths. */
static void bound_items(struct gen *x, ir_value v, struct gen_operand *o) {
    if (!ir_dtype_is_int(o->dtype)) return;
    o->below = judge_gen_choices_there(x, v);
    if (o->below > 0 && gen_chance(x, 30)) o->low = -o->below;
    if (o->below <= 0) o->below = 6;
}

static bool copy_input(struct gen *x, ir_value v, ir_value *out) {
    struct gen_operand o = {.dtype = judge_gen_dtype_there(x, v)};
    const struct ir_graph *g = there(x);
    GEN(judge_gen_shape_there(x, v, &o.shape));
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        const struct ir_use_info *use = &g->uses.at[u];
        if (use->user == IR_NONE) continue;
        judge_gen_nature(ir_domain_name(g, use->user), ir_op_name(g, use->user), use->slot, &o);
    }
    bound_items(x, v, &o);
    return judge_gen_fed(x, ir_val(there(x), v)->name, &o, out);
}

/* Elements as they are there, in another type if need be. Where there are more they count
 * on, if they count, and come again if not. */
static struct ir_tensor *same_items(struct gen *x, const struct ir_tensor *t,
                                    enum ir_dtype as, const int64_t *dims) {
    uint64_t n;
    bool counts = t->count > 1;
    if (t->count == 0 || !ir_tensor_count(t->rank, dims, &n) || n > MOST_ITEMS) return NULL;
    double *items = arena_new_array(x->a, double, n > t->count ? n : t->count);
    for (uint64_t i = 0; i < t->count; i++) {
        if (!ir_tensor_double_at(x->example->written, t, i, &items[i])) return NULL;
        counts &= items[i] <= (double)i && items[i] >= (double)i;
    }
    for (uint64_t i = t->count; i < n; i++) items[i] = counts ? (double)i : items[i - t->count];
    return judge_gen_numbers(x->m->arena, as, t->rank, dims, n > 0 ? n : 1, items);
}

static struct ir_tensor *tensor_there(struct gen *x, const struct ir_tensor *t,
                                      enum ir_dtype as, const int64_t *dims) {
    bool same = as == t->dtype;
    for (uint32_t i = 0; i < t->rank; i++) same &= dims[i] == t->dims[i];
    if (!same) return same_items(x, t, as, dims);
    const void *bytes = ir_tensor_read(x->example->written, t, x->a);
    return bytes ? ir_tensor_new(x->m->arena, as, t->rank, t->dims, bytes) : NULL;
}

/* Integers are what they are, but where a condition is not heeded. */
static struct ir_tensor *disturbed(struct gen *x, struct ir_tensor *t) {
    if (judge_gen_heeds(x) || t->count == 0 || t->count > GEN_RANK) return t;
    if (!ir_dtype_is_int(t->dtype) || !gen_chance(x, 8)) return t;
    int64_t items[GEN_RANK];
    double reals[GEN_RANK];
    uint32_t n = (uint32_t)t->count;
    for (uint32_t i = 0; i < n; i++)
        if (!ir_tensor_int_at(NULL, t, i, &items[i])) return t;
    judge_gen_disturb_items(x, n, items);
    for (uint32_t i = 0; i < n; i++) reals[i] = (double)items[i];
    struct ir_tensor *other =
        judge_gen_numbers(x->m->arena, t->dtype, t->rank, t->dims, n, reals);
    return other ? other : t;
}

static bool copy_constant(struct gen *x, ir_value v, const struct ir_tensor *t,
                          ir_value *out) {
    enum ir_dtype as = judge_gen_dtype_there(x, v);
    bool weight = ir_dtype_is_float(as) && t->count > 1;
    if (weight && gen_chance(x, 20)) return copy_input(x, v, out);
    uint64_t seed = weight && gen_chance(x, 60) ? gen_draw(x, 1000) + 1 : 0;
    struct gen_shape s;
    int64_t dims[GEN_RANK];
    GEN(judge_gen_shape_there(x, v, &s) && s.rank == t->rank);
    for (uint32_t i = 0; i < s.rank; i++) GEN(judge_gen_size(x, s.dims[i], &dims[i]));
    struct ir_tensor *made =
        seed ? judge_gen_tensor(x->m->arena, as, t->rank, dims, JUDGE_RANDOM, 0, 0, &seed)
             : tensor_there(x, t, as, dims);
    GEN(made);
    *out = judge_gen_constant(x, disturbed(x, made));
    return true;
}

/* --- parameters --------------------------------------------------------------------- */
static int operand_there(const struct gen *x, const struct gen_node *n,
                         const struct ir_param_def *d) {
    return ir_param_operand(n->domain, n->op, d->name, ir_opset(there(x), ""));
}

/* Types as the instance has them. */
static bool carried_attr(struct gen *x, ir_node k, struct ir_attr *v) {
    const struct ir_graph *g = there(x);
    GEN(!ir_attr_is_body(v) && !v->ref);
    bool typed = rw_streq(v->name, "to") || rw_streq(v->name, "dtype");
    if (typed && v->type == IR_ATTR_INT) v->i = judge_gen_dtype_there(x, ir_output(g, k, 0));
    if (v->type != IR_ATTR_TENSOR) return true;
    const struct ir_tensor *was = v->tensors[0];
    struct ir_tensor *t = tensor_there(x, was, was->dtype, was->dims);
    if (t) *v = ir_attr_tensor(x->m->arena, v->name, t);
    return t != NULL;
}

bool judge_gen_param_there(struct gen *x, const struct gen_node *n,
                           const struct ir_param_def *d, struct ir_attr *out) {
    struct ir_param p = ir_param(there(x), n->there, d->name, x->a);
    bool is = p.source == IR_PARAM_ATTR || p.source == IR_PARAM_CONST;
    GEN(is && p.attr.type == d->type && carried_attr(x, n->there, &p.attr));
    *out = p.attr;
    out->name = d->name;
    return true;
}

bool judge_gen_copy_param(struct gen *x, struct gen_node *n, const struct ir_param_def *d,
                          bool *copied) {
    if (!x->copies || n->there == IR_NONE) return true;
    int was = operand_there(x, n, d);
    int is = ir_param_operand(n->domain, n->op, d->name, x->opset);
    ir_value v = was < 0 ? IR_NONE : ir_input(there(x), n->there, (uint32_t)was);
    if (v == IR_NONE || ir_const(there(x), v) || is < 0 || n->known[is]) return true;
    if (gen_chance(x, 6)) return true;
    for (uint32_t i = n->nin; i < (uint32_t)is; i++) n->in[i] = IR_NONE;
    n->nin = rw_max_u32(n->nin, (uint32_t)is + 1);
    return *copied = n->known[is] = judge_gen_copy(x, v, &n->in[is]);
}

/* --- nodes -------------------------------------------------------------------------- */
/* Parameters as attributes or operands, as the opset has them. */
static bool copy_params(struct gen *x, struct gen_node *n) {
    const struct ir_graph *g = there(x);
    size_t count;
    const struct ir_param_def *defs = ir_param_defs(n->domain, n->op, &count);
    for (size_t i = 0; i < count; i++) {
        int was = operand_there(x, n, &defs[i]);
        int is = ir_param_operand(n->domain, n->op, defs[i].name, x->opset);
        if (was >= 0 && is == was) continue; /* an operand like any other */
        struct ir_param p = ir_param(g, n->there, defs[i].name, x->a);
        bool written = p.source == IR_PARAM_ATTR || p.source == IR_PARAM_CONST;
        GEN(p.source != IR_PARAM_DYNAMIC);
        if (!written || p.is_default) continue;
        GEN(carried_attr(x, n->there, &p.attr));
        GEN(judge_gen_write_param(x, n, &defs[i], p.attr));
    }
    return true;
}

static bool copy_operands(struct gen *x, struct gen_node *n) {
    const struct ir_graph *g = there(x);
    uint32_t count = ir_nod(g, n->there)->nin;
    GEN(count <= GEN_OPERANDS);
    for (uint32_t k = 0; k < count; k++) {
        const char *name = ir_param_of_operand(n->domain, n->op, k, ir_opset(g, ""));
        ir_value v = ir_input(g, n->there, k);
        if (name && ir_param_operand(n->domain, n->op, name, x->opset) != (int)k) continue;
        n->in[k] = IR_NONE;
        if (v != IR_NONE) GEN(judge_gen_copy(x, v, &n->in[k]));
        n->known[k] = true;
        n->nin = k + 1;
    }
    return true;
}

static bool copy_node(struct gen *x, ir_node k) {
    const struct ir_graph *g = there(x);
    struct gen_node n = {.domain = ir_domain_name(g, k), .op = ir_op_name(g, k), .there = k};
    ir_value out[GEN_OPERANDS];
    uint32_t nout = ir_nod(g, k)->nout;
    judge_gen_import(x, n.domain, ir_schema_newest_opset(n.domain));
    n.schema = ir_schema_in(x->g, n.domain, n.op);
    GEN(n.schema && nout <= GEN_OPERANDS && copy_operands(x, &n) && copy_params(x, &n));
    for (uint32_t i = 0; i < nout; i++) {
        ir_value v = ir_output(g, k, i);
        out[i] = v == IR_NONE ? v : ir_add_value(x->g, ir_val(g, v)->name, NULL);
    }
    struct ir_new_node node = {.op = n.op, .domain = n.domain, .nin = n.nin, .nout = nout,
                               .in = n.in, .out = out, .nattr = n.attrs.len,
                               .attr = n.attrs.at};
    GEN(ir_infer_node(x->g, ir_add_node(x->g, &node, IR_NONE), NULL));
    judge_gen_note_copy(x, k, nout, out);
    return true;
}

/* --- values ------------------------------------------------------------------------- */
/* What the pattern has a name for is made as the pattern says. */
static bool by_pattern(struct gen *x, ir_value v, ir_value *out, bool *is) {
    for (uint32_t i = 0; i < x->rule->nslots; i++) {
        const struct judge_known *known = judge_gen_known(x, i);
        if (known->kind != BOUND_VALUE || known->value != v) continue;
        bool done = x->slots[i].kind == BOUND_VALUE;
        const struct pat *def = x->rule->slots[i].def;
        *is = done || (x->slots[i].kind == BOUND_NOTHING && def && def->kind != PAT_ANY &&
                       def->kind != PAT_LITERAL);
        if (done) *out = x->slots[i].a;
        if (*is) return (done || judge_gen_slot(x, i, out)) && *out != IR_NONE;
    }
    return true;
}

static bool make(struct gen *x, ir_value v, ir_value *out) {
    const struct ir_value_info *info = ir_val(there(x), v);
    const struct ir_tensor *t = ir_const(there(x), v);
    bool is = false;
    GEN(by_pattern(x, v, out, &is));
    if (!is && info->producer != IR_NONE && !t)
        return copy_node(x, info->producer) && found(x, v, out);
    if (!is) GEN(t ? copy_constant(x, v, t, out) : copy_input(x, v, out));
    vec_push(x->a, &x->copied, (struct gen_copied){v, *out});
    return true;
}

bool judge_gen_copy(struct gen *x, ir_value v, ir_value *out) {
    if (found(x, v, out)) return true;
    GEN(x->depth < MOST_DEPTH);
    x->depth++;
    bool ok = make(x, v, out);
    x->depth--;
    return ok;
}

bool judge_gen_is_copy(struct gen *x, const struct gen_node *user, uint32_t k,
                       uint32_t slot, ir_value *v) {
    *v = judge_gen_there(x, user, k, slot);
    if (*v == IR_NONE) return false;
    bool other = !judge_gen_heeds(x) && judge_hint_against(x, slot);
    return !gen_chance(x, other ? 60 : 6);
}

/* Copies need what the example is made of: operators that the opset has, and no bodies. */
bool judge_gen_can_copy(const struct gen *x) {
    const struct ir_graph *g = there(x);
    for (ir_node k = g->first; k != IR_NONE; k = ir_nod(g, k)->next) {
        const char *domain = ir_domain_name(g, k), *op = ir_op_name(g, k);
        bool own = *domain == 0;
        if (ir_has_body(g, k) || ir_callee(g, k)) return false;
        if (own ? !ir_schema_find(domain, op, x->opset) : !ir_nod(g, k)->schema) return false;
    }
    return true;
}
