/* eval.c -- finds the kernel of an operator and guards it.
 *
 * What a kernel may take for granted: the operator's version is known, and every
 * attribute has the type that this version gives it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/eval/kit.h"
#include "ir/tensor/lazy.h"

static const struct eval_op *const families[] = {
    ir_eval_move_ops,   ir_eval_remap_ops,  ir_eval_blocks_ops,    ir_eval_index_ops,
    ir_eval_make_ops,   ir_eval_reduce_ops, ir_eval_along_ops,     ir_eval_matmul_ops,
    ir_eval_einsum_ops, ir_eval_sort_ops,   ir_eval_normalise_ops, ir_eval_scatter_ops,
};
static const struct eval_map_op *const map_families[] = {
    ir_eval_unary_ops, ir_eval_binary_ops, ir_eval_cast_ops, ir_eval_quantise_ops,
};

/* ONNX Runtime's own operators that mean what the standard's of that name does. */
static const struct eval_map_op *const runtime_families[] = {ir_eval_quantise_ops};

static bool is_standard(const char *domain) {
    return !*domain || rw_streq(domain, "ai.onnx");
}

static const struct eval_op *find_op(const char *domain, const char *op) {
    for (size_t f = 0; is_standard(domain) && f < countof(families); f++)
        for (const struct eval_op *o = families[f]; o->name; o++)
            if (rw_streq(o->name, op)) return o;
    return NULL;
}

static const struct eval_map_op *find_map(const char *domain, const char *op) {
    const struct eval_map_op *const *among = map_families;
    size_t n = is_standard(domain) ? countof(map_families) : 0;
    if (rw_streq(domain, "com.microsoft")) {
        among = runtime_families;
        n = countof(runtime_families);
    }
    for (size_t f = 0; f < n; f++)
        for (const struct eval_map_op *o = among[f]; o->name; o++)
            if (rw_streq(o->name, op)) return o;
    return NULL;
}

bool ir_eval_has(const char *domain, const char *op) {
    return find_op(domain, op) || find_map(domain, op);
}

bool ir_eval_folds(const char *domain, const char *op) {
    return ir_eval_has(domain, op) && !rw_streq(op, "DequantizeLinear");
}

bool ir_eval_has_parts(const char *domain, const char *op) {
    return find_map(domain, op) != NULL;
}

/* Attributes that say yes or no. Of other numbers the runtime makes now one, now the
 * other. */
static bool is_flag(const char *name) {
    static const char *const flags[] = {
        "allowzero", "detect_negative", "detect_positive", "exclusive", "fmod", "keepdims",
        "largest", "noop_with_empty_axes", "reverse", "saturate", "select_last_index",
        "sorted", "transA", "transB", "upper"};
    for (size_t i = 0; i < countof(flags); i++)
        if (rw_streq(flags[i], name)) return true;
    return false;
}

static bool attributes_are_known(const struct ir_eval *e) {
    for (uint32_t i = 0; i < e->nattr; i++) {
        if (is_flag(e->attr[i].name) && e->attr[i].i != 0 && e->attr[i].i != 1) return false;
        const struct ir_schema_attr *known = ir_schema_attr(e->schema, e->attr[i].name);
        if (!known || known->type != e->attr[i].type || e->attr[i].ref) return false;
    }
    return true;
}

/* Multiplications for a node, and for all nodes of a model: some seconds. */
#define MOST_WORK ((uint64_t)1 << 27)
#define MOST_IN_ALL ((uint64_t)1 << 30)

bool ir_eval_work(const struct eval_job *j, uint64_t n) {
    struct ir_model *m = j->e->model;
    if (n > MOST_WORK || (m && n > MOST_IN_ALL - m->multiplied)) return false;
    if (m) m->multiplied += n;
    return true;
}

static bool may_run(const struct ir_eval *e) {
    const struct ir_schema *s = e->schema;
    return s && e->nin <= s->max_inputs && e->nout <= s->max_outputs &&
           attributes_are_known(e);
}

static bool run_whole(const struct ir_eval *e, const struct eval_op *op,
                      struct ir_tensor **out) {
    struct eval_job j = {.e = e, .out = out, .which = op->which};
    bool done = op->run(&j);
    for (uint32_t k = 0; done && k < e->nout; k++) done = out[k] != NULL;
    arena_free(&j.work);
    return done;
}

/* Computed operands are read along with the result. */
static void hold_operands(const struct ir_eval *e, void hold(struct ir_model *,
                                                             const struct ir_tensor *)) {
    for (uint32_t k = 0; e->model && k < e->nin; k++)
        if (e->in[k]) hold(e->model, e->in[k]);
}

static bool make_map(struct eval_job *j, const struct eval_map *m) {
    struct ir_tensor *r = ir_eval_result(j, m->dtype, &m->result);
    if (!r) return false;
    hold_operands(j->e, ir_lazy_begin);
    bool done = ir_eval_map_run(j, m, 0, m->count, (unsigned char *)(uintptr_t)r->data);
    hold_operands(j->e, ir_lazy_end);
    j->out[0] = r;
    return done;
}

static bool run_map(const struct ir_eval *e, const struct eval_map_op *op,
                    struct ir_tensor **out) {
    struct eval_job j = {.e = e, .out = out, .which = op->which};
    struct eval_map m = {0};
    bool done = e->nout == 1 && op->plan(&j, &m) &&
                (ir_eval_put_waiting(&j, &m) || make_map(&j, &m));
    arena_free(&j.work);
    return done;
}

bool ir_eval(const struct ir_eval *e, struct ir_tensor **out) {
    if (e->nout) memset(out, 0, e->nout * sizeof *out);
    if (!may_run(e)) return false;
    const struct eval_op *op = find_op(e->schema->domain, e->schema->name);
    if (op) return run_whole(e, op, out);
    const struct eval_map_op *map = find_map(e->schema->domain, e->schema->name);
    return map && run_map(e, map, out);
}

bool ir_eval_part(const struct ir_eval *e, uint64_t first, uint64_t n, void *raw) {
    const struct eval_map_op *op =
        may_run(e) ? find_map(e->schema->domain, e->schema->name) : NULL;
    if (!op) return false;
    struct eval_job j = {.e = e, .which = op->which};
    struct eval_map m = {0};
    bool done = op->plan(&j, &m) && ir_eval_map_run(&j, &m, first, n, raw);
    arena_free(&j.work);
    return done;
}
