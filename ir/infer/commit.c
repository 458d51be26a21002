/* commit.c -- from what a rule said to what the graph holds.
 *
 * A rule leaves open what it cannot tell. That is taken from the type that was given, by
 * the file or an editor, and at last from fresh symbols, so that every value has a shape
 * with which it can be compared. Inference wins over a declaration that it contradicts.
 * What was inferred before does not count, or the result would depend on the way there;
 * but a value keeps the names that were made up for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/impl.h"
#include "ir/where.h"

/* --- element types by the schema --------------------------------------------------- */

/* The only tensor type of a set, or IR_UNDEFINED. */
static enum ir_dtype only_type(uint32_t types) {
    size_t n;
    const char *const *list = ir_types_list(types, &n);
    char name[24];
    if (n != 1 || strncmp(list[0], "tensor(", 7) != 0) return IR_UNDEFINED;
    size_t len = strlen(list[0]) - 8; /* without "tensor(" and ")" */
    if (len >= sizeof name) return IR_UNDEFINED;
    memcpy(name, list[0] + 7, len);
    name[len] = 0;
    return ir_dtype_from_name(name);
}

bool infer_tensors_only(uint32_t types) {
    size_t n;
    const char *const *list = ir_types_list(types, &n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(list[i], "tensor(", 7) != 0) return false;
    return n > 0;
}

enum ir_dtype infer_schema_dtype(const struct infer *x, uint32_t k) {
    if (!x->schema) return IR_UNDEFINED;
    const struct ir_formal_param *out = ir_schema_output(x->schema, k);
    if (!out) return IR_UNDEFINED;
    enum ir_dtype only = only_type(out->types);
    if (only != IR_UNDEFINED) return only;
    if (out->constraint < 0) return IR_UNDEFINED;
    for (uint32_t i = 0; i < x->nin; i++) {
        const struct ir_formal_param *in = ir_schema_input(x->schema, i);
        if (!in || in->constraint != out->constraint) continue;
        if (in->option == IR_VARIADIC && !in->homogeneous) continue;
        if (infer_dtype(x, i) != IR_UNDEFINED) return infer_dtype(x, i);
    }
    return IR_UNDEFINED;
}

static bool is_tensor_by_schema(const struct infer *x, uint32_t k) {
    const struct ir_formal_param *out = x->schema ? ir_schema_output(x->schema, k) : NULL;
    return out && infer_tensors_only(out->types);
}

/* --- completing -------------------------------------------------------------------- */

/* Are the ranks other ones, or a number that is declared? Names are not looked at when a
 * model runs. */
static bool differs_in_numbers(const struct infer *x, const struct ir_type *declared,
                               const struct ir_type *inferred) {
    bool differs = declared->rank != inferred->rank;
    int64_t number;
    for (uint32_t i = 0; !differs && i < declared->rank; i++)
        differs = infer_is_const(x, declared->dims[i], &number) &&
                  ir_dim_equal(x->d, declared->dims[i], inferred->dims[i]) == IR_FALSE;
    return differs;
}

/* Another shape of a value inside does no harm; no runtime takes another type. */
static bool is_error(const struct infer *x, ir_value v, bool same_type,
                     const struct ir_type *declared, const struct ir_type *inferred) {
    bool is_interface = ir_has(x->g, v, IR_IS_OUTPUT) && !x->g->outer && !x->g->function;
    return x->run->strict &&
           (!same_type || (is_interface && differs_in_numbers(x, declared, inferred)));
}

static void contradict(const struct infer *x, ir_value v, bool same_type,
                       const struct ir_type *declared, const struct ir_type *inferred) {
    struct buf a = {0}, b = {0};
    struct diag_sink *diags = x->run->diags;
    bool error = is_error(x, v, same_type, declared, inferred);
    if (!diags || !ir_has(x->g, v, IR_TYPE_DECLARED)) return;
    if (error) x->run->contradicted = true;
    ir_type_print(x->d, declared, &a);
    ir_type_print(x->d, inferred, &b);
    diag_where(diags, error ? DIAG_ERROR : DIAG_WARNING, ir_model_name(x->g->model),
               "\"%s\" is declared with another %s: %s, but computed as %s",
               ir_val(x->g, v)->name, same_type ? "shape" : "type", buf_text(&a),
               buf_text(&b));
    diag_about(diags, ir_node_subject(x->g, x->n));
    buf_free(&a);
    buf_free(&b);
}

