/* child.c -- see child.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "base/child.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- in the child ------------------------------------------------------------------- */

/* Handlers of the parent would clean up what is the parent's; those of sanitizers would
 * report what is expected of foreign code. */
static void default_signals(void) {
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
    signal(SIGINT, SIG_IGN); /* the parent is interrupted too, and ends this process */
    signal(SIGPIPE, SIG_IGN);
}

/* Address space now, of which a sanitizer reserves terabytes. */
static uint64_t address_space(void) {
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%llu", &pages) != 1) pages = 0;
    fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(uint64_t memory) {
    struct rlimit core = {0, 0}, space;
    uint64_t now = address_space();
    setrlimit(RLIMIT_CORE, &core);
    if (now == 0 || getrlimit(RLIMIT_AS, &space) != 0 || now + memory < now) return;
    if (space.rlim_cur != RLIM_INFINITY && space.rlim_cur < now + memory) return;
    space.rlim_cur = now + memory;
    setrlimit(RLIMIT_AS, &space);
}

/* Descriptors of the parent would keep alive its pipes to others. */
static void keep_only(int fd) {
    int null = open("/dev/null", O_RDWR);
    if (null >= 0)
        for (int i = 0; i < 3; i++) dup2(null, i);
    if (fd > 3) close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
}

static void run_child(int fd, int parent, void (*serve)(int fd, void *ctx), void *ctx,
                      uint64_t memory) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    default_signals();
    keep_only(fd);
    set_limits(memory);
    serve(fd, ctx);
    _exit(0);
}

bool child_read(int fd, void *bytes, size_t len) {
    for (size_t done = 0; done < len;) {
        ssize_t n = read(fd, (char *)bytes + done, len - done);
        if (n > 0) done += (size_t)n;
        else if (n == 0 || errno != EINTR) return false;
    }
    return true;
}

/* --- in the parent ------------------------------------------------------------------ */

bool child_start(struct child *c, void (*serve)(int fd, void *ctx), void *ctx,
                 uint64_t memory) {
    int pair[2], parent = getpid();
    *c = (struct child){0, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    int pid = fork();
    if (pid == 0) run_child(pair[1], parent, serve, ctx, memory);
    int error = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        errno = error;
        return false;
    }
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    *c = (struct child){pid, pair[0]};
    return true;
}

/* A child that is dying has closed its end already: it gets the time to tell how. */
static bool ended(int pid, int *status) {
    for (int i = 0; i < 20; i++) {
        if (waitpid(pid, status, WNOHANG) == pid) return true;
        usleep(5000);
    }
    return false;
}

void child_stop(struct child *c, int *how) {
    int status = 0;
    if (how) *how = 0;
    if (c->pid == 0) return;
    shutdown(c->fd, SHUT_RDWR); /* a child that waits for a request ends */
    if (!how || !ended(c->pid, &status)) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    } else if (WIFSIGNALED(status)) *how = WTERMSIG(status);
    close(c->fd);
    *c = (struct child){0, -1};
}

static enum child_io wait_for(int fd, short events, double deadline) {
    double left = deadline - process_seconds();
    struct pollfd p = {.fd = fd, .events = events};
    if (left <= 0) return CHILD_LATE;
    int n = poll(&p, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
    return n < 0 && errno != EINTR ? CHILD_GONE : CHILD_OK;
}

/* What a transfer that did not happen means: go on, or give up. */
static enum child_io again(int fd, short events, double deadline) {
    if (errno == EINTR) return CHILD_OK;
    return errno == EAGAIN ? wait_for(fd, events, deadline) : CHILD_GONE;
}

enum child_io child_send(const struct child *c, const void *bytes, size_t len,
                         double deadline) {
    for (size_t done = 0; done < len;) {
        ssize_t n = send(c->fd, (const char *)bytes + done, len - done, MSG_NOSIGNAL);
        if (n >= 0) done += (size_t)n;
        else {
            enum child_io io = again(c->fd, POLLOUT, deadline);
            if (io != CHILD_OK) return io;
        }
    }
    return CHILD_OK;
}

enum child_io child_receive(const struct child *c, void *bytes, size_t len,
                            double deadline) {
    for (size_t done = 0; done < len;) {
        ssize_t n = recv(c->fd, (char *)bytes + done, len - done, 0);
        if (n == 0) return CHILD_GONE;
        if (n > 0) done += (size_t)n;
        else {
            enum child_io io = again(c->fd, POLLIN, deadline);
            if (io != CHILD_OK) return io;
        }
    }
    return CHILD_OK;
}

const char *child_signal_name(int number) {
    switch (number) {
    case SIGSEGV: return "segmentation fault";
    case SIGABRT: return "abort";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception";
    case SIGILL: return "illegal instruction";
    case SIGKILL: return "kill";
    default: return "a signal";
    }
}
