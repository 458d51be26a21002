/* ort.c -- the judge's side of the worker: jobs, their time, what ended a worker.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "judge/ort.h"
#include "base/child.h"
#include "base/process.h"
#include "judge/runtime/frame.h"
#include "judge/runtime/worker.h"

#define DEFAULT_SECONDS 60
#define DEFAULT_MEMORY ((uint64_t)8 << 30)

struct judge {
    struct arena arena;
    struct worker_options worker;
    double seconds;
    uint64_t memory;
    struct child child;
    struct buf request, reply;
    struct buf message;
    const char *version;
    /* Sessions count on when a worker is replaced: those before `first` are lost. */
    uint32_t first, next;
};

const char *judge_version(const struct judge *j) { return j->version; }
const char *judge_message(const struct judge *j) { return buf_text(&j->message); }

/* --- jobs --------------------------------------------------------------------------- */

static void say(struct judge *j, const char *text) {
    j->message.len = 0;
    buf_puts(&j->message, text);
}

static enum judge_outcome late(struct judge *j) {
    child_stop(&j->child, NULL);
    j->message.len = 0;
    buf_printf(&j->message, "the runtime took longer than %g s", j->seconds);
    return JUDGE_LATE;
}

static enum judge_outcome crashed(struct judge *j) {
    int number;
    child_stop(&j->child, &number);
    j->message.len = 0;
    buf_puts(&j->message, "the runtime ended");
    if (number)
        buf_printf(&j->message, " by signal %d (%s)", number, child_signal_name(number));
    return JUDGE_CRASHED;
}

static enum judge_outcome receive(struct judge *j, double deadline, struct frame *f) {
    uint64_t len;
    enum child_io io = child_receive(&j->child, &len, sizeof len, deadline);
    if (io == CHILD_OK && len > j->memory) io = CHILD_GONE; /* no worker writes that */
    if (io == CHILD_OK) {
        buf_free(&j->reply);
        buf_room(&j->reply, (size_t)len);
        io = child_receive(&j->child, j->reply.at, (size_t)len, deadline);
    }
    if (io == CHILD_LATE) return late(j);
    if (io == CHILD_GONE) return crashed(j);
    *f = (struct frame){j->reply.at, j->reply.at + len, false};
    if (judge_get_u64(f) == 1) return JUDGE_OK;
    const char *why = judge_get_text(f);
    say(j, why ? why : "the worker said nothing");
    return JUDGE_REFUSED;
}

static enum judge_outcome start(struct judge *j) {
    struct frame f;
    if (j->child.pid) return JUDGE_OK;
    j->first = j->next;
    if (!child_start(&j->child, judge_serve, &j->worker, j->memory)) {
        say(j, "no worker process can be made");
        return JUDGE_CRASHED;
    }
    enum judge_outcome o = receive(j, process_seconds() + j->seconds, &f);
    if (o == JUDGE_OK && !j->version) {
        const char *version = judge_get_text(&f);
        j->version = arena_strdup(&j->arena, version ? version : "?");
    }
    if (o == JUDGE_REFUSED) child_stop(&j->child, NULL);
    return o;
}

/* Sends the request that was written; *f is the reply behind its 1. */
static enum judge_outcome job(struct judge *j, struct frame *f) {
    double deadline = process_seconds() + j->seconds;
    judge_frame_end(&j->request);
    enum child_io io = child_send(&j->child, j->request.at, j->request.len, deadline);
    if (io == CHILD_LATE) return late(j);
    if (io == CHILD_GONE) return crashed(j);
    return receive(j, deadline, f);
}

static void request(struct judge *j, enum judge_request r) {
    judge_frame_begin(&j->request);
    judge_put_u64(&j->request, r);
}

/* --- open and close ----------------------------------------------------------------- */

static void not_there(struct judge *j, bool found, struct diag_sink *diags) {
    const char *where = found ? j->worker.library : "ONNX Runtime";
    diag_where(diags, DIAG_ERROR, where, found ? "cannot be used: %s" : "is not found: %s",
               judge_message(j));
    diag_where(diags, DIAG_HELP, where,
               "`pip install onnxruntime`, or name libonnxruntime.so by --ort or in "
               "ONNXRW_ORT");
}

enum rw_code judge_open(const struct judge_options *o, struct diag_sink *diags,
                        struct judge **out) {
    struct arena a = ARENA_EMPTY;
    struct judge *j = arena_new(&a, struct judge);
    const char *library = o->library ? o->library : judge_find(&a);
    j->worker = (struct worker_options){library, o->threads ? o->threads : 1, o->optimise,
                                        o->disabled};
    j->seconds = o->seconds > 0 ? o->seconds : DEFAULT_SECONDS;
    j->memory = o->memory ? o->memory : DEFAULT_MEMORY;
    j->child = (struct child){0, -1};
    j->arena = a;
    *out = j;
    if (start(j) == JUDGE_OK) return RW_OK;
    not_there(j, library != NULL, diags);
    judge_close(j);
    *out = NULL;
    return RW_USAGE;
}

void judge_close(struct judge *j) {
    if (!j) return;
    struct arena a = j->arena;
    child_stop(&j->child, NULL);
    buf_free(&j->request);
    buf_free(&j->reply);
    buf_free(&j->message);
    arena_free(&a);
}

