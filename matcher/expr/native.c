/* native.c -- predicates that plug-ins give: whether they are there, and asking them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "include/onnxrw_plugin.h"
#include "matcher/auto.h"
#include "matcher/expr/expr.h"

/* Of a constant that is shown; a larger one has a type only. */
#define MOST_BYTES (1u << 20)

/* --- which there are -------------------------------------------------------------- */
static const struct onnxrw_predicate *named(const struct pm_natives *all,
                                            const char *name) {
    for (uint32_t i = 0; all && i < all->n; i++)
        if (rw_streq(all->at[i]->name, name)) return all->at[i];
    return NULL;
}

const struct onnxrw_predicate *pm_native_of(const struct pm_natives *all,
                                            const struct rule_predicate *declared) {
    const struct onnxrw_predicate *p = named(all, declared->name);
    return p && rw_streq(p->signature, declared->signature) ? p : NULL;
}

static enum rw_code check(const struct pm_natives *all, const struct rule_predicate *d,
                          struct diag_sink *diags) {
    const struct onnxrw_predicate *p = named(all, d->name);
    if (!p || rw_streq(p->signature, d->signature)) return RW_OK;
    diag_at(diags, DIAG_ERROR, d->at, "the plug-in gives \"%s\", declared is \"%s\"",
            p->signature, d->signature);
    return RW_USAGE;
}

static void warn_missing(const struct rule_predicate *first, uint32_t n,
                         struct diag_sink *diags) {
    if (n == 0) return;
    diag_at(diags, DIAG_WARNING, first->at,
            n == 1 ? "no plug-in gives predicate \"%s\"; what asks it is not known"
                   : "no plug-in gives predicate \"%s\" and %u more; what asks them is not "
                     "known",
            first->name, n - 1);
}

enum rw_code pm_check_natives(const struct pm_auto *p, const struct pm_natives *natives,
                              struct diag_sink *diags) {
    const struct rule_predicate *first = NULL;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < p->packs.len; i++)
        for (uint32_t k = 0; k < p->packs.at[i]->npredicates; k++) {
            const struct rule_predicate *d = p->packs.at[i]->predicates[k];
            TRY(check(natives, d, diags));
            if (named(natives, d->name)) continue;
            if (missing++ == 0) first = d;
        }
    warn_missing(first, missing, diags);
    return RW_OK;
}

/* --- arguments --------------------------------------------------------------------- */
static void set_type(struct pm_env *env, const struct ir_type *t,
                     struct onnxrw_value *out) {
    *out = (struct onnxrw_value){.dtype = (int32_t)ir_type_dtype(t), .rank = -1};
    if (!ir_type_ranked(t)) return;
    int64_t *dims = arena_array(env->site.arena, (size_t)t->rank + 1, sizeof *dims);
    for (uint32_t i = 0; i < t->rank; i++)
        if (!ir_dim_is_const(env->site.g->model->dims, t->dims[i], &dims[i])) dims[i] = -1;
    out->rank = (int32_t)t->rank;
    out->dims = dims;
}

static void set_constant(struct pm_env *env, const struct ir_tensor *t,
                         struct onnxrw_value *out) {
    *out = (struct onnxrw_value){
        .dtype = (int32_t)t->dtype, .rank = (int32_t)t->rank, .dims = t->dims};
    if (t->storage == IR_STRINGS || t->nbytes > MOST_BYTES) return;
    if (t->nbytes > 0) out->data = ir_tensor_read(env->site.g->model, t, env->site.arena);
    else out->data = "";
    if (out->data) out->size = (size_t)t->nbytes;
}

static bool set_value(struct pm_env *env, struct pm_val v, struct onnxrw_value *out) {
    if (v.kind != VAL_VALUE) return false;
    const struct ir_tensor *t = ir_const(env->site.g, v.value);
    if (t) set_constant(env, t, out);
    else set_type(env, ir_val(env->site.g, v.value)->type, out);
    return true;
}

static bool set_ints(struct pm_env *env, struct pm_val v, struct onnxrw_arg *out) {
    if (v.kind != VAL_LIST) return false;
    int64_t *ints = arena_array(env->site.arena, (size_t)v.n + 1, sizeof *ints);
    for (uint32_t i = 0; i < v.n; i++) {
        struct pm_val item = pm_known(env, v.items[i]);
        if (item.kind != VAL_INT) return false;
        ints[i] = item.i;
    }
    out->ints = ints;
    out->size = v.n;
    return true;
}

/* false: not known, or absent. */
static bool set_arg(struct pm_env *env, struct pm_val v, uint32_t type,
                    struct onnxrw_arg *out) {
    *out = (struct onnxrw_arg){.value = {.rank = -1}};
    if (type == PRED_value) return set_value(env, v, &out->value);
    v = pm_known(env, v);
    switch (type) {
    case PRED_int: out->i = v.i; return v.kind == VAL_INT;
    case PRED_float: return pm_as_real(v, &out->f);
    case PRED_ints: return set_ints(env, v, out);
    default: break;
    }
    if (v.kind != VAL_STRING) return false;
    out->text = arena_strndup(env->site.arena, v.s.at, v.s.len);
    out->size = v.s.len;
    return true;
}

/* --- asking ------------------------------------------------------------------------ */
static enum ir_truth ask(struct pm_env *env, const struct expr *e,
                         const struct onnxrw_predicate *p) {
    struct onnxrw_arg *args = arena_array(env->site.arena, (size_t)e->nargs + 1,
                                          sizeof *args);
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!set_arg(env, pm_eval(env, e->args[i]), e->predicate->args[i], &args[i]))
            return IR_UNKNOWN;
    int is = p->holds(args, e->nargs);
    return is == ONNXRW_YES ? IR_TRUE : is == ONNXRW_NO ? IR_FALSE : IR_UNKNOWN;
}

struct pm_val pm_native(struct pm_env *env, const struct expr *e) {
    const struct onnxrw_predicate *p =
        env->params ? pm_native_of(env->params->natives, e->predicate) : NULL;
    if (!p) return (struct pm_val){.kind = VAL_UNKNOWN};
    struct arena_mark mark = arena_mark(env->site.arena);
    enum ir_truth is = ask(env, e, p);
    arena_reset(env->site.arena, mark); /* nothing outlives the call */
    return pm_bool(is);
}
