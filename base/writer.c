/* writer.c -- SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/writer.h"

#include "base/os.h"
#include "base/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

struct writer {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t changed;
    const void *bytes; /* of the piece under way, or NULL */
    size_t len;
    uint64_t position;
    int error; /* errno of the first failure; what comes after it is not written */
    bool ending;
};

static void write_piece(struct writer *w) {
    const void *bytes = w->bytes;
    size_t len = w->len;
    uint64_t position = w->position;
    bool skip = w->error != 0;
    pthread_mutex_unlock(&w->lock);
    bool ok = skip || os_write_pieces(w->fd, position, bytes, len);
    int error = errno;
    pthread_mutex_lock(&w->lock);
    if (!ok) w->error = error;
    w->bytes = NULL;
    pthread_cond_signal(&w->changed);
}

static void *run(void *writer) {
    struct writer *w = writer;
    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        if (w->bytes) write_piece(w);
        else pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* The thread inherits that all signals are blocked: handlers run in the caller's. */
static bool start(struct writer *w) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&w->thread, NULL, run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

struct writer *writer_new(int fd) {
    if (process_processors() < 2 || !os_is_regular(fd)) return NULL;
    struct writer *w = malloc(sizeof *w);
    if (!w) rw_out_of_memory();
    *w = (struct writer){.fd = fd};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (start(w)) return w;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

void writer_begin(struct writer *w, uint64_t position, const void *bytes, size_t len) {
    if (len == 0) return;
    pthread_mutex_lock(&w->lock);
    rw_assert(!w->bytes);
    w->bytes = bytes;
    w->len = len;
    w->position = position;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

bool writer_wait(struct writer *w) {
    pthread_mutex_lock(&w->lock);
    while (w->bytes) pthread_cond_wait(&w->changed, &w->lock);
    int error = w->error;
    pthread_mutex_unlock(&w->lock);
    if (error) errno = error;
    return !error;
}

void writer_free(struct writer *w) {
    if (!w) return;
    int error = errno;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    errno = error;
}
