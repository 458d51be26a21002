/* allow.c -- findings that the author of a pack has seen: `# allow R044` in a comment.
 *
 * It stands on the line that is meant, or alone in front of it; on a line of a rule it speaks
 * of the whole rule. Only warnings can be allowed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lint/pack.h"

struct allowed {
    uint16_t id;
    struct span at, of; /* where it is written, and of what */
    bool used;
};
struct allowances {
    struct arena arena;
    const struct rule_pack *pack;
    const char *text;
    VEC(struct allowed) list;
};

/* --- comments ------------------------------------------------------------------------- */
static const char *line_end(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* Where the comment of the line begins, or NULL. A # in quotes begins none. */
static const char *comment_in(const char *line, const char *end) {
    bool quoted = false;
    for (const char *c = line; c < end; c++) {
        if (quoted && *c == '\\' && c + 1 < end) c++;
        else if (*c == '"') quoted = !quoted;
        else if (*c == '#' && !quoted) return c;
    }
    return NULL;
}

static const char *skip_blank(const char *c, const char *end) {
    while (c < end && (*c == ' ' || *c == '\t' || *c == ',')) c++;
    return c;
}

static bool is_id(const char *c, const char *end) {
    return end - c >= 4 && *c == 'R' && rw_is_digit(c[1]) && rw_is_digit(c[2]) && rw_is_digit(c[3]) &&
           (end - c == 4 || !rw_is_digit(c[4]));
}

static struct span span_of(const struct allowances *x, const char *begin, const char *end) {
    return (struct span){x->pack->source, (uint32_t)(begin - x->text),
                         (uint32_t)(end - x->text)};
}

/* --- what they speak of ---------------------------------------------------------------- */
/* The next line that has more than a comment, from this one on. */
static struct span meant(const struct allowances *x, const char *line) {
    const char *end = line_end(line);
    while (*end) {
        const char *first = skip_blank(line, end);
        if (first < end && *first != '#') break;
        line = end + 1;
        end = line_end(line);
    }
    return span_of(x, line, end);
}

static struct span whole_rule(const struct allowances *x, struct span line) {
    for (uint32_t i = 0; i < x->pack->nrules; i++) {
        const struct span rule = x->pack->rules[i]->text;
        if (rule.source == line.source && rule.begin < line.end && line.begin < rule.end)
            return rule;
    }
    return line;
}

static void read_line(struct allowances *x, const char *line, const char *end) {
    const char *c = comment_in(line, end);
    if (!c) return;
    c = skip_blank(c + 1, end);
    if (end - c < 6 || strncmp(c, "allow ", 6) != 0) return;
    const struct span of = whole_rule(x, meant(x, line));
    for (c = skip_blank(c + 6, end); is_id(c, end); c = skip_blank(c + 4, end)) {
        uint16_t id = (uint16_t)((c[1] - '0') * 100 + (c[2] - '0') * 10 + (c[3] - '0'));
        vec_push(&x->arena, &x->list, (struct allowed){id, span_of(x, c, c + 4), of, false});
    }
}

/* --- findings --------------------------------------------------------------------------- */
static bool is_allowed(struct allowances *x, const struct diag *d) {
    bool allowed = false;
    if (d->level != DIAG_WARNING || d->at.source != x->pack->source) return false;
    for (uint32_t i = 0; i < x->list.len; i++) {
        struct allowed *y = &x->list.at[i];
        if (y->id != d->id || d->at.begin < y->of.begin || d->at.begin >= y->of.end) continue;
        allowed = y->used = true;
    }
    return allowed;
}

/* Notes and helps go with what they follow. */
static void drop_allowed(struct allowances *x, struct diag_sink *diags, uint32_t from) {
    uint32_t kept = from;
    bool drop = false;
    for (uint32_t i = from; i < diags->list.len; i++) {
        const struct diag d = diags->list.at[i];
        bool follows = d.level < DIAG_WARNING && d.id == 0;
        if (!follows) drop = is_allowed(x, &d);
        if (drop) diags->count[d.level]--;
        else diags->list.at[kept++] = d;
    }
    diags->list.len = kept;
}

static void tell_unused(const struct allowances *x, struct diag_sink *diags) {
    for (uint32_t i = 0; i < x->list.len; i++) {
        const struct allowed *y = &x->list.at[i];
        if (y->used) continue;
        diag_at(diags, DIAG_WARNING, y->at, "there is no R%03u here to be allowed", y->id);
        diag_id(diags, DIAG_R_NOTHING_ALLOWED);
    }
}

void lint_allow(const struct rule_pack *pack, bool complete, struct diag_sink *diags,
                uint32_t from) {
    struct allowances x = {.pack = pack, .text = pack->source->text};
    for (const char *line = x.text; line && *line;) {
        const char *end = line_end(line);
        read_line(&x, line, end);
        line = *end ? end + 1 : end;
    }
    drop_allowed(&x, diags, from);
    if (complete) tell_unused(&x, diags);
    arena_free(&x.arena);
}
