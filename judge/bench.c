/* bench.c -- see bench.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/bench.h"

#define SHORTEST 1e-9 /* of a clock that did not go on */

static enum rw_code does_not_run(struct judge_bench *b, const struct judge_contestant *c,
                                 struct judge *j) {
    diag_where(b->diags, DIAG_ERROR, c->name, "does not run: %s", judge_message(j));
    return RW_WRONG;
}

/* The first process also says what comes out. */
static enum judge_outcome measure(struct judge_bench *b, struct judge_contestant *c,
                                  struct judge *j, struct judge_times *times) {
    uint32_t session;
    enum judge_outcome o = judge_load(j, &c->model, &session);
    if (o == JUDGE_OK && c->seconds.len == 0)
        o = judge_run(j, session, b->in, NULL, 0, b->arena, &c->outputs);
    if (o == JUDGE_OK) o = judge_time(j, session, b->in, b->seconds, b->arena, times);
    return o;
}

static void note(struct judge_bench *b, struct judge_contestant *c,
                 const struct judge_times *times) {
    for (uint32_t i = 0; i < times->n; i++)
        if (c->fastest <= 0 || times->at[i] < c->fastest) c->fastest = times->at[i];
    double median = judge_median(times->n, times->at);
    vec_push(b->arena, &c->seconds, median > SHORTEST ? median : SHORTEST);
}

static enum rw_code one_process(struct judge_bench *b, struct judge_contestant *c) {
    struct judge_options o = {.library = b->library, .threads = b->threads,
                              .seconds = b->limit, .optimise = true,
                              .disabled = c->disabled};
    struct judge_times times;
    struct judge *j;
    TRY(judge_open(&o, b->diags, &j));
    if (!b->version) b->version = arena_strdup(b->arena, judge_version(j));
    enum rw_code code =
        measure(b, c, j, &times) == JUDGE_OK ? RW_OK : does_not_run(b, c, j);
    judge_close(j);
    if (code == RW_OK) note(b, c, &times);
    return code;
}

enum rw_code judge_bench_round(struct judge_bench *b, struct judge_contestant *const *c,
                               uint32_t n, const struct judge_contestant **failed) {
    bool back = c[0]->seconds.len % 2;
    for (uint32_t i = 0; i < n; i++) {
        struct judge_contestant *next = c[back ? n - 1 - i : i];
        enum rw_code code = one_process(b, next);
        if (code != RW_OK && failed) *failed = next;
        TRY(code);
    }
    return RW_OK;
}

struct judge_ratio judge_bench_ratio(const struct judge_contestant *a,
                                     const struct judge_contestant *b) {
    uint32_t n = a->seconds.len < b->seconds.len ? a->seconds.len : b->seconds.len;
    return judge_ratio_of(n, a->seconds.at, b->seconds.at);
}

static const struct judge_value *by_name(const struct judge_values *v, const char *name) {
    for (uint32_t i = 0; i < v->n; i++)
        if (rw_streq(v->at[i].name, name)) return &v->at[i];
    return NULL;
}

bool judge_bench_agrees(const struct judge_contestant *a, const struct judge_contestant *b,
                        bool quantised, struct judge_difference *out) {
    for (uint32_t i = 0; i < a->outputs.n; i++) {
        const struct judge_value *x = &a->outputs.at[i];
        const struct judge_value *y = by_name(&b->outputs, x->name);
        enum ir_dtype t = x->tensor ? x->tensor->dtype : IR_UNDEFINED;
        *out = (struct judge_difference){.output = x->name};
        if (!y) return false;
        out->verdict = judge_compare(x->tensor, y->tensor,
                                     judge_bounds_of_model(CLASS_FLOAT, t, quantised));
        if (!out->verdict.same) return false;
    }
    return true;
}
