/* run.c -- both sides of a cut in the runtime.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "judge/compare.h"
#include "judge/cut/cut.h"
#include "judge/noise.h"

#include <math.h>

#define ENOUGH_PLANS 2  /* that both sides were run with */
#define KEY_ELEMENTS 64 /* integers of more are weights */
#define MOST_BYTES ((uint64_t)256 << 20) /* of constants that are read */
#define LARGE ((uint64_t)1 << 20) /* bytes of a constant that stays in its file */
#define ENOUGH 4        /* one of so many elements */
#define DROWNS 1e5      /* a relative 1e-5 of it is 1 */
#define TO_STEP 8       /* times the noise, where it is rounded to integers: more than
                           a rewrite may make before it is */

/* --- models ----------------------------------------------------------------------- */

/* Numbers that are no weights tell cuts apart. */
static bool is_weight(const struct ir_tensor *t) {
    return t->count > (ir_dtype_is_float(t->dtype) ? 1 : KEY_ELEMENTS);
}

/* Are all elements as the first one? Most weights are not after a few. */
static bool is_splat(struct cut *c, const struct ir_tensor *t) {
    double first, x;
    if (!ir_tensor_double_at(c->g->model, t, 0, &first)) return false;
    for (uint64_t i = 1; i < t->count; i++)
        if (!ir_tensor_double_at(c->g->model, t, i, &x) || x != first) return false;
    return true;
}

/* In place of a weight in a key: type and shape; and the value where it has but one, for
 * that is what conditions ask of weights. */
static struct ir_tensor *outline(struct cut *c, const struct ir_tensor *t) {
    int64_t *facts = arena_new_array(c->a, int64_t, t->rank + 2);
    double first = NAN;
    if (is_splat(c, t)) ir_tensor_double_at(c->g->model, t, 0, &first);
    facts[0] = t->dtype;
    memcpy(&facts[1], &first, sizeof first);
    for (uint32_t i = 0; i < t->rank; i++) facts[i + 2] = t->dims[i];
    return ir_tensor_ints(c->a, t->rank + 2, facts);
}

/* The name of the model's file in its folder; NULL: it was not read from there. */
static const char *model_file(struct cut *c) {
    const struct ir_model *m = c->g->model;
    const char *folder = ir_model_folder(m), *path = ir_model_name(m);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct os_stamp stamp;
    if (!folder || !os_stat(arena_printf(c->a, "%s/%s", folder, name), &stamp)) return NULL;
    return stamp.size == ir_model_file_size(m) ? name : NULL;
}

/* A large constant as external data, in the file where it is: nobody has to copy it. */
static const struct ir_tensor *by_reference(struct cut *c, const struct ir_tensor *t) {
    bool in_file = t->storage == IR_IN_FILE, external = t->storage == IR_EXTERNAL;
    if (t->nbytes < LARGE || !(in_file || external)) return NULL;
    const char *location = external ? t->location : model_file(c);
    if (!location || !ir_model_folder(c->g->model)) return NULL;
    struct ir_tensor *x = arena_new(c->a, struct ir_tensor);
    *x = (struct ir_tensor){.dtype = t->dtype, .rank = t->rank, .dims = t->dims,
                            .count = t->count, .nbytes = t->nbytes,
                            .storage = IR_EXTERNAL, .location = location,
                            .offset = t->offset};
    return x;
}

static const struct ir_tensor *in_memory(struct cut *c, const struct ir_tensor *t) {
    if (t->storage == IR_IN_MEMORY || t->storage == IR_STRINGS) return t;
    const void *bytes = ir_tensor_read(c->g->model, t, c->a);
    struct ir_tensor *x = arena_new(c->a, struct ir_tensor);
    *x = (struct ir_tensor){.dtype = t->dtype, .rank = t->rank, .dims = t->dims,
                            .count = t->count, .nbytes = t->nbytes, .data = bytes};
    return bytes ? x : NULL;
}

