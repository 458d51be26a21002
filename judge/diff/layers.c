/* layers.c -- see layers.h.
 *
 * Values are wanted some at a time: those of a whole model would be all its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/layers.h"

#define AT_A_TIME 512

struct run {
    struct judge *judge;
    struct ir_model *m[2];
    struct judge_pairs pairs;
    uint32_t session[2];
    struct judge_values inputs[2];
    VEC(ir_value) values; /* of layers, in the first model */
    double tolerance;
    struct arena *a;
    struct diag_sink *diags;
    struct judge_layers *out;
};

/* --- what is compared --------------------------------------------------------------- */

static bool is_layer(const struct ir_graph *g, ir_value v) {
    return v != IR_NONE && ir_val(g, v)->producer != IR_NONE &&
           !ir_is_op(g, ir_val(g, v)->producer, "Constant");
}

static ir_value other_of(const struct run *r, uint32_t layer) {
    return r->pairs.other[0][r->values.at[layer]];
}

static const char *name_of(const struct run *r, uint32_t which, uint32_t layer) {
    const struct judge_layer *l = &r->out->at.at[layer];
    return which ? l->other : l->name;
}

static void add_layer(struct run *r, ir_value v) {
    const struct ir_graph *g = r->m[0]->main, *other = r->m[1]->main;
    const struct ir_value_info *x = ir_val(g, v);
    ir_value w = r->pairs.other[0][v];
    if (!is_layer(other, w)) return;
    struct judge_layer layer = {
        .name = x->name, .op = ir_op_name(g, x->producer), .other = ir_val(other, w)->name,
        .how = r->pairs.how[v], .rule = ir_node_rule(other, ir_val(other, w)->producer),
        .output = ir_has(g, v, IR_IS_OUTPUT) && ir_has(other, w, IR_IS_OUTPUT)};
    vec_push(r->a, &r->out->at, layer);
    vec_push(r->a, &r->values, v);
}

static void find_layers(struct run *r) {
    const struct ir_graph *g = r->m[0]->main;
    judge_pairs_find(r->a, r->m[0]->main, r->m[1]->main, NULL, &r->pairs);
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        for (uint32_t i = 0; i < ir_nod(g, n)->nout; i++)
            if (is_layer(g, ir_output(g, n, i))) add_layer(r, ir_output(g, n, i));
}

/* What the second model has of the inputs, by the names that they have there. */
static void pass_inputs(struct run *r, const struct judge_values *in) {
    struct judge_values *x = &r->inputs[1];
    r->inputs[0] = *in;
    x->at = arena_new_array(r->a, struct judge_value, in->n);
    for (uint32_t i = 0; i < in->n; i++) {
        ir_value v = ir_find_value(r->m[0]->main, in->at[i].name);
        ir_value w = v == IR_NONE ? v : r->pairs.other[0][v];
        if (w == IR_NONE || !ir_has(r->m[1]->main, w, IR_IS_INPUT)) continue;
        x->at[x->n] = in->at[i];
        x->at[x->n++].name = ir_val(r->m[1]->main, w)->name;
    }
}

/* --- running ------------------------------------------------------------------------ */

static enum rw_code wrong(struct run *r, uint32_t which) {
    diag_where(r->diags, DIAG_ERROR, ir_model_name(r->m[which]), "does not run: %s",
               judge_message(r->judge));
    return RW_WRONG;
}

/* Names without the second and further ones that are the same; *at: where each is. */
static uint32_t distinct(struct run *r, uint32_t which, uint32_t begin, uint32_t n,
                         struct arena *a, const char **names, uint32_t *at) {
    struct map seen;
    uint32_t count = 0;
    map_init(&seen, a);
    for (uint32_t i = 0; i < n; i++) {
        ir_value v = which ? other_of(r, begin + i) : r->values.at[begin + i];
        at[i] = map_get(&seen, v);
        if (at[i] != MAP_NONE) continue;
        at[i] = count;
        map_put(&seen, v, count);
        names[count++] = name_of(r, which, begin + i);
    }
    return count;
}

/* With all layers as outputs, those that are none yet. */
static enum rw_code load(struct run *r, uint32_t which) {
    const struct ir_graph *g = r->m[which]->main;
    struct judge_model m;
    uint32_t n = r->out->at.len, *at = arena_new_array(r->a, uint32_t, n);
    const char **reveal = arena_new_array(r->a, const char *, n);
    TRY(judge_model_of(r->m[which], r->a, r->diags, &m));
    n = distinct(r, which, 0, n, r->a, reveal, at);
    for (uint32_t i = 0; i < n; i++)
        if (!ir_has(g, ir_find_value(g, reveal[i]), IR_IS_OUTPUT))
            reveal[m.nreveal++] = reveal[i];
    m.reveal = reveal;
    return judge_load(r->judge, &m, &r->session[which]) == JUDGE_OK ? RW_OK
                                                                    : wrong(r, which);
}

static struct judge_bounds bounds(const struct run *r, const struct ir_tensor *t) {
    if (!t || r->tolerance < 0)
        return judge_bounds_of(CLASS_FLOAT, t ? t->dtype : IR_FLOAT, false);
    return (struct judge_bounds){r->tolerance, 0};
}

