/* graph.c -- making models and graphs, and asking them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph/graph_parts.h"
#include "ir/graph/names.h"
#include "ir/schema.h"

struct ir_model *ir_model_new(struct arena *a, int64_t ir_version) {
    struct ir_model *m = arena_new(a, struct ir_model);
    m->arena = a;
    m->ir_version = ir_version;
    intern_init(&m->names, a);
    m->dims = ir_dims_new(a);
    ir_journal_init(m);
    ir_names_init(m);
    m->main = ir_graph_new(m, NULL, "");
    return m;
}

struct ir_graph *ir_graph_new(struct ir_model *m, struct ir_graph *outer,
                              const char *name) {
    struct ir_graph *g = arena_new(m->arena, struct ir_graph);
    g->model = m;
    g->number = (uint32_t)m->graphs.len;
    g->outer = outer;
    g->owner = g->first = g->last = IR_NONE;
    g->function = outer ? outer->function : NULL;
    g->name = arena_strdup(m->arena, name ? name : "");
    map_init(&g->outer_of, m->arena);
    PUSH(m, &m->graphs, g);
    return g;
}

struct ir_function *ir_function_new(struct ir_model *m, const char *domain,
                                    const char *name) {
    struct ir_function *f = arena_new(m->arena, struct ir_function);
    f->domain = arena_strdup(m->arena, domain);
    f->name = arena_strdup(m->arena, name);
    f->overload = "";
    f->body = ir_graph_new(m, NULL, name);
    f->body->function = f;
    PUSH(m, &m->functions, f);
    return f;
}

bool ir_graph_is_live(const struct ir_graph *g) {
    for (; g->outer; g = g->outer)
        if (g->owner == IR_NONE || ir_is_dead(g->outer, g->owner)) return false;
    return !g->function || !g->function->dropped;
}

void ir_keep_functions(struct ir_model *m, const bool *keep) {
    uint32_t n = m->functions.len, kept = 0;
    struct ir_function **list = arena_new_array(m->arena, struct ir_function *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (keep[i]) list[kept++] = m->functions.at[i];
        else SET(m, m->functions.at[i]->dropped, true);
    }
    if (kept == n) return;
    SET(m, m->functions.at, list);
    SET(m, m->functions.cap, n);
    SET(m, m->functions.len, kept);
    m->edits++;
}

void ir_model_settle(struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        for (ir_node n = 0; n < g->nodes.len; n++)
            g->nodes.at[n].flags &= ~(uint32_t)IR_NODE_CHANGED;
    }
    ir_commit(m);
    m->edits = 0;
}

const struct ir_attr *ir_find_attr(const struct ir_graph *g, ir_node n, const char *name) {
    const struct ir_node_info *x = &g->nodes.at[n];
    for (uint32_t i = 0; i < x->nattr; i++)
        if (rw_streq(x->attr[i].name, name)) return &x->attr[i];
    return NULL;
}

struct ir_graph *ir_body(const struct ir_graph *g, ir_node n, const char *attribute) {
    const struct ir_attr *x = ir_find_attr(g, n, attribute);
    return x && x->type == IR_ATTR_GRAPH && x->n ? x->graphs[0] : NULL;
}

bool ir_has_body(const struct ir_graph *g, ir_node n) {
    for (uint32_t i = 0; i < g->nodes.at[n].nattr; i++)
        if (ir_attr_is_body(&g->nodes.at[n].attr[i])) return true;
    return false;
}

bool ir_is_unused(const struct ir_graph *g, ir_node n) {
    const struct ir_node_info *x = &g->nodes.at[n];
    for (uint32_t k = 0; k < x->nout; k++)
        if (x->out[k] != IR_NONE && g->values.at[x->out[k]].nuses) return false;
    return true;
}

bool ir_precedes(const struct ir_graph *g, ir_node a, ir_node b) {
    return g->nodes.at[a].order < g->nodes.at[b].order;
}

/* The graph on the way from `holder` down to g that lies directly inside `holder`. */
static const struct ir_graph *step_towards(const struct ir_graph *holder,
                                           const struct ir_graph *g) {
    while (g && g->outer != holder) g = g->outer;
    return g;
}

static ir_value find_sharer(const struct ir_graph *g, const char *name) {
    for (ir_value v = 0; v < g->values.len; v++)
        if (!ir_has(g, v, IR_IS_DEAD) && rw_streq(g->values.at[v].name, name)) return v;
    return IR_NONE;
}

ir_value ir_find_value(const struct ir_graph *g, const char *name) {
    const struct ir_name *holder = ir_name_holder(g->model, g->function, name);
    if (!holder) return IR_NONE;
    if (holder->sharers) return find_sharer(g, name);
    const struct ir_graph *at = holder->graph;
    ir_value v = holder->value;
    while (at != g && v != IR_NONE) {
        at = step_towards(at, g);
        if (!at) return IR_NONE;
        v = map_get(&at->outer_of, v);
    }
    return v;
}

