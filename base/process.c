/* process.c -- see process.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "base/process.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double process_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double process_peak_mib(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (double)usage.ru_maxrss / 1024; /* Linux: in KiB */
}

int64_t process_processors(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? n : 1;
}

bool process_stderr_is_terminal(void) { return isatty(STDERR_FILENO) == 1; }

static void (*clean_up)(void);

static void on_signal(int number) {
    clean_up();
    signal(number, SIG_DFL);
    raise(number);
}

/* A page of a mapped file is gone. */
static void on_lost_page(int number) {
    static const char text[] = "onnxrw: error: a file became shorter while it was read\n";
    RW_UNUSED(number);
    clean_up();
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(RW_FORMAT);
}

void process_on_interrupt(void (*clean)(void)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    clean_up = clean;
    signal(SIGXFSZ, SIG_IGN); /* write says EFBIG instead */
    signal(SIGBUS, on_lost_page);
    for (size_t i = 0; i < countof(numbers); i++) {
        struct sigaction action = {.sa_handler = on_signal}, old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue;
        sigaction(numbers[i], &action, NULL);
    }
}
