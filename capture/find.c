/* find.c -- the nodes between named values, or what is wrong with the names.
 *
 * From the outputs up to the inputs and to constants. What comes to an end elsewhere, at an
 * input of the graph, has left the subgraph: told is the value by which it did, which is
 * the last one on the way up that some named input leads to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "capture/impl.h"

#define MOST_TOLD 4u
#define MOST_STEPS 6u /* of a path that is printed */

struct finder {
    struct ir_model *m;
    struct arena *a;
    struct diag_sink *diags;
    const struct cap_question *q;
    struct cap_place *p;
    struct map input;       /* listed value -> its number */
    bool *needed;           /* by that number */
    struct map down;        /* value -> the value on whose way up it was found */
    VEC(ir_value) reached;  /* in the order of finding */
    VEC(ir_value) open;     /* reached, not listed, made by no node */
};

/* --- names to values ----------------------------------------------------------------- */

/* A value that g sees by that name. */
static ir_value value_seen(const struct ir_graph *g, const char *name) {
    const struct ir_graph *home = g;
    ir_value v = ir_find_value(g, name);
    while (v == IR_NONE && home->outer) home = home->outer, v = ir_find_value(home, name);
    while (v != IR_NONE && home != g) {
        const struct ir_graph *inner = g;
        while (inner->outer != home) inner = inner->outer;
        uint32_t stand_in = map_get(&inner->outer_of, v);
        v = stand_in == MAP_NONE ? IR_NONE : stand_in;
        home = inner;
    }
    return v;
}

static bool has_outputs(const struct ir_graph *g, const struct cap_question *q) {
    for (uint32_t i = 0; i < q->noutputs; i++) {
        ir_value v = ir_find_value(g, q->outputs[i]);
        if (v == IR_NONE || ir_has(g, v, IR_IS_OUTER)) return false;
    }
    return true;
}

static bool sees_inputs(const struct ir_graph *g, const struct cap_question *q) {
    for (uint32_t i = 0; i < q->ninputs; i++)
        if (value_seen(g, q->inputs[i]) == IR_NONE) return false;
    return true;
}

static bool names_node(struct finder *f, const char *name) {
    for (uint32_t i = 0; i < f->m->graphs.len; i++) {
        const struct ir_graph *g = f->m->graphs.at[i];
        if (!ir_graph_is_live(g)) continue;
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next) {
            if (!rw_streq(ir_nod(g, n)->name, name) || !ir_nod(g, n)->nout) continue;
            ir_value v = ir_output(g, n, 0);
            diag_where(f->diags, DIAG_HELP, NULL, "that is a node; its result is \"%s\"",
                       v == IR_NONE ? "" : ir_val(g, v)->name);
            return true;
        }
    }
    return false;
}

static const char *nearest_value(struct finder *f, const char *name) {
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < f->m->graphs.len; i++) {
        const struct ir_graph *g = f->m->graphs.at[i];
        for (ir_value v = 0; v < g->values.len && ir_graph_is_live(g); v++)
            if (!ir_has(g, v, (enum ir_value_flag)(IR_IS_OUTER | IR_IS_DEAD)))
                vec_push(f->a, &names, ir_val(g, v)->name);
    }
    return diag_nearest(name, names.at, names.len);
}

static enum rw_code unknown_value(struct finder *f, const char *option, const char *name,
                                  const char *where) {
    diag_where(f->diags, DIAG_ERROR, NULL, "%s: there is no value \"%s\"%s", option, name,
               where);
    if (names_node(f, name)) return RW_USAGE;
    const char *near = nearest_value(f, name);
    if (near) diag_where(f->diags, DIAG_HELP, NULL, "did you mean \"%s\"?", near);
    else diag_where(f->diags, DIAG_HELP, NULL, "`onnxrw print` shows the names");
    return RW_USAGE;
}

/* The first graph that makes all outputs, and if there is one, sees all inputs: bodies
 * beside each other may share names. */
static enum rw_code find_graph(struct finder *f) {
    for (uint32_t i = 0; i < f->m->graphs.len; i++) {
        struct ir_graph *g = f->m->graphs.at[i];
        if (!ir_graph_is_live(g) || !has_outputs(g, f->q)) continue;
        bool all = sees_inputs(g, f->q);
        if (!f->p->g || all) f->p->g = g;
        if (all) break;
    }
    if (f->p->g) return RW_OK;
    for (uint32_t k = 0; k < f->q->noutputs; k++) {
        bool known = false;
        for (uint32_t i = 0; i < f->m->graphs.len; i++)
            known |= ir_graph_is_live(f->m->graphs.at[i]) &&
                     ir_find_value(f->m->graphs.at[i], f->q->outputs[k]) != IR_NONE;
        if (!known) return unknown_value(f, "--outputs", f->q->outputs[k], "");
    }
    diag_where(f->diags, DIAG_ERROR, NULL,
               "these outputs are of different graphs, and a rule looks at one");
    return RW_USAGE;
}