/* --- opsets ------------------------------------------------------------------------ */

static const char *domain_of(const char *domain) {
    return rw_streq(domain, "ai.onnx") ? "" : domain;
}

int64_t ir_opset(const struct ir_graph *g, const char *domain) {
    const struct ir_model *m = g->model;
    const struct ir_opset *at = g->function ? g->function->opsets.at : m->opsets.at;
    uint32_t n = g->function ? g->function->opsets.len : m->opsets.len;
    for (uint32_t i = 0; i < n; i++)
        if (rw_streq(domain_of(at[i].domain), domain_of(domain))) return at[i].version;
    return 0;
}

const struct ir_schema *ir_schema_in(const struct ir_graph *g, const char *domain,
                                     const char *op) {
    int64_t opset = ir_opset(g, domain);
    const struct ir_schema *s = ir_schema_find(domain_of(domain), op, opset);
    return s || *domain_of(domain) ? s : ir_schema_runtime(op, opset);
}

/* The domain was not imported so far: its nodes had no meaning, and have one now. */
static void find_schemas(struct ir_model *m, const char *domain) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        struct ir_graph *g = m->graphs.at[i];
        if (g->function) continue;
        for (ir_node n = g->first; n != IR_NONE; n = g->nodes.at[n].next)
            if (rw_streq(ir_domain_name(g, n), domain)) {
                const struct ir_schema *s = ir_schema_in(g, domain, ir_op_name(g, n));
                SET_NODE(g, n, schema, s);
            }
    }
}

static uint32_t find_import(const struct ir_opset *at, uint32_t n, const char *domain) {
    uint32_t i = 0;
    while (i < n && !rw_streq(domain_of(at[i].domain), domain_of(domain))) i++;
    return i;
}

void ir_set_opset(struct ir_model *m, const char *domain, int64_t version) {
    domain = domain_of(domain);
    uint32_t i = find_import(m->opsets.at, m->opsets.len, domain);
    bool is_new = i == m->opsets.len;
    if (!is_new && m->opsets.at[i].version == version) return;
    if (is_new)
        PUSH(m, &m->opsets, (struct ir_opset){arena_strdup(m->arena, domain), 0});
    if (m->journal->on) { /* the vector may move: what was is kept apart */
        uint32_t n = m->opsets.len;
        SET(m, m->opsets.at, arena_copy(m->arena, m->opsets.at, n * sizeof *m->opsets.at));
        m->opsets.cap = n;
    }
    m->opsets.at[i].version = version;
    ir_count_edit(m);
    if (is_new) find_schemas(m, domain);
}

void ir_raise_import(struct ir_function *f, const char *domain, int64_t version) {
    struct ir_model *m = f->body->model;
    uint32_t n = f->opsets.len, i = find_import(f->opsets.at, n, domain);
    if (i == n) return;
    SET(m, f->opsets.at, arena_copy(m->arena, f->opsets.at, n * sizeof *f->opsets.at));
    f->opsets.cap = n;
    f->opsets.at[i].version = version;
    ir_count_edit(m);
}

/* From version 4 on an initializer that is also a graph input is a default that a caller
 * may override; before, every initializer had to be listed. */
static void unlist_initializers(struct ir_graph *g) {
    struct ir_model *m = g->model;
    ir_value *kept = arena_new_array(m->arena, ir_value, g->inputs.len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->inputs.len; i++) {
        ir_value v = g->inputs.at[i];
        if (ir_has(g, v, IR_IS_INIT))
            SET_VALUE(g, v, flags, g->values.at[v].flags & ~(uint32_t)IR_IS_INPUT);
        else
            kept[n++] = v;
    }
    SET(m, g->inputs.cap, g->inputs.len + 1);
    SET(m, g->inputs.len, n);
    SET(m, g->inputs.at, kept);
}

void ir_set_ir_version(struct ir_model *m, int64_t version) {
    if (m->ir_version < 4 && version >= 4)
        for (uint32_t i = 0; i < m->graphs.len; i++)
            if (!m->graphs.at[i]->function) unlist_initializers(m->graphs.at[i]);
    SET(m, m->ir_version, version);
    ir_count_edit(m);
}

void ir_name_node(struct ir_graph *g, ir_node n, const char *name) {
    SET_NODE(g, n, name, name);
    ir_touch_node(g, n);
}

void ir_set_schema(struct ir_graph *g, ir_node n, const struct ir_schema *schema) {
    SET_NODE(g, n, schema, schema);
    ir_touch_node(g, n);
}
