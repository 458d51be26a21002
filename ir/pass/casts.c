/* casts.c -- Casts that take back what an earlier Cast did.
 *
 * Where a tensor was given a wider type without losing anything, and only moved about in
 * it (transposed, sliced, joined with others of the kind), the Cast back gives what would
 * have been there without both. So around each Cast back all the nodes that only move are
 * collected, forwards and backwards; if each operand that comes in was widened, or is a
 * constant that fits, and each result goes through such a Cast, all of them work in the
 * narrow type. Two Casts in a row of which the first keeps every value are one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval.h"
#include "ir/pass/kit.h"

#define MOST_NODES 256             /* that move, between the Casts */
#define MOST_USES 256              /* of a value that is looked through */
#define MOST_BYTES ((uint64_t)64 << 10) /* of a constant */

/* --- Casts ---------------------------------------------------------------------------- */

static enum ir_dtype type_of(const struct ir_graph *g, ir_value v) {
    return ir_type_dtype(ir_val(g, v)->type);
}

/* x of v = Cast(x) where every value is kept; the types are known. */
static bool is_widened(const struct ir_graph *g, ir_value v, ir_value *x) {
    ir_node n = ir_val(g, v)->producer;
    if (n == IR_NONE || !ir_is_op(g, n, "Cast") || ir_input(g, n, 0) == IR_NONE)
        return false;
    *x = ir_input(g, n, 0);
    enum ir_dtype from = type_of(g, *x), to = type_of(g, v);
    return from != IR_UNDEFINED && to != IR_UNDEFINED && ir_cast_is_lossless(from, to);
}

/* Is n a Cast to that type, whatever attribute says so? */
static bool is_cast_to(const struct ir_graph *g, ir_node n, enum ir_dtype t) {
    return ir_is_op(g, n, "Cast") && ir_output(g, n, 0) != IR_NONE &&
           type_of(g, ir_output(g, n, 0)) == t;
}

/* --- nodes that move ------------------------------------------------------------------ */

/* How many of the first operands hold what is moved. Not Where: of it the runtime's table
 * says what types its condition may have. */
struct mover {
    const char *op;
    uint32_t count;
};
static const struct mover movers[] = {
    {"Concat", UINT32_MAX}, {"DepthToSpace", 1}, {"Expand", 1},   {"Flatten", 1},
    {"Gather", 1},          {"GatherElements", 1}, {"GatherND", 1}, {"Identity", 1},
    {"Reshape", 1},         {"Slice", 1},        {"SpaceToDepth", 1}, {"Split", 1},
    {"Squeeze", 1},         {"Tile", 1},         {"Transpose", 1}, {"Trilu", 1},
    {"Unsqueeze", 1},
};

/* What n moves in type t, or NULL: the standard and ONNX Runtime must have it. */
static const struct mover *mover_of(const struct ir_graph *g, ir_node n, enum ir_dtype t) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (!x->schema || *ir_domain_name(g, n)) return NULL;
    for (size_t i = 0; i < countof(movers); i++) {
        const struct mover *m = &movers[i];
        if (!rw_streq(m->op, x->schema->name)) continue;
        const struct ir_formal_param *p = ir_schema_input(x->schema, 0);
        bool can = p && ir_types_allow(p->types, t) &&
                   ir_runtime_has("", m->op, ir_opset(g, ""), t);
        return can ? m : NULL;
    }
    return NULL;
}

/* --- what is between Casts ------------------------------------------------------------ */

struct between {
    struct ir_graph *g;
    struct arena *arena;
    enum ir_dtype wide, narrow;
    struct map seen;       /* values in it */
    struct map node_seen;
    VEC(ir_value) values;
    VEC(ir_node) nodes, casts; /* that move; those back */
    bool failed;
};

static void reach_node(struct between *b, ir_node n);

/* A value of the wide type that a node in it makes or reads. What was widened, and a
 * constant, are its borders. */
static void reach_value(struct between *b, ir_value v) {
    ir_value x;
    if (v == IR_NONE || map_get(&b->seen, v) != MAP_NONE) return;
    if (type_of(b->g, v) != b->wide) b->failed = true;
    if (ir_const(b->g, v)) return;
    if (is_widened(b->g, v, &x) && type_of(b->g, x) == b->narrow) return;
    map_put(&b->seen, v, b->values.len);
    vec_push(b->arena, &b->values, v);
}

