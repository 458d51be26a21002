/* intern.h -- equal texts get equal ids.
 *
 * Ids are dense from 1 in order of first use; SYM_NONE (0) is the empty text. A pack and
 * a model have an interner each: ids of one mean nothing in the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/map.h"

typedef uint32_t sym_t;
#define SYM_NONE 0u

struct intern {
    struct arena *arena;
    struct hset set;
    const char **text;
    uint32_t len, cap;
};

void intern_init(struct intern *in, struct arena *a);
sym_t intern(struct intern *in, const char *text);
sym_t intern_n(struct intern *in, const char *text, size_t len);
/* The id of a text already seen, or MAP_NONE. Adds nothing. */
sym_t intern_find(const struct intern *in, const char *text);
/* The text of an id; lives as long as the interner's arena. */
static inline const char *intern_text(const struct intern *in, sym_t id) {
    rw_assert(id < in->len);
    return in->text[id];
}

#endif