/* The name that was made up for dim i of this very value when it was inferred before: as
 * nothing else has it, the value may keep it. */
static ir_dim own_dim(const struct ir_type *before, uint32_t rank, uint32_t i) {
    bool has = ir_type_ranked(before) && before->rank == rank &&
               before->own >> i & 1;
    return has ? before->dims[i] : IR_DIM_UNKNOWN;
}

/* Fills the open dims from a shape that does not contradict the others, at last with names
 * of their own. */
static bool fill_dims(struct infer *x, ir_dim *dims, struct ir_type *t,
                      const struct ir_type *given, const struct ir_type *before) {
    bool agrees = !ir_type_ranked(given) || given->rank == t->rank;
    bool usable = ir_type_ranked(given) && agrees;
    for (uint32_t i = 0; usable && i < t->rank; i++)
        if (ir_dim_equal(x->d, dims[i], given->dims[i]) == IR_FALSE) agrees = false;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!dims[i] && usable && agrees) dims[i] = ir_dim_find(x->d, given->dims[i]);
        if (dims[i] || i >= INFER_MAX_RANK) continue;
        dims[i] = own_dim(before, t->rank, i);
        if (!dims[i]) dims[i] = ir_dim_fresh(x->d);
        t->own |= UINT64_C(1) << i;
    }
    return agrees;
}

/* Tensor and sequence, or sequences of different tensors; shapes aside. */
static bool is_other_kind(const struct ir_type *a, const struct ir_type *b) {
    for (; a && b; a = a->elem, b = b->elem) {
        if (a->kind != b->kind) return true;
        if (a->dtype != b->dtype && a->dtype && b->dtype) return true;
    }
    return false;
}

bool infer_is_countable(const struct ir_dims *d, const struct ir_type *t) {
    uint32_t bits = ir_dtype_bits(t->dtype);
    int64_t bytes = bits > 8 ? bits / 8 : 1, value;
    bool fits = true;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!ir_dim_is_const(d, t->dims[i], &value)) continue;
        if (value == 0) return true;
        fits = fits && rw_mul_i64(bytes, value, &bytes);
    }
    return fits;
}

/* A node that gives a tensor gives no dimension below 0: behind a convolution of 3 without
 * pads, which leaves n - 2, n is 2 at least. */
static void bound_dims(struct infer *x, const struct ir_type *t) {
    if (!x->run->whole || !infer_runs_always(x)) return;
    for (uint32_t i = 0; i < t->rank; i++) ir_dim_never_negative(x->d, t->dims[i]);
}

static bool complete_dims(struct infer *x, ir_value v, struct ir_type *t,
                          const struct ir_type *given) {
    bound_dims(x, t);
    ir_dim *dims = arena_copy(x->tmp, t->dims, t->rank * sizeof *dims);
    bool agrees = fill_dims(x, dims, t, given, ir_val(x->g, v)->type);
    t->dims = dims;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t value;
        if (infer_is_const(x, dims[i], &value) && value < 0)
            return infer_fail(x, "dimension %u of \"%s\" is negative (%" PRId64 ")", i,
                              ir_val(x->g, v)->name, value);
    }
    if (!infer_is_countable(x->d, t))
        return infer_fail(x, "\"%s\" has more bytes than 63 bits can count",
                          ir_val(x->g, v)->name);
    if (!agrees && t->dtype == ir_type_dtype(given)) contradict(x, v, true, given, t);
    return true;
}

