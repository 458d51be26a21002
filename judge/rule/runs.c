/* runs.c -- both sides of a rewrite in ONNX Runtime, on inputs chosen to tell.
 *
 * A class that allows rounding is about numbers that can be computed. Where the original
 * gives no finite number nothing is promised. A difference says nothing at an element that
 * the original itself gives as differently when all is rounded a little otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/instance/generate.h"
#include "judge/rule/case.h"

#include <math.h>

struct sides {
    const struct judge_plan *plan;
    struct judge *judge;
    struct judge_case *c;
    struct arena *arena;
    uint32_t before, after; /* sessions */
    uint32_t ran;
    struct judge_noise noise; /* of this run, once it is asked for */
};

/* --- inputs ----------------------------------------------------------------------- */
static const enum judge_fill fills[] = {JUDGE_RANDOM, JUDGE_NEGATIVE, JUDGE_ZEROS,
                                        JUDGE_ONES,   JUDGE_LARGE,    JUDGE_SPECIAL,
                                        JUDGE_HALVES};

static bool feed(struct sides *s, enum judge_fill fill, uint64_t seed,
                 struct judge_values *in) {
    uint32_t n = s->c->instance->leaves.len;
    *in = (struct judge_values){arena_new_array(s->arena, struct judge_value, n + 1), 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct judge_leaf *l = &s->c->instance->leaves.at[i];
        if (l->may_miss && judge_next(&seed) % 2) continue;
        /* The others stay random, so that one kind at a time is at work. */
        enum judge_fill own = i == 0 || judge_next(&seed) % 2 ? fill : JUDGE_RANDOM;
        if (l->modest && own == JUDGE_LARGE) own = JUDGE_RANDOM;
        struct ir_tensor *t =
            l->fixed ? arena_copy(s->arena, l->fixed, sizeof *t)
                     : judge_gen_tensor(s->arena, l->dtype, l->rank, l->dims, own, l->low,
                                        l->below, &seed);
        if (!t) return false;
        if (l->positive && !l->fixed) judge_gen_make_positive(t);
        in->at[in->n++] = (struct judge_value){.name = l->name, .tensor = t};
    }
    return true;
}

/* --- comparing -------------------------------------------------------------------- */
/* The original made once more, with all that it computes among its outputs. */
static bool revealed(struct sides *s, struct judge_model *out) {
    const struct judge_draws *made_of = s->c->made_of;
    struct judge_plan plan = *s->plan;
    struct judge_draws again;
    struct diag_sink diags;
    diag_init(&diags, s->arena);
    plan.reveals = true;
    judge_draws_replay(&again, s->arena, made_of->taken.len, made_of->taken.at);
    struct judge_instance *i = judge_generate(&plan, &again, s->arena);
    return i && judge_model_of(i->model, s->arena, &diags, out) == RW_OK;
}

static bool on_the_way(struct sides *s, const struct judge_values *in,
                       struct judge_values *out) {
    struct judge_model m;
    return revealed(s, &m) && judge_once(s->judge, &m, in, s->arena, out) == JUDGE_OK;
}

/* Does the original overflow in float16, once every value is rounded to that? Kernels that
 * ONNX Runtime lacks for float16 compute in float, and do not. */
static bool overflows_on_the_way(struct sides *s, const struct judge_values *in) {
    struct judge_values out;
    double x;
    if (!on_the_way(s, in, &out)) return false;
    for (uint32_t k = 0; k < out.n; k++) {
        const struct ir_tensor *t = out.at[k].tensor;
        if (!t || t->dtype != IR_FLOAT16) continue;
        for (uint64_t i = 0; i < t->count; i++)
            if (ir_tensor_double_at(NULL, t, i, &x) && !isfinite(x)) return true;
    }
    return false;
}

