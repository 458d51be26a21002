/* worker.c -- the worker process: reads requests, asks the runtime, writes replies.
 *
 * A reply begins with 1 and the results, or with 0 and a text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/child.h"
#include "base/os.h"
#include "judge/runtime/frame.h"
#include "judge/runtime/runtime.h"
#include "judge/runtime/worker.h"

struct worker {
    struct runtime runtime;
    struct arena arena, job; /* of the process, of one request */
    VEC(struct runtime_session) sessions; /* by number, which is not used again */
    struct buf reply;
};

static void succeed(struct worker *w) {
    judge_frame_begin(&w->reply);
    judge_put_u64(&w->reply, 1);
}

static void fail(struct worker *w, const char *why) {
    judge_frame_begin(&w->reply);
    judge_put_u64(&w->reply, 0);
    judge_put_text(&w->reply, why);
}

static struct judge_model get_model(struct frame *f) {
    struct judge_model m = {.path = judge_get_text(f)};
    m.bytes = judge_get_bytes(f, &m.len);
    m.folder = judge_get_text(f);
    return m;
}

static void outline(struct worker *w, struct frame *f) {
    struct judge_model m = get_model(f);
    uint64_t number = 0;
    const char *why = f->failed ? "bad request"
                                : judge_runtime_outline(&w->runtime, &m, &w->job, &number);
    if (why) {
        fail(w, why);
        return;
    }
    succeed(w);
    judge_put_u64(&w->reply, number);
}

static void load(struct worker *w, struct frame *f) {
    struct judge_model m = get_model(f);
    struct runtime_session s;
    const char *why =
        f->failed ? "bad request" : judge_runtime_load(&w->runtime, &m, &w->job, &s);
    if (why) {
        fail(w, why);
        return;
    }
    succeed(w);
    judge_put_u64(&w->reply, w->sessions.len);
    vec_push(&w->arena, &w->sessions, s);
}

static struct runtime_session *find_session(struct worker *w, struct frame *f) {
    uint64_t number = judge_get_u64(f);
    if (f->failed || number >= w->sessions.len || !w->sessions.at[number].at) return NULL;
    return &w->sessions.at[number];
}

static struct judge_values get_inputs(struct worker *w, struct frame *f) {
    struct judge_values in = {.n = judge_get_count(f, 3 * sizeof(uint64_t))};
    in.at = arena_new_array(&w->job, struct judge_value, in.n + 1);
    for (uint32_t i = 0; i < in.n; i++) in.at[i] = judge_get_value(f, &w->job);
    return in;
}

static void run(struct worker *w, struct frame *f) {
    const struct runtime_session *s = find_session(w, f);
    struct judge_values in = get_inputs(w, f), out;
    uint32_t nwanted = judge_get_count(f, sizeof(uint64_t));
    const char **wanted = arena_new_array(&w->job, const char *, nwanted + 1);
    for (uint32_t i = 0; i < nwanted; i++) wanted[i] = judge_get_text(f);
    const char *why = "no such session";
    if (s && !f->failed)
        why = judge_runtime_run(&w->runtime, s, &in, wanted, nwanted, &w->job, &out);
    if (why) {
        fail(w, why);
        return;
    }
    succeed(w);
    judge_put_u64(&w->reply, out.n);
    for (uint32_t i = 0; i < out.n; i++) judge_put_value(&w->reply, &out.at[i]);
}

static void time_runs(struct worker *w, struct frame *f) {
    const struct runtime_session *s = find_session(w, f);
    struct judge_values in = get_inputs(w, f);
    struct judge_times out = {0};
    double seconds = 0;
    size_t len;
    const void *bytes = judge_get_bytes(f, &len);
    if (len == sizeof seconds) memcpy(&seconds, bytes, len);
    const char *why = "no such session";
    if (s && !f->failed)
        why = judge_runtime_time(&w->runtime, s, &in, seconds, &w->job, &out);
    if (why) {
        fail(w, why);
        return;
    }
    succeed(w);
    judge_put_bytes(&w->reply, out.at, out.n * sizeof *out.at);
}

static void unload(struct worker *w, struct frame *f) {
    struct runtime_session *s = find_session(w, f);
    if (s) judge_runtime_unload(&w->runtime, s);
    succeed(w);
}

/* Waits for what the parent does not send. */
static void sleep_on(int fd) {
    char nothing;
    child_read(fd, &nothing, 1);
}

static void serve(struct worker *w, struct frame *f, int fd) {
    switch ((enum judge_request)judge_get_u64(f)) {
    case JUDGE_LOAD: load(w, f); break;
    case JUDGE_RUN: run(w, f); break;
    case JUDGE_TIME: time_runs(w, f); break;
    case JUDGE_OUTLINE: outline(w, f); break;
    case JUDGE_UNLOAD: unload(w, f); break;
    case JUDGE_ABORT: abort();
    case JUDGE_SLEEP: sleep_on(fd); break;
    default: fail(w, "bad request");
    }
}

static bool send_reply(struct worker *w, int fd) {
    judge_frame_end(&w->reply);
    bool ok = os_write(fd, w->reply.at, w->reply.len);
    buf_free(&w->reply);
    return ok;
}

/* One request; false when there will be no more. */
static bool next(struct worker *w, int fd) {
    uint64_t len;
    if (!child_read(fd, &len, sizeof len) || len > SIZE_MAX / 2) return false;
    char *bytes = arena_alloc(&w->job, (size_t)len);
    bool ok = child_read(fd, bytes, (size_t)len);
    struct frame f = {bytes, bytes + len, false};
    if (ok) serve(w, &f, fd);
    if (ok) ok = send_reply(w, fd);
    arena_free(&w->job);
    return ok;
}

void judge_serve(int fd, void *ctx) {
    const struct worker_options *o = ctx;
    struct worker w = {.arena = ARENA_EMPTY};
    rw_set_oom_handler(NULL); /* that of the parent would clean up what is the parent's */
    const char *why = judge_runtime_open(&w.runtime, o, &w.arena);
    if (why) fail(&w, why);
    else {
        succeed(&w);
        judge_put_text(&w.reply, w.runtime.version);
    }
    if (!send_reply(&w, fd) || why) return;
    while (next(&w, fd)) continue;
}