/* A tensor without its elements. */
static const struct ir_tensor *type_of(const struct ir_tensor *t, struct arena *a) {
    struct ir_tensor *x = arena_new(a, struct ir_tensor);
    x->dtype = t->dtype;
    x->rank = t->rank;
    x->dims = arena_copy(a, t->dims, t->rank * sizeof *t->dims);
    return x;
}

static void judge_one(struct run *r, uint32_t at, const struct judge_value *x,
                      const struct judge_value *y) {
    struct judge_layer *layer = &r->out->at.at[at];
    layer->type = x->tensor ? type_of(x->tensor, r->a) : NULL;
    layer->verdict = judge_compare(x->tensor, y->tensor, bounds(r, x->tensor));
}

static enum rw_code run_some(struct run *r, uint32_t begin, uint32_t n,
                             struct arena *scratch) {
    struct judge_values got[2];
    uint32_t *at[2];
    for (uint32_t i = 0; i < 2; i++) {
        const char **names = arena_new_array(scratch, const char *, n);
        at[i] = arena_new_array(scratch, uint32_t, n);
        uint32_t count = distinct(r, i, begin, n, scratch, names, at[i]);
        if (judge_run(r->judge, r->session[i], &r->inputs[i], names, count, scratch,
                      &got[i]) != JUDGE_OK)
            return wrong(r, i);
    }
    for (uint32_t i = 0; i < n; i++)
        judge_one(r, begin + i, &got[0].at[at[0][i]], &got[1].at[at[1][i]]);
    return RW_OK;
}

static enum rw_code run_all(struct run *r) {
    uint32_t n = r->out->at.len;
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; i < n && code == RW_OK; i += AT_A_TIME) {
        struct arena scratch = ARENA_EMPTY;
        code = run_some(r, i, rw_min_u32(AT_A_TIME, n - i), &scratch);
        arena_free(&scratch);
    }
    return code;
}

/* Does one of the node's results that are compared differ? */
static bool result_differs(const struct run *r, const struct map *layers, ir_node n) {
    const struct ir_node_info *x = ir_nod(r->m[0]->main, n);
    for (uint32_t i = 0; i < x->nout; i++) {
        uint32_t at = x->out[i] == IR_NONE ? MAP_NONE : map_get(layers, x->out[i]);
        if (at != MAP_NONE && !r->out->at.at[at].verdict.same) return true;
    }
    return false;
}

static bool reader_differs(const struct run *r, const struct map *layers, ir_value v) {
    const struct ir_graph *g = r->m[0]->main;
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE && result_differs(r, layers, g->uses.at[u].user))
            return true;
    return false;
}

/* From the last on, for what reads a value comes after it. */
static void drop_guesses(struct run *r) {
    struct judge_layers *x = r->out;
    struct map layers;
    uint32_t kept = 0;
    map_init(&layers, r->a);
    for (uint32_t i = x->at.len; i-- > 0;) {
        bool guess = x->at.at[i].how == JUDGE_GUESSED && !x->at.at[i].verdict.same;
        if (guess && !reader_differs(r, &layers, r->values.at[i])) x->at.at[i].name = NULL;
        else map_put(&layers, r->values.at[i], i);
    }
    for (uint32_t i = 0; i < x->at.len; i++) {
        if (!x->at.at[i].name) continue;
        x->at.at[kept] = x->at.at[i];
        if (!x->at.at[kept].verdict.same && x->beyond++ == 0) x->first = kept;
        kept++;
    }
    x->at.len = kept;
}

static bool is_compared(const struct judge_layers *x, const char *output) {
    for (uint32_t i = 0; i < x->at.len; i++)
        if (x->at.at[i].output && rw_streq(x->at.at[i].name, output))
            return x->at.at[i].type || !x->at.at[i].verdict.same;
    return false;
}

static void note_unknown(struct run *r) {
    const struct ir_graph *g = r->m[0]->main;
    for (uint32_t i = 0; i < g->outputs.len; i++) {
        const char *name = ir_val(g, g->uses.at[g->outputs.at[i]].value)->name;
        if (!is_compared(r->out, name)) vec_push(r->a, &r->out->unknown, name);
    }
}

enum rw_code judge_layers_run(struct judge *j, struct ir_model *before,
                              struct ir_model *after, const struct judge_values *inputs,
                              double tolerance, struct arena *a, struct diag_sink *diags,
                              struct judge_layers *out) {
    struct run r = {.judge = j, .m = {before, after}, .tolerance = tolerance, .a = a,
                    .diags = diags, .out = out};
    *out = (struct judge_layers){.first = UINT32_MAX};
    find_layers(&r);
    pass_inputs(&r, inputs);
    TRY(load(&r, 0));
    TRY(load(&r, 1));
    enum rw_code code = run_all(&r);
    if (code == RW_OK) drop_guesses(&r);
    note_unknown(&r);
    judge_unload(j, r.session[0]);
    judge_unload(j, r.session[1]);
    return code;
}
