/* predicate.c -- native predicates: `predicate is_nice(value, int)`.
 *
 * What they say is computed by a plug-in; a pack declares what it hands over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"
#include "dsl/lower.h"

#define MOST_ARGS 8u

static const char *const arg_names[PRED_N] = {
#define X(name) #name,
    PREDICATE_ARGS(X)
#undef X
};

static bool read_type(struct load *ld, const struct ast_word *w, uint32_t *out) {
    for (*out = 0; *out < PRED_N; ++*out)
        if (!w->optional && rw_streq(arg_names[*out], w->text)) return true;
    dsl_load_error(ld, w->at, "an argument of a predicate cannot be a \"%s%s\"", w->text,
                   w->optional ? "?" : "");
    diag_at(ld->diags, DIAG_HELP, w->at, "types are value, int, float, string and ints");
    return false;
}

static struct rule_predicate *declaration(struct load *ld, const struct ast_top *t) {
    uint32_t n = t->names.len, *args = arena_new_array(ld->arena, uint32_t, MOST_ARGS);
    const char *text = "";
    if (n > MOST_ARGS) {
        dsl_load_error(ld, t->at, "a predicate of more than %u arguments", MOST_ARGS);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!read_type(ld, &t->names.at[i], &args[i])) return NULL;
        text = arena_printf(ld->arena, "%s%s%s", text, i ? ", " : "", arg_names[args[i]]);
    }
    struct rule_predicate *p = arena_new(ld->arena, struct rule_predicate);
    *p = (struct rule_predicate){
        .name = t->name.text,
        .signature = arena_printf(ld->arena, "%s(%s)", t->name.text, text),
        .nargs = n, .args = args, .at = t->name.at};
    return p;
}

static void declare(struct unit *u, const struct ast_top *t) {
    struct load *ld = u->load;
    sym_t name = intern(&ld->names, t->name.text);
    uint32_t other = map_get(&u->predicate_index, name);
    if (dsl_is_function(t->name.text)) {
        dsl_load_error(ld, t->name.at, "\"%s\" is a function of the language",
                       t->name.text);
        return;
    }
    if (other != MAP_NONE) {
        dsl_load_error(ld, t->name.at, "a second predicate \"%s\"", t->name.text);
        diag_at(ld->diags, DIAG_NOTE, u->predicates.at[other]->at, "the first is here");
        return;
    }
    struct rule_predicate *p = declaration(ld, t);
    if (!p) return;
    map_put(&u->predicate_index, name, u->predicates.len);
    vec_push(ld->arena, &u->predicates, p);
}

void dsl_declare_predicates(struct unit *u) {
    for (uint32_t i = 0; i < u->file->tops.len; i++)
        if (u->file->tops.at[i].kind == TOP_PREDICATE) declare(u, &u->file->tops.at[i]);
}

const struct rule_predicate *dsl_find_predicate(struct unit *u, const char *name) {
    sym_t sym = intern_find(&u->load->names, name);
    for (uint32_t i = 0; sym != MAP_NONE && i <= u->uses.len; i++) {
        const struct unit *in = i ? u->uses.at[i - 1].unit : u;
        uint32_t at = map_get(&in->predicate_index, sym);
        if (at != MAP_NONE) return in->predicates.at[at];
    }
    return NULL;
}
