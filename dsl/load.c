/* load.c -- files to units: reading, `use`, and the order of lowering.
 *
 * A `use` is looked up beside the file that holds it, then in the folder of the first file
 * (the pack's own tree), then in the folders of installed packs. It cannot leave them: no
 * absolute paths, no `..`. A file that is reached by several ways is read once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/load.h"

#include "dsl/lower.h"
#include "dsl/parse.h"

#include <stdio.h>

#define FILE_LIMIT (16u << 20)

/* --- reading ----------------------------------------------------------------------- */
static bool read_all(FILE *f, struct buf *out) {
    char piece[16384];
    for (size_t n; out->len <= FILE_LIMIT && (n = fread(piece, 1, sizeof piece, f)) > 0;)
        buf_add(out, piece, n);
    return !ferror(f);
}

const struct diag_source *dsl_read(struct arena *a, const char *path,
                                   struct diag_sink *diags) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        diag_where(diags, DIAG_ERROR, path, "cannot be opened");
        return NULL;
    }
    struct buf b = {0};
    bool ok = read_all(f, &b);
    fclose(f);
    struct diag_source *s = NULL;
    if (!ok) {
        diag_where(diags, DIAG_ERROR, path, "cannot be read");
    } else if (b.len > FILE_LIMIT) {
        diag_where(diags, DIAG_ERROR, path, "is larger than 16 MiB");
    } else {
        s = arena_new(a, struct diag_source);
        *s = (struct diag_source){arena_strdup(a, path),
                                  arena_strndup(a, buf_text(&b), b.len), b.len};
    }
    buf_free(&b);
    return s;
}

static bool is_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    char byte;
    bool readable = fread(&byte, 1, 1, f) == 1 || !ferror(f); /* a folder cannot be read */
    fclose(f);
    return readable;
}

