/* whole_inputs.c -- whole models in ONNX Runtime: what they are run on, and whether two
 * give the same.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/whole.h"

#define MOST_SETS 2 /* of inputs that are made up, of sizes that differ */

/* --- running ---------------------------------------------------------------------- */

static enum judge_outcome run(struct api_whole *w, uint32_t session, uint32_t set,
                              struct arena *a, struct judge_values *out) {
    return judge_run(w->judge, session, &w->in[set], NULL, 0, a, out);
}

static enum rw_code cannot(struct api_whole *w, const char *what) {
    diag_where(w->diags, DIAG_ERROR, ir_model_name(w->original),
               "the model cannot be verified: ONNX Runtime does not %s: %s", what,
               judge_message(w->judge));
    return RW_WRONG;
}

static enum rw_code load(struct api_whole *w, uint32_t *session) {
    struct arena a = ARENA_EMPTY;
    struct judge_model m;
    enum rw_code code = judge_model_of(w->original, &a, w->diags, &m);
    if (code == RW_OK && judge_load(w->judge, &m, session) != JUDGE_OK)
        code = cannot(w, "load it");
    arena_free(&a);
    return code;
}

/* --- inputs ----------------------------------------------------------------------- */

static void make_room(struct api_whole *w, uint32_t n) {
    w->in = arena_new_array(w->arena, struct judge_values, n);
    w->wanted = arena_new_array(w->arena, struct judge_values, n);
}

static enum rw_code read_inputs(struct api_whole *w, uint32_t session) {
    make_room(w, w->verify->ninputs);
    for (uint32_t i = 0; i < w->verify->ninputs; i++) {
        const char *path = w->verify->inputs[i];
        struct judge_values given;
        TRY(judge_npz_read(path, w->arena, w->diags, &given));
        TRY(judge_fit(w->original, &given, path, w->arena, w->diags, &w->in[i]));
        w->nsets++;
        if (run(w, session, i, w->arena, &w->wanted[i]) != JUDGE_OK)
            return cannot(w, arena_printf(w->arena, "run it on \"%s\"", path));
    }
    return RW_OK;
}

static enum rw_code no_inputs(struct api_whole *w) {
    enum rw_code code = cannot(w, "run it on inputs that were made up");
    diag_where(w->diags, DIAG_HELP, ir_model_name(w->original),
               "give inputs that it runs with: --inputs X.npz");
    return code;
}

/* One more set, if the model runs with it. */
static enum rw_code make_set(struct api_whole *w, uint32_t session,
                             const struct judge_inputs_options *how) {
    uint32_t i = w->nsets;
    TRY(judge_inputs(w->original, how, w->arena, w->diags, &w->in[i]));
    enum judge_outcome o = run(w, session, i, w->arena, &w->wanted[i]);
    w->nsets += o == JUDGE_OK;
    return o == JUDGE_CRASHED || o == JUDGE_LATE ? no_inputs(w) : RW_OK;
}

static bool has_floats(const struct judge_values *in) {
    for (uint32_t i = 0; i < in->n; i++)
        if (in->at[i].tensor && ir_dtype_is_float(in->at[i].tensor->dtype)) return true;
    return false;
}

/* Small sizes and larger ones; sizes that the model does not take are left out. Then the first
 * ones again with larger numbers, which the small ones do not tell of: where a Clip cuts; and with a
 * row of nothing, which all is hidden in, or divided by nearly nothing. */
static enum rw_code make_sets(struct api_whole *w, uint32_t session, bool flag) {
    static const uint32_t sizes[] = {JUDGE_SIZES_DIFFERENT, JUDGE_SIZES_LARGE, JUDGE_SIZES_BY_PLACE,
                                     JUDGE_SIZES_ALIKE, JUDGE_SIZES_ONE};
    _Static_assert(countof(sizes) == JUDGE_SIZES, "all of them");
    struct judge_inputs_options first = {0};
    uint32_t begin = w->nsets;
    for (uint32_t k = 0; k < JUDGE_SIZES && w->nsets < begin + MOST_SETS; k++) {
        struct judge_inputs_options how = {.seed = 1 + k, .sizes = sizes[k], .flag = flag};
        if (w->nsets == begin) first = how;
        TRY(make_set(w, session, &how));
    }
    if (w->nsets == begin) return RW_OK;
    first.fill = JUDGE_BLANK;
    uint32_t blank = w->nsets;
    TRY(make_set(w, session, &first));
    if (w->nsets > blank) w->blank |= 1u << blank;
    first.fill = JUDGE_WIDE;
    return has_floats(&w->in[begin]) ? make_set(w, session, &first) : RW_OK;
}

