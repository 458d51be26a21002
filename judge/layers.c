/* layers.c -- see layers.h.
 *
 * Values are wanted some at a time: those of a whole model would be all its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/layers.h"

#define AT_A_TIME 512

struct pair {
    struct judge *judge;
    struct ir_model *m[2];
    uint32_t session[2];
    const char **names; /* of the layers */
    const struct judge_values *inputs;
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

static void add_layer(struct pair *p, ir_value v) {
    const struct ir_graph *g = p->m[0]->main, *other = p->m[1]->main;
    const struct ir_value_info *x = ir_val(g, v);
    ir_value w = ir_find_value(other, x->name);
    if (!is_layer(other, w)) return;
    struct judge_layer layer = {
        .name = x->name, .op = ir_op_name(g, x->producer),
        .rule = ir_node_rule(other, ir_val(other, w)->producer),
        .output = ir_has(g, v, IR_IS_OUTPUT) && ir_has(other, w, IR_IS_OUTPUT)};
    vec_push(p->a, &p->out->at, layer);
}

static void find_layers(struct pair *p) {
    const struct ir_graph *g = p->m[0]->main;
    for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
        for (uint32_t i = 0; i < ir_nod(g, n)->nout; i++)
            if (is_layer(g, ir_output(g, n, i))) add_layer(p, ir_output(g, n, i));
    p->names = arena_new_array(p->a, const char *, p->out->at.len);
    for (uint32_t i = 0; i < p->out->at.len; i++) p->names[i] = p->out->at.at[i].name;
}

/* --- running ------------------------------------------------------------------------ */

static enum rw_code wrong(struct pair *p, uint32_t which) {
    diag_where(p->diags, DIAG_ERROR, ir_model_name(p->m[which]), "does not run: %s",
               judge_message(p->judge));
    return RW_WRONG;
}

/* With all layers as outputs, those that are none yet. */
static enum rw_code load(struct pair *p, uint32_t which) {
    const struct ir_graph *g = p->m[which]->main;
    struct judge_model m;
    const char **reveal = arena_new_array(p->a, const char *, p->out->at.len);
    TRY(judge_model_of(p->m[which], p->a, p->diags, &m));
    for (uint32_t i = 0; i < p->out->at.len; i++)
        if (!ir_has(g, ir_find_value(g, p->names[i]), IR_IS_OUTPUT))
            reveal[m.nreveal++] = p->names[i];
    m.reveal = reveal;
    return judge_load(p->judge, &m, &p->session[which]) == JUDGE_OK ? RW_OK
                                                                    : wrong(p, which);
}

static struct judge_bounds bounds(const struct pair *p, const struct ir_tensor *t) {
    if (!t || p->tolerance < 0)
        return judge_bounds_of(CLASS_FLOAT, t ? t->dtype : IR_FLOAT, false);
    return (struct judge_bounds){p->tolerance, 0};
}

/* A tensor without its elements. */
static const struct ir_tensor *type_of(const struct ir_tensor *t, struct arena *a) {
    struct ir_tensor *x = arena_new(a, struct ir_tensor);
    x->dtype = t->dtype;
    x->rank = t->rank;
    x->dims = arena_copy(a, t->dims, t->rank * sizeof *t->dims);
    return x;
}

static void judge_one(struct pair *p, uint32_t at, const struct judge_value *x,
                      const struct judge_value *y) {
    struct judge_layer *layer = &p->out->at.at[at];
    layer->type = x->tensor ? type_of(x->tensor, p->a) : NULL;
    layer->verdict = judge_compare(x->tensor, y->tensor, bounds(p, x->tensor));
    if (layer->verdict.same) return;
    if (p->out->beyond++ == 0) p->out->first = at;
}

static enum rw_code run_some(struct pair *p, uint32_t begin, uint32_t n,
                             struct arena *scratch) {
    struct judge_values got[2];
    for (uint32_t i = 0; i < 2; i++)
        if (judge_run(p->judge, p->session[i], p->inputs, p->names + begin, n, scratch,
                      &got[i]) != JUDGE_OK)
            return wrong(p, i);
    for (uint32_t i = 0; i < n; i++)
        judge_one(p, begin + i, &got[0].at[i], &got[1].at[i]);
    return RW_OK;
}

static enum rw_code run_all(struct pair *p) {
    uint32_t n = p->out->at.len;
    enum rw_code code = RW_OK;
    for (uint32_t i = 0; i < n && code == RW_OK; i += AT_A_TIME) {
        struct arena scratch = ARENA_EMPTY;
        code = run_some(p, i, rw_min_u32(AT_A_TIME, n - i), &scratch);
        arena_free(&scratch);
    }
    return code;
}

enum rw_code judge_layers_run(struct judge *j, struct ir_model *before,
                              struct ir_model *after, const struct judge_values *inputs,
                              double tolerance, struct arena *a, struct diag_sink *diags,
                              struct judge_layers *out) {
    struct pair p = {j, {before, after}, {0}, NULL, inputs, tolerance, a, diags, out};
    *out = (struct judge_layers){.first = UINT32_MAX};
    find_layers(&p);
    TRY(load(&p, 0));
    TRY(load(&p, 1));
    enum rw_code code = run_all(&p);
    judge_unload(j, p.session[0]);
    judge_unload(j, p.session[1]);
    return code;
}