static bool constants_of(struct cut *c, uint32_t side, bool key,
                         struct ir_slice_ports *ports, const char **why) {
    struct ir_slice_constant *list =
        arena_new_array(c->a, struct ir_slice_constant, c->ports.len);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->ports.len; i++) {
        const struct cut_port *p = &c->ports.at[i];
        if (!p->constant || !p->seen[side]) continue;
        bool outlined = key && is_weight(p->constant);
        const struct ir_tensor *t =
            outlined ? outline(c, p->constant) : by_reference(c, p->constant);
        *why = "its constants are too large";
        if (!t && (!rw_add_u64(bytes, p->constant->nbytes, &bytes) || bytes > MOST_BYTES))
            return false;
        *why = "a constant cannot be read";
        if (!t) t = in_memory(c, p->constant);
        if (!t) return false;
        list[ports->nconstants++] = (struct ir_slice_constant){p->v, t};
    }
    ports->constants = list;
    return true;
}

/* Sizes are left open: one session takes those of all plans. */
static struct ir_slice_ports ports_of(struct cut *c, const struct cut_inputs *in,
                                      uint32_t side) {
    struct ir_slice_input *inputs = arena_new_array(c->a, struct ir_slice_input, in->n);
    struct ir_slice_output *outputs =
        arena_new_array(c->a, struct ir_slice_output, c->nresults);
    struct ir_slice_ports p = {.inputs = inputs, .outputs = outputs};
    for (uint32_t i = 0; i < in->n; i++) {
        const struct cut_input *x = &in->at[i];
        int64_t *open = arena_new_array(c->a, int64_t, x->rank);
        for (uint32_t k = 0; k < x->rank; k++) open[k] = -1;
        if (x->port->seen[side])
            inputs[p.ninputs++] =
                (struct ir_slice_input){x->port->v, x->dtype, x->rank, open};
    }
    for (uint32_t i = 0; i < c->nresults; i++)
        outputs[p.noutputs++] = (struct ir_slice_output){
            side ? c->results[i].now : c->results[i].old,
            arena_printf(c->a, "result%u", i)};
    return p;
}

static bool pack(struct cut *c, const struct cut_inputs *in, uint32_t side, bool key,
                 struct buf *out, const char **why) {
    struct ir_slice_ports ports = ports_of(c, in, side);
    return constants_of(c, side, key, &ports, why) &&
           ir_slice_pack(c->side[side].slice, &ports, out, why);
}

/* The inputs of the first plan that goes. */
static bool any_inputs(struct cut *c, struct cut_inputs *out, const char **why) {
    for (uint32_t plan = 0; plan < CUT_PLANS; plan++)
        if (cut_inputs(c, plan, out, why)) return true;
    return false;
}

/* What is fed, but for the values that are made up. */
static void describe_plan(struct cut *c, uint32_t plan, struct buf *out) {
    struct cut_inputs in;
    const char *why;
    if (!cut_inputs(c, plan, &in, &why)) return;
    for (uint32_t i = 0; i < in.n; i++) {
        buf_printf(out, "\n%s", in.at[i].name);
        for (uint32_t k = 0; k < in.at[i].rank; k++)
            buf_printf(out, " %" PRId64, in.at[i].dims[k]);
        for (uint32_t k = 0; k < in.at[i].nknown; k++)
            buf_printf(out, " =%" PRId64, in.at[i].known[k]);
    }
}

void cut_key(struct cut *c, enum rule_class class, struct buf *out) {
    struct cut_inputs in;
    const char *why;
    out->len = 0;
    if (!any_inputs(c, &in, &why)) return;
    buf_printf(out, "%d", (int)class);
    for (uint32_t side = 0; side < 2; side++) {
        struct buf model = {0};
        bool ok = pack(c, &in, side, true, &model, &why);
        if (ok) buf_add(out, model.at, model.len);
        buf_free(&model);
        if (!ok) {
            out->len = 0;
            return;
        }
    }
    for (uint32_t plan = 0; plan < CUT_PLANS; plan++) describe_plan(c, plan, out);
}

/* --- running ---------------------------------------------------------------------- */

struct trial {
    struct cut *c;
    struct judge *j;
    enum rule_class class;
    enum cut_fill fill;
    uint32_t session[2];
    bool loaded[2];
    bool inexact;
    struct judge_noise noise; /* of this fill, once it is asked for */
    struct judge_steps steps;
    struct cut_verdict verdict;
};

/* Always false, for "go no further". */
static bool settle(struct trial *t, enum cut_result result, const char *why) {
    t->verdict = (struct cut_verdict){result, t->inexact, why};
    return false;
}

static const char *words(struct trial *t, const char *what) {
    return arena_printf(t->c->a, "%s: %s", what, judge_message(t->j));
}

