/* merge.c -- sequences of steps to one tree by common beginnings, and to flat code.
 *
 *     rule A: p q r      p - q - r(A)
 *     rule B: p q s   =>       \ s(B)        TRY at each fork, the first alternative first
 *     rule C: t              t(C)
 *
 * Sequences come in order of preference. Steps are equal when their instructions are, with
 * all that stands inside; an ACCEPT equals no other. Code is linear in the tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

struct twig {
    const struct pm_step *step; /* NULL at the root */
    uint32_t number;
    VEC(struct twig *) kids;
};

static bool seq_equal(const struct pm_seq *a, const struct pm_seq *b);

static bool step_equal(const struct pm_step *a, const struct pm_step *b) {
    if (a->in.op != b->in.op || a->in.a != b->in.a || a->in.b != b->in.b ||
        a->in.c != b->in.c || a->in.x != b->in.x || a->ninner != b->ninner ||
        a->first != b->first || a->end != b->end)
        return false;
    for (uint32_t i = 0; i < a->ninner; i++)
        if (!seq_equal(&a->inner[i], &b->inner[i])) return false;
    return true;
}

static bool seq_equal(const struct pm_seq *a, const struct pm_seq *b) {
    if (a->steps.len != b->steps.len) return false;
    for (uint32_t i = 0; i < a->steps.len; i++)
        if (!step_equal(&a->steps.at[i], &b->steps.at[i])) return false;
    return true;
}

static uint64_t step_hash(const struct pm_step *s, uint64_t h) {
    h = hash_join(h, (uint64_t)s->in.op << 48 | (uint64_t)s->in.a << 32 | s->in.x);
    h = hash_join(h, (uint64_t)s->in.b << 32 | s->in.c);
    for (uint32_t i = 0; i < s->ninner; i++)
        for (uint32_t k = 0; k < s->inner[i].steps.len; k++)
            h = step_hash(&s->inner[i].steps.at[k], hash_join(h, i));
    return h;
}

/* --- the tree ---------------------------------------------------------------------- */
struct tree {
    struct arena *arena;
    VEC(struct twig *) twigs;
    VEC(const struct twig *) parents; /* of each */
    struct hset set;                  /* by parent and step */
};
struct edge {
    const struct twig *parent;
    const struct pm_step *step;
};

static bool edge_equal(const void *key, uint32_t id, const void *ctx) {
    const struct edge *e = key;
    const struct tree *t = ctx;
    return t->parents.at[id] == e->parent && step_equal(t->twigs.at[id]->step, e->step);
}

static struct twig *new_twig(struct tree *t, const struct edge *e) {
    struct twig *x = arena_new(t->arena, struct twig);
    x->step = e->step;
    x->number = t->twigs.len;
    vec_push(t->arena, &t->twigs, x);
    vec_push(t->arena, &t->parents, e->parent);
    return x;
}

/* The twig behind `from` by that step, made when there is none. */
static struct twig *grow(struct tree *t, struct twig *from, const struct pm_step *step) {
    struct edge e = {from, step};
    uint64_t hash = step_hash(step, from->number);
    uint32_t id = hset_find(&t->set, hash, edge_equal, &e, t);
    if (id != MAP_NONE) return t->twigs.at[id];
    struct twig *kid = new_twig(t, &e);
    vec_push(t->arena, &from->kids, kid);
    hset_add(&t->set, hash, kid->number);
    return kid;
}

/* --- the code ---------------------------------------------------------------------- */
struct writer {
    struct arena *arena;
    struct pm_insns *code;
    struct pm_origins *places; /* or NULL */
};

static uint32_t put(struct writer *p, struct pm_insn in, const struct pm_origin *place) {
    vec_push(p->arena, p->code, in);
    if (p->places) vec_push(p->arena, p->places, place ? *place : (struct pm_origin){0});
    return p->code->len - 1;
}

static uint32_t put_jump(struct writer *p, enum pm_opcode op) {
    return put(p, (struct pm_insn){.op = (uint8_t)op}, NULL);
}

static void put_step(struct writer *p, const struct pm_step *s);

static void put_seq(struct writer *p, const struct pm_seq *s) {
    for (uint32_t i = 0; i < s->steps.len; i++) put_step(p, &s->steps.at[i]);
}

/* TRY 2; first; JUMP end; 2: TRY 3; second; JUMP end; 3: third; end: */
static void put_alternatives(struct writer *p, const struct pm_step *s) {
    VEC(uint32_t) jumps = {0};
    for (uint32_t i = 0; i < s->ninner; i++) {
        bool last = i + 1 == s->ninner;
        uint32_t try = last ? 0 : put_jump(p, PM_TRY);
        put_seq(p, &s->inner[i]);
        if (last) break;
        vec_push(p->arena, &jumps, put_jump(p, PM_JUMP));
        p->code->at[try].x = p->code->len;
    }
    for (uint32_t i = 0; i < jumps.len; i++) p->code->at[jumps.at[i]].x = p->code->len;
}

static void put_step(struct writer *p, const struct pm_step *s) {
    if (s->end > s->first)
        put(p, (struct pm_insn){.op = PM_CLEAR, .a = s->first, .b = s->end}, s->place);
    if (s->ninner == 0) {
        put(p, s->in, s->place);
    } else if (s->in.op == PM_TRY) {
        put_alternatives(p, s);
    } else {
        uint32_t guard = put(p, s->in, s->place);
        put_seq(p, &s->inner[0]);
        p->code->at[guard].x = p->code->len;
    }
}

/* The tree in depth first order. A fork is left on a stack with its TRY to be patched. */
static void put_tree(struct writer *p, const struct twig *root) {
    struct fork { const struct twig *at; uint32_t next, try; };
    VEC(struct fork) forks = {0};
    for (const struct twig *t = root; t;) {
        if (t->step) put_step(p, t->step);
        if (t->kids.len > 1) {
            uint32_t try = put_jump(p, PM_TRY);
            vec_push(p->arena, &forks, (struct fork){t, 1, try});
        }
        if (t->kids.len > 0) {
            t = t->kids.at[0];
            continue;
        }
        t = NULL;
        if (forks.len == 0) continue;
        struct fork *f = vec_last(&forks);
        p->code->at[f->try].x = p->code->len;
        t = f->at->kids.at[f->next++];
        if (f->next == f->at->kids.len)
            forks.len--;
        else
            f->try = put_jump(p, PM_TRY);
    }
}

uint32_t pm_merge(struct arena *a, const struct pm_variant *const *variants, uint32_t n,
                  struct pm_insns *code, struct pm_origins *places) {
    struct arena scratch = ARENA_EMPTY;
    struct tree tree = {.arena = &scratch, .set.arena = &scratch};
    struct twig *root = new_twig(&tree, &(struct edge){NULL, NULL});
    for (uint32_t i = 0; i < n; i++) {
        struct twig *t = root;
        for (uint32_t k = 0; k < variants[i]->code.steps.len; k++)
            t = grow(&tree, t, &variants[i]->code.steps.at[k]);
    }
    uint32_t start = code->len;
    put_tree(&(struct writer){a, code, places}, root);
    arena_free(&scratch);
    return start;
}