static const char *describe(struct sides *s, const struct judge_verdict *v, uint32_t k,
                            const struct judge_values *was) {
    if (v->what && !rw_streq(v->what, "values"))
        return arena_printf(s->arena, "%s of output \"%s\" differ", v->what,
                            was->at[k].name);
    return arena_printf(s->arena,
                        "output \"%s\", element %" PRIu64 ": %.9g became %.9g "
                        "(%" PRIu64 " of %" PRIu64 " differ)",
                        was->at[k].name, v->at, v->a, v->b, v->beyond, v->count);
}

/* Is there an element of which the class promises something? */
static bool tells(const struct ir_tensor *was, enum rule_class class) {
    double x;
    if (class == CLASS_EXACT || !ir_dtype_is_float(was->dtype)) return was->count > 0;
    for (uint64_t i = 0; i < was->count; i++)
        if (ir_tensor_double_at(NULL, was, i, &x) && isfinite(x)) return true;
    return false;
}

/* Is what differs no more than noise? */
static bool is_noise(struct sides *s, const struct judge_values *in, uint32_t k,
                     const struct ir_tensor *a, const struct ir_tensor *b,
                     struct judge_bounds bounds) {
    if (!s->noise.at)
        judge_noise_of(s->judge, &s->c->before, JUDGE_MANY_ROUNDINGS, 1, in, s->arena, &s->noise);
    b = judge_beyond_noise(s->arena, &s->noise, k, a, b);
    if (s->c->rounds && judge_count_steps(&s->c->steps, a, b))
        return judge_are_few(&s->c->steps, JUDGE_FEW_HERE);
    return judge_compare(a, b, bounds).same;
}

/* A symbol is what it is in the first input that has it. */
static bool size_of(const struct sides *s, ir_dim d, int64_t *out) {
    const struct ir_model *m = s->c->instance->model;
    const char *name = d == IR_DIM_UNKNOWN ? NULL : ir_dim_param(m->dims, d);
    if (d != IR_DIM_UNKNOWN && ir_dim_is_const(m->dims, d, out)) return true;
    for (uint32_t i = 0; name && i < s->c->instance->leaves.len; i++) {
        const struct judge_leaf *l = &s->c->instance->leaves.at[i];
        ir_value v = ir_find_value(m->main, l->name);
        const struct ir_type *t = v == IR_NONE ? NULL : ir_val(m->main, v)->type;
        for (uint32_t k = 0; ir_type_ranked(t) && t->rank == l->rank && k < l->rank; k++) {
            const char *own = t->dims[k] == IR_DIM_UNKNOWN ? NULL : ir_dim_param(m->dims, t->dims[k]);
            if (own && rw_streq(own, name)) return *out = l->dims[k], true;
        }
    }
    return false;
}

/* A 0 among the sizes for a Reshape copies a dimension, of which types know nothing. So what is
 * empty need not have the shape that its type says; then no shape is promised. */
static bool belies_type(const struct sides *s, uint32_t k, const struct ir_tensor *t) {
    const struct ir_graph *g = s->c->instance->model->main;
    const struct ir_type *type = ir_val(g, g->uses.at[g->outputs.at[k]].value)->type;
    int64_t size;
    if (t->count > 0 || !ir_type_ranked(type)) return false;
    for (uint32_t i = 0; i < t->rank && t->rank == type->rank; i++)
        if (size_of(s, type->dims[i], &size) && size != t->dims[i]) return true;
    return t->rank != type->rank;
}

static bool same_output(struct sides *s, const struct judge_values *in, uint32_t k,
                        const struct judge_values *was, const struct judge_values *is) {
    const struct ir_tensor *a = was->at[k].tensor, *b = is->at[k].tensor;
    enum rule_class class = s->plan->rule->class;
    if (!a || !b) return a == b;
    if (class != CLASS_EXACT) b = judge_where_finite(s->arena, a, b);
    struct judge_bounds bounds = judge_bounds_of(class, a->dtype, class == CLASS_APPROX);
    struct judge_verdict v = judge_compare(a, b, bounds);
    if (v.same) {
        s->c->told |= tells(a, class);
        if (s->c->rounds) judge_count_steps(&s->c->steps, a, a);
        s->c->error = fmax(s->c->error, v.relative);
        return true;
    }
    if (rw_streq(v.what, "shapes") && b->count == 0 && belies_type(s, k, a)) return true;
    s->c->what = describe(s, &v, k, was);
    if (class == CLASS_EXACT || !rw_streq(v.what, "values")) return false;
    if (!is_noise(s, in, k, a, b, bounds))
        return a->dtype == IR_FLOAT16 && overflows_on_the_way(s, in);
    s->c->told |= tells(a, class);
    return true;
}

