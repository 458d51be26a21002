/* rules_jobs.c -- the rules of a pack, several at a time in processes of their own.
 *
 * Rule i is the business of worker i modulo their number, and results are taken in the
 * order of the rules: what is printed does not depend on who was faster.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/child.h"
#include "base/os.h"
#include "base/process.h"
#include "cli/rules_try.h"

#include <stdio.h>

#define MOST_JOBS 64
#define MOST_SECONDS 3600.0
#define MOST_MEMORY ((uint64_t)1 << 30) /* of the runtime: instances are small */
#define MEMORY ((uint64_t)8 << 30)

struct jobs {
    struct session *s;
    const struct rule_pack *pack;
    uint32_t n;            /* workers */
    uint32_t worker;       /* in a worker: its number */
    uint32_t nrules;
    const struct rule **rules;
};

struct result { /* in front of the texts */
    uint32_t wrong, scarce;
    uint64_t out, err;
};

static enum rw_code open_judge(struct session *s, struct judge **j) {
    struct judge_options o = {.library = s->options.ort, .memory = MOST_MEMORY};
    return judge_open(&o, &s->diags, j);
}

/* --- in a worker ------------------------------------------------------------------- */
static bool send_all(int fd, const void *bytes, size_t n) {
    return n == 0 || os_write(fd, bytes, n);
}

static void serve(int fd, void *ctx) {
    const struct jobs *x = ctx;
    struct judge *j;
    if (open_judge(x->s, &j) != RW_OK) return;
    for (uint32_t i = x->worker; i < x->nrules; i += x->n) {
        struct rule_tried t;
        rule_try(x->s, j, x->pack, x->rules[i], &t);
        struct result r = {t.wrong, t.scarce, t.out.len, t.err.len};
        bool sent = send_all(fd, &r, sizeof r) && send_all(fd, t.out.at, t.out.len) &&
                    send_all(fd, t.err.at, t.err.len);
        buf_free(&t.out);
        buf_free(&t.err);
        if (!sent) break;
    }
    judge_close(j);
}

/* --- in front of them -------------------------------------------------------------- */
static bool receive_text(const struct child *c, uint64_t n, struct buf *out,
                         double deadline) {
    char piece[4096];
    while (n > 0) {
        size_t k = n < sizeof piece ? (size_t)n : sizeof piece;
        if (child_receive(c, piece, k, deadline) != CHILD_OK) return false;
        buf_add(out, piece, k);
        n -= k;
    }
    return true;
}

static bool receive(const struct child *c, struct rule_tried *t) {
    struct result r;
    double deadline = process_seconds() + MOST_SECONDS;
    *t = (struct rule_tried){.wrong = true};
    if (child_receive(c, &r, sizeof r, deadline) != CHILD_OK) return false;
    t->wrong = r.wrong;
    t->scarce = r.scarce;
    return receive_text(c, r.out, &t->out, deadline) &&
           receive_text(c, r.err, &t->err, deadline);
}

static void print(struct rules_tried *sum, struct rule_tried *t) {
    sum->rules++;
    sum->wrong += t->wrong;
    sum->scarce += t->scarce;
    fputs(buf_text(&t->out), stdout);
    fflush(stdout);
    fputs(buf_text(&t->err), stderr);
    buf_free(&t->out);
    buf_free(&t->err);
}

static void take_results(struct jobs *x, const struct child *workers,
                         struct rules_tried *sum) {
    for (uint32_t i = 0; i < x->nrules; i++) {
        struct rule_tried t;
        if (!receive(&workers[i % x->n], &t))
            buf_printf(&t.err, "error: rule \"%s\": the process that tried it ended\n",
                       x->rules[i]->name);
        print(sum, &t);
    }
}

static void run_here(struct jobs *x, struct judge *j, struct rules_tried *sum) {
    for (uint32_t i = 0; i < x->nrules; i++) {
        struct rule_tried t;
        rule_try(x->s, j, x->pack, x->rules[i], &t);
        print(sum, &t);
    }
}

static bool run_workers(struct jobs *x, struct rules_tried *sum) {
    struct child workers[MOST_JOBS];
    uint32_t n = 0;
    fflush(NULL); /* nothing that waits is printed twice */
    for (; n < x->n; n++) {
        x->worker = n;
        if (!child_start(&workers[n], serve, x, MEMORY)) break;
    }
    if (n == x->n) take_results(x, workers, sum);
    for (uint32_t i = 0; i < n; i++) child_stop(&workers[i], NULL);
    return n == x->n;
}

/* --- which rules ------------------------------------------------------------------- */
/* A pack's rules are told by their file; those of the packs that it uses are theirs, and
 * tried with --all. */
static void choose_rules(struct jobs *x, const struct rule_pack *pack) {
    const char *only = x->s->options.rule;
    x->rules = arena_new_array(&x->s->arena, const struct rule *, pack->nrules);
    for (uint32_t i = 0; i < pack->nrules; i++) {
        const struct rule *r = pack->rules[i];
        bool own = x->s->options.all || r->pack->source == pack->source;
        bool wanted = only ? rw_streq(r->name, only) : own;
        if (wanted) x->rules[x->nrules++] = r;
    }
}

enum rw_code rules_try(struct session *s, const struct rule_pack *pack,
                       struct rules_tried *sum) {
    struct jobs x = {.s = s, .pack = pack};
    struct judge *j;
    *sum = (struct rules_tried){0};
    choose_rules(&x, pack);
    if (x.nrules == 0) return RW_OK;
    TRY(open_judge(s, &j)); /* says what is missing before anything is begun */
    int64_t jobs = s->options.jobs > 0 ? s->options.jobs : process_processors();
    x.n = (uint32_t)(jobs > MOST_JOBS ? MOST_JOBS : jobs);
    x.n = rw_min_u32(x.n, x.nrules);
    if (x.n > 1) judge_close(j);
    if (x.n == 1) run_here(&x, j, sum);
    else if (!run_workers(&x, sum)) {
        diag_where(&s->diags, DIAG_ERROR, NULL, "no process can be started: %s",
                   os_error());
        return RW_USAGE;
    }
    if (x.n == 1) judge_close(j);
    return sum->wrong ? RW_WRONG : RW_OK;
}
