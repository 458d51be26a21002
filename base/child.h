/* child.h -- a child process that serves requests: foreign code may crash or hang in it.
 *
 * Parent and child are connected by one stream. The child has limits of its own, default
 * signals, /dev/null for output, and dies with its parent.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/base.h"

struct child { int pid, fd; }; /* pid 0: none */

/* Forks a child that calls serve(fd, ctx) and ends when that returns. It may use `memory`
 * bytes of address space beyond what the parent has. false with errno. */
bool child_start(struct child *c, void (*serve)(int fd, void *ctx), void *ctx,
                 uint64_t memory);
/* Ends the child, if it has not ended, and forgets it. *signal (or NULL): by which signal
 * it had ended of its own accord, or 0. */
void child_stop(struct child *c, int *signal);

enum child_io { CHILD_OK, CHILD_GONE, CHILD_LATE };
/* All bytes, before process_seconds() is `deadline`. */
enum child_io child_send(const struct child *c, const void *bytes, size_t len,
                         double deadline);
enum child_io child_receive(const struct child *c, void *bytes, size_t len,
                            double deadline);
/* In the child: all bytes, however long it takes; false when the parent is gone. */
bool child_read(int fd, void *bytes, size_t len);

/* "segmentation fault"; "a signal" for what has no name here. */
const char *child_signal_name(int signal);

#endif