static bool load(struct trial *t, const struct cut_inputs *in, uint32_t side) {
    struct buf bytes = {0};
    const char *why;
    if (!pack(t->c, in, side, false, &bytes, &why)) {
        buf_free(&bytes);
        return settle(t, CUT_UNKNOWN, why);
    }
    struct judge_model m = {.bytes = bytes.at, .len = bytes.len,
                            .folder = ir_model_folder(t->c->g->model)};
    enum judge_outcome o = judge_load(t->j, &m, &t->session[side]);
    t->loaded[side] = o == JUDGE_OK;
    buf_free(&bytes);
    if (o == JUDGE_OK) return true;
    return side ? settle(t, CUT_DIFFERENT, words(t, "what it makes does not load"))
                : settle(t, CUT_UNKNOWN, words(t, "what was there does not load"));
}

static enum judge_outcome run(struct trial *t, uint32_t side, const struct cut_inputs *in,
                              const struct judge_values *all, struct judge_values *out) {
    struct judge_values seen = cut_seen(t->c, in, all, side);
    return judge_run(t->j, t->session[side], &seen, NULL, 0, t->c->a, out);
}

/* The old nodes on inputs with noise; with more of it where it may make a step. */
static void find_noise(struct trial *t, const struct cut_inputs *in,
                       const struct judge_values *all) {
    struct judge_values near;
    t->noise.at = arena_new_array(t->c->a, struct judge_values, JUDGE_NOISES);
    for (uint64_t seed = 1; seed <= JUDGE_NOISES; seed++) {
        uint64_t own = seed;
        near = judge_noisy_values(t->c->a, all, t->c->quantised ? TO_STEP : 1, &own);
        if (run(t, 0, in, &near, &t->noise.at[t->noise.n]) == JUDGE_OK) t->noise.n++;
    }
}

/* Rounding of what is ill-conditioned, or goes to one integer or the next. What stands on a
 * grid above may lie half way between two integers all of it: there any rounding is noise,
 * so it acquits nobody who rounds otherwise elsewhere. */
static bool is_noise(struct trial *t, const struct cut_inputs *in,
                     const struct judge_values *all, uint32_t result,
                     const struct ir_tensor *a, const struct ir_tensor *b,
                     struct judge_bounds bounds) {
    if (t->class == CLASS_EXACT || (t->c->quantised && t->c->doubted)) return false;
    if (!t->noise.at) find_noise(t, in, all);
    b = judge_beyond_noise(t->c->a, &t->noise, result, a, b);
    return judge_compare(a, b, bounds).same ||
           (t->c->quantised && judge_count_steps(&t->steps, a, b) && judge_are_few(&t->steps, JUDGE_FEW));
}

static const char *numbers(struct trial *t, const struct judge_verdict *v,
                           struct judge_bounds b) {
    if (!rw_streq(v->what, "values"))
        return arena_printf(t->c->a, "the %s of the results differ", v->what);
    return arena_printf(t->c->a,
                        "%.9g became %.9g, and %" PRIu64 " of %" PRIu64
                        " elements differ; relative error %.2g, allowed %.2g",
                        v->a, v->b, v->beyond, v->count, v->relative, b.relative);
}

static bool compare(struct trial *t, const struct cut_inputs *in,
                    const struct judge_values *all, const struct judge_values *was,
                    const struct judge_values *is) {
    for (uint32_t i = 0; i < was->n; i++) {
        const struct ir_tensor *a = was->at[i].tensor, *b = is->at[i].tensor;
        enum ir_dtype type = a ? a->dtype : IR_UNDEFINED;
        if (a && b && t->fill == CUT_LARGE && t->class != CLASS_EXACT)
            b = judge_where_finite(t->c->a, a, b);
        bool steps = t->c->quantised && t->class == CLASS_APPROX;
        struct judge_bounds bounds = judge_bounds_of(t->class, type, steps);
        struct judge_verdict v = judge_compare(a, b, bounds);
        t->inexact |= !v.same || v.absolute > 0;
        if (v.same) continue;
        if (rw_streq(v.what, "values") && is_noise(t, in, all, i, a, b, bounds)) continue;
        return settle(t, CUT_DIFFERENT, numbers(t, &v, bounds));
    }
    return true;
}

static bool is_end(enum ir_dtype t, double v) {
    int bits = (int)ir_dtype_bits(t);
    bool is_unsigned = t == IR_UINT8 || t == IR_UINT16;
    double below = ldexp(1, is_unsigned ? bits : bits - 1);
    return v >= below - 1 || v <= (is_unsigned ? 0 : -below);
}

