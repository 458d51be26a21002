/* os.c -- SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/os.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <linux/fs.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *os_error(void) { return errno ? strerror(errno) : "the file ends before"; }

static char *join(const char *folder, const char *sep, const char *name) {
    size_t a = strlen(folder), b = strlen(sep), c = strlen(name);
    char *out = malloc(a + b + c + 1);
    if (!out) rw_out_of_memory();
    memcpy(out, folder, a);
    memcpy(out + a, sep, b);
    memcpy(out + a + b, name, c + 1);
    return out;
}

/* --- reading ---------------------------------------------------------------------- */

static struct os_stamp stamp_of(const struct stat *s) {
    return (struct os_stamp){(uint64_t)s->st_dev, (uint64_t)s->st_ino, (uint64_t)s->st_size,
                             (int64_t)s->st_mtim.tv_sec, (int64_t)s->st_mtim.tv_nsec};
}

static int open_retry(const char *path, int flags, mode_t mode) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* In the folder for temporary files. */
int os_nameless(void) {
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    int fd = open_retry(folder, O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0) return fd;
    char *path = join(folder, "/", "onnxrw-XXXXXX");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    free(path);
    return fd;
}

static ssize_t read_retry(int fd, void *to, size_t len) {
    ssize_t n;
    do n = read(fd, to, len);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Replaces a stream, which might never end, by a nameless file with its contents. */
static bool spool(int *fd) {
    int to = os_nameless();
    char *buffer = malloc(OS_WRITE_PIECE);
    if (!buffer) rw_out_of_memory();
    bool ok = to >= 0;
    for (ssize_t n = 1; ok && n > 0;) {
        n = read_retry(*fd, buffer, OS_WRITE_PIECE);
        ok = n >= 0 && os_write(to, buffer, (size_t)n);
    }
    int error = errno;
    free(buffer);
    close(*fd);
    *fd = to;
    errno = error;
    return ok;
}

/* An errno for folders, and for devices such as /dev/zero or a disk; else 0. */
static int no_source(const struct stat *s, int fd, bool is_stdin) {
    if (S_ISDIR(s->st_mode)) return EISDIR;
    bool is_device = S_ISCHR(s->st_mode) || S_ISBLK(s->st_mode);
    return is_device && !is_stdin && !isatty(fd) ? EINVAL : 0;
}

bool os_open(const char *path, struct os_file *out) {
    bool is_stdin = rw_streq(path, "-");
    int fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open_retry(path, O_RDONLY, 0);
    struct stat s;
    *out = OS_CLOSED;
    if (fd < 0) return false;
    if (fstat(fd, &s)) goto failed;
    errno = no_source(&s, fd, is_stdin);
    if (errno) goto failed;
    bool whole = S_ISREG(s.st_mode) && (!is_stdin || lseek(fd, 0, SEEK_CUR) == 0);
    if (!whole && (!spool(&fd) || fstat(fd, &s))) goto failed;
    *out = (struct os_file){fd, stamp_of(&s)};
    return true;
failed:;
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return false;
}

void os_close(struct os_file *f) {
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

bool os_same_file(const struct os_stamp *a, const struct os_stamp *b) {
    return a->device == b->device && a->inode == b->inode;
}

bool os_same_state(const struct os_stamp *a, const struct os_stamp *b) {
    return os_same_file(a, b) && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

bool os_unchanged(const struct os_file *f) {
    struct stat s;
    if (fstat(f->fd, &s)) return false;
    struct os_stamp now = stamp_of(&s);
    return os_same_state(&now, &f->stamp);
}

const void *os_map(const struct os_file *f) {
    if (f->stamp.size == 0 || f->stamp.size > SIZE_MAX) return NULL;
    void *map = mmap(NULL, (size_t)f->stamp.size, PROT_READ, MAP_PRIVATE, f->fd, 0);
    if (map == MAP_FAILED) return NULL;
    madvise(map, (size_t)f->stamp.size, MADV_RANDOM); /* here and there a page */
    return map;
}

/* For the pages that lie in the range as a whole; a hint, so failures do not matter. */
void os_map_release(const void *from, size_t len) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)from;
    uintptr_t first = (begin + page - 1) / page * page, end = (begin + len) / page * page;
    if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

void os_unmap(const void *map, uint64_t size) {
    if (map) munmap((void *)(uintptr_t)map, (size_t)size);
}

uint64_t os_next_data(const struct os_file *f, uint64_t at) {
    if (at >= f->stamp.size || at > INT64_MAX) return f->stamp.size;
    off_t data = lseek(f->fd, (off_t)at, SEEK_DATA);
    if (data >= 0) return (uint64_t)data;
    /* No data behind; but that reading fails must show where the file is shorter now. */
    struct stat s;
    bool whole = errno == ENXIO && fstat(f->fd, &s) == 0 &&
                 (uint64_t)s.st_size >= f->stamp.size;
    return whole ? f->stamp.size : at;
}

bool os_read_at(int fd, uint64_t offset, void *to, size_t len) {
    char *at = to;
    while (len) {
        if (offset > INT64_MAX) return errno = EOVERFLOW, false;
        ssize_t n = pread(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        at += n, offset += (uint64_t)n, len -= (size_t)n;
    }
    return true;
}

/* Neither absolute nor with a component "..". */
static bool stays_below(const char *path) {
    if (*path == '/' || !*path) return false;
    for (const char *at = path; at;) {
        if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == 0)) return false;
        at = strchr(at, '/');
        if (at) at++;
    }
    return true;
}

static bool is_prefix_folder(const char *folder, const char *path) {
    size_t n = strlen(folder);
    if (rw_streq(folder, "/")) return true;
    return strncmp(folder, path, n) == 0 && path[n] == '/';
}

enum os_within os_open_within(const char *folder, const char *path, struct os_file *out) {
    *out = OS_CLOSED;
    if (!stays_below(path)) return OS_OUTSIDE;
    char *joined = join(folder, "/", path), *root = realpath(folder, NULL);
    char *real = root ? realpath(joined, NULL) : NULL;
    int error = errno;
    enum os_within found = !real                           ? OS_UNREADABLE
                           : is_prefix_folder(root, real) ? OS_WITHIN
                                                          : OS_OUTSIDE;
    if (found == OS_WITHIN) {
        struct stat s;
        /* O_NONBLOCK: opening a pipe must not wait for a writer. */
        int fd = open_retry(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
        if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
            *out = (struct os_file){fd, stamp_of(&s)};
        } else {
            error = fd < 0 ? errno : EINVAL;
            if (fd >= 0) close(fd);
            found = OS_UNREADABLE;
        }
    }
    free(joined);
    free(root);
    free(real);
    errno = error;
    return found;
}

/* --- paths ------------------------------------------------------------------------ */

char *os_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return join(".", "", "");
    char *out = join(path, "", "");
    out[slash == path ? 1 : slash - path] = 0;
    return out;
}