static void reach_node(struct between *b, ir_node n) {
    if (map_get(&b->node_seen, n) != MAP_NONE) return;
    const struct mover *m = mover_of(b->g, n, b->narrow);
    if (!m || b->nodes.len >= MOST_NODES) {
        b->failed = true;
        return;
    }
    map_put(&b->node_seen, n, b->nodes.len);
    vec_push(b->arena, &b->nodes, n);
    for (uint32_t k = 0; k < rw_min_u32(m->count, ir_nod(b->g, n)->nin); k++)
        reach_value(b, ir_input(b->g, n, k));
    for (uint32_t k = 0; k < ir_nod(b->g, n)->nout; k++)
        reach_value(b, ir_output(b->g, n, k));
}

static void reach_reader(struct between *b, const struct ir_use_info *u) {
    if (u->user == IR_NONE || u->slot == IR_SLOT_BODY) b->failed = true;
    else if (is_cast_to(b->g, u->user, b->narrow)) vec_push(b->arena, &b->casts, u->user);
    else {
        const struct mover *m = mover_of(b->g, u->user, b->narrow);
        if (m && u->slot < m->count) reach_node(b, u->user);
        else b->failed = true;
    }
}

static void collect(struct between *b, ir_value v) {
    reach_value(b, v);
    for (uint32_t i = 0; i < b->values.len && !b->failed; i++) {
        const struct ir_value_info x = *ir_val(b->g, b->values.at[i]);
        if (x.producer == IR_NONE || x.nuses > MOST_USES) b->failed = true;
        else reach_node(b, x.producer);
        for (ir_use u = x.uses; u != IR_NONE && !b->failed; u = b->g->uses.at[u].next)
            reach_reader(b, &b->g->uses.at[u]);
    }
}

/* --- the narrow type ------------------------------------------------------------------ */

static struct ir_tensor *cast(struct between *b, struct ir_tensor *t, enum ir_dtype to) {
    struct ir_attr attr = ir_attr_int("to", to);
    struct ir_tensor *out = NULL;
    struct ir_eval e = {.model = b->g->model, .schema = ir_schema_in(b->g, "", "Cast"),
                        .nin = 1, .nout = 1, .nattr = 1, .in = &t, .attr = &attr,
                        .arena = b->g->model->arena, .max_bytes = MOST_BYTES};
    return e.schema && ir_eval(&e, &out) ? out : NULL;
}

/* The constant in the narrow type; NULL where it does not hold the very values. */
static struct ir_tensor *narrowed(struct between *b, ir_value v) {
    struct ir_tensor *t = ir_const(b->g, v);
    if (t->nbytes > MOST_BYTES) return NULL;
    struct ir_tensor *narrow = cast(b, t, b->narrow);
    struct ir_tensor *back = narrow ? cast(b, narrow, b->wide) : NULL;
    return back && ir_tensor_equal(b->g->model, t, back) ? narrow : NULL;
}

static bool constants_fit(struct between *b) {
    for (uint32_t i = 0; i < b->nodes.len; i++) {
        ir_node n = b->nodes.at[i];
        const struct mover *m = mover_of(b->g, n, b->narrow);
        for (uint32_t k = 0; k < rw_min_u32(m->count, ir_nod(b->g, n)->nin); k++) {
            ir_value v = ir_input(b->g, n, k);
            if (v == IR_NONE || (ir_const(b->g, v) && !narrowed(b, v))) return false;
        }
    }
    return true;
}

static void narrow_operand(struct between *b, ir_node n, uint32_t k, const ir_value *now) {
    ir_value v = ir_input(b->g, n, k), x;
    uint32_t at = map_get(&b->seen, v);
    if (at != MAP_NONE) ir_set_input(b->g, n, k, now[at]);
    else if (ir_const(b->g, v)) {
        struct ir_tensor *t = narrowed(b, v);
        ir_set_input(b->g, n, k, ir_add_constant(b->g, ir_val(b->g, v)->name, t));
        ir_drop_constant(b->g, v);
    } else if (is_widened(b->g, v, &x)) {
        ir_node widening = ir_val(b->g, v)->producer;
        ir_set_input(b->g, n, k, x);
        if (ir_is_unused(b->g, widening)) ir_remove_node(b->g, widening);
    }
}