/* Has an element that says something that value? */
static bool counts(const struct trial *t, const struct ir_tensor *x, double v) {
    if (!isfinite(v)) return false;
    if (t->c->above.len == 0) return true;
    return ir_dtype_is_float(x->dtype) ? fabs(v) <= DROWNS : !is_end(x->dtype, v);
}

/* What may be the value of more than half of the elements that count, and how many count. */
static double commonest(const struct trial *t, const struct ir_tensor *x, uint64_t *count) {
    double is = NAN, v;
    uint64_t more = 0;
    *count = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        if (!ir_tensor_double_at(NULL, x, i, &v) || !counts(t, x, v)) continue;
        ++*count;
        if (more == 0) is = v;
        if (v == is) more++;
        else more--;
    }
    return is;
}

/* Are enough elements finite to say something, and, where nodes were added above, not of one
 * value, nor so large that a difference drowns in them? What those above give may be
 * nothing but NaN, a constant, or minus 1e38 of a mask, where they see what has nothing to
 * do with each other. Integers that were rounded to say nothing at the ends of their type. */
static bool tells(const struct trial *t, const struct ir_tensor *x) {
    bool alone = t->c->above.len == 0;
    bool rounded = t->c->quantised && !alone && x && ir_dtype_is_int(x->dtype);
    if (!x || (!ir_dtype_is_float(x->dtype) && !rounded)) return true;
    uint64_t count, others = 0;
    double v, same = commonest(t, x, &count);
    for (uint64_t i = 0; i < x->count; i++)
        others += ir_tensor_double_at(NULL, x, i, &v) && counts(t, x, v) && v != same;
    bool varies = alone || x->count < 2 || others * ENOUGH >= x->count;
    return count * ENOUGH >= x->count && varies;
}

static bool all_tell(const struct trial *t, const struct judge_values *was) {
    for (uint32_t i = 0; i < was->n; i++)
        if (!tells(t, was->at[i].tensor)) return false;
    return true;
}

/* true: go on. *ran: the old nodes ran; *told: they gave what says something. */
static bool try_fill(struct trial *t, const struct cut_inputs *in, enum cut_fill fill,
                     bool *ran, bool *told) {
    struct judge_values all, was, is;
    *ran = false;
    t->fill = fill;
    t->noise = (struct judge_noise){0};
    if (!cut_values(t->c, in, fill, &all))
        return settle(t, CUT_UNKNOWN, "a value that it sees has no numbers");
    if (run(t, 0, in, &all, &was) != JUDGE_OK) {
        settle(t, CUT_UNKNOWN, words(t, "what was there does not run"));
        return true;
    }
    *ran = true;
    *told |= all_tell(t, &was);
    if (run(t, 1, in, &all, &is) != JUDGE_OK)
        return settle(t, CUT_DIFFERENT, words(t, "what it makes does not run"));
    return compare(t, in, &all, &was, &is);
}

/* Plans that the old nodes do not run with say nothing. */
static void try_plans(struct trial *t) {
    uint32_t good = 0;
    for (uint32_t plan = 0; plan < CUT_PLANS && good < ENOUGH_PLANS; plan++) {
        struct cut_inputs in;
        const char *why;
        bool told = false, ran = cut_inputs(t->c, plan, &in, &why);
        for (uint32_t fill = 0; ran && fill < CUT_FILLS; fill++)
            if (!try_fill(t, &in, (enum cut_fill)fill, &ran, &told)) return;
        good += told;
        if (ran && !told)
            settle(t, CUT_UNKNOWN, "what was there gives nothing but NaN, or one number");
    }
    if (good > 0) settle(t, CUT_SAME, NULL);
}

struct cut_verdict cut_judge(struct cut *c, struct judge *j, enum rule_class class) {
    struct trial t = {.c = c, .j = j, .class = class};
    struct cut_inputs in;
    const char *why;
    if (!any_inputs(c, &in, &why)) settle(&t, CUT_UNKNOWN, why);
    else if (load(&t, &in, 0) && load(&t, &in, 1)) try_plans(&t);
    for (uint32_t side = 0; side < 2; side++)
        if (t.loaded[side]) judge_unload(j, t.session[side]);
    return t.verdict;
}