/* Operators that ONNX Runtime is known not to run on tensors without elements, in kernels or as
 * the functions that they stand for. That they refuse them is no wrong result, and nothing that
 * a rule could ask of a symbol. */
static const char *const want_elements[] = {"Attention", "MultiHeadAttention", "Einsum",
                                            "QLinearGlobalAveragePool"};

static bool wants_elements(const char *op, size_t len) {
    for (size_t i = 0; i < countof(want_elements); i++)
        if (strlen(want_elements[i]) == len && !strncmp(op, want_elements[i], len)) return true;
    return false;
}

static bool has_one(const struct ir_model *m) {
    for (uint32_t i = 0; i < m->graphs.len; i++) {
        const struct ir_graph *g = m->graphs.at[i];
        for (ir_node n = g->first; n != IR_NONE; n = ir_nod(g, n)->next)
            if (wants_elements(ir_op_name(g, n), strlen(ir_op_name(g, n)))) return true;
    }
    return false;
}

/* Was it one of those that refused: by its name, or by that of a node that is none of the
 * result's? Of nodes inside nodes the innermost is told last. Einsum ends the process. */
static bool refused_elements(const char *message, const struct ir_model *m) {
    static const char before[] = "while running ";
    const char *op = NULL;
    for (const char *p = message; (p = strstr(p, before)); op = p) p += strlen(before);
    const char *end = op ? strstr(op, " node. Name:'") : NULL;
    if (!end) return has_one(m); /* it ended the process: nothing is named */
    const char *name = end + strlen(" node. Name:'"), *own = strstr(name, JUDGE_OWN);
    if (own && own < strchr(name, '\'')) return wants_elements(op, (size_t)(end - op));
    return has_one(m);
}

static bool any_empty(const struct judge_values *in, const struct judge_instance *made) {
    for (uint32_t i = 0; i < in->n; i++)
        if (in->at[i].tensor && in->at[i].tensor->count == 0) return true;
    for (uint32_t i = 0; i < made->model->graphs.len; i++) {
        const struct ir_graph *g = made->model->graphs.at[i];
        for (ir_value v = 0; v < g->values.len; v++) {
            const struct ir_tensor *t = ir_val(g, v)->tensor;
            if (!ir_has(g, v, IR_IS_DEAD) && t && t->count == 0) return true;
        }
    }
    return false;
}

static enum judge_end one_run(struct sides *s, enum judge_fill fill, uint64_t seed) {
    struct judge_values in, was, is;
    if (!feed(s, fill, seed, &in)) return JUDGE_NO_ORIGINAL;
    if (judge_run(s->judge, s->before, &in, NULL, 0, s->arena, &was) != JUDGE_OK)
        return JUDGE_NO_ORIGINAL;
    s->c->inputs = in;
    s->noise = (struct judge_noise){0};
    if (judge_run(s->judge, s->after, &in, NULL, 0, s->arena, &is) != JUDGE_OK) {
        if (any_empty(&in, s->c->instance) &&
            refused_elements(judge_message(s->judge), s->c->instance->model))
            return JUDGE_NOT_EMPTY;
        s->c->what = arena_printf(s->arena, "the result does not run: %s",
                                  judge_message(s->judge));
        return JUDGE_WRONG;
    }
    s->ran++;
    for (uint32_t k = 0; k < was.n; k++)
        if (k >= is.n || !same_output(s, &in, k, &was, &is)) return JUDGE_WRONG;
    return JUDGE_SAME;
}

