/* session.c -- printing and writing for the commands.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/os.h"
#include "cli/cli.h"

#include <stdio.h>

static enum diag_level lowest_level(const struct session *s) {
    return s->options.verbosity < 0 ? DIAG_ERROR
           : s->options.verbosity > 0 ? DIAG_NOTE : DIAG_WARNING;
}

void session_flush(struct session *s) {
    if (s->diags.list.len == s->printed) return;
    struct diag_sink rest = s->diags; /* what was not printed yet */
    rest.list.at += s->printed;
    rest.list.len -= s->printed;
    struct buf text = {0};
    diag_print_all(&rest, lowest_level(s), &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    s->printed = s->diags.list.len;
}

enum rw_code session_usage(struct session *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "onnxrw: error: %s\n", arena_vprintf(&s->arena, format, args));
    va_end(args);
    return RW_USAGE;
}

const struct diag_source *session_read(struct session *s, const char *path) {
    struct os_file file;
    if (!os_open(path, &file)) {
        diag_where(&s->diags, DIAG_ERROR, path, "cannot be read: %s", os_error());
        return NULL;
    }
    size_t len = (size_t)file.stamp.size;
    if (file.stamp.size > UINT32_MAX) { /* places in it are 32 bits wide */
        diag_where(&s->diags, DIAG_ERROR, path, "is larger than 4 GiB");
        os_close(&file);
        return NULL;
    }
    char *text = arena_alloc(&s->arena, len + 1);
    bool ok = os_read_at(file.fd, 0, text, len);
    text[len] = 0;
    os_close(&file);
    if (!ok) diag_where(&s->diags, DIAG_ERROR, path, "cannot be read: %s", os_error());
    struct diag_source *source = arena_new(&s->arena, struct diag_source);
    *source = (struct diag_source){path, text, len};
    return ok ? source : NULL;
}

static enum rw_code cannot_write(struct session *s, const char *path) {
    diag_where(&s->diags, DIAG_ERROR, path, "cannot be written: %s", os_error());
    return RW_OUTPUT;
}

enum rw_code session_write(struct session *s, const char *path, const struct buf *text) {
    struct os_output out;
    if (!os_create(path, &out)) return cannot_write(s, path);
    if (!os_write(out.fd, buf_text(text), text->len)) {
        enum rw_code code = cannot_write(s, path);
        os_abandon(&out);
        return code;
    }
    return os_commit(&out, s->options.durable) ? RW_OK : cannot_write(s, path);
}

enum rw_code session_can_write(struct session *s, const char *path) {
    struct os_output out;
    if (!os_create(path, &out)) return cannot_write(s, path);
    os_abandon(&out);
    return RW_OK;
}

const char *session_rename(struct session *s, const char *path, const char *from,
                           const char *to) {
    size_t len = strlen(path), tail = strlen(from);
    if (len > tail && rw_streq(path + len - tail, from)) len -= tail;
    return arena_printf(&s->arena, "%.*s%s", (int)len, path, to);
}
