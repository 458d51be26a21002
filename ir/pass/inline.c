/* inline.c -- calls of model-local functions give way to what the functions compute.
 *
 * The nodes of the function are copied in front of the call, references to its attributes
 * replaced by what the call gives. A call stays where an operator means something else at
 * the model's opset than at the function's, and where an attribute is a graph. Functions that
 * nobody calls any more go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/clone.h"
#include "ir/infer.h"
#include "ir/pass/kit.h"

/* Functions that call functions many times over, or, in a model that was not verified,
 * themselves, would grow without bound. */
#define MOST_NODES 1000000u

struct inliner {
    struct ir_model *m;
    uint32_t left; /* nodes that may still be made */
    struct arena *a;
};

/* --- attributes of the call ---------------------------------------------------------- */

struct given { VEC(struct ir_attr) list; };

static bool gives(const struct given *given, const char *name) {
    for (uint32_t i = 0; i < given->list.len; i++)
        if (rw_streq(given->list.at[i].name, name)) return true;
    return false;
}

/* What the function says itself of attributes that its nodes refer to. */
static void add_defaults(struct inliner *in, const struct ir_function *f,
                         const struct ir_graph *body, struct given *given) {
    struct ir_attr found;
    for (ir_node n = body->first; n != IR_NONE; n = ir_nod(body, n)->next)
        for (uint32_t i = 0; i < ir_nod(body, n)->nattr; i++) {
            const struct ir_attr *x = &ir_nod(body, n)->attr[i];
            for (uint32_t k = 0; !x->ref && ir_attr_is_body(x) && k < x->n; k++)
                add_defaults(in, f, x->graphs[k], given);
            if (!x->ref || gives(given, x->ref) ||
                !ir_function_default(in->m, f, x->ref, &found))
                continue;
            found.name = x->ref;
            vec_push(in->a, &given->list, found);
        }
}

static bool refers(const struct given *given) {
    for (uint32_t i = 0; i < given->list.len; i++)
        if (given->list.at[i].ref || ir_attr_is_body(&given->list.at[i])) return true;
    return false;
}

/* --- the opset of the caller --------------------------------------------------------- */

/* Do the operators mean at the model's opsets what they mean at the function's? */
static bool means_the_same(const struct ir_graph *body, const struct ir_model *m) {
    for (ir_node n = body->first; n != IR_NONE; n = ir_nod(body, n)->next) {
        const struct ir_node_info *x = ir_nod(body, n);
        const char *domain = ir_domain_name(body, n), *op = ir_op_name(body, n);
        if (ir_opset(m->main, domain) && ir_schema_in(m->main, domain, op) != x->schema)
            return false;
        for (uint32_t i = 0; i < x->nattr; i++) {
            const struct ir_attr *attr = &x->attr[i];
            for (uint32_t k = 0; !attr->ref && ir_attr_is_body(attr) && k < attr->n; k++)
                if (!means_the_same(attr->graphs[k], m)) return false;
        }
    }
    return true;
}

/* Domains that only the function imports. */
static void import_domains(struct ir_model *m, const struct ir_function *f) {
    for (uint32_t i = 0; i < f->opsets.len; i++)
        if (!ir_opset(m->main, f->opsets.at[i].domain))
            ir_set_opset(m, f->opsets.at[i].domain, f->opsets.at[i].version);
}

/* --- one call ------------------------------------------------------------------------ */

/* An output that is an operand which the call leaves out? */
static bool gives_nothing(const struct ir_graph *g, ir_node n, const struct ir_graph *body) {
    for (uint32_t i = 0; i < body->inputs.len; i++)
        if (ir_input(g, n, i) == IR_NONE && ir_has(body, body->inputs.at[i], IR_IS_OUTPUT))
            return true;
    return false;
}

static bool is_inlinable(const struct inliner *in, const struct ir_graph *g, ir_node n,
                         const struct ir_function *f) {
    return f->body->live <= in->left && ir_can_clone(f->body) &&
           ir_noutputs(f->body) >= ir_nod(g, n)->nout && !gives_nothing(g, n, f->body) &&
           means_the_same(f->body, in->m);
}

