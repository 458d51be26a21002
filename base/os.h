/* os.h -- everything that is of the operating system: files, mappings, copying, temporary
 * files and their renaming.
 *
 * Functions that return bool set errno on failure; os_error() is its text.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_OS_H
#define BASE_OS_H

#include "base/base.h"

/* What tells one state of one file from another. */
struct os_stamp {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* last modified */
};
struct os_file {
    int fd; /* -1: closed */
    struct os_stamp stamp;
};
#define OS_CLOSED ((struct os_file){.fd = -1})

const char *os_error(void);

/* --- reading ---------------------------------------------------------------------- */
/* Opens a file for reading. What is not a regular file (a pipe, "-" for standard input)
 * is first copied to a temporary file that has no name any more, 2 GiB of it at most. Folders
 * and devices (but for a terminal) are refused. */
bool os_open(const char *path, struct os_file *out);
void os_close(struct os_file *f);
/* An empty file without a name, to be written and read by those who are given its number; -1
 * with errno. */
int os_nameless(void);
/* Is the file as it was when it was opened? */
bool os_unchanged(const struct os_file *f);
bool os_same_file(const struct os_stamp *a, const struct os_stamp *b);
bool os_same_state(const struct os_stamp *a, const struct os_stamp *b);
/* The whole file in memory, read where touched; NULL for an empty or unreadable file. */
const void *os_map(const struct os_file *f);
/* Gives back the memory of a part of a mapping; it is read again where it is touched. The
 * kernel brings in up to 2 MiB for a byte that is touched. */
void os_map_release(const void *from, size_t len);
void os_unmap(const void *map, uint64_t size);
/* Where data begins at or behind `at`, or the file's size: what lies between is a hole,
 * which reads as zeros. `at` itself where holes cannot be told from data. */
uint64_t os_next_data(const struct os_file *f, uint64_t at);
/* All len bytes from `offset`, or false (errno 0: the file ends before). */
bool os_read_at(int fd, uint64_t offset, void *to, size_t len);

enum os_within { OS_WITHIN, OS_OUTSIDE, OS_UNREADABLE };
/* Opens folder/path where that, links followed, is a regular file in the folder or below.
 * OS_OUTSIDE: absolute, with "..", or a link that leads out. OS_UNREADABLE: see errno. */
enum os_within os_open_within(const char *folder, const char *path, struct os_file *out);

/* --- paths ------------------------------------------------------------------------ */
/* "a/b" of "a/b/c.onnx", "." of "c.onnx"; malloc'ed. */
char *os_folder(const char *path);
const char *os_basename(const char *path);
/* Device and inode of what is there, or false. */
bool os_stat(const char *path, struct os_stamp *out);
/* The path without links and "..", malloc'ed; NULL with errno when it does not exist. */
char *os_resolve(const char *path);
/* The names of what lies in a folder, sorted; NULL when it cannot be read. Each is freed by the
 * caller, and the list. */
char **os_list(const char *folder, size_t *n);
/* Where the running program lies, links followed; malloc'ed, NULL when it cannot be told. */
char *os_program_folder(void);
/* Where the shared library lies that this function is part of, links followed; malloc'ed,
 * NULL when it is part of the program itself. */
char *os_library_folder(void);
/* Makes the folders above `path`. *made: bytes of the path that name the outermost one
 * that was not there, 0 when all were; kept on failure too. */
bool os_make_folders(const char *path, size_t *made);
/* Removes the folders above `path` down from that one, as far as they are empty. */
void os_remove_folders(const char *path, size_t made);
bool os_remove(const char *path);

/* --- writing ---------------------------------------------------------------------- */
/* An output that appears complete or not at all: a temporary file beside `path`, renamed
 * by os_commit. "-" and what is no regular file (/dev/null, a pipe) are written directly.
 */
struct os_output {
    int fd;
    char *path, *temporary; /* temporary NULL: written directly */
};
bool os_create(const char *path, struct os_output *out);
bool os_write(int fd, const void *bytes, size_t len);
bool os_is_regular(int fd);
/* Files are written fastest in pieces of this size that begin at multiples of it: of larger
 * ones the kernel makes larger pages, for which it has to find memory that nobody used yet. */
#define OS_WRITE_PIECE ((size_t)128 << 10)
/* In such pieces; the file is at `position`. */
bool os_write_pieces(int fd, uint64_t position, const void *bytes, size_t len);
/* Makes an empty file a copy of a whole other one, sharing its blocks where the file
 * system can do that; holes stay holes. */
bool os_copy(int out, const struct os_file *in);
/* Gives the file its name; durable: on the disk before returning. Frees *o, also when it
 * fails, and then nothing remains. */
bool os_commit(struct os_output *o, bool durable);
void os_abandon(struct os_output *o);
/* Removes the temporary files of outputs not yet committed; callable in a signal handler
 * and when memory has run out. */
void os_abandon_all(void);

#endif