static enum rw_code find_values(struct finder *f) {
    TRY(find_graph(f));
    for (uint32_t i = 0; i < f->q->noutputs; i++)
        vec_push(f->a, &f->p->outputs, ir_find_value(f->p->g, f->q->outputs[i]));
    for (uint32_t i = 0; i < f->q->ninputs; i++) {
        ir_value v = value_seen(f->p->g, f->q->inputs[i]);
        if (v == IR_NONE)
            return unknown_value(f, "--inputs", f->q->inputs[i],
                                 " where the outputs are made");
        vec_push(f->a, &f->p->inputs, v);
    }
    return RW_OK;
}

/* --- the graph as rules find it ------------------------------------------------------ */

/* A node that reads the values holds them while equal nodes are merged. */
static void merge_equals(struct finder *f) {
    struct cap_place *p = f->p;
    const struct ir_pass *cse = ir_pass_find("cse");
    VEC(ir_value) all = {0};
    for (uint32_t i = 0; i < p->inputs.len; i++) vec_push(f->a, &all, p->inputs.at[i]);
    for (uint32_t i = 0; i < p->outputs.len; i++) vec_push(f->a, &all, p->outputs.at[i]);
    struct ir_new_node x = {.op = "Holds", .domain = "onnxrw", .nin = all.len, .in = all.at};
    ir_node pin = ir_add_node(p->g, &x, IR_NONE);
    cse->run(f->m, NULL);
    for (uint32_t i = 0; i < all.len; i++) {
        ir_value v = ir_input(p->g, pin, i);
        if (i < p->inputs.len) p->inputs.at[i] = v;
        else p->outputs.at[i - p->inputs.len] = v;
    }
    ir_remove_node(p->g, pin);
    ir_commit(f->m);
}

/* --- the way up ---------------------------------------------------------------------- */

static void reach(struct finder *f, ir_value v, ir_value from) {
    if (v == IR_NONE || map_get(&f->down, v) != MAP_NONE) return;
    map_put(&f->down, v, from == IR_NONE ? v : from);
    vec_push(f->a, &f->reached, v);
}

static void go_up(struct finder *f, ir_value v) {
    struct cap_place *p = f->p;
    uint32_t listed = map_get(&f->input, v);
    ir_node n = ir_val(p->g, v)->producer;
    if (listed != MAP_NONE) {
        f->needed[listed] = true;
    } else if (ir_const(p->g, v)) {
        return;
    } else if (n == IR_NONE) {
        vec_push(f->a, &f->open, v);
    } else {
        if (cap_has_node(p, n)) return;
        map_put(&p->at, n, 0);
        vec_push(f->a, &p->nodes, n);
        for (uint32_t k = 0; k < ir_nod(p->g, n)->nin; k++) reach(f, ir_input(p->g, n, k), v);
    }
}

struct placed { uint64_t order; ir_node n; };

static int by_order(const void *a, const void *b) {
    const struct placed *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_nodes(struct cap_place *p) {
    struct placed *all = arena_new_array(p->arena, struct placed, p->nodes.len + 1);
    for (uint32_t i = 0; i < p->nodes.len; i++)
        all[i] = (struct placed){ir_nod(p->g, p->nodes.at[i])->order, p->nodes.at[i]};
    qsort(all, p->nodes.len, sizeof *all, by_order);
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        p->nodes.at[i] = all[i].n;
        map_put(&p->at, all[i].n, i);
    }
}

static void list_constants(struct finder *f) {
    struct cap_place *p = f->p;
    struct map listed;
    map_init(&listed, f->a);
    for (uint32_t i = 0; i < p->nodes.len; i++)
        for (uint32_t k = 0; k < ir_nod(p->g, p->nodes.at[i])->nin; k++) {
            ir_value v = ir_input(p->g, p->nodes.at[i], k);
            if (v == IR_NONE || map_get(&f->input, v) != MAP_NONE || !ir_const(p->g, v) ||
                map_get(&listed, v) != MAP_NONE)
                continue;
            map_put(&listed, v, i);
            vec_push(f->a, &p->constants, v);
        }
}

/* --- paths that leave ---------------------------------------------------------------- */

static ir_value down(const struct finder *f, ir_value v) {
    return (ir_value)map_get(&f->down, v);
}

/* Which nodes some listed input leads to. */
static bool *led_to(const struct finder *f) {
    const struct cap_place *p = f->p;
    bool *led = arena_zalloc(f->a, p->nodes.len + 1);
    for (uint32_t i = 0; i < p->nodes.len; i++) {
        ir_node n = p->nodes.at[i];
        for (uint32_t k = 0; k < ir_nod(p->g, n)->nin && !led[i]; k++) {
            ir_value v = ir_input(p->g, n, k);
            if (v == IR_NONE) continue;
            ir_node maker = ir_val(p->g, v)->producer;
            led[i] = map_get(&f->input, v) != MAP_NONE ||
                     (cap_has_node(p, maker) && led[map_get(&p->at, maker)]);
        }
    }
    return led;
}

/* On the way down from an open value, the one that enters what inputs lead to. */
static ir_value exit_of(const struct finder *f, const bool *led, ir_value open) {
    for (ir_value v = open, next; (next = down(f, v)) != v; v = next)
        if (led[map_get(&f->p->at, ir_val(f->p->g, next)->producer)]) return v;
    return open;
}

