/* model.c -- one side of a cut as a model of its own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "judge/cut/cut.h"

#include <math.h>

#define KEY_ELEMENTS 4096 /* integers of more are weights */
#define SAMPLED 512 /* elements of a weight that are looked at */
#define MOST_BYTES ((uint64_t)256 << 20) /* of constants that are read */
#define LARGE ((uint64_t)1 << 20) /* bytes of a constant that stays in its file */

/* --- constants -------------------------------------------------------------------- */

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

/* What kinds of numbers it has, among some from all over it: zeros and ones, as an identity or a
 * mask has them, negative ones, fractions, none at all. Any other weights are of one kind. */
static int64_t kinds_of(struct cut *c, const struct ir_tensor *t) {
    enum { ZERO = 1, ONE = 2, NEGATIVE = 4, FRACTION = 8, ENDLESS = 16 };
    uint64_t step = t->count / SAMPLED + 1;
    int64_t kinds = 0;
    double x;
    for (uint64_t i = 0; i < t->count; i += step) {
        if (!ir_tensor_double_at(c->g->model, t, i, &x)) return kinds;
        if (!isfinite(x)) kinds |= ENDLESS;
        else if (fabs(x) > 0 && (x < 1 || x > 1)) kinds |= floor(x) < x ? FRACTION : 0;
        else kinds |= fabs(x) > 0 ? ONE : ZERO;
        kinds |= x < 0 ? NEGATIVE : 0;
    }
    return kinds;
}

/* In place of a weight in a key: type and shape, what kinds of numbers it has; and the value where
 * it has but one, for that is what conditions ask of weights. */
static struct ir_tensor *outline(struct cut *c, const struct ir_tensor *t) {
    int64_t *facts = arena_new_array(c->a, int64_t, t->rank + 3);
    double first = NAN;
    if (is_splat(c, t)) ir_tensor_double_at(c->g->model, t, 0, &first);
    facts[0] = t->dtype;
    memcpy(&facts[1], &first, sizeof first);
    facts[2] = kinds_of(c, t);
    for (uint32_t i = 0; i < t->rank; i++) facts[i + 3] = t->dims[i];
    return ir_tensor_ints(c->a, t->rank + 3, facts);
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

/* --- the model -------------------------------------------------------------------- */

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

bool cut_pack(struct cut *c, const struct cut_inputs *in, uint32_t side, bool key,
              struct buf *out, const char **why) {
    struct ir_slice_ports ports = ports_of(c, in, side);
    return constants_of(c, side, key, &ports, why) &&
           ir_slice_pack(c->side[side].slice, &ports, out, why);
}

static void add_rounded(struct cut *c, const struct cut_node *n, const char **names,
                        uint32_t *len) {
    if (n->rounds && n->nout > 0 && n->out[0] != IR_NONE)
        names[(*len)++] = ir_slice_name(&c->numbers, n->out[0], c->a);
}

const char *const *cut_rounded(struct cut *c, uint32_t *n) {
    const struct cut_side *old = &c->side[0];
    const char **names = arena_new_array(c->a, const char *, old->nodes.len + c->above.len);
    *n = 0;
    for (uint32_t i = 0; i < c->above.len; i++) add_rounded(c, &c->above.at[i], names, n);
    for (uint32_t i = 0; i < old->nodes.len; i++) add_rounded(c, &old->nodes.at[i], names, n);
    return names;
}

/* --- keys ------------------------------------------------------------------------- */

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
    if (!cut_any_inputs(c, &in, &why)) return;
    buf_printf(out, "%d %d", (int)class, c->doubted);
    for (uint32_t side = 0; side < 2; side++) {
        struct buf model = {0};
        bool ok = cut_pack(c, &in, side, true, &model, &why);
        if (ok) buf_add(out, model.at, model.len);
        buf_free(&model);
        if (!ok) {
            out->len = 0;
            return;
        }
    }
    for (uint32_t plan = 0; plan < CUT_ALL_PLANS; plan++) describe_plan(c, plan, out);
}