/* --- models ------------------------------------------------------------------------- */

/* Which session of the worker that is; UINT32_MAX: lost with an earlier worker. */
static uint32_t of_worker(const struct judge *j, uint32_t session) {
    bool lives = j->child.pid && session >= j->first && session < j->next;
    return lives ? session - j->first : UINT32_MAX;
}

static enum judge_outcome job_on_model(struct judge *j, enum judge_request what,
                                       const struct judge_model *m, struct frame *f) {
    enum judge_outcome o = start(j);
    if (o != JUDGE_OK) return o;
    request(j, what);
    if (!judge_put_model(&j->request, m)) {
        say(j, "the file cannot be read");
        return JUDGE_REFUSED;
    }
    o = job(j, f);
    buf_free(&j->request);
    return o;
}

enum judge_outcome judge_load(struct judge *j, const struct judge_model *m,
                              uint32_t *session) {
    struct frame f;
    enum judge_outcome o = job_on_model(j, JUDGE_LOAD, m, &f);
    if (o == JUDGE_OK) *session = j->next++;
    return o;
}

enum judge_outcome judge_outline(struct judge *j, const struct judge_model *m,
                                 uint64_t *outline) {
    struct frame f;
    enum judge_outcome o = job_on_model(j, JUDGE_OUTLINE, m, &f);
    if (o == JUDGE_OK) *outline = judge_get_u64(&f);
    return o;
}

static bool read_values(struct frame *f, struct arena *a, struct judge_values *out) {
    *out = (struct judge_values){NULL, judge_get_count(f, 3 * sizeof(uint64_t))};
    out->at = arena_new_array(a, struct judge_value, out->n);
    for (uint32_t i = 0; i < out->n; i++) out->at[i] = judge_get_value(f, a);
    return !f->failed;
}

/* Writes the beginning of a request to run: session and inputs. */
static enum judge_outcome request_with(struct judge *j, enum judge_request what,
                                       uint32_t session, const struct judge_values *in) {
    uint32_t number = of_worker(j, session);
    if (number == UINT32_MAX) {
        say(j, "the session was lost with its worker");
        return JUDGE_CRASHED;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->at[i].tensor) continue;
        say(j, "only tensors can be inputs");
        return JUDGE_REFUSED;
    }
    request(j, what);
    judge_put_u64(&j->request, number);
    judge_put_u64(&j->request, in->n);
    for (uint32_t i = 0; i < in->n; i++) judge_put_value(&j->request, &in->at[i]);
    return JUDGE_OK;
}

static enum judge_outcome no_sense(struct judge *j) {
    say(j, "the worker's reply makes no sense");
    child_stop(&j->child, NULL);
    return JUDGE_CRASHED;
}

enum judge_outcome judge_run(struct judge *j, uint32_t session,
                             const struct judge_values *in, const char *const *wanted,
                             uint32_t nwanted, struct arena *a, struct judge_values *out) {
    struct frame f;
    enum judge_outcome o = request_with(j, JUDGE_RUN, session, in);
    if (o != JUDGE_OK) return o;
    judge_put_u64(&j->request, nwanted);
    for (uint32_t i = 0; i < nwanted; i++) judge_put_text(&j->request, wanted[i]);
    o = job(j, &f);
    return o != JUDGE_OK || read_values(&f, a, out) ? o : no_sense(j);
}

static bool read_times(struct frame *f, struct arena *a, struct judge_times *out) {
    size_t len;
    const void *bytes = judge_get_bytes(f, &len);
    if (f->failed || len == 0 || len % sizeof *out->at) return false;
    out->at = arena_copy(a, bytes, len);
    out->n = (uint32_t)(len / sizeof *out->at);
    return true;
}

enum judge_outcome judge_time(struct judge *j, uint32_t session,
                              const struct judge_values *in, double seconds,
                              struct arena *a, struct judge_times *out) {
    struct frame f;
    enum judge_outcome o = request_with(j, JUDGE_TIME, session, in);
    if (o != JUDGE_OK) return o;
    judge_put_bytes(&j->request, &seconds, sizeof seconds);
    o = job(j, &f);
    return o != JUDGE_OK || read_times(&f, a, out) ? o : no_sense(j);
}

void judge_unload(struct judge *j, uint32_t session) {
    struct frame f;
    uint32_t number = of_worker(j, session);
    if (number == UINT32_MAX) return;
    request(j, JUDGE_UNLOAD);
    judge_put_u64(&j->request, number);
    job(j, &f);
}

enum judge_outcome judge_once(struct judge *j, const struct judge_model *m,
                              const struct judge_values *in, struct arena *a,
                              struct judge_values *out) {
    uint32_t session;
    enum judge_outcome o = judge_load(j, m, &session);
    if (o != JUDGE_OK) return o;
    o = judge_run(j, session, in, NULL, 0, a, out);
    judge_unload(j, session);
    return o;
}

enum judge_outcome judge_provoke(struct judge *j, enum judge_fault fault) {
    struct frame f;
    enum judge_outcome o = start(j);
    if (o != JUDGE_OK) return o;
    request(j, fault == JUDGE_FAULT_ABORT ? JUDGE_ABORT : JUDGE_SLEEP);
    return job(j, &f);
}
