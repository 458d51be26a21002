/* noisy.c -- noise in all of a model: its inputs, its constants, and every float that it
 * computes, each element by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/noise.h"
#include "judge/instance/draw.h"

/* --- models ----------------------------------------------------------------------- */
static void change_constant(struct ir_graph *g, ir_value v, enum judge_roundings many,
                            uint64_t *seed) {
    const struct ir_value_info x = *ir_val(g, v);
    struct arena *a = g->model->arena;
    if (x.tensor->storage == IR_EXTERNAL) return; /* large */
    const void *raw = ir_tensor_read(g->model, x.tensor, a);
    if (!raw) return;
    struct ir_tensor *t = judge_noisy_constant(
        a, ir_tensor_new(a, x.tensor->dtype, x.tensor->rank, x.tensor->dims, raw), many, seed);
    if (x.producer == IR_NONE) {
        ir_set_tensor(g, v, t);
    } else {
        struct ir_attr value = ir_attr_tensor(a, "value", t);
        ir_set_attr(g, x.producer, &value);
    }
}

/* Adds an operator; gives its result. */
static ir_value add(struct ir_graph *g, ir_node before, const char *op, uint32_t nin,
                    const ir_value *in, uint32_t nattr, const struct ir_attr *attr) {
    ir_value out = ir_add_value(g, "noise", NULL);
    struct ir_new_node n = {.op = op, .domain = "", .nin = nin, .nout = 1, .in = in,
                            .out = &out, .nattr = nattr, .attr = attr};
    ir_add_node(g, &n, before);
    return out;
}

static ir_value scalar(struct ir_graph *g, enum ir_dtype t, double x) {
    return ir_add_constant(g, "noise", ir_tensor_scalar_float(g->model->arena, t, x));
}

/* Random floats from 0 to 2, of the shape of v. From opset 22 on ONNX Runtime has no kernel
 * for those that are uniform; what Dropout makes of ones is 0 or 2. */
static ir_value draw(struct ir_graph *g, ir_node before, ir_value v, uint64_t *seed) {
    struct ir_attr own = ir_attr_int("seed", (int64_t)(judge_next(seed) % 1000000));
    if (ir_opset(g, "") < 22) {
        struct ir_attr attrs[] = {ir_attr_int("dtype", IR_FLOAT), ir_attr_float("low", 0),
                                  ir_attr_float("high", 2),
                                  ir_attr_float("seed", (float)own.i)};
        return add(g, before, "RandomUniformLike", 1, &v, countof(attrs), attrs);
    }
    uint32_t one = 0x3f800000; /* the bits of 1 */
    int64_t dims[] = {1};
    struct ir_attr value = ir_attr_tensor(
        g->model->arena, "value", ir_tensor_new(g->model->arena, IR_FLOAT, 1, dims, &one));
    struct ir_tensor *yes =
        ir_tensor_new(g->model->arena, IR_BOOL, 0, NULL, &(uint8_t){1});
    ir_value shape = add(g, before, "Shape", 1, &v, 0, NULL);
    ir_value ones = add(g, before, "ConstantOfShape", 1, &shape, 1, &value);
    ir_value in[] = {ones, scalar(g, IR_FLOAT, 0.5), ir_add_constant(g, "noise", yes)};
    return add(g, before, "Dropout", 3, in, 1, &own);
}

/* Adds `op` on x and the scalar y. */
static ir_value with(struct ir_graph *g, ir_node before, const char *op, ir_value x, double y) {
    return add(g, before, op, 2, (ir_value[]){x, scalar(g, IR_FLOAT, y)}, 0, NULL);
}

static ir_value cast(struct ir_graph *g, ir_node before, ir_value x, enum ir_dtype t) {
    struct ir_attr to = ir_attr_int("to", t);
    return add(g, before, "Cast", 1, &x, 1, &to);
}

/* 1 where v is no more than a quarter of the largest number, 0 where it is: there masks have
 * theirs, which stay what they are and do not become infinite. */
static ir_value is_ordinary(struct ir_graph *g, ir_node before, ir_value v, enum ir_dtype t) {
    double most = t == IR_FLOAT16 ? 0x1p14 : 0x1p126;
    ir_value x = cast(g, before, v, IR_FLOAT);
    x = add(g, before, "Abs", 1, &x, 0, NULL);
    return cast(g, before, with(g, before, "Less", x, most), IR_FLOAT);
}

