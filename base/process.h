/* process.h -- what the command asks of the operating system about itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/base.h"

/* Seconds of a clock that never goes back. */
double process_seconds(void);
/* Most memory that the process held so far, in MiB; touched pages of mapped files are
 * part of it. */
double process_peak_mib(void);
/* Processors that this process may use; at least 1. */
int64_t process_processors(void);
bool process_stderr_is_terminal(void);
/* Calls `clean` (only what a signal handler may do) when the process is interrupted,
 * hung up or terminated, then ends it by that signal; where a mapped file was cut off
 * meanwhile, with a message and status 3. A file that grows too large fails to be written. */
void process_on_interrupt(void (*clean)(void));

/* Runs a program, found as a shell finds it, with the text as its standard input; its exit
 * status, or -1 with errno when it could not be run. */
int process_run(char *const *argv, const void *text, size_t len);

#endif
