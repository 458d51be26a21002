/* shrink.c -- the smallest instance that shows the same fault.
 *
 * An instance is the numbers that it was drawn from, and smaller numbers, or fewer, make a
 * simpler one. So runs of numbers are left out, made zero, and lowered, as long as what
 * comes out is still wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/rule/case.h"

#define MOST_TRIES 600

struct shrink {
    const struct judge_plan *plan;
    struct judge *judge;
    VEC(uint32_t) at; /* the best so far */
    uint32_t *trial;
    struct arena *arena;
    uint32_t tries;
};

/* Takes the trial over when it is wrong, too. */
static bool attempt(struct shrink *s, uint32_t n) {
    if (s->tries == 0) return false;
    s->tries--;
    struct arena step = ARENA_EMPTY;
    struct judge_draws d;
    judge_draws_replay(&d, &step, n, s->trial);
    struct judge_case c = judge_case_run(s->plan, s->judge, &d, &step);
    bool wrong = c.end == JUDGE_WRONG;
    if (wrong) {
        memcpy(s->at.at, s->trial, n * sizeof *s->trial);
        s->at.len = n;
    }
    arena_free(&step);
    return wrong;
}

static bool leave_out(struct shrink *s, uint32_t from, uint32_t n) {
    memcpy(s->trial, s->at.at, from * sizeof *s->trial);
    memcpy(s->trial + from, s->at.at + from + n,
           (s->at.len - from - n) * sizeof *s->trial);
    return attempt(s, s->at.len - n);
}

static bool put(struct shrink *s, uint32_t from, uint32_t n, uint32_t value) {
    bool differs = false;
    memcpy(s->trial, s->at.at, s->at.len * sizeof *s->trial);
    for (uint32_t i = from; i < from + n; i++) {
        differs |= s->trial[i] != value;
        s->trial[i] = value;
    }
    return differs && attempt(s, s->at.len);
}

static bool shorten(struct shrink *s) {
    bool any = false;
    for (uint32_t n = 16; n > 0; n /= 2)
        for (uint32_t from = s->at.len; from-- > 0;) {
            if (from + n > s->at.len) continue;
            any |= leave_out(s, from, n);
        }
    return any;
}

static bool lower(struct shrink *s) {
    bool any = false;
    for (uint32_t n = 8; n > 0; n /= 2)
        for (uint32_t from = 0; from + n <= s->at.len; from += n) any |= put(s, from, n, 0);
    for (uint32_t i = 0; i < s->at.len; i++)
        while (s->at.at[i] > 0 &&
               (put(s, i, 1, s->at.at[i] / 2) || put(s, i, 1, s->at.at[i] - 1)))
            any = true;
    return any;
}

static const char *text_of(const struct ir_model *m, struct arena *a) {
    struct buf out = {0};
    ir_text_print(m, &(struct ir_text_options){.all = true}, &out);
    char *text = arena_strdup(a, buf_text(&out));
    buf_free(&out);
    return text;
}

static const struct judge_counterexample *show(struct shrink *s, struct arena *a) {
    struct judge_counterexample *out = arena_new(a, struct judge_counterexample);
    struct judge_draws d;
    judge_draws_replay(&d, a, s->at.len, s->at.at);
    struct judge_instance *i = judge_generate(s->plan, &d, a);
    if (i) out->before = text_of(i->model, a);
    judge_draws_replay(&d, a, s->at.len, s->at.at);
    struct judge_case c = judge_case_run(s->plan, s->judge, &d, a);
    out->what = c.what ? c.what : "it could not be seen twice";
    out->after = c.instance ? text_of(c.instance->model, a) : NULL;
    out->model = c.before;
    out->inputs = c.inputs;
    return out;
}

const struct judge_counterexample *judge_shrink(const struct judge_plan *p, struct judge *j,
                                                const struct judge_draws *found,
                                                struct arena *a) {
    struct shrink s = {.plan = p, .judge = j, .arena = a, .tries = MOST_TRIES};
    s.trial = arena_new_array(a, uint32_t, found->taken.len + 1);
    for (uint32_t i = 0; i < found->taken.len; i++)
        vec_push(a, &s.at, found->taken.at[i]);
    for (bool better = true; better && s.tries > 0;) {
        better = shorten(&s);
        better |= lower(&s);
    }
    return show(&s, a);
}
