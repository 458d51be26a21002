/* einsum.c -- Einsum: letters bound to dims.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/infer/rules.h"

#include <ctype.h>

struct einsum {
    ir_dim of[128];   /* by letter */
    bool bound[128];
    uint32_t count[128]; /* how often a letter stands in the operands */
    struct infer_shape ellipsis;
};

static uint32_t letters_in(const char *from, const char *to) {
    uint32_t n = 0;
    for (; from < to; from++) n += isalpha((unsigned char)*from) != 0;
    return n;
}

/* Binds the letters of one operand's subscript [from, to). */
static bool bind_operand(struct infer *x, struct einsum *e, const char *from,
                         const char *to, const struct infer_shape *s) {
    uint32_t letters = letters_in(from, to), at = 0;
    if (letters > s->rank)
        return infer_fail(x, "the equation has %u letters for an operand of rank %u",
                          letters, s->rank);
    for (; from < to; from++) {
        unsigned char c = (unsigned char)*from;
        if (c == '.' && from + 2 < to && from[1] == '.' && from[2] == '.') {
            struct infer_shape dots = {.rank = s->rank - letters};
            memcpy(dots.dim, s->dim + at, dots.rank * sizeof *s->dim);
            if (!infer_broadcast_with(x, &e->ellipsis, &dots)) return false;
            at += dots.rank;
            from += 2;
        } else if (isalpha(c) && c < 128 && at < s->rank) {
            ir_dim d = s->dim[at++];
            e->of[c] = e->bound[c] ? ir_dim_broadcast(x->d, e->of[c], d) : d;
            e->bound[c] = true;
            e->count[c]++;
        }
    }
    return true;
}

/* Without "->": the dots, then every letter that stands once, in alphabetical order. */
static void implicit_output(const struct einsum *e, struct infer_shape *out) {
    *out = e->ellipsis;
    for (uint32_t c = 0; c < 128; c++)
        if (e->bound[c] && e->count[c] == 1 && out->rank < INFER_MAX_RANK)
            out->dim[out->rank++] = e->of[c];
}

static void explicit_output(const struct einsum *e, const char *p,
                            struct infer_shape *out) {
    out->rank = 0;
    for (; *p && out->rank < INFER_MAX_RANK; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '.') {
            uint32_t room = INFER_MAX_RANK - out->rank;
            uint32_t n = rw_min_u32(room, e->ellipsis.rank);
            memcpy(out->dim + out->rank, e->ellipsis.dim, n * sizeof *out->dim);
            out->rank += n;
            while (p[1] == '.') p++;
        } else if (isalpha(c) && c < 128) {
            out->dim[out->rank++] = e->of[c]; /* unbound: unknown */
        }
    }
}

bool infer_einsum(struct infer *x) {
    const char *p = infer_string(x, "equation"), *arrow = strstr(p, "->");
    const char *end = arrow ? arrow : p + strlen(p);
    struct einsum e = {.ellipsis = {0}};
    struct infer_shape s, out;
    infer_set_unranked(x, 0, infer_dtype(x, 0), 0);
    for (uint32_t k = 0; k < x->nin; k++) {
        const char *to = memchr(p, ',', (size_t)(end - p));
        if (!to) to = end;
        if (!infer_shape_of(x, k, &s)) return true;
        if (!bind_operand(x, &e, p, to, &s)) return false;
        p = to < end ? to + 1 : end;
    }
    if (arrow) explicit_output(&e, arrow + 2, &out);
    else implicit_output(&e, &out);
    infer_set(x, 0, infer_dtype(x, 0), &out);
    return true;
}
