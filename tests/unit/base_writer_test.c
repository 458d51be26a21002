/* Pieces that are written in the background.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "base/os.h"
#include "base/process.h"
#include "base/writer.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void pieces_are_written_in_order(void) {
    if (process_processors() < 2) return;
    char path[] = "/tmp/onnxrw-writer-XXXXXX";
    int fd = mkstemp(path);
    CU_ASSERT_TRUE_FATAL(fd >= 0);
    CU_ASSERT_TRUE(os_write(fd, "ab", 2));
    struct writer *w = writer_new(fd);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CU_ASSERT_TRUE(writer_wait(w)); /* nothing under way */
    static uint8_t piece[2][70000], got[700002]; /* over those that are written at a time */
    for (uint8_t i = 0; i < 10; i++) {
        memset(piece[i % 2], i, sizeof *piece);
        CU_ASSERT_TRUE(writer_wait(w));
        writer_begin(w, 2 + i * sizeof *piece, piece[i % 2], sizeof *piece);
    }
    CU_ASSERT_TRUE(writer_wait(w));
    writer_free(w);
    CU_ASSERT_TRUE(os_read_at(fd, 0, got, sizeof got));
    uint32_t wrong = memcmp(got, "ab", 2) != 0;
    for (size_t i = 0; i < 700000; i++) wrong += got[2 + i] != i / 70000;
    CU_ASSERT_EQUAL(wrong, 0);
    close(fd);
    unlink(path);
}

static void a_failure_is_told_and_stays(void) {
    if (process_processors() < 2) return;
    char path[] = "/tmp/onnxrw-writer-XXXXXX";
    close(mkstemp(path));
    int fd = open(path, O_RDONLY);
    struct writer *w = writer_new(fd);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    for (int i = 0; i < 2; i++) {
        writer_begin(w, 0, "x", 1);
        errno = 0;
        CU_ASSERT_FALSE(writer_wait(w));
        CU_ASSERT_EQUAL(errno, EBADF);
    }
    writer_free(w);
    close(fd);
    unlink(path);
}

static void a_pipe_has_no_writer(void) {
    int ends[2];
    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    CU_ASSERT_PTR_NULL(writer_new(ends[1]));
    writer_free(NULL);
    close(ends[0]);
    close(ends[1]);
}

void add_base_writer_suite(void);
void add_base_writer_suite(void) {
    CU_pSuite s = CU_add_suite("base: writing in the background", NULL, NULL);
    CU_ADD_TEST(s, pieces_are_written_in_order);
    CU_ADD_TEST(s, a_failure_is_told_and_stays);
    CU_ADD_TEST(s, a_pipe_has_no_writer);
}
