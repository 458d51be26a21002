/* process.c -- see process.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "base/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

/* The text stands in a file without a name, so that nobody waits for a pipe. */
static int run_with(char *const *argv, int input) {
    extern char **environ;
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status;
    if ((errno = posix_spawn_file_actions_init(&files)) != 0) return -1;
    errno = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    if (!errno) errno = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    int error = errno;
    posix_spawn_file_actions_destroy(&files);
    errno = error;
    if (error) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int process_run(char *const *argv, const void *text, size_t len) {
    FILE *input = tmpfile();
    if (!input) return -1;
    bool ok = fwrite(text, 1, len, input) == len && fflush(input) == 0;
    rewind(input);
    int status = ok ? run_with(argv, fileno(input)) : -1, error = errno;
    fclose(input);
    errno = error;
    return status;
}

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