/* --- paths ------------------------------------------------------------------------- */
static const char *folder_of(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(a, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
}

/* Without `./` and doubled slashes, so that one file has one name. */
static const char *tidy(struct arena *a, const char *path) {
    char *out = arena_strdup(a, path);
    size_t n = 0;
    for (const char *c = path; *c;) {
        bool at_start = c == path || c[-1] == '/';
        if (at_start && c[0] == '.' && c[1] == '/') c += 2;
        else if (c != path && c[0] == '/' && c[-1] == '/') c++;
        else out[n++] = *c++;
    }
    out[n] = '\0';
    return out;
}

static const char *in_folder(struct arena *a, const char *folder, const char *name) {
    size_t n = strlen(name);
    const char *end = n > 6 && rw_streq(name + n - 6, ".rules") ? "" : ".rules";
    const char *path = arena_printf(a, "%s/%s%s", folder, name, end);
    return is_file(path) ? tidy(a, path) : NULL;
}

static const char *in_folders(struct load *ld, const char *name) {
    for (uint32_t i = 0; ld->paths && i < ld->paths->n; i++) {
        const char *path = in_folder(ld->arena, ld->paths->folders[i], name);
        if (path) return path;
    }
    return NULL;
}

static bool leaves_tree(const char *path) {
    if (*path == '/' || strchr(path, '\\') || (*path && path[1] == ':')) return true;
    for (const char *c = path; (c = strstr(c, "..")); c += 2) {
        bool begins = c == path || c[-1] == '/', ends = c[2] == '/' || !c[2];
        if (begins && ends) return true;
    }
    return false;
}

void dsl_load_error(struct load *ld, struct span at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_vat(ld->diags, DIAG_ERROR, at, format, args);
    va_end(args);
    ld->failed = true;
}

static const char *find_used(struct unit *u, const struct ast_top *t) {
    struct load *ld = u->load;
    const char *name = t->name.text, *path = NULL;
    if (leaves_tree(name)) {
        dsl_load_error(ld, t->name.at, "\"%s\" leads out of the pack's folder", name);
        diag_at(ld->diags, DIAG_HELP, t->name.at,
                "a pack uses files beside it or below, and "
                "installed packs: \"lib/norm.rules\"");
        return NULL;
    }
    if (ld->folder) path = in_folder(ld->arena, folder_of(ld->arena, u->path), name);
    if (!path && ld->folder) path = in_folder(ld->arena, ld->folder, name);
    if (!path) path = in_folders(ld, name);
    if (!path) dsl_load_error(ld, t->name.at, "there is no pack \"%s\"", name);
    return path;
}

/* --- units ------------------------------------------------------------------------- */
static bool same_text(const struct diag_source *a, const struct diag_source *b) {
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* What a file uses depends on the tree that it is read in. */
static bool same_tree(const struct unit *u, const struct load *ld) {
    return u->folder == ld->folder ||
           (u->folder && ld->folder && rw_streq(u->folder, ld->folder));
}

/* Read already, by this path or by another that leads to the same text. */
static struct unit *known_unit(struct load *ld, const char *path,
                               const struct diag_source *s) {
    for (uint32_t i = 0; i < ld->units.len; i++) {
        struct unit *u = ld->units.at[i];
        if (!same_tree(u, ld)) continue;
        if (path ? rw_streq(u->path, path) : same_text(u->source, s)) return u;
    }
    return NULL;
}

static struct unit *load_unit(struct load *ld, const char *path,
                              const struct diag_source *source, uint32_t depth);

static void load_use(struct unit *u, const struct ast_top *t, uint32_t depth) {
    struct load *ld = u->load;
    const char *path = find_used(u, t);
    if (!path) return;
    struct unit *used = known_unit(ld, path, NULL);
    if (used && used->loading) {
        dsl_load_error(ld, t->name.at,
                       "\"%s\" uses this file: packs cannot use each other in a circle",
                       t->name.text);
        return;
    }
    if (depth + 1 >= LOAD_DEPTH || ld->units.len >= LOAD_FILES) {
        dsl_load_error(ld, t->name.at, "\"%s\": too many packs use each other",
                       t->name.text);
        return;
    }
    if (!used) {
        const struct diag_source *s = dsl_read(ld->arena, path, ld->diags);
        if (!s) ld->failed = true;
        else used = load_unit(ld, path, s, depth + 1);
    }
    if (used) vec_push(ld->arena, &u->uses, (struct unit_use){used, t});
}

/* Sub-patterns and staged operators share their names. */
static void second_name(struct unit *u, const struct ast_top *t, uint32_t other) {
    dsl_load_error(u->load, t->pattern->name.at, "a second pattern \"%s\"",
                   t->pattern->name.text);
    diag_at(u->load->diags, DIAG_NOTE, u->file->tops.at[other].pattern->name.at,
            "the first is here");
}

static void index_patterns(struct unit *u) {
    struct load *ld = u->load;
    struct map tops;
    map_init(&tops, ld->arena);
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_PATTERN && t->kind != TOP_OPERATOR) continue;
        sym_t name = intern(&ld->names, t->pattern->name.text);
        uint32_t other = map_get(&tops, name);
        if (other != MAP_NONE) second_name(u, t, other);
        map_put(&tops, name, i);
        if (t->kind == TOP_OPERATOR) {
            map_put(&u->operator_index, name, u->operators.len);
            vec_push(ld->arena, &u->operators, NULL);
            continue;
        }
        map_put(&u->pattern_index, name, i);
        dsl_check_sub_pattern(ld, t->pattern);
    }
}

static void lower_operators(struct unit *u) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_OPERATOR) continue;
        u->operators.at[n++] = dsl_lower_operator(u, t->pattern, t->at);
    }
}

static void lower_rules(struct unit *u) {
    struct load *ld = u->load;
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_RULE) continue;
        sym_t name = intern(&ld->names, t->rule->name.text);
        uint32_t other = map_get(&u->rule_index, name);
        if (other != MAP_NONE) {
            dsl_load_error(ld, t->rule->name.at, "a second rule \"%s\"",
                           t->rule->name.text);
            diag_at(ld->diags, DIAG_NOTE, u->rules.at[other].at, "the first is here");
            continue;
        }
        map_put(&u->rule_index, name, u->rules.len);
        struct unit_rule r = {
            .name = t->rule->name.text, .at = t->rule->name.at, .number = MAP_NONE};
        r.rule = dsl_lower_rule(u, t->rule, t->at);
        vec_push(ld->arena, &u->rules, r);
    }
}

/* A model in the place of a pack: it begins with the field ir_version, and holds bytes that
 * no text has. Taken for text it would give errors without number. */