static enum rw_code make_inputs(struct api_whole *w, uint32_t session) {
    make_room(w, 2 * (MOST_SETS + 2) + 1);
    TRY(make_sets(w, session, true));
    if (judge_has_flag(w->original)) TRY(make_sets(w, session, false));
    return w->nsets > 0 ? RW_OK : no_inputs(w);
}

enum rw_code api_whole_inputs(struct api_whole *w) {
    uint32_t session;
    w->quantised = judge_is_quantised(w->original);
    TRY(load(w, &session));
    enum rw_code code =
        w->verify->ninputs ? read_inputs(w, session) : make_inputs(w, session);
    judge_unload(w->judge, session);
    return code;
}

/* --- comparing -------------------------------------------------------------------- */

static struct judge_bounds bounds_of(const struct api_whole *w, enum ir_dtype t) {
    enum rule_class class =
        w->options->level > CLASS_FLOAT ? w->options->level : CLASS_FLOAT;
    return judge_bounds_of_model(class, t, w->quantised);
}

/* Where rounding matters: it is asked for when results differ, and then kept. In floats the
 * bounds are wide enough, and noise would be too much: where a Ceil sorts positions into buckets,
 * it moves some to the next one. But a step of an integer may be a matter of the last bits. */
static void find_noise(struct api_whole *w) {
    enum judge_roundings many = w->quantised ? JUDGE_OWN_ROUNDINGS : JUDGE_HALF_ROUNDINGS;
    struct arena a = ARENA_EMPTY;
    struct diag_sink unheard;
    struct judge_model m;
    diag_init(&unheard, &a);
    w->noise = arena_zalloc(w->arena, (w->nsets + 1) * sizeof *w->noise);
    if (judge_model_of(w->original, &a, &unheard, &m) == RW_OK)
        judge_noise_of(w->judge, &m, many, w->nsets, w->in, w->arena, w->noise);
    arena_free(&a);
}

static bool is_noise(struct api_whole *w, uint32_t set, uint32_t k, const struct ir_tensor *was,
                     const struct ir_tensor *is, struct judge_bounds bounds, struct arena *a) {
    if (w->options->level == CLASS_EXACT) return false;
    if (!w->noise) find_noise(w);
    return judge_is_noise(a, &w->noise[set], k, was, is, bounds);
}

static bool compare(struct api_whole *w, uint32_t set, const struct judge_values *is,
                    struct arena *a, const char **why) {
    const struct judge_values *was = &w->wanted[set];
    for (uint32_t i = 0; i < was->n; i++) {
        const struct ir_tensor *x = was->at[i].tensor, *y = is->at[i].tensor;
        struct judge_bounds b = bounds_of(w, x ? x->dtype : IR_UNDEFINED);
        if (x && y && (w->blank >> set & 1) && w->options->level > CLASS_EXACT) y = judge_where_finite(a, x, y);
        struct judge_verdict v = judge_compare(x, y, b);
        if (v.same) continue;
        if (rw_streq(v.what, "values") && is_noise(w, set, i, x, y, b, a)) continue;
        if (!rw_streq(v.what, "values"))
            *why = arena_printf(a, "output \"%s\" has other %s", was->at[i].name, v.what);
        else
            *why = arena_printf(a,
                                "in output \"%s\" %.9g became %.9g, and %" PRIu64
                                " of %" PRIu64
                                " elements differ; relative error %.2g, allowed %.2g",
                                was->at[i].name, v.a, v.b, v.beyond, v.count, v.relative,
                                b.relative);
        return false;
    }
    return true;
}

static bool agrees(struct api_whole *w, uint32_t session, struct arena *a,
                   const char **why) {
    for (uint32_t i = 0; i < w->nsets; i++) {
        struct judge_values is;
        if (run(w, session, i, a, &is) != JUDGE_OK) {
            *why = arena_printf(a, "it does not run: %s", judge_message(w->judge));
            return false;
        }
        if (!compare(w, i, &is, a, why)) return false;
    }
    return true;
}

bool api_whole_agrees(struct api_whole *w, struct ir_model *m, struct arena *a,
                      const char **why) {
    struct judge_model bytes;
    uint32_t session;
    struct diag_sink unseen;
    diag_init(&unseen, a);
    *why = "it cannot be written";
    if (judge_model_of(m, a, &unseen, &bytes) != RW_OK) return false;
    if (judge_load(w->judge, &bytes, &session) != JUDGE_OK) {
        *why = arena_printf(a, "it does not load: %s", judge_message(w->judge));
        return false;
    }
    bool ok = agrees(w, session, a, why);
    judge_unload(w->judge, session);
    return ok;
}