/* *first is the first node that came in, or IR_NONE. */
static bool inline_call(struct inliner *in, struct ir_graph *g, ir_node n,
                        const struct ir_function *f, ir_node *first) {
    const struct ir_node_info x = *ir_nod(g, n);
    struct given given = {0};
    for (uint32_t i = 0; i < x.nattr; i++) vec_push(in->a, &given.list, x.attr[i]);
    add_defaults(in, f, f->body, &given);
    if (refers(&given)) return false;
    ir_value *args = arena_new_array(in->a, ir_value, x.nin);
    ir_value *results = arena_new_array(in->a, ir_value, ir_noutputs(f->body));
    for (uint32_t k = 0; k < x.nin; k++) args[k] = ir_input(g, n, k);
    import_domains(in->m, f);
    ir_node before = x.prev;
    ir_clone(&(struct ir_clone){.from = f->body, .to = g, .before = n, .nargs = x.nin,
                                .args = args, .nattrs = given.list.len,
                                .attrs = given.list.at}, results);
    in->left -= f->body->live;
    for (uint32_t k = 0; k < x.nout; k++) ir_pass_on(g, n, k, results[k]);
    *first = before == IR_NONE ? g->first : ir_nod(g, before)->next;
    ir_remove_node(g, n);
    if (*first == n) *first = x.next;
    return true;
}

/* --- all of them --------------------------------------------------------------------- */

static uint32_t inline_in(struct ir_graph *g, void *ctx) {
    struct inliner *in = ctx;
    uint32_t inlined = 0;
    if (g->function) return 0; /* what is called from there comes in with it */
    for (ir_node n = g->first, next; n != IR_NONE; n = next) {
        next = ir_nod(g, n)->next;
        const struct ir_function *f = ir_callee(g, n);
        if (!f || !is_inlinable(in, g, n, f)) continue;
        inlined += inline_call(in, g, n, f, &next);
    }
    return inlined;
}

/* Which functions are called, from the main graph or from one that is called. */
struct reach {
    struct map number; /* of a function, by address */
    bool *called;
    VEC(uint32_t) queue;
    VEC(struct ir_graph *) *graphs; /* of a function: its body and those inside */
    struct arena *a;
};

static void reach_calls(struct reach *r, const struct ir_graph *g) {
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
        const struct ir_function *f = ir_callee(g, n);
        uint32_t i = f ? map_get(&r->number, (uint64_t)(uintptr_t)f) : MAP_NONE;
        if (i == MAP_NONE || r->called[i]) continue;
        r->called[i] = true;
        vec_push(r->a, &r->queue, i);
    }
}

static void drop_uncalled(struct ir_model *m, struct arena *a) {
    uint32_t n = m->functions.len;
    struct reach r = {.a = a, .called = arena_zalloc(a, n + 1),
                      .graphs = arena_zalloc(a, n * sizeof *r.graphs + 1)};
    map_init(&r.number, a);
    for (uint32_t i = 0; i < n; i++)
        map_put(&r.number, (uint64_t)(uintptr_t)m->functions.at[i], i);
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        if (!ir_graph_is_live(g)) continue;
        if (!g->function) reach_calls(&r, g);
        else {
            uint32_t f = map_get(&r.number, (uint64_t)(uintptr_t)g->function);
            vec_push(a, &r.graphs[f], g);
        }
    }
    while (r.queue.len) {
        uint32_t f = vec_pop(&r.queue);
        for (uint32_t i = 0; i < r.graphs[f].len; i++) reach_calls(&r, r.graphs[f].at[i]);
    }
    ir_keep_functions(m, r.called);
}

uint32_t ir_pass_inline_functions(struct ir_model *m, const struct ir_pass_options *o) {
    RW_UNUSED(o);
    if (!m->functions.len) return 0;
    struct arena work = ARENA_EMPTY;
    struct inliner in = {.m = m, .left = MOST_NODES, .a = &work};
    uint32_t inlined = ir_pass_over(m, inline_in, &in);
    if (inlined) ir_infer_quietly(m);
    drop_uncalled(m, &work);
    arena_free(&work);
    return inlined;
}