static bool is_model(const struct diag_source *s) {
    return s->len > 1 && s->text[0] == 0x08 && (unsigned char)s->text[1] < 0x20;
}

static struct unit *load_unit(struct load *ld, const char *path,
                              const struct diag_source *source, uint32_t depth) {
    if (is_model(source)) {
        diag_where(ld->diags, DIAG_ERROR, source->name, "is an ONNX model, not a rules file");
        ld->failed = true;
        return NULL;
    }
    struct unit *u = known_unit(ld, NULL, source);
    if (u && !u->loading) return u;
    u = arena_new(ld->arena, struct unit);
    *u = (struct unit){.load = ld, .source = source, .path = path, .folder = ld->folder,
                       .loading = true};
    map_init(&u->rule_index, ld->arena);
    map_init(&u->pattern_index, ld->arena);
    map_init(&u->operator_index, ld->arena);
    map_init(&u->predicate_index, ld->arena);
    map_init(&u->pattern_used, ld->arena);
    u->file = dsl_parse_text(ld->arena, source, ld->diags);
    if (!u->file) {
        ld->failed = true;
        return NULL;
    }
    vec_push(ld->arena, &ld->units, u);
    dsl_pack_head(u);
    index_patterns(u);
    dsl_declare_predicates(u);
    for (uint32_t i = 0; i < u->file->tops.len; i++)
        if (u->file->tops.at[i].kind == TOP_USE) load_use(u, &u->file->tops.at[i], depth);
    lower_operators(u);
    lower_rules(u);
    u->loading = false;
    return u;
}

const struct ast_pattern *dsl_find_pattern(struct unit *u, const char *name,
                                           struct unit **home) {
    sym_t sym = intern_find(&u->load->names, name);
    if (sym == MAP_NONE) return NULL;
    uint32_t at = map_get(&u->pattern_index, sym);
    if (at != MAP_NONE) {
        map_put(&u->pattern_used, sym, 1);
        *home = u;
        return u->file->tops.at[at].pattern;
    }
    for (uint32_t i = 0; i < u->uses.len; i++) {
        struct unit *used = u->uses.at[i].unit;
        at = map_get(&used->pattern_index, sym);
        if (at == MAP_NONE) continue;
        *home = used;
        return used->file->tops.at[at].pattern;
    }
    return NULL;
}

bool dsl_find_operator(struct unit *u, const char *name, const struct rule_operator **out) {
    sym_t sym = intern_find(&u->load->names, name);
    *out = NULL;
    for (uint32_t i = 0; sym != MAP_NONE && i <= u->uses.len; i++) {
        const struct unit *in = i ? u->uses.at[i - 1].unit : u;
        uint32_t at = map_get(&in->operator_index, sym);
        if (at == MAP_NONE) continue;
        *out = in->operators.at[at];
        return true;
    }
    return false;
}

static uint32_t pattern_names(const struct unit *u, const char **out, uint32_t n,
                              uint32_t most) {
    for (uint32_t i = 0; i < u->file->tops.len && n < most; i++)
        if (u->file->tops.at[i].kind == TOP_PATTERN ||
            u->file->tops.at[i].kind == TOP_OPERATOR)
            out[n++] = u->file->tops.at[i].pattern->name.text;
    return n;
}

const char *dsl_near_pattern(struct unit *u, const char *name) {
    const char *names[256];
    uint32_t n = pattern_names(u, names, 0, countof(names));
    for (uint32_t i = 0; i < u->uses.len; i++)
        n = pattern_names(u->uses.at[i].unit, names, n, countof(names));
    return diag_nearest(name, names, n);
}

/* A file of sub-patterns alone is for others. */
static void check_patterns_used(struct unit *u) {
    struct load *ld = u->load;
    if (ld->failed || u->rules.len == 0) return;
    for (uint32_t i = 0; i < u->file->tops.len; i++) {
        const struct ast_top *t = &u->file->tops.at[i];
        if (t->kind != TOP_PATTERN) continue;
        const struct ast_word *name = &t->pattern->name;
        if (map_get(&u->pattern_used, intern(&ld->names, name->text)) != MAP_NONE) continue;
        diag_at(ld->diags, DIAG_WARNING, name->at, "no rule here uses the pattern \"%s\"",
                name->text);
        diag_id(ld->diags, DIAG_R_UNUSED_PATTERN);
    }
}