/* given: NULL or a tensor. */
static bool complete_tensor(struct infer *x, ir_value v, struct ir_type *t,
                            const struct ir_type *given) {
    const struct ir_type *before = ir_val(x->g, v)->type;
    enum ir_dtype declared = ir_type_dtype(given);
    if (t->dtype == IR_UNDEFINED) t->dtype = declared;
    else if (declared != IR_UNDEFINED && declared != t->dtype)
        contradict(x, v, false, given, t);
    if (!t->ranked && ir_type_ranked(given)) {
        t->ranked = true;
        t->rank = given->rank;
        t->dims = given->dims;
    }
    if (t->ranked) return complete_dims(x, v, t, given);
    if (!t->opaque && given) t->opaque = given->opaque;
    if (t->opaque) return true;
    bool kept = before && before->kind == IR_TENSOR && !before->ranked && before->own;
    t->opaque = kept ? before->opaque : ++x->m->opaque;
    t->own = 1;
    return true;
}

/* --- writing ----------------------------------------------------------------------- */

bool infer_is_same(const struct ir_dims *d, const struct ir_type *a,
                   const struct ir_type *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->dtype != b->dtype || a->ranked != b->ranked)
        return false;
    if (a->elem || b->elem) return infer_is_same(d, a->elem, b->elem);
    if (!a->ranked) return a->opaque == b->opaque;
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (ir_dim_find(d, a->dims[i]) != ir_dim_find(d, b->dims[i])) return false;
    return true;
}

static bool write_type(struct infer *x, ir_value v, const struct ir_type *t) {
    if (infer_is_same(x->d, ir_val(x->g, v)->type, t)) return false;
    struct ir_type *kept = t ? arena_copy(x->m->arena, t, sizeof *t) : NULL;
    if (t && t->ranked)
        kept->dims = arena_copy(x->m->arena, t->dims, t->rank * sizeof *t->dims);
    ir_set_inferred(x->g, v, kept);
    return true;
}

static bool same_value(const struct ir_dims *d, const struct ir_symval *a,
                       const struct ir_symval *b) {
    if (!a || a->rank != b->rank || a->len != b->len) return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (ir_dim_find(d, a->items[i]) != ir_dim_find(d, b->items[i])) return false;
    return true;
}

/* What a constant holds was read from it, by whoever asked. */
static bool forget_value(struct infer *x, ir_value v) {
    if (!ir_val(x->g, v)->symval || ir_const(x->g, v)) return false;
    ir_set_symval(x->g, v, NULL);
    return true;
}

static bool write_value(struct infer *x, ir_value v, const struct ir_symval *value) {
    if (!value) return forget_value(x, v);
    if (same_value(x->d, ir_val(x->g, v)->symval, value)) return false;
    struct ir_symval *kept = arena_copy(x->m->arena, value, sizeof *value);
    kept->items = arena_copy(x->m->arena, value->items, value->len * sizeof *value->items);
    ir_set_symval(x->g, v, kept);
    return true;
}

static bool commit_output(struct infer *x, uint32_t k, ir_value v, bool *changed) {
    struct infer_out *out = &x->out[k];
    const struct ir_type *given = ir_val(x->g, v)->given;
    if (!out->known && given) infer_set_type(x, k, given);
    else if (!out->known && is_tensor_by_schema(x, k))
        infer_set_unranked(x, k, IR_UNDEFINED, 0);
    struct ir_type t = out->type;
    bool tensor = out->known && t.kind == IR_TENSOR;
    if (tensor && t.dtype == IR_UNDEFINED) t.dtype = infer_schema_dtype(x, k);
    bool both = tensor && given && given->kind == IR_TENSOR;
    if (out->known && given && !both && is_other_kind(given, &t))
        contradict(x, v, false, given, &t);
    if (tensor && !complete_tensor(x, v, &t, both ? given : NULL)) return false;
    *changed |= write_type(x, v, out->known ? &t : NULL);
    *changed |= write_value(x, v, out->symval);
    return true;
}

bool infer_commit(struct infer *x, bool *changed) {
    for (uint32_t k = 0; k < x->nout; k++) {
        ir_value v = ir_output(x->g, x->n, k);
        if (v != IR_NONE && !commit_output(x, k, v, changed)) return false;
    }
    return true;
}

void infer_commit_nothing(struct infer *x, bool *changed) {
    const char *why = x->why;
    if (x->nout) memset(x->out, 0, x->nout * sizeof *x->out);
    infer_commit(x, changed);
    x->why = why;
}