static const char *const ask_finite[] = {"IsNaN", "IsInf", NULL};
static const char *const tell_halves[] = {"Round", "Floor", "Ceil", NULL};

static bool is_one_of(const char *op, const char *const *names) {
    while (*names && !rw_streq(op, *names)) names++;
    return *names != NULL;
}

/* Has the pattern an operator of that name? */
static bool has_op(const struct pat *p, const char *const *names) {
    bool has = false;
    if (!p || (p->kind != PAT_NODE && p->kind != PAT_ALT && p->kind != PAT_CHAIN)) return false;
    for (uint32_t i = 0; p->kind != PAT_ALT && i < p->nops; i++)
        has |= is_one_of(p->ops[i].name, names);
    for (uint32_t i = 0; p->kind != PAT_ALT && i < p->nargs; i++) has |= has_op(p->args[i], names);
    for (uint32_t i = 0; p->kind == PAT_ALT && i < p->nalts; i++) has |= has_op(p->alts[i], names);
    return has;
}

static bool matches_op(const struct rule *r, const char *const *names) {
    bool has = false;
    for (uint32_t i = 0; i < r->nslots && !has; i++) has = has_op(r->slots[i].def, names);
    return has;
}

/* Some inputs tell only of some rules. */
static bool is_wanted(const struct rule *r, enum judge_fill fill) {
    if (fill == JUDGE_SPECIAL) return r->class == CLASS_EXACT || matches_op(r, ask_finite);
    return fill != JUDGE_HALVES || matches_op(r, tell_halves);
}

static enum judge_end all_runs(struct sides *s, uint64_t seed) {
    for (size_t i = 0; i < countof(fills); i++) {
        if (!is_wanted(s->plan->rule, fills[i])) continue;
        enum judge_end end = one_run(s, fills[i], seed + i * 7919);
        if (end == JUDGE_WRONG || end == JUDGE_NOT_EMPTY) return end;
        if (s->c->instance->leaves.len == 0) break;
    }
    return s->ran ? JUDGE_SAME : JUDGE_NO_ORIGINAL;
}

/* Does it with any inputs? A constant divisor of 0 keeps a model from being loaded; one that
 * is computed stops it when it is run. */
static bool original_runs(struct sides *s, uint64_t seed) {
    struct judge_values in, out;
    for (size_t i = 0; i < countof(fills); i++)
        if (feed(s, fills[i], seed + i * 7919, &in) &&
            judge_run(s->judge, s->before, &in, NULL, 0, s->arena, &out) == JUDGE_OK)
            return true;
    return false;
}

bool judge_case_is_sound(const struct judge_plan *p, struct judge *j, struct judge_case *c,
                         uint64_t seed, struct arena *a) {
    struct sides s = {.plan = p, .judge = j, .c = c, .arena = a};
    if (judge_load(j, &c->before, &s.before) != JUDGE_OK)
        return strstr(judge_message(j), "Could not find an implementation") != NULL;
    bool runs = original_runs(&s, seed);
    judge_unload(j, s.before);
    return runs;
}

enum judge_end judge_case_compare(const struct judge_plan *p, struct judge *j,
                                  struct judge_case *c, uint64_t seed, struct arena *a) {
    struct sides s = {.plan = p, .judge = j, .c = c, .arena = a};
    if (judge_load(j, &c->before, &s.before) != JUDGE_OK) return JUDGE_NO_ORIGINAL;
    enum judge_end end = JUDGE_WRONG;
    if (judge_load(j, &c->after, &s.after) != JUDGE_OK) {
        c->what = arena_printf(a, "ONNX Runtime does not take the result: %s",
                               judge_message(j));
        if (!original_runs(&s, seed)) end = JUDGE_NO_ORIGINAL;
    } else {
        end = all_runs(&s, seed);
        judge_unload(j, s.after);
    }
    judge_unload(j, s.before);
    return end;
}