/* --- entry ------------------------------------------------------------------------- */
static const struct rule_pack *load_all(struct load *ld, const char *path,
                                        const struct diag_source *source) {
    uint32_t known = ld->units.len;
    struct unit *top = load_unit(ld, path, source, 0);
    if (!top) return NULL;
    if (ld->units.len > known) check_patterns_used(top);
    const struct rule_pack *pack = dsl_assemble(ld, top);
    return ld->failed ? NULL : pack;
}

/* A bare name is that of a pack; a file of that name, which may lie beside a stranger's
 * model, does not stand in for it. */
static const char *find_pack(struct load *ld, const char *name) {
    bool bare = !strchr(name, '/');
    const char *pack = bare || !leaves_tree(name) ? in_folders(ld, name) : NULL;
    if (!is_file(name)) return pack;
    if (!bare || !pack) return name;
    diag_where(ld->diags, DIAG_WARNING, name,
               "the pack \"%s\" is meant; for the file here write \"./%s\"", pack, name);
    return pack;
}

static const char *without_suffix(struct arena *a, const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && rw_streq(dot, ".rules") ? arena_strndup(a, name, (size_t)(dot - name)) : name;
}

/* The one that may be meant, or all there are. */
static void suggest(struct load *ld, const char *name) {
    const struct dsl_pack_entry *all;
    uint32_t n = dsl_catalogue(ld->arena, ld->paths, &all);
    const char **names = arena_new_array(ld->arena, const char *, n);
    struct buf list = {0};
    for (uint32_t i = 0; i < n; i++) {
        names[i] = all[i].name;
        buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = diag_nearest(without_suffix(ld->arena, name), names, n);
    if (near) diag_where(ld->diags, DIAG_HELP, name, "did you mean \"%s\"?", near);
    else if (n) diag_where(ld->diags, DIAG_HELP, name, "there are %s", buf_text(&list));
    buf_free(&list);
}

static const char *find_or_tell(struct load *ld, const char *name) {
    const char *path = find_pack(ld, name);
    if (path) return tidy(ld->arena, path);
    diag_where(ld->diags, DIAG_ERROR, name, "there is no such pack");
    for (uint32_t i = 0; ld->paths && i < ld->paths->n; i++)
        diag_where(ld->diags, DIAG_NOTE, name, "not in \"%s\"", ld->paths->folders[i]);
    suggest(ld, name);
    return NULL;
}

static const struct rule_pack *load_named(struct load *ld, const char *name) {
    const char *path = find_or_tell(ld, name);
    if (!path) return NULL;
    ld->folder = folder_of(ld->arena, path);
    ld->failed = false;
    const struct diag_source *source = dsl_read(ld->arena, path, ld->diags);
    return source ? load_all(ld, path, source) : NULL;
}

bool dsl_load_packs(struct arena *a, uint32_t n, const char *const *names,
                    const struct dsl_paths *paths, struct diag_sink *diags,
                    const struct rule_pack **out) {
    struct load ld = {.arena = a, .diags = diags, .paths = paths};
    bool ok = true;
    intern_init(&ld.names, a);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = load_named(&ld, names[i]);
        ok = ok && out[i];
    }
    return ok;
}

const struct rule_pack *dsl_load(struct arena *a, const char *name,
                                 const struct dsl_paths *paths, struct diag_sink *diags) {
    const struct rule_pack *pack;
    return dsl_load_packs(a, 1, &name, paths, diags, &pack) ? pack : NULL;
}

const char *dsl_pack_file(struct arena *a, const char *name,
                          const struct dsl_paths *paths, struct diag_sink *diags) {
    struct load ld = {.arena = a, .diags = diags, .paths = paths};
    const char *path = find_pack(&ld, name);
    return path ? tidy(a, path) : NULL;
}

const struct rule_pack *dsl_parse(struct arena *a, const struct diag_source *source,
                                  const struct dsl_paths *paths, struct diag_sink *diags) {
    struct load ld = {.arena = a, .diags = diags, .paths = paths};
    intern_init(&ld.names, a);
    return load_all(&ld, source->name, source);
}