const char *os_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool os_stat(const char *path, struct os_stamp *out) {
    struct stat s;
    if (stat(path, &s)) return false;
    *out = stamp_of(&s);
    return true;
}

char *os_resolve(const char *path) { return realpath(path, NULL); }

char **os_list(const char *folder, size_t *n) {
    struct dirent **found;
    int count = scandir(folder, &found, NULL, alphasort);
    if (count < 0) return NULL;
    char **names = calloc((size_t)count + 1, sizeof *names);
    if (!names) rw_out_of_memory();
    for (int i = 0; i < count; i++) {
        names[i] = join("", "", found[i]->d_name);
        free(found[i]);
    }
    free(found);
    *n = (size_t)count;
    return names;
}

char *os_program_folder(void) {
    char *program = os_resolve("/proc/self/exe");
    char *folder = program ? os_folder(program) : NULL;
    free(program);
    return folder;
}

char *os_library_folder(void) {
    Dl_info here, program;
    static const char mark;
    if (!dladdr(&mark, &here) || !here.dli_fname || *here.dli_fname != '/') return NULL;
    /* The program is what the kernel mapped where its headers lie. */
    void *headers = (void *)getauxval(AT_PHDR);
    if (dladdr(headers, &program) && program.dli_fbase == here.dli_fbase) return NULL;
    char *library = os_resolve(here.dli_fname);
    char *folder = library ? os_folder(library) : NULL;
    free(library);
    return folder;
}

bool os_make_folders(const char *path, size_t *made) {
    char *copy = join(path, "", "");
    bool ok = true;
    *made = 0;
    for (char *at = strchr(copy + 1, '/'); ok && at; at = strchr(at + 1, '/')) {
        *at = 0;
        bool now = mkdir(copy, 0777) == 0;
        if (now && !*made) *made = (size_t)(at - copy);
        ok = now || errno == EEXIST;
        *at = '/';
    }
    int error = errno;
    free(copy);
    errno = error;
    return ok;
}

void os_remove_folders(const char *path, size_t made) {
    char *copy = join(path, "", "");
    for (char *at = strrchr(copy, '/'); made && at && (size_t)(at - copy) >= made;
         at = strrchr(copy, '/')) {
        *at = 0;
        if (rmdir(copy)) break;
    }
    free(copy);
}

bool os_remove(const char *path) { return unlink(path) == 0; }

/* --- writing ---------------------------------------------------------------------- */

/* Temporary files to remove when the process must end. */
struct unfinished {
    const char *path;
    struct unfinished *next;
};
static struct unfinished *volatile unfinished;

static void remember(const char *path) {
    struct unfinished *u = malloc(sizeof *u);
    if (!u) rw_out_of_memory();
    *u = (struct unfinished){path, unfinished};
    unfinished = u;
}

static void forget(const char *path) {
    struct unfinished *before = NULL, *u = unfinished;
    while (u && u->path != path) before = u, u = u->next;
    if (!u) return;
    if (before) before->next = u->next;
    else unfinished = u->next;
    free(u);
}

