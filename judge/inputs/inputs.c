/* inputs.c -- inputs for a model: what its integers index, how large they are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/inputs/sizes.h"

#define MOST_ELEMENTS ((uint64_t)1 << 28)
#define MOST_TOLD 1000    /* bytes of a message that lists inputs, about */
#define MOST_VISITED 4096 /* values that one input is followed through */

/* --- what an integer may be --------------------------------------------------------- */

/* Operators that hand elements of operand 0 on as they are. */
static bool hands_on(const struct ir_graph *g, ir_node n, uint32_t slot) {
    static const char *const ops[] = {
        "Cast", "Concat", "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice",
        "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"};
    if (slot != 0 && !ir_is_op(g, n, "Concat")) return false;
    for (size_t i = 0; i < countof(ops); i++)
        if (ir_is_op(g, n, ops[i])) return true;
    return false;
}

/* The size of a dimension of an operand that is indexed; 0: not known. */
static int64_t indexed(struct judge_sizes *s, const struct ir_graph *g, ir_node n,
                       uint32_t operand, int64_t axis) {
    ir_value v = ir_input(g, n, operand);
    const struct ir_type *t = v == IR_NONE ? NULL : ir_val(g, v)->type;
    int64_t size;
    if (!ir_type_ranked(t)) return 0;
    if (axis < 0) axis += t->rank;
    if (axis < 0 || axis >= t->rank) return 0;
    return judge_size(s, t, (uint32_t)axis, &size) ? size : 0;
}

static int64_t axis_of(const struct ir_graph *g, ir_node n) {
    const struct ir_attr *axis = ir_find_attr(g, n, "axis");
    return axis && axis->type == IR_ATTR_INT ? axis->i : 0;
}

/* How many there are to choose from where operand `slot` of n indexes; 0: it does not. */
static int64_t choices(struct judge_sizes *s, const struct ir_graph *g, ir_node n,
                       uint32_t slot) {
    static const char *const along_axis[] = {"Gather", "GatherElements", "ScatterElements"};
    for (size_t i = 0; i < countof(along_axis); i++)
        if (slot == 1 && ir_is_op(g, n, along_axis[i]))
            return indexed(s, g, n, 0, axis_of(g, n));
    if (slot == 1 && (ir_is_op(g, n, "GatherND") || ir_is_op(g, n, "ScatterND")))
        return indexed(s, g, n, 0, 0);
    bool embeds = rw_streq(ir_domain_name(g, n), "com.microsoft") &&
                  rw_streq(ir_op_name(g, n), "EmbedLayerNormalization");
    if (embeds && slot < 2) return indexed(s, g, n, slot == 0 ? 2 : 4, 0);
    return 0;
}

/* Is the number how often a Loop runs? */
static bool is_trip_count(const struct ir_graph *g, ir_value v) {
    ir_use u = ir_val(g, v)->uses;
    for (uint32_t i = 0; u != IR_NONE && i < MOST_VISITED; i++, u = g->uses.at[u].next)
        if (g->uses.at[u].user != IR_NONE && g->uses.at[u].slot == 0 &&
            ir_is_op(g, g->uses.at[u].user, "Loop"))
            return true;
    return false;
}

struct walk {
    struct judge_sizes *sizes;
    const struct ir_graph *g;
    struct map seen;
    VEC(ir_value) todo;
    int64_t below; /* the least number of choices so far; 0: none met */
};

static void push(struct walk *w, ir_value v) {
    if (v == IR_NONE || w->todo.len >= MOST_VISITED) return;
    if (map_get(&w->seen, v) != MAP_NONE) return;
    map_put(&w->seen, v, 0);
    vec_push(w->sizes->arena, &w->todo, v);
}

static void follow_use(struct walk *w, const struct ir_use_info *u) {
    if (u->user == IR_NONE || u->slot == IR_SLOT_BODY) return;
    int64_t n = choices(w->sizes, w->g, u->user, u->slot);
    if (n > 0 && (w->below == 0 || n < w->below)) w->below = n;
    if (n == 0 && hands_on(w->g, u->user, u->slot))
        for (uint32_t i = 0; i < ir_nod(w->g, u->user)->nout; i++)
            push(w, ir_output(w->g, u->user, i));
}

int64_t judge_choices(struct judge_sizes *s, const struct ir_graph *g, ir_value v) {
    struct walk w = {.sizes = s, .g = g};
    map_init(&w.seen, s->arena);
    push(&w, v);
    for (uint32_t i = 0; i < w.todo.len; i++) {
        ir_use u = ir_val(g, w.todo.at[i])->uses;
        for (; u != IR_NONE; u = g->uses.at[u].next) follow_use(&w, &g->uses.at[u]);
    }
    return w.below;
}

/* Numbers that index nothing are masks, kinds, counts: 0 and 1 are right for most. */
static int64_t below(struct judge_sizes *s, const struct ir_graph *g, ir_value v) {
    int64_t n = judge_choices(s, g, v);
    return n ? n : 2;
}

