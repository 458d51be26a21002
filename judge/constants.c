/* constants.c -- see constants.h. SPDX-License-Identifier: Apache-2.0 */
#include "judge/constants.h"

#include "base/process.h"

/* One job, all of them, and how much memory one may take. */
#define MOST_SECONDS 10.0
#define SECONDS_IN_ALL 30.0
#define MOST_MEMORY ((uint64_t)4 << 30)

struct judge_constants {
    struct arena arena;
    struct ir_runtime runtime;
    const char *library;
    struct judge *j; /* NULL: not started */
    bool given_up;
    double spent;
};

/* --- the node as a model ------------------------------------------------------------ */

struct part {
    struct arena a;
    struct ir_graph *g;
    ir_node n;
    struct ir_numbering numbers;
    struct ir_slice_ports ports;
    uint32_t *place; /* of each output in the results */
};

static bool is_known(const struct ir_slice_constant *list, uint32_t n, ir_value v) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i].v == v) return true;
    return false;
}

/* Texts come back from the runtime up to their first NUL. */
static bool has_nul(const struct ir_tensor *t) {
    for (uint64_t i = 0; t->storage == IR_STRINGS && i < t->count; i++)
        if (t->strings[i].len && memchr(t->strings[i].at, 0, t->strings[i].len)) return true;
    return false;
}

/* Operands are initializers, for some operators insist on those. */
static bool add_operands(struct part *p) {
    uint32_t nin = ir_nod(p->g, p->n)->nin, n = 0;
    struct ir_slice_constant *list = arena_new_array(&p->a, struct ir_slice_constant, nin);
    for (uint32_t k = 0; k < nin; k++) {
        ir_value v = ir_input(p->g, p->n, k);
        if (v == IR_NONE || is_known(list, n, v)) continue;
        const struct ir_tensor *t = ir_const(p->g, v);
        if (has_nul(t)) return false;
        struct ir_tensor *x = arena_copy(&p->a, t, sizeof *t);
        if (t->storage != IR_STRINGS && t->storage != IR_IN_MEMORY) {
            x->data = ir_tensor_read(p->g->model, t, &p->a);
            x->storage = IR_IN_MEMORY;
            x->proto = NULL;
            if (!x->data) return false;
        }
        list[n++] = (struct ir_slice_constant){v, x};
    }
    p->ports.constants = list;
    p->ports.nconstants = n;
    return true;
}

static void add_results(struct part *p) {
    uint32_t nout = ir_nod(p->g, p->n)->nout;
    struct ir_slice_output *list = arena_new_array(&p->a, struct ir_slice_output, nout);
    p->place = arena_new_array(&p->a, uint32_t, nout);
    for (uint32_t k = 0; k < nout; k++) {
        ir_value v = ir_output(p->g, p->n, k);
        if (v == IR_NONE || !ir_val(p->g, v)->nuses) continue;
        p->place[p->ports.noutputs] = k;
        list[p->ports.noutputs++] =
            (struct ir_slice_output){v, arena_printf(&p->a, "result%u", k)};
    }
    p->ports.outputs = list;
}

static bool pack(struct part *p, struct buf *bytes) {
    const char *why;
    ir_numbering_init(&p->numbers, &p->a);
    struct ir_slice *s = ir_slice_new(&p->a, p->g, &p->numbers, 0);
    ir_slice_add(s, p->n);
    if (!add_operands(p)) return false;
    add_results(p);
    return ir_slice_pack(s, &p->ports, bytes, &why);
}

/* --- the runtime -------------------------------------------------------------------- */

static bool start(struct judge_constants *c) {
    struct diag_sink unheard;
    if (c->j || c->given_up) return !c->given_up;
    diag_init(&unheard, &c->arena);
    const struct judge_options o = {.library = c->library, .seconds = MOST_SECONDS,
                                    .memory = MOST_MEMORY};
    c->given_up = judge_open(&o, &unheard, &c->j) != RW_OK;
    return !c->given_up;
}

static bool run(struct judge_constants *c, const struct buf *bytes, struct arena *a,
                struct judge_values *out) {
    const struct judge_model m = {.bytes = bytes->at, .len = bytes->len};
    const struct judge_values nothing = {0};
    double begin = process_seconds();
    enum judge_outcome o = judge_once(c->j, &m, &nothing, a, out);
    c->spent += process_seconds() - begin;
    c->given_up = o == JUDGE_CRASHED || o == JUDGE_LATE || c->spent > SECONDS_IN_ALL;
    return o == JUDGE_OK;
}

static struct ir_tensor *copy_tensor(const struct ir_tensor *t, struct arena *a) {
    if (t->storage == IR_STRINGS) return ir_tensor_strings(a, t->rank, t->dims, t->strings);
    return ir_tensor_new(a, t->dtype, t->rank, t->dims, t->data);
}

static bool compute(void *ctx, struct ir_graph *g, ir_node n, struct arena *a,
                    struct ir_tensor **out) {
    struct judge_constants *c = ctx;
    struct part p = {.g = g, .n = n};
    struct buf bytes = {0};
    struct judge_values values;
    bool ok = pack(&p, &bytes) && start(c) && run(c, &bytes, &p.a, &values) &&
              values.n == p.ports.noutputs;
    for (uint32_t i = 0; ok && i < values.n; i++) {
        const struct ir_tensor *t = values.at[i].tensor;
        out[p.place[i]] = t ? copy_tensor(t, a) : NULL;
    }
    buf_free(&bytes);
    arena_free(&p.a);
    return ok;
}

/* --- open and close ----------------------------------------------------------------- */

struct judge_constants *judge_constants_new(const char *library) {
    struct arena own = ARENA_EMPTY;
    struct judge_constants *c = arena_new(&own, struct judge_constants);
    *c = (struct judge_constants){.arena = own, .library = library};
    c->runtime = (struct ir_runtime){c, compute};
    return c;
}

const struct ir_runtime *judge_constants_runtime(const struct judge_constants *c) {
    return &c->runtime;
}

const char *judge_constants_version(const struct judge_constants *c) {
    return c->j ? judge_version(c->j) : NULL;
}

void judge_constants_close(struct judge_constants *c) {
    if (!c) return;
    struct arena own = c->arena;
    judge_close(c->j);
    arena_free(&own);
}
