/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/random.h"

uint32_t roll(struct dice *d, uint32_t n) {
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (uint32_t)((d->state >> 11) % n);
}

/* The values made so far, newest last. */
struct pool {
    struct arena *a;
    struct dice *d;
    struct ir_graph *g;
    VEC(ir_value) values;
};

/* Of the newest ones, so that there is sharing and depth. */
static ir_value some_value(struct pool *p) {
    uint32_t near = rw_min_u32(p->values.len, chance(p->d, 70) ? 4 : 12);
    return p->values.at[p->values.len - 1 - roll(p->d, near)];
}

static const struct ir_type *square(struct pool *p) {
    struct ir_dims *t = p->g->model->dims;
    ir_dim dims[2] = {ir_dim_symbol(t, "n"), ir_dim_const(t, 4)};
    return ir_type_tensor(p->g->model->arena, IR_FLOAT, 2, dims);
}

static ir_value new_value(struct pool *p) {
    return ir_add_value(p->g, NULL, chance(p->d, 90) ? square(p) : NULL);
}

static void add(struct pool *p, struct ir_new_node n) {
    ir_add_node(p->g, &n, IR_NONE);
    for (uint32_t k = 0; k < n.nout; k++)
        if (n.out[k] != IR_NONE) vec_push(p->a, &p->values, n.out[k]);
}

static void add_binary(struct pool *p) {
    static const char *const ops[] = {"Add", "Mul", "Sub", "Add"};
    ir_value in[2] = {some_value(p), some_value(p)}, out = new_value(p);
    add(p, (struct ir_new_node){.op = ops[roll(p->d, 4)], .domain = "", .nin = 2, .nout = 1,
                                .in = in, .out = &out});
}

static void add_unary(struct pool *p) {
    static const char *const ops[] = {"Relu", "Neg", "Identity", "Identity"};
    ir_value in = some_value(p), out = new_value(p);
    add(p, (struct ir_new_node){.op = ops[roll(p->d, 4)], .domain = "", .nin = 1, .nout = 1,
                                .in = &in, .out = &out});
}

static void add_with_attr(struct pool *p) {
    int64_t perm[2] = {1, 0};
    struct ir_attr attrs[] = {ir_attr_int("axis", (int64_t)roll(p->d, 3) - 1),
                              ir_attr_float("alpha", chance(p->d, 50) ? 0.01f : 0.5f),
                              ir_attr_ints("perm", 2, perm)};
    static const char *const ops[] = {"Softmax", "LeakyRelu", "Transpose"};
    uint32_t i = roll(p->d, 3);
    ir_value in = some_value(p), out = new_value(p);
    add(p, (struct ir_new_node){.op = ops[i], .domain = "", .nin = 1, .nout = 1, .in = &in,
                                .out = &out, .nattr = chance(p->d, 70), .attr = &attrs[i]});
}

static void add_concat(struct pool *p) {
    ir_value in[3], out = new_value(p);
    uint32_t n = 1 + roll(p->d, 3);
    for (uint32_t i = 0; i < n; i++) in[i] = some_value(p);
    struct ir_attr axis = ir_attr_int("axis", roll(p->d, 2));
    add(p, (struct ir_new_node){.op = "Concat", .domain = "", .nin = n, .nout = 1, .in = in,
                                .out = &out, .nattr = 1, .attr = &axis});
}

static void add_split(struct pool *p) {
    ir_value in = some_value(p), out[2] = {new_value(p), new_value(p)};
    if (chance(p->d, 10)) out[1] = IR_NONE;
    struct ir_attr axis = ir_attr_int("axis", 1);
    add(p, (struct ir_new_node){.op = "Split", .domain = "", .nin = 1, .nout = 2, .in = &in,
                                .out = out, .nattr = 1, .attr = &axis});
}

static void add_clip(struct pool *p) {
    ir_value in[3] = {some_value(p), chance(p->d, 50) ? some_value(p) : IR_NONE,
                      chance(p->d, 50) ? some_value(p) : IR_NONE};
    ir_value out = new_value(p);
    uint32_t n = in[2] != IR_NONE ? 3 : in[1] != IR_NONE ? 2 : 1;
    add(p, (struct ir_new_node){.op = "Clip", .domain = "", .nin = n, .nout = 1, .in = in,
                                .out = &out});
}

static void add_constant(struct pool *p) {
    struct ir_model *m = p->g->model;
    double x = 0.5 * (1 + roll(p->d, 3));
    struct ir_tensor *t = ir_tensor_scalar_float(m->arena, IR_FLOAT, x);
    vec_push(p->a, &p->values, ir_add_constant(p->g, NULL, t));
}

struct ir_model *random_model(struct arena *a, struct dice *d, uint32_t nodes) {
    struct ir_model *m = ir_model_new(a, 8);
    ir_set_opset(m, "", 14);
    struct pool p = {.a = a, .d = d, .g = m->main};
    for (uint32_t i = 0; i < 2; i++) {
        vec_push(a, &p.values, ir_add_value(p.g, i ? "y" : "x", square(&p)));
        ir_add_input(p.g, p.values.at[i]);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t kind = roll(d, 100);
        if (kind < 45) add_binary(&p);
        else if (kind < 65) add_unary(&p);
        else if (kind < 75) add_with_attr(&p);
        else if (kind < 82) add_concat(&p);
        else if (kind < 88) add_split(&p);
        else if (kind < 92) add_clip(&p);
        else add_constant(&p);
    }
    ir_add_output(p.g, p.values.at[p.values.len - 1]);
    return m;
}