/* `"y", "b", ..., "x"`: from the output up to a value. */
static const char *path_to(const struct finder *f, ir_value v) {
    VEC(ir_value) way = {0};
    struct buf text = {0};
    for (vec_push(f->a, &way, v); down(f, v) != v; vec_push(f->a, &way, v)) v = down(f, v);
    for (uint32_t i = way.len; i-- > 0;) {
        bool skip = way.len > MOST_STEPS && i >= 2 && i + MOST_STEPS - 2 < way.len;
        if (skip && i > 2) continue;
        buf_puts(&text, i + 1 == way.len ? "" : " <- ");
        if (skip) buf_puts(&text, "...");
        else buf_printf(&text, "\"%s\"", ir_val(f->p->g, way.at[i])->name);
    }
    const char *out = arena_strdup(f->a, buf_text(&text));
    buf_free(&text);
    return out;
}

static void put_names(const struct finder *f, struct buf *out, const char *option,
                      uint32_t n, const ir_value *values) {
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i ? "," : option, ir_val(f->p->g, values[i])->name);
}

static enum rw_code tell_open(struct finder *f) {
    const bool *led = led_to(f);
    struct cap_place *p = f->p;
    VEC(ir_value) exits = {0};
    for (uint32_t i = 0; i < f->open.len; i++) {
        ir_value v = exit_of(f, led, f->open.at[i]);
        bool known = false;
        for (uint32_t k = 0; k < exits.len && !known; k++) known = exits.at[k] == v;
        if (known) continue;
        vec_push(f->a, &exits, v);
        if (exits.len > MOST_TOLD) continue;
        diag_where(f->diags, DIAG_ERROR, NULL,
                   "\"%s\" is needed, and no input that is listed leads to it: %s",
                   ir_val(p->g, v)->name, path_to(f, f->open.at[i]));
    }
    if (exits.len > MOST_TOLD)
        diag_where(f->diags, DIAG_NOTE, NULL, "and %u more", exits.len - MOST_TOLD);
    for (uint32_t i = 0; i < exits.len; i++) vec_push(f->a, &p->inputs, exits.at[i]);
    struct buf line = {0};
    put_names(f, &line, "--inputs ", p->inputs.len, p->inputs.at);
    diag_where(f->diags, DIAG_HELP, NULL, "write %s", buf_text(&line));
    buf_free(&line);
    return RW_USAGE;
}

/* --- the whole ----------------------------------------------------------------------- */

/* Those that are there twice, after equal nodes became one too, are one. */
static void list_inputs(struct finder *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->p->inputs.len; i++) {
        ir_value v = f->p->inputs.at[i];
        if (map_get(&f->input, v) != MAP_NONE) continue;
        map_put(&f->input, v, n);
        f->p->inputs.at[n++] = v;
    }
    f->p->inputs.len = n;
    f->needed = arena_zalloc(f->a, n + 1);
}

static void drop_unneeded(struct finder *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->p->inputs.len; i++) {
        ir_value v = f->p->inputs.at[i];
        if (f->needed[i]) f->p->inputs.at[n++] = v;
        else
            diag_where(f->diags, DIAG_WARNING, NULL,
                       "\"%s\" is not needed for the outputs, so it is left out",
                       ir_val(f->p->g, v)->name);
    }
    f->p->inputs.len = n;
}

static enum rw_code check_output(const struct finder *f, ir_value v) {
    const char *what = map_get(&f->input, v) != MAP_NONE ? "an input of the subgraph too"
                       : ir_const(f->p->g, v)            ? "a constant"
                       : ir_val(f->p->g, v)->producer == IR_NONE ? "made by no node"
                                                                 : NULL;
    if (!what) return RW_OK;
    diag_where(f->diags, DIAG_ERROR, NULL, "--outputs: \"%s\" is %s, so there is nothing "
                                           "that makes it", ir_val(f->p->g, v)->name, what);
    diag_where(f->diags, DIAG_HELP, NULL, "name the result of a node, and as inputs values "
                                          "further up");
    return RW_USAGE;
}

static enum rw_code find(struct finder *f) {
    TRY(find_values(f));
    merge_equals(f);
    list_inputs(f);
    for (uint32_t i = 0; i < f->p->outputs.len; i++) {
        TRY(check_output(f, f->p->outputs.at[i]));
        reach(f, f->p->outputs.at[i], IR_NONE);
    }
    for (uint32_t i = 0; i < f->reached.len; i++) go_up(f, f->reached.at[i]);
    sort_nodes(f->p);
    if (f->open.len > 0) return tell_open(f);
    drop_unneeded(f);
    list_constants(f);
    cap_find_kept(f->p);
    return cap_check(f->p, f->diags);
}

enum rw_code cap_find(struct ir_model *m, const struct cap_question *q, struct arena *a,
                      struct diag_sink *diags, struct cap_place *out) {
    struct finder f = {.m = m, .a = a, .diags = diags, .q = q, .p = out};
    *out = (struct cap_place){.arena = a};
    map_init(&out->at, a);
    map_init(&f.input, a);
    map_init(&f.down, a);
    return find(&f);
}
