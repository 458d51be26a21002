/* tables.c -- the automaton's tables: equal entries are one, found by a text key.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

/* Makes the entry's key from the buffer; true when it is new. Ids are dense from 1. */
static bool is_new(struct intern *keys, struct buf *key, uint32_t len, uint32_t *index) {
    *index = intern_n(keys, key->len ? key->at : " ", key->len ? key->len : 1) - 1;
    buf_free(key);
    return *index == len;
}

static const char *stored_domain(const char *domain) {
    return rw_streq(domain, "ai.onnx") ? "" : domain;
}

static struct buf op_key(const char *domain, const char *name) {
    struct buf key = {0};
    buf_printf(&key, "%s%s%s", domain, *domain ? "." : "", name);
    return key;
}

uint32_t pm_find_op(const struct pm_auto *p, const char *domain, const char *name) {
    struct buf key = op_key(stored_domain(domain), name);
    uint32_t id = intern_find(&p->keys->op, buf_text(&key));
    buf_free(&key);
    return id == MAP_NONE ? MAP_NONE : id - 1;
}

uint32_t pm_intern_op(struct pm_auto *p, const char *domain, const char *name) {
    domain = stored_domain(domain);
    struct buf key = op_key(domain, name);
    uint32_t i;
    if (is_new(&p->keys->op, &key, p->op.len, &i))
        vec_push(p->arena, &p->op, (struct pm_op){domain, name});
    return i;
}

uint32_t pm_intern_ops(struct pm_auto *p, uint32_t n, const struct pat_op *ops) {
    uint32_t *at = arena_new_array(p->arena, uint32_t, n), len = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = pm_intern_op(p, ops[i].domain, ops[i].name), k = len;
        while (k > 0 && at[k - 1] > op) k--;
        if (k > 0 && at[k - 1] == op) continue;
        memmove(at + k + 1, at + k, (len - k) * sizeof *at);
        at[k] = op;
        len++;
    }
    struct buf key = {0};
    for (uint32_t i = 0; i < len; i++)
        buf_printf(&key, "%s%s", i ? "|" : "", intern_text(&p->keys->op, at[i] + 1));
    uint32_t i;
    if (is_new(&p->keys->ops, &key, p->ops.len, &i))
        vec_push(p->arena, &p->ops, (struct pm_ops){len, at});
    return i;
}

uint32_t pm_intern_param(struct pm_auto *p, const char *name) {
    struct buf key = {0};
    buf_puts(&key, name);
    uint32_t i;
    if (is_new(&p->keys->param, &key, p->param.len, &i)) vec_push(p->arena, &p->param, name);
    return i;
}

bool pm_literal_is_ground(const struct literal *l) {
    if (l->kind != LIT_LIST) return true;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->items[i].kind != DIM_CONST) return false;
    return true;
}

static void literal_text(const struct literal *l, struct buf *out) {
    if (l->splat) buf_puts(out, "splat ");
    switch (l->kind) {
    case LIT_INT: buf_printf(out, "%" PRId64, l->i); break;
    case LIT_BOOL: buf_puts(out, l->i ? "true" : "false"); break;
    case LIT_STRING: buf_quote(out, l->s); break;
    case LIT_REAL:
        buf_putc(out, '~');
        buf_double(out, l->real);
        break;
    case LIT_LIST:
        buf_putc(out, '[');
        for (uint32_t i = 0; i < l->n; i++)
            buf_printf(out, "%s%" PRId64, i ? ", " : "", l->items[i].value);
        buf_putc(out, ']');
        break;
    }
    if (l->has_tolerance) {
        buf_puts(out, " +- ");
        buf_double(out, l->tolerance);
    }
}

uint32_t pm_intern_literal(struct pm_auto *p, const struct literal *l) {
    struct buf key = {0};
    literal_text(l, &key);
    uint32_t i;
    if (is_new(&p->keys->literal, &key, p->literal.len, &i))
        vec_push(p->arena, &p->literal, l);
    return i;
}

uint32_t pm_intern_way(struct pm_auto *p, struct pm_way w) {
    struct buf key = {0};
    buf_printf(&key, "output %u of %s, %u levels of ", w.output,
               intern_text(&p->keys->ops, w.ends + 1), w.levels);
    buf_puts(&key, intern_text(&p->keys->ops, w.inner + 1));
    uint32_t i;
    if (is_new(&p->keys->way, &key, p->way.len, &i)) vec_push(p->arena, &p->way, w);
    return i;
}

uint32_t pm_intern_test(struct pm_auto *p, const struct attr_test *t) {
    struct buf key = {0};
    buf_printf(&key, "%s %s ", t->name, t->is_axis ? "axis =" : "=");
    literal_text(&t->lit, &key);
    uint32_t i;
    if (is_new(&p->keys->test, &key, p->test.len, &i))
        vec_push(p->arena, &p->test, (struct pm_test){t->name, &t->lit, t->is_axis});
    return i;
}

uint32_t pm_intern_spec(struct pm_auto *p, const struct pat *node) {
    bool rest = node->nargs > 0 && node->args[node->nargs - 1]->kind == PAT_REST;
    struct pm_spec s = {.nargs = node->nargs - rest, .rest = rest,
                        .any = node->attrs_slot != SLOT_NONE, .n = node->nattrs};
    const char **named = arena_new_array(p->arena, const char *, s.n);
    struct buf key = {0};
    buf_printf(&key, "%u%s operands%s", s.nargs, s.rest ? "+" : "", s.any ? ", any" : "");
    for (uint32_t i = 0; i < s.n; i++) {
        named[i] = node->attrs[i].name;
        buf_printf(&key, "%s%s", i ? " " : ", but ", named[i]);
    }
    s.named = named;
    uint32_t i;
    if (is_new(&p->keys->spec, &key, p->spec.len, &i)) vec_push(p->arena, &p->spec, s);
    return i;
}
