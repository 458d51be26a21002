/* Child processes: requests, and what a child does that goes wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/child.h"
#include "base/os.h"
#include "base/process.h"

#include <CUnit/Basic.h>

/* Answers each byte by its successor; 'x' aborts, 's' is not answered, 'm' takes memory. */
static void serve(int fd, void *ctx) {
    const char *add = ctx;
    char c;
    while (child_read(fd, &c, 1)) {
        if (c == 'x') abort();
        if (c == 's') continue;
        if (c == 'm') c = malloc((size_t)1 << 30) ? 'Y' : 'N';
        else c = (char)(c + *add);
        if (!os_write(fd, &c, 1)) return;
    }
}

static struct child start(uint64_t memory) {
    static char one = 1;
    struct child c;
    CU_ASSERT_TRUE_FATAL(child_start(&c, serve, &one, memory));
    return c;
}

static double soon(void) { return process_seconds() + 20; }

static void a_child_answers_until_it_is_stopped(void) {
    struct child c = start((uint64_t)1 << 32);
    char got[3] = {0};
    int signal;
    CU_ASSERT_EQUAL(child_send(&c, "abc", 3, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(child_receive(&c, got, 3, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(memcmp(got, "bcd", 3), 0);
    child_stop(&c, &signal);
    CU_ASSERT_EQUAL(signal, 0);
    CU_ASSERT_EQUAL(c.pid, 0);
    child_stop(&c, NULL); /* of none: nothing */
}

static void a_crash_is_told_by_its_signal(void) {
    struct child c = start((uint64_t)1 << 32);
    char got;
    int signal;
    CU_ASSERT_EQUAL(child_send(&c, "x", 1, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(child_receive(&c, &got, 1, soon()), CHILD_GONE);
    child_stop(&c, &signal);
    CU_ASSERT_EQUAL(signal, 6);
    CU_ASSERT_STRING_EQUAL(child_signal_name(signal), "abort");
}

static void silence_ends_at_the_deadline(void) {
    struct child c = start((uint64_t)1 << 32);
    char got;
    double begin = process_seconds();
    CU_ASSERT_EQUAL(child_send(&c, "s", 1, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(child_receive(&c, &got, 1, begin + 0.2), CHILD_LATE);
    CU_ASSERT_TRUE(process_seconds() - begin >= 0.2);
    child_stop(&c, NULL);
}

/* A sanitizer's allocator ends the process instead; then there is no answer. */
static void memory_is_limited(void) {
    struct child c = start((uint64_t)1 << 28), wide = start((uint64_t)1 << 33);
    char got = 'N';
    CU_ASSERT_EQUAL(child_send(&c, "m", 1, soon()), CHILD_OK);
    if (child_receive(&c, &got, 1, soon()) == CHILD_OK) CU_ASSERT_EQUAL(got, 'N');
    CU_ASSERT_EQUAL(child_send(&wide, "m", 1, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(child_receive(&wide, &got, 1, soon()), CHILD_OK);
    CU_ASSERT_EQUAL(got, 'Y');
    child_stop(&c, NULL);
    child_stop(&wide, NULL);
}

void add_base_child_suite(void);
void add_base_child_suite(void) {
    CU_pSuite s = CU_add_suite("base_child", NULL, NULL);
    CU_ADD_TEST(s, a_child_answers_until_it_is_stopped);
    CU_ADD_TEST(s, a_crash_is_told_by_its_signal);
    CU_ADD_TEST(s, silence_ends_at_the_deadline);
    CU_ADD_TEST(s, memory_is_limited);
}
