/* value.c -- tensors to and from the runtime, and a run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "judge/runtime/value.h"

/* The runtime counts the newest types otherwise than the format. */
static const struct { enum ir_dtype format; int runtime; } renumbered[] = {
    {IR_UINT2, 24}, {IR_INT2, 25}, {IR_FLOAT8E8M0, 26}};

static int to_runtime(enum ir_dtype t) {
    for (size_t i = 0; i < countof(renumbered); i++)
        if (renumbered[i].format == t) return renumbered[i].runtime;
    return t <= IR_FLOAT4E2M1 ? (int)t : 0;
}

static enum ir_dtype from_runtime(int t) {
    for (size_t i = 0; i < countof(renumbered); i++)
        if (renumbered[i].runtime == t) return renumbered[i].format;
    return t > 0 && t <= IR_FLOAT4E2M1 ? (enum ir_dtype)t : IR_UNDEFINED;
}

/* --- to ----------------------------------------------------------------------------- */

/* Texts end at their first NUL: the runtime is asked for no more. */
static ort_result give_strings(struct runtime *r, const struct ir_tensor *t,
                               struct arena *a, struct ort_value **out) {
    ort_result status = r->api.create_tensor(r->allocator, t->dims, t->rank,
                                             to_runtime(IR_STRING), out);
    const char **texts = arena_new_array(a, const char *, (size_t)t->count + 1);
    for (uint64_t i = 0; i < t->count; i++)
        texts[i] = arena_strndup(a, t->strings[i].at, t->strings[i].len);
    return status || t->count == 0 ? status
                                   : r->api.fill_strings(*out, texts, (size_t)t->count);
}

ort_result judge_runtime_give(struct runtime *r, const struct ir_tensor *t, struct arena *a,
                              struct ort_value **out) {
    if (t->dtype == IR_STRING) return give_strings(r, t, a, out);
    return r->api.create_tensor_of(r->memory, (void *)(uintptr_t)t->data, (size_t)t->nbytes,
                                   t->dims, t->rank, to_runtime(t->dtype), out);
}

/* --- from --------------------------------------------------------------------------- */

static ort_result read_shape(struct runtime *r, const struct ort_value *v, struct arena *a,
                             struct ir_tensor *t) {
    struct ort_shape *shape;
    size_t rank = 0;
    int type = 0;
    ort_result status = r->api.tensor_shape(v, &shape);
    if (status) return status;
    status = r->api.element_type(shape, &type);
    if (!status) status = r->api.dims_count(shape, &rank);
    int64_t *dims = arena_new_array(a, int64_t, rank + 1);
    if (!status) status = r->api.dims(shape, dims, rank);
    r->api.release_shape(shape);
    t->dtype = from_runtime(type);
    t->rank = (uint32_t)rank;
    t->dims = dims;
    return status;
}

static ort_result take_strings(struct runtime *r, const struct ort_value *v,
                               struct arena *a, struct ir_tensor *t) {
    size_t len = 0, n = (size_t)t->count;
    struct ir_string *s = arena_new_array(a, struct ir_string, n + 1);
    size_t *offsets = arena_new_array(a, size_t, n + 1);
    t->storage = IR_STRINGS;
    t->strings = s;
    if (n == 0) return NULL;
    ort_result status = r->api.strings_length(v, &len);
    if (status) return status;
    char *text = arena_alloc(a, len + 1);
    status = r->api.strings_content(v, text, len, offsets, n);
    if (status) return status;
    offsets[n] = len;
    for (size_t i = 0; i < n; i++)
        s[i] = (struct ir_string){text + offsets[i], offsets[i + 1] - offsets[i]};
    return NULL;
}

static ort_result take_raw(struct runtime *r, struct ort_value *v, struct arena *a,
                           struct ir_tensor *t) {
    void *data = NULL;
    ort_result status = r->api.tensor_data(v, &data);
    t->storage = IR_IN_MEMORY;
    t->data = status ? NULL : arena_copy(a, data, (size_t)t->nbytes);
    return status;
}

static const char *kind_name(enum ort_kind kind) {
    switch (kind) {
    case ORT_SEQUENCE: return "sequence";
    case ORT_MAP: return "map";
    case ORT_SPARSE: return "sparse tensor";
    case ORT_OPTIONAL: return "optional";
    default: return "nothing";
    }
}

/* An optional without a value fails to say what it is. */
static enum ort_kind kind_of(struct runtime *r, const struct ort_value *v) {
    enum ort_kind kind = ORT_UNKNOWN;
    ort_result status = v ? r->api.value_kind(v, &kind) : NULL;
    if (!status) return kind;
    r->api.release_status(status);
    return ORT_OPTIONAL;
}

