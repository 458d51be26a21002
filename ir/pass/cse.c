/* cse.c -- common subexpressions: a node that computes what an earlier node of the
 * same graph computes gives way to it.
 *
 * Walking in order, operands are already those of the node that stayed, so one walk finds
 * chains of duplicates too. Equal means: operator, number of outputs, operands (0 and 1
 * in either order where the operator commutes), and attributes, where a default that is
 * written out is as good as one that is not. Bodies are not compared: nodes with one stay.
 * Most nodes have no equal, so what is known of operators by name is asked of equals alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/pass/kit.h"
#include "ir/schema.h"

#define MOST_ATTRS 64 /* of a node that is looked at: attributes are compared pairwise */

struct cse {
    struct ir_graph *g;
    struct hset seen;
    uint32_t compared; /* in the present lookup */
};

/* --- attributes -------------------------------------------------------------------- */

/* Is the attribute as if it were not written: without influence, or the default? */
static bool says_nothing(const struct ir_node_info *x, const struct ir_attr *a) {
    const struct ir_schema_attr *d = ir_schema_attr(x->schema, a->name);
    if (ir_attr_is_inert(x->schema->domain, x->schema->name, a->name)) return true;
    if (a->ref || !d || d->has_default != IR_HAS_DEFAULT || d->type != a->type)
        return false;
    switch (a->type) {
    case IR_ATTR_INT: return a->i == d->i;
    case IR_ATTR_FLOAT: return memcmp(&a->f, &d->f, sizeof a->f) == 0;
    case IR_ATTR_STRING:
        return a->s.len == strlen(d->s) &&
               (!a->s.len || memcmp(a->s.at, d->s, a->s.len) == 0);
    default: return false;
    }
}

static uint64_t hash_attr(const struct cse *c, const struct ir_attr *a) {
    uint64_t h = hash_bytes(a->name, strlen(a->name), a->type);
    if (a->ref) return hash_join(h, hash_bytes(a->ref, strlen(a->ref), 1));
    switch (a->type) {
    case IR_ATTR_INT: return hash_join(h, (uint64_t)a->i);
    case IR_ATTR_FLOAT: return hash_join(h, hash_bytes(&a->f, sizeof a->f, 0));
    case IR_ATTR_STRING: return hash_join(h, ir_hash_strings(&a->s, 1));
    case IR_ATTR_INTS: return hash_join(h, hash_bytes(a->ints, a->n * sizeof *a->ints, 0));
    case IR_ATTR_FLOATS:
        return hash_join(h, hash_bytes(a->floats, a->n * sizeof *a->floats, 0));
    case IR_ATTR_STRINGS: return hash_join(h, ir_hash_strings(a->strings, a->n));
    case IR_ATTR_TENSOR: return hash_join(h, ir_hash_tensor(c->g->model, a->tensors[0]));
    default: return hash_join(h, a->n);
    }
}

/* Whether all that a's attributes say, b's say too. */
static bool attrs_within(struct ir_model *m, const struct ir_node_info *a,
                         const struct ir_node_info *b) {
    for (uint32_t i = 0; i < a->nattr; i++) {
        if (says_nothing(a, &a->attr[i])) continue;
        uint32_t k = 0;
        while (k < b->nattr && !ir_attr_equal(m, &a->attr[i], &b->attr[k])) k++;
        if (k == b->nattr) return false;
    }
    return true;
}

/* --- nodes ------------------------------------------------------------------------- */

static bool is_candidate(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = ir_nod(g, n);
    return x->schema && x->nout && x->nattr <= MOST_ATTRS && !ir_has_body(g, n);
}

/* The same for operands 0 and 1 in either order. */
static uint64_t hash_node(const struct cse *c, ir_node n) {
    const struct ir_node_info *x = ir_nod(c->g, n);
    ir_value a = ir_input(c->g, n, 0), b = ir_input(c->g, n, 1);
    uint64_t attrs = 0, h = hash_join(x->op, x->domain);
    h = hash_join(hash_join(h, rw_min_u32(a, b)), rw_max_u32(a, b));
    for (uint32_t k = 2; k < x->nin; k++) h = hash_join(h, ir_input(c->g, n, k));
    for (uint32_t i = 0; i < x->nattr; i++) /* in any order */
        if (!says_nothing(x, &x->attr[i])) attrs += hash_attr(c, &x->attr[i]);
    return hash_join(hash_join(h, attrs), x->nout);
}

static bool same_operands(const struct ir_graph *g, ir_node n, ir_node other) {
    uint32_t k = 0, nin = ir_nod(g, n)->nin;
    while (k < nin && ir_input(g, n, k) == ir_input(g, other, k)) k++;
    if (k == nin) return true;
    if (k > 0 || nin < 2 || ir_input(g, n, 0) != ir_input(g, other, 1) ||
        ir_input(g, n, 1) != ir_input(g, other, 0))
        return false;
    for (k = 2; k < nin && ir_input(g, n, k) == ir_input(g, other, k);) k++;
    return k == nin && ir_op_commutes(ir_domain_name(g, n), ir_op_name(g, n));
}

static bool same_computation(const void *key, uint32_t id, const void *ctx) {
    struct cse *c = (struct cse *)(uintptr_t)ctx;
    const struct ir_graph *g = c->g;
    ir_node n = *(const ir_node *)key;
    const struct ir_node_info *a = ir_nod(g, n), *b = ir_nod(g, id);
    if (c->compared++ >= IR_MOST_COMPARED) return false;
    if (a->op != b->op || a->domain != b->domain || a->nin != b->nin || a->nout != b->nout)
        return false;
    if (!rw_streq(a->overload, b->overload) || !same_operands(g, n, id)) return false;
    return attrs_within(g->model, a, b) && attrs_within(g->model, b, a);
}

/* Can every used output of n be that of `first`? */
static bool can_merge(const struct ir_graph *g, ir_node n, ir_node first) {
    if (!ir_op_is_deterministic(ir_domain_name(g, n), ir_op_name(g, n))) return false;
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value old = ir_output(g, n, k), now = ir_output(g, first, k);
        if (old == IR_NONE || !ir_val(g, old)->nuses) continue;
        if (now == IR_NONE || !ir_can_replace(g, old, now)) return false;
    }
    return true;
}

static void merge(struct ir_graph *g, ir_node n, ir_node first) {
    for (uint32_t k = 0; k < ir_nod(g, n)->nout; k++) {
        ir_value old = ir_output(g, n, k);
        if (old != IR_NONE && ir_val(g, old)->nuses)
            ir_replace_value(g, old, ir_output(g, first, k));
    }
    ir_remove_node(g, n);
}

static uint32_t merge_equals(struct ir_graph *g, void *ctx) {
    RW_UNUSED(ctx);
    struct arena work = ARENA_EMPTY;
    struct cse c = {.g = g, .seen.arena = &work};
    uint32_t removed = 0;
    for (ir_node n = g->first, next; n != IR_NONE; n = next) {
        next = ir_nod(g, n)->next;
        if (!is_candidate(g, n)) continue;
        uint64_t hash = hash_node(&c, n);
        c.compared = 0;
        ir_node first = hset_find(&c.seen, hash, same_computation, &n, &c);
        if (first == MAP_NONE) {
            if (c.compared < IR_MOST_COMPARED) hset_add(&c.seen, hash, n);
        } else if (can_merge(g, n, first)) {
            merge(g, n, first);
            removed++;
        }
    }
    arena_free(&work);
    return removed;
}

uint32_t ir_pass_cse(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    return ir_pass_over(m, merge_equals, NULL);
}
