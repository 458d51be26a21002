/* pair_alike.c -- constants and nodes that are equal, in one model and in two.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/diff/pair_impl.h"

#define SMALL 64 /* elements of constants that many nodes have of their own */
#define SAMPLES 32 /* elements of a large constant that are hashed */

/* --- what is the same --------------------------------------------------------------- */

static bool same_dims(const struct ir_tensor *x, const struct ir_tensor *y) {
    return x->dtype == y->dtype && x->rank == y->rank && x->nbytes == y->nbytes &&
           (!x->rank || !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims));
}

static bool same_strings(const struct ir_tensor *x, const struct ir_tensor *y) {
    for (uint64_t i = 0; i < x->count; i++)
        if (x->strings[i].len != y->strings[i].len ||
            memcmp(x->strings[i].at, y->strings[i].at, x->strings[i].len) != 0)
            return false;
    return true;
}

bool judge_same_tensor(struct ir_model *m, const struct ir_tensor *x, struct ir_model *n,
                       const struct ir_tensor *y) {
    struct arena scratch = ARENA_EMPTY;
    if (!same_dims(x, y)) return false;
    if (x->dtype == IR_STRING) return same_strings(x, y);
    if (x->nbytes == 0) return true;
    const void *a = ir_tensor_read(m, x, &scratch), *b = ir_tensor_read(n, y, &scratch);
    bool same = a && b && !memcmp(a, b, (size_t)x->nbytes);
    arena_free(&scratch);
    return same;
}

static bool same_tensors(struct ir_model *m, const struct ir_attr *x, struct ir_model *n,
                         const struct ir_attr *y) {
    if (x->n != y->n) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (!judge_same_tensor(m, x->tensors[i], n, y->tensors[i])) return false;
    return true;
}

bool judge_same_attr(struct ir_model *m, const struct ir_attr *x, struct ir_model *n,
                     const struct ir_attr *y) {
    bool tensors = x->type == IR_ATTR_TENSOR || x->type == IR_ATTR_TENSORS;
    if (x->type != y->type || (x->ref != NULL) != (y->ref != NULL)) return false;
    if (x->ref) return rw_streq(x->ref, y->ref);
    if (ir_attr_is_body(x)) return x->n == y->n;
    return tensors ? same_tensors(m, x, n, y) : ir_attr_equal(m, x, y);
}

bool judge_same_attrs(const struct ir_graph *g, ir_node n, const struct ir_graph *other,
                      ir_node k) {
    const struct ir_node_info *x = ir_nod(g, n);
    if (x->nattr != ir_nod(other, k)->nattr) return false;
    for (uint32_t i = 0; i < x->nattr; i++) {
        const struct ir_attr *y = ir_find_attr(other, k, x->attr[i].name);
        if (!y || !judge_same_attr(g->model, &x->attr[i], other->model, y)) return false;
    }
    return true;
}

/* --- constants ---------------------------------------------------------------------- */

/* Type, shape, and some elements. */
static uint64_t hash_constant(struct ir_model *m, const struct ir_tensor *t) {
    uint64_t h = hash_join(t->dtype, t->count);
    for (uint32_t i = 0; i < t->rank; i++) h = hash_join(h, (uint64_t)t->dims[i]);
    for (uint64_t i = 0; i < t->count && i < SAMPLES; i++) {
        uint64_t at = t->count <= SAMPLES ? i : t->count / SAMPLES * i, bits = 0;
        double x;
        if (ir_tensor_double_at(m, t, at, &x)) memcpy(&bits, &x, sizeof bits);
        h = hash_join(h, bits);
    }
    return h;
}

void judge_pair_named_constants(struct judge_pairs *p, bool equal) {
    struct ir_model *m = p->g[0]->model, *n = p->g[1]->model;
    for (ir_value v = 0; v < p->g[0]->values.len; v++) {
        const struct ir_tensor *x = is_free(p, 0, v) ? constant(p->g[0], v) : NULL;
        ir_value w = x ? ir_find_value(p->g[1], ir_val(p->g[0], v)->name) : IR_NONE;
        const struct ir_tensor *y = is_free(p, 1, w) ? constant(p->g[1], w) : NULL;
        if (!y || !same_dims(x, y)) continue;
        if (!equal || hash_constant(m, x) == hash_constant(n, y))
            judge_pair_values(p, v, w, JUDGE_BY_NAME);
    }
}

