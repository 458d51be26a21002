/* function.c -- functions of the model: calls, references to attributes, cycles.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/onnx.pb-c.h"
#include "ir/verify/parts.h"

#define AMBIGUOUS (MAP_NONE - 1) /* told apart by overload, which is not looked at */

static uint64_t key_of(sym_t domain, sym_t name) { return (uint64_t)domain << 32 | name; }

void ir_verify_note_functions(struct verify *v) {
    struct intern *names = &v->m->names;
    for (uint32_t i = 0; i < v->m->functions.len; i++) {
        const struct ir_function *f = v->m->functions.at[i];
        sym_t domain = intern_find(names, f->domain), name = intern_find(names, f->name);
        if (domain == MAP_NONE || name == MAP_NONE) continue; /* nobody calls it */
        uint64_t key = key_of(domain, name);
        bool taken = map_get(&v->functions, key) != MAP_NONE;
        map_put(&v->functions, key, taken ? AMBIGUOUS : i);
    }
}

static uint32_t callee(const struct verify *v, const struct ir_node_info *x) {
    return map_get(&v->functions, key_of(x->domain, x->op));
}

bool ir_verify_call(struct verify *v) {
    uint32_t at = callee(v, v->x);
    if (at == MAP_NONE || at == AMBIGUOUS) return at == AMBIGUOUS;
    const struct ir_graph *body = v->m->functions.at[at]->body;
    if (v->x->nin > body->inputs.len)
        ir_verify_wrong(v, "has %u operands, the function takes %u", v->x->nin,
                        body->inputs.len);
    if (v->x->nout > body->outputs.len)
        ir_verify_wrong(v, "has %u outputs, the function gives %u", v->x->nout,
                        body->outputs.len);
    return true;
}

/* --- references to attributes --------------------------------------------------------- */

static bool has_parameter(const struct ir_function *f, const char *name) {
    const Onnx__FunctionProto *p = f->proto;
    if (!p) return true;
    for (size_t i = 0; i < p->n_attribute; i++)
        if (rw_streq(p->attribute[i], name)) return true;
    for (size_t i = 0; i < p->n_attribute_proto; i++)
        if (p->attribute_proto[i]->name && rw_streq(p->attribute_proto[i]->name, name))
            return true;
    return false;
}

void ir_verify_reference(struct verify *v, const struct ir_attr *a) {
    const struct ir_function *f = v->g->function;
    if (!f)
        ir_verify_wrong(v, "attribute \"%s\" refers to \"%s\", but is in no function",
                        a->name, a->ref);
    else if (!has_parameter(f, a->ref))
        ir_verify_wrong(v, "attribute \"%s\" refers to \"%s\", which function \"%s\" does "
                        "not have", a->name, a->ref, f->name);
}

/* --- cycles --------------------------------------------------------------------------- */

/* Calls of functions by functions, as lists by callee. */
struct call { uint32_t caller, callee, next; };
struct calls {
    VEC(struct call) at;
    uint32_t *first; /* by callee: its newest call */
    uint32_t *open;  /* by caller: calls of functions that may be in a cycle */
    uint32_t *queue;
};

static void find_calls(struct verify *v, struct calls *c) {
    uint32_t caller = 0, count = v->m->functions.len;
    for (uint32_t i = 0; i < v->m->graphs.len; i++) {
        const struct ir_graph *g = v->m->graphs.at[i];
        if (!g->function || !ir_graph_is_live(g)) continue;
        while (v->m->functions.at[caller] != g->function) /* mostly the same or the next */
            caller = (caller + 1) % count;
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            uint32_t f = callee(v, ir_nod(g, n));
            if (f == MAP_NONE || f == AMBIGUOUS) continue;
            vec_push(&v->tmp, &c->at, (struct call){caller, f, c->first[f]});
            c->first[f] = c->at.len - 1;
            c->open[caller]++;
        }
    }
}

/* A function all of whose calls are closed is closed. The number of those. */
static uint32_t close_functions(struct calls *c, uint32_t n) {
    uint32_t closed = 0;
    for (uint32_t f = 0; f < n; f++)
        if (!c->open[f]) c->queue[closed++] = f;
    for (uint32_t i = 0; i < closed; i++)
        for (uint32_t k = c->first[c->queue[i]]; k != IR_NONE; k = c->at.at[k].next)
            if (--c->open[c->at.at[k].caller] == 0) c->queue[closed++] = c->at.at[k].caller;
    return closed;
}

/* An open function calls an open one: following such calls ends in a cycle. */
static void report_cycle(struct verify *v, struct calls *c, uint32_t n) {
    uint32_t at = 0, *next = c->queue;
    for (uint32_t k = 0; k < c->at.len; k++)
        if (c->open[c->at.at[k].callee]) next[c->at.at[k].caller] = c->at.at[k].callee;
    while (!c->open[at]) at++;
    for (uint32_t steps = 0; steps < n; steps++) at = next[at];
    const char *f = v->m->functions.at[at]->name, *g = v->m->functions.at[next[at]]->name;
    const char *where =
        arena_printf(&v->tmp, "%s: function \"%s\"", ir_model_name(v->m), f);
    if (next[at] == at) diag_where(v->diags, DIAG_ERROR, where, "calls itself");
    else diag_where(v->diags, DIAG_ERROR, where,
                    "is in a cycle: it calls \"%s\", which calls it", g);
    v->code = RW_WRONG;
}

void ir_verify_functions(struct verify *v) {
    uint32_t n = v->m->functions.len;
    if (n == 0) return;
    struct calls c = {.first = arena_new_array(&v->tmp, uint32_t, n),
                      .open = arena_zalloc(&v->tmp, n * sizeof(uint32_t)),
                      .queue = arena_new_array(&v->tmp, uint32_t, n)};
    for (uint32_t f = 0; f < n; f++) c.first[f] = IR_NONE;
    find_calls(v, &c);
    if (close_functions(&c, n) < n) report_cycle(v, &c, n);
}