void os_abandon_all(void) {
    for (const struct unfinished *u = unfinished; u; u = u->next) unlink(u->path);
}

static bool open_direct(const char *path, struct os_output *out) {
    out->fd = rw_streq(path, "-") ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                  : open_retry(path, O_WRONLY, 0);
    return out->fd >= 0;
}

static bool open_temporary(struct os_output *out, mode_t mode) {
    for (unsigned i = 0; i < 100; i++) {
        char suffix[48];
        snprintf(suffix, sizeof suffix, ".%ld-%u.tmp", (long)getpid(), i);
        char *path = join(out->path, "", suffix);
        remember(path); /* before it is there: a signal that comes meanwhile finds it */
        out->fd = open_retry(path, O_RDWR | O_CREAT | O_EXCL, mode);
        if (out->fd >= 0) {
            out->temporary = path;
            return true;
        }
        int error = errno;
        forget(path);
        free(path);
        errno = error;
        if (error != EEXIST) return false;
    }
    return false;
}

bool os_create(const char *path, struct os_output *out) {
    struct stat s;
    bool exists = !rw_streq(path, "-") && stat(path, &s) == 0;
    *out = (struct os_output){.fd = -1};
    if (exists && S_ISDIR(s.st_mode)) return errno = EISDIR, false;
    if (rw_streq(path, "-") || (exists && !S_ISREG(s.st_mode)))
        return open_direct(path, out);
    /* Through a link its target is replaced, as by cp. */
    out->path = exists ? realpath(path, NULL) : join(path, "", "");
    if (out->path && open_temporary(out, exists ? s.st_mode & 0777 : 0666)) {
        if (exists) (void)!fchmod(out->fd, s.st_mode & 0777);
        return true;
    }
    int error = errno;
    free(out->path);
    *out = (struct os_output){.fd = -1};
    errno = error;
    return false;
}

bool os_write(int fd, const void *bytes, size_t len) {
    const char *at = bytes;
    while (len) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        at += n, len -= (size_t)n;
    }
    return true;
}

bool os_write_pieces(int fd, uint64_t position, const void *bytes, size_t len) {
    const char *at = bytes;
    for (size_t n; len; at += n, position += n, len -= n) {
        n = OS_WRITE_PIECE - (size_t)(position % OS_WRITE_PIECE);
        if (n > len) n = len;
        if (!os_write(fd, at, n)) return false;
    }
    return true;
}

bool os_is_regular(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

/* In pieces of a buffer, not by copy_file_range: measured on ext4 that takes 1.3 to 1.8
 * times as long where no blocks are shared, and writing from a mapping 1.7 times. */
static bool copy_pieces(int out, const struct os_file *in, bool holes) {
    char *buffer = malloc(OS_WRITE_PIECE);
    if (!buffer) rw_out_of_memory();
    bool ok = true;
    for (uint64_t at = 0; ok && at < in->stamp.size;) {
        uint64_t data = holes ? os_next_data(in, at) : at, left = in->stamp.size - data;
        size_t n = left < OS_WRITE_PIECE ? (size_t)left : OS_WRITE_PIECE;
        ok = (data == at || lseek(out, (off_t)data, SEEK_SET) >= 0) &&
             os_read_at(in->fd, data, buffer, n) && os_write(out, buffer, n);
        at = data + n;
    }
    if (ok && holes) ok = ftruncate(out, (off_t)in->stamp.size) == 0; /* one at the end */
    int error = errno;
    free(buffer);
    errno = error;
    return ok;
}

/* May parts of the empty output be passed over? Not of a pipe, nor when appending. */
static bool can_have_holes(int out) {
    struct stat s;
    int flags = fcntl(out, F_GETFL);
    return fstat(out, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0 && flags >= 0 &&
           !(flags & O_APPEND) && lseek(out, 0, SEEK_CUR) == 0;
}

bool os_copy(int out, const struct os_file *in) {
    return ioctl(out, FICLONE, in->fd) == 0 || copy_pieces(out, in, can_have_holes(out));
}

static void free_output(struct os_output *o) {
    forget(o->temporary);
    free(o->temporary);
    free(o->path);
    *o = (struct os_output){.fd = -1};
}

void os_abandon(struct os_output *o) {
    int error = errno;
    if (o->fd >= 0) close(o->fd);
    if (o->temporary) unlink(o->temporary);
    free_output(o);
    errno = error;
}

static bool sync_folder(const char *path) {
    char *folder = os_folder(path);
    int fd = open_retry(folder, O_RDONLY | O_DIRECTORY, 0);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    free(folder);
    return ok;
}

bool os_commit(struct os_output *o, bool durable) {
    if (durable && o->temporary && fsync(o->fd)) return os_abandon(o), false;
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) || (o->temporary && rename(o->temporary, o->path)))
        return os_abandon(o), false;
    bool ok = !durable || !o->temporary || sync_folder(o->path);
    free_output(o);
    return ok;
}