/* Who reads v reads v times random numbers around 1. */
static void change_computed(struct ir_graph *g, ir_value v, enum judge_roundings many,
                            uint64_t *seed) {
    enum ir_dtype t = ir_type_dtype(ir_val(g, v)->type);
    double by = judge_noise_in(t, many);
    ir_node next = ir_nod(g, ir_val(g, v)->producer)->next;
    ir_value changed = ir_add_value(g, "changed", ir_val(g, v)->type);
    ir_replace_uses(g, v, changed);
    ir_value x = with(g, next, "Sub", draw(g, next, v, seed), 1);
    x = with(g, next, "Mul", x, by);
    ir_value ordinary = is_ordinary(g, next, v, t);
    x = cast(g, next, add(g, next, "Mul", 2, (ir_value[]){x, ordinary}, 0, NULL), t);
    x = add(g, next, "Add", 2, (ir_value[]){x, scalar(g, t, 1)}, 0, NULL);
    struct ir_new_node n = {.op = "Mul", .domain = "", .nin = 2, .nout = 1,
                            .in = (ir_value[]){v, x}, .out = &changed};
    ir_add_node(g, &n, next);
}

/* A constant that is only cast is what it is: nothing is computed in its type. */
static bool is_only_cast(const struct ir_graph *g, ir_value v) {
    for (ir_use u = ir_val(g, v)->uses; u != IR_NONE; u = g->uses.at[u].next) {
        ir_node n = g->uses.at[u].user;
        if (n == IR_NONE || !rw_streq(ir_op_name(g, n), "Cast")) return false;
    }
    return true;
}

static void change_graph(struct ir_graph *g, enum judge_roundings many, uint64_t *seed) {
    for (ir_value v = 0, n = g->values.len; v < n; v++) {
        const struct ir_value_info *x = ir_val(g, v);
        enum ir_dtype t = x->tensor ? x->tensor->dtype : ir_type_dtype(x->type);
        if (x->flags & (IR_IS_OUTER | IR_IS_DEAD) || judge_noise_in(t, many) <= 0) continue;
        if (x->tensor && !is_only_cast(g, v)) change_constant(g, v, many, seed);
        if (!x->tensor && x->producer != IR_NONE) change_computed(g, v, many, seed);
    }
}

bool judge_noisy_model(struct arena *a, const struct judge_model *is, enum judge_roundings many,
                       uint64_t seed, struct judge_model *out) {
    struct diag_sink diags;
    diag_init(&diags, a);
    struct ir_model *m =
        ir_model_read_bytes(a, is->bytes, is->len, "noise", is->folder, &diags);
    if (!m) return false;
    bool ok = ir_infer_model(m, &diags) == RW_OK;
    for (uint32_t i = 0, n = m->graphs.len; ok && i < n; i++)
        change_graph(m->graphs.at[i], many, &seed);
    ok = ok && judge_model_shared(m, a, &diags, out) == RW_OK;
    ir_model_close(m);
    return ok;
}

/* --- what it comes to --------------------------------------------------------------- */
static void run_noisy(struct judge *j, uint32_t session, uint64_t seed, enum judge_roundings many,
                      const struct judge_values *in, struct arena *a, struct judge_noise *out) {
    struct judge_values near = judge_noisy_values(a, in, many, &seed);
    if (judge_run(j, session, &near, NULL, 0, a, &out->at[out->n]) == JUDGE_OK) out->n++;
}

void judge_noise_of(struct judge *j, const struct judge_model *m, enum judge_roundings many,
                    uint32_t nsets, const struct judge_values *in, struct arena *a,
                    struct judge_noise *out) {
    for (uint32_t i = 0; i < nsets; i++)
        out[i] = (struct judge_noise){.at = arena_new_array(a, struct judge_values, JUDGE_NOISES)};
    for (uint64_t seed = 1; seed <= JUDGE_NOISES; seed++) {
        struct arena own = ARENA_EMPTY;
        struct judge_model noisy;
        uint32_t session;
        if (judge_noisy_model(&own, m, many, seed, &noisy) &&
            judge_load(j, &noisy, &session) == JUDGE_OK) {
            for (uint32_t i = 0; i < nsets; i++)
                run_noisy(j, session, seed, many, &in[i], a, &out[i]);
            judge_unload(j, session);
        }
        arena_free(&own);
    }
}