/* --- inputs ------------------------------------------------------------------------- */

static enum rw_code refuse(const struct ir_model *m, const char *name, const char *why,
                           struct diag_sink *diags) {
    diag_where(diags, DIAG_ERROR, ir_model_name(m), "no values can be made up for input "
               "\"%s\": %s", name, why);
    diag_where(diags, DIAG_HELP, ir_model_name(m), "give them: --inputs X.npz");
    return RW_FORMAT;
}

/* A single bool, as is wished; and a Loop runs some times, for what it does later may not be
 * what it does first. */
static void set_single(const struct ir_graph *g, ir_value v, struct ir_tensor *t, bool flag,
                       struct arena *a) {
    static const int64_t trips = 3;
    if (t->count != 1) return;
    if (t->dtype == IR_BOOL) t->data = arena_copy(a, &flag, sizeof flag);
    if (t->dtype == IR_INT64 && is_trip_count(g, v))
        t->data = arena_copy(a, &trips, sizeof trips);
}

static const struct ir_type *tensor_type(const struct ir_value_info *v) {
    const struct ir_type *t = v->type;
    return t && t->kind == IR_TENSOR && t->dtype != IR_UNDEFINED ? t : NULL;
}

static enum rw_code make(struct ir_model *m, ir_value v, struct judge_sizes *s,
                         const struct judge_inputs_options *o, uint64_t *seed,
                         struct arena *a, struct diag_sink *diags, struct ir_tensor **out) {
    const struct ir_value_info *info = ir_val(m->main, v);
    const struct ir_type *t = tensor_type(info);
    uint64_t count;
    if (!t) return refuse(m, info->name, "it is no tensor of a known type", diags);
    if (!t->ranked) return refuse(m, info->name, "its rank is not known", diags);
    int64_t *dims = arena_new_array(a, int64_t, t->rank);
    for (uint32_t k = 0; k < t->rank; k++)
        if (!judge_size_of_input(s, info, k, &dims[k]))
            return refuse(m, info->name, "no size fits its shape", diags);
    if (!ir_tensor_count(t->rank, dims, &count) || count > MOST_ELEMENTS)
        return refuse(m, info->name, "it is too large", diags);
    int64_t most = ir_dtype_is_int(t->dtype) ? below(s, m->main, v) : 0;
    *out = judge_tensor(a, t->dtype, t->rank, dims, o->fill, most, seed);
    if (!*out) return refuse(m, info->name, "its type cannot be made up", diags);
    set_single(m->main, v, *out, o->flag, a);
    return RW_OK;
}

bool judge_has_flag(const struct ir_model *m) {
    for (uint32_t i = 0; i < m->main->inputs.len; i++) {
        const struct ir_type *t = tensor_type(ir_val(m->main, m->main->inputs.at[i]));
        int64_t size = 1;
        if (!t || t->dtype != IR_BOOL || !t->ranked || t->rank > 1) continue;
        if (t->rank == 0 || (ir_dim_is_const(m->dims, t->dims[0], &size) && size == 1))
            return true;
    }
    return false;
}

static enum rw_code no_such_size(const struct ir_model *m, const char *name,
                                 struct diag_sink *diags) {
    struct buf text = {0};
    for (uint32_t i = 0; i < m->main->inputs.len && text.len < MOST_TOLD; i++) {
        const struct ir_value_info *v = ir_val(m->main, m->main->inputs.at[i]);
        if (!v->type || (v->flags & IR_IS_INIT)) continue;
        buf_printf(&text, "%s\"%s\" is ", text.len ? ", " : "", v->name);
        ir_type_print(m->dims, v->type, &text);
    }
    diag_where(diags, DIAG_ERROR, ir_model_name(m),
               "no input has a dimension \"%s\" that is left open", name);
    diag_where(diags, DIAG_HELP, ir_model_name(m), "%s", buf_text(&text));
    buf_free(&text);
    return RW_USAGE;
}

enum rw_code judge_inputs(struct ir_model *m, const struct judge_inputs_options *o,
                          struct arena *a, struct diag_sink *diags,
                          struct judge_values *out) {
    struct judge_sizes sizes;
    uint64_t seed = o->seed;
    judge_sizes_init(&sizes, a, m->dims, o);
    out->n = 0;
    out->at = arena_new_array(a, struct judge_value, m->main->inputs.len);
    for (uint32_t i = 0; i < m->main->inputs.len; i++) {
        ir_value v = m->main->inputs.at[i];
        struct ir_tensor *t;
        if (ir_has(m->main, v, IR_IS_INIT)) continue;
        TRY(make(m, v, &sizes, o, &seed, a, diags, &t));
        struct judge_value x = {.name = ir_val(m->main, v)->name, .tensor = t};
        out->at[out->n++] = x;
    }
    const char *unknown = judge_size_not_granted(&sizes);
    return unknown ? no_such_size(m, unknown, diags) : RW_OK;
}