ort_result judge_runtime_take(struct runtime *r, struct ort_value *v, struct arena *a,
                              struct judge_value *out) {
    enum ort_kind kind = kind_of(r, v);
    out->kind = kind_name(kind);
    if (kind != ORT_TENSOR) return NULL;
    struct ir_tensor *t = arena_new(a, struct ir_tensor);
    ort_result status = read_shape(r, v, a, t);
    if (status) return status;
    bool known = t->dtype != IR_UNDEFINED && ir_tensor_count(t->rank, t->dims, &t->count);
    if (known && t->dtype == IR_STRING) status = take_strings(r, v, a, t);
    else if (known && ir_tensor_bytes(t->dtype, t->count, &t->nbytes))
        status = take_raw(r, v, a, t);
    else known = false;
    out->kind = known ? NULL : "tensor of unknown type";
    out->tensor = known ? t : NULL;
    return status;
}

/* --- run ---------------------------------------------------------------------------- */

struct run_values {
    const char **in_names;
    const char *const *wanted;
    struct ort_value **in, **out;
    uint32_t nin, nout;
};

static void new_values(const struct runtime_session *s, const struct judge_values *in,
                       const char *const *wanted, uint32_t nwanted, struct arena *a,
                       struct run_values *x) {
    uint32_t nout = nwanted ? nwanted : s->noutputs;
    *x = (struct run_values){.in_names = arena_zalloc(a, (in->n + 1) * sizeof(char *)),
                             .wanted = nwanted ? wanted : s->outputs,
                             .in = arena_zalloc(a, (in->n + 1) * sizeof *x->in),
                             .out = arena_zalloc(a, (nout + 1) * sizeof *x->out),
                             .nout = nout};
}

static ort_result give_inputs(struct runtime *r, const struct judge_values *in,
                              struct arena *a, struct run_values *x) {
    ort_result status = NULL;
    for (; x->nin < in->n && !status; x->nin++) {
        x->in_names[x->nin] = in->at[x->nin].name;
        status = judge_runtime_give(r, in->at[x->nin].tensor, a, &x->in[x->nin]);
    }
    return status;
}

static ort_result run(struct runtime *r, const struct runtime_session *s,
                      struct run_values *x) {
    return r->api.run(s->at, NULL, x->in_names, (const struct ort_value *const *)x->in,
                      x->nin, x->wanted, x->nout, x->out);
}

static ort_result take_outputs(struct runtime *r, struct run_values *x, struct arena *a,
                               struct judge_values *out) {
    ort_result status = NULL;
    *out = (struct judge_values){arena_new_array(a, struct judge_value, x->nout + 1), 0};
    for (; out->n < x->nout && !status; out->n++) {
        out->at[out->n] = (struct judge_value){.name = x->wanted[out->n]};
        status = judge_runtime_take(r, x->out[out->n], a, &out->at[out->n]);
    }
    return status;
}

static void release_outputs(struct runtime *r, struct run_values *x) {
    for (uint32_t i = 0; i < x->nout; i++) {
        r->api.release_value(x->out[i]);
        x->out[i] = NULL;
    }
}

static void release_values(struct runtime *r, struct run_values *x) {
    for (uint32_t i = 0; i < x->nin; i++) r->api.release_value(x->in[i]);
    release_outputs(r, x);
}

const char *judge_runtime_run(struct runtime *r, const struct runtime_session *s,
                              const struct judge_values *in, const char *const *wanted,
                              uint32_t nwanted, struct arena *a, struct judge_values *out) {
    struct run_values x;
    new_values(s, in, wanted, nwanted, a, &x);
    ort_result status = give_inputs(r, in, a, &x);
    if (!status) status = run(r, s, &x);
    if (!status) status = take_outputs(r, &x, a, out);
    const char *why = judge_runtime_failed(r, status, a);
    release_values(r, &x);
    return why;
}

/* The first runs find memory for what is computed, and bring weights into caches, which is
 * little of a long one. */
#define UNMEASURED 2
#define LEAST_RUNS 3
#define MOST_RUNS 10000
#define LONG_RUN 0.5 /* seconds: one unmeasured and two measured will do */

const char *judge_runtime_time(struct runtime *r, const struct runtime_session *s,
                               const struct judge_values *in, double seconds,
                               struct arena *a, struct judge_times *out) {
    struct run_values x;
    new_values(s, in, NULL, 0, a, &x);
    *out = (struct judge_times){arena_new_array(a, double, MOST_RUNS), 0};
    ort_result status = give_inputs(r, in, a, &x);
    double end = process_seconds() + seconds;
    for (uint32_t i = 0; !status && out->n < MOST_RUNS; i++) {
        double begin = process_seconds();
        status = run(r, s, &x);
        double now = process_seconds();
        bool is_long = now - begin > LONG_RUN;
        if (i >= (is_long ? 1 : UNMEASURED)) out->at[out->n++] = now - begin;
        release_outputs(r, &x);
        if (out->n >= (is_long ? LEAST_RUNS - 1 : LEAST_RUNS) && now >= end) break;
    }
    const char *why = judge_runtime_failed(r, status, a);
    release_values(r, &x);
    return why;
}