struct content {
    const struct judge_pairs *p;
    uint32_t side;     /* of the one that is looked for */
    uint32_t compared; /* in the present search */
};

static bool has_content(const void *key, uint32_t w, const void *ctx) {
    struct content *c = (struct content *)(uintptr_t)ctx;
    const struct judge_pairs *p = c->p;
    if (c->compared++ >= MOST_USES) return false;
    return judge_same_tensor(p->g[c->side]->model, key, p->g[1]->model,
                             constant(p->g[1], w));
}

static void make_alike(struct judge_pairs *p, ir_value first, ir_value w) {
    p->like[w] = first;
    p->next_like[w] = p->next_like[first];
    p->next_like[first] = w;
}

/* Constants of after by content. Large ones that a name was found for are not read. */
static void find_alike(struct judge_pairs *p, struct hset *set) {
    for (ir_value w = 0; w < p->g[1]->values.len; w++) {
        const struct ir_tensor *y = constant(p->g[1], w);
        struct content c = {p, 1, 0};
        if (!y || (!is_free(p, 1, w) && y->count > SMALL)) continue;
        uint64_t hash = hash_constant(p->g[1]->model, y);
        ir_value first = hset_find(set, hash, has_content, y, &c);
        if (first == MAP_NONE) hset_add(set, hash, w);
        else make_alike(p, first, w);
    }
}

void judge_pair_equal_constants(struct judge_pairs *p) {
    struct hset set = {.arena = p->a};
    find_alike(p, &set);
    for (ir_value v = 0; v < p->g[0]->values.len; v++) {
        const struct ir_tensor *x = is_free(p, 0, v) ? constant(p->g[0], v) : NULL;
        struct content c = {p, 0, 0};
        if (!x) continue;
        uint64_t hash = hash_constant(p->g[0]->model, x);
        ir_value w = hset_find(&set, hash, has_content, x, &c);
        if (w != MAP_NONE) judge_pair_values(p, v, w, JUDGE_BY_PLACE);
    }
}

/* --- equal nodes -------------------------------------------------------------------- */

bool judge_pair_may_be_equal(const struct ir_graph *g, ir_node n) {
    return ir_nod(g, n)->nin && !ir_has_body(g, n) &&
           ir_op_is_deterministic(ir_domain_name(g, n), ir_op_name(g, n));
}

static ir_value alike_operand(const struct judge_pairs *p, ir_node k, uint32_t i) {
    ir_value w = ir_input(p->g[1], k, i);
    return w == IR_NONE ? w : p->like[w];
}

static bool is_equal(const void *key, uint32_t id, const void *ctx) {
    struct content *c = (struct content *)(uintptr_t)ctx;
    const struct ir_graph *g = c->p->g[1];
    ir_node k = *(const ir_node *)key;
    const struct ir_node_info *x = ir_nod(g, k), *y = ir_nod(g, id);
    if (c->compared++ >= MOST_USES) return false;
    if (x->op != y->op || x->domain != y->domain) return false;
    if (!rw_streq(x->overload, y->overload) || x->nin != y->nin || x->nout != y->nout)
        return false;
    for (uint32_t i = 0; i < x->nin; i++)
        if (alike_operand(c->p, k, i) != alike_operand(c->p, id, i)) return false;
    return judge_same_attrs(g, k, g, id);
}

void judge_pair_find_alike(struct judge_pairs *p) {
    const struct ir_graph *g = p->g[1];
    struct hset set = {.arena = p->a};
    for (ir_node k = g->first; k != IR_NONE; k = ir_nod(g, k)->next) {
        struct content c = {p, 1, 0};
        if (!judge_pair_may_be_equal(g, k)) continue;
        uint64_t hash = hash_join(ir_nod(g, k)->op, ir_nod(g, k)->domain);
        for (uint32_t i = 0; i < ir_nod(g, k)->nin; i++)
            hash = hash_join(hash, alike_operand(p, k, i));
        ir_node first = hset_find(&set, hash, is_equal, &k, &c);
        if (first == MAP_NONE) hset_add(&set, hash, k);
        for (uint32_t i = 0; first != MAP_NONE && i < ir_nod(g, k)->nout; i++) {
            ir_value v = ir_output(g, first, i), w = ir_output(g, k, i);
            if (v != IR_NONE && w != IR_NONE) make_alike(p, v, w);
        }
    }
}