static void narrow_all(struct between *b) {
    struct ir_graph *g = b->g;
    ir_value *now = arena_new_array(b->arena, ir_value, b->values.len);
    for (uint32_t i = 0; i < b->values.len; i++) {
        const struct ir_value_info x = *ir_val(g, b->values.at[i]);
        now[i] = ir_add_value(g, x.name,
                              ir_type_with_dtype(g->model->arena, x.type, b->narrow));
        ir_detach_output(g, x.producer, x.output);
        ir_attach_output(g, x.producer, x.output, now[i]);
    }
    for (uint32_t i = 0; i < b->nodes.len; i++) {
        ir_node n = b->nodes.at[i];
        uint32_t count = mover_of(g, n, b->narrow)->count;
        for (uint32_t k = 0; k < rw_min_u32(count, ir_nod(g, n)->nin); k++)
            narrow_operand(b, n, k, now);
    }
    for (uint32_t i = 0; i < b->casts.len; i++) {
        uint32_t at = map_get(&b->seen, ir_input(g, b->casts.at[i], 0));
        ir_pass_on(g, b->casts.at[i], 0, now[at]);
        ir_remove_node(g, b->casts.at[i]);
    }
    for (uint32_t i = 0; i < b->values.len; i++) ir_remove_value(g, b->values.at[i]);
}

/* --- the pass ------------------------------------------------------------------------- */

struct casts {
    struct ir_graph *g;
    struct map failed; /* values by the narrow type: nothing can be done around them */
};

static void remember(struct casts *c, const struct between *b) {
    for (uint32_t i = 0; i < b->values.len; i++)
        map_put(&c->failed, (uint64_t)b->values.at[i] << 8 | b->narrow, 0);
}

/* v is cast to `narrow`. */
static bool settle_between(struct casts *c, ir_value v, enum ir_dtype narrow) {
    enum ir_dtype wide = type_of(c->g, v);
    if (wide == IR_UNDEFINED || narrow == wide || !ir_cast_is_lossless(narrow, wide) ||
        map_get(&c->failed, (uint64_t)v << 8 | narrow) != MAP_NONE)
        return false;
    struct arena work = ARENA_EMPTY;
    struct between b = {.g = c->g, .arena = &work, .wide = wide, .narrow = narrow};
    map_init(&b.seen, &work);
    map_init(&b.node_seen, &work);
    collect(&b, v);
    bool can = !b.failed && b.values.len && constants_fit(&b);
    if (can) narrow_all(&b);
    else remember(c, &b);
    arena_free(&work);
    return can;
}

/* A Cast of what was widened reads what it was before, or is it where that has the type. */
static bool settle_pair(struct ir_graph *g, ir_node n) {
    ir_value v = ir_input(g, n, 0), y = ir_output(g, n, 0), x;
    if (!is_widened(g, v, &x) || type_of(g, y) == IR_STRING) return false;
    ir_node first = ir_val(g, v)->producer;
    if (type_of(g, x) == type_of(g, y)) {
        ir_pass_on(g, n, 0, x);
        ir_remove_node(g, n);
    } else ir_set_input(g, n, 0, x);
    if (ir_is_unused(g, first)) ir_remove_node(g, first);
    return true;
}

static bool settle_cast(struct casts *c, ir_node n) {
    ir_value v = ir_input(c->g, n, 0), y = ir_output(c->g, n, 0);
    if (v == IR_NONE || y == IR_NONE || type_of(c->g, y) == IR_UNDEFINED) return false;
    return settle_pair(c->g, n) || settle_between(c, v, type_of(c->g, y));
}

static uint32_t settle(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    struct arena work = ARENA_EMPTY;
    struct casts c = {.g = g};
    VEC(ir_node) list = {0};
    uint32_t changed = 0;
    map_init(&c.failed, &work);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        if (ir_is_op(g, n, "Cast")) vec_push(&work, &list, n);
    for (uint32_t i = 0; i < list.len; i++)
        if (!ir_is_dead(g, list.at[i])) changed += settle_cast(&c, list.at[i]);
    arena_free(&work);
    return changed;
}

uint32_t ir_pass_casts(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    return ir_pass_over(m, settle, NULL);
}
