/* states.c -- the states of labels, made when they are first met.
 *
 * Everything is found by hashing a list of numbers that says all there is to it, so the
 * work at a node does not grow with the number of rules. Only what is met for the first
 * time is worked out, over the sub-patterns whose most telling operand fits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/label/label.h"

/* Numbers in all sets. States beyond all measure come from packs and graphs that are made
 * for it; then the root's operator alone selects rules. */
#define MOST_WORDS (1u << 24)

static struct pm_list list_of(const struct pm_sets *s, uint32_t i) { return s->list.at[i]; }

static void key_word(struct pm_states *s, uint32_t x) { vec_push(s->arena, &s->key, x); }

static void init_sets(struct pm_states *s) {
    struct pm_sets *sets[] = {&s->values, &s->nodes, &s->classes, &s->facts};
    struct pm_sets *keys[] = {&s->fact_keys, &s->node_keys, &s->const_keys, &s->value_keys,
                              &s->root_keys};
    for (size_t i = 0; i < countof(sets); i++) pm_sets_init(sets[i], &s->words, s->arena);
    for (size_t i = 0; i < countof(keys); i++)
        pm_sets_init(keys[i], &s->key_words, s->arena);
}

void pm_states_init(struct pm_states *s, const struct pm_auto *p, struct arena *a) {
    *s = (struct pm_states){.p = p, .arena = a};
    init_sets(s);
    map_init(&s->class_of, a);
    map_init(&s->looked_at, a);
    s->first_slot = arena_new_array(a, uint32_t, p->op.len + 1);
    for (uint32_t op = 0, n = 0; op < p->op.len; n += p->subs->of_op[op++].nslots)
        s->first_slot[op] = n;
    s->plain = arena_zalloc(a, p->op.len * sizeof *s->plain);
    for (uint32_t i = 0; i < p->subs->list.len; i++) vec_push(a, &s->marked, false);
    pm_live_init(&s->live, p, s->first_slot, a);
    uint32_t empty = pm_sets_add(&s->nodes, 0, NULL);
    rw_assert(empty == PM_NO_PATTERN);
    s->absent = pm_value_state(s, NULL, PM_NO_PATTERN, PM_NOTHING, NULL);
}

bool pm_states_full(const struct pm_states *s) { return s->words > MOST_WORDS; }

/* Sets have no sub-pattern that is not live: what led to them is forgotten. */
bool pm_states_widen(struct pm_states *s) {
    if (!s->live.grown || !pm_live_choose(&s->live)) return false;
    pm_sets_init(&s->fact_keys, &s->key_words, s->arena);
    pm_sets_init(&s->node_keys, &s->key_words, s->arena);
    map_init(&s->class_of, s->arena);
    memset(s->plain, 0, s->p->op.len * sizeof *s->plain);
    s->facts_of.len = s->node_of.len = 0;
    return true;
}

/* --- facts: what the attributes of a node say --------------------------------------------- */
static void key_bytes(struct pm_states *s, const void *at, size_t n) {
    key_word(s, (uint32_t)n);
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word = 0;
        memcpy(&word, (const char *)at + i, n - i < 4 ? n - i : 4);
        key_word(s, word);
    }
}

/* Of tensors and graphs nothing is asked. */
static void key_attr(struct pm_states *s, const struct ir_attr *x) {
    key_bytes(s, x->name, strlen(x->name));
    key_word(s, (uint32_t)x->type << 1 | (x->ref != NULL));
    if (x->ref) return;
    switch (x->type) {
    case IR_ATTR_INT: key_bytes(s, &x->i, sizeof x->i); break;
    case IR_ATTR_FLOAT: key_bytes(s, &x->f, sizeof x->f); break;
    case IR_ATTR_STRING: key_bytes(s, x->s.at, x->s.len); break;
    case IR_ATTR_INTS: key_bytes(s, x->ints, x->n * sizeof *x->ints); break;
    case IR_ATTR_FLOATS: key_bytes(s, x->floats, x->n * sizeof *x->floats); break;
    default: break;
    }
}

static bool facts_hold(const struct pm_states *s, const struct pm_site *site, ir_node n,
                       const struct pm_sub *x) {
    for (uint32_t i = 0; i < x->ntests; i++)
        if (!pm_param_may_fit(site, n, &s->p->test.at[x->tests[i]])) return false;
    return pm_attrs_may_fit(site, n, &s->p->spec.at[x->spec]);
}

static uint32_t new_facts(struct pm_states *s, const struct pm_site *site, ir_node n,
                          const struct pm_of_op *o) {
    struct arena_mark mark = arena_mark(site->arena);
    s->key.len = 0;
    for (uint32_t i = 0; i < o->subs.len; i++)
        if (s->live.is[o->subs.at[i]] &&
            facts_hold(s, site, n, &s->p->subs->list.at[o->subs.at[i]]))
            key_word(s, o->subs.at[i]);
    arena_reset(site->arena, mark);
    return pm_sets_add(&s->facts, s->key.len, s->key.at);
}

static uint32_t find_facts(struct pm_states *s, const struct pm_site *site, ir_node n,
                         uint32_t op) {
    const struct ir_node_info *x = ir_nod(site->g, n);
    s->key.len = 0;
    key_word(s, op);
    key_bytes(s, &x->schema, sizeof x->schema);
    for (uint32_t i = 0; i < x->nattr; i++) key_attr(s, &x->attr[i]);
    uint32_t id = pm_sets_add(&s->fact_keys, s->key.len, s->key.at);
    if (id < s->facts_of.len) return s->facts_of.at[id];
    pm_live_see_op(&s->live, op);
    vec_push(s->arena, &s->facts_of, new_facts(s, site, n, &s->p->subs->of_op[op]));
    return s->facts_of.at[id];
}

/* Most nodes have no attributes. */
static uint32_t facts_of(struct pm_states *s, const struct pm_site *site, ir_node n,
                         uint32_t op) {
    const struct ir_node_info *x = ir_nod(site->g, n);
    struct pm_plain *plain = &s->plain[op];
    if (x->nattr > 0) return find_facts(s, site, n, op);
    if (plain->facts == 0 || plain->schema != x->schema)
        *plain = (struct pm_plain){x->schema, 1 + find_facts(s, site, n, op)};
    return plain->facts - 1;
}

/* --- operands -------------------------------------------------------------------------- */
static bool is_literal(const struct pm_states *s, uint32_t sub) {
    return s->p->subs->list.at[sub].kind == SUB_LITERAL;
}

/* The class of the state for an operand: what the operator can tell apart there. */
static uint32_t class_of(struct pm_states *s, uint32_t op, uint32_t slot, uint32_t state) {
    uint32_t number = s->first_slot[op] + slot;
    uint64_t key = (uint64_t)number << 32 | state;
    uint32_t class = map_get(&s->class_of, key);
    if (class != MAP_NONE) return class;
    const struct pm_slot *x = &s->p->subs->of_op[op].slots[slot];
    struct pm_list all = list_of(&s->values, state);
    struct pm_list relevant = {x->relevant.len, x->relevant.at};
    VEC(uint32_t) kept = {0};
    for (uint32_t i = 0; i < all.n; i++) {
        if (is_literal(s, all.at[i])) pm_live_see_literal(&s->live, number, all.at[i], 1);
        if (s->live.is[all.at[i]] && pm_list_has(relevant, all.at[i]))
            vec_push(s->arena, &kept, all.at[i]);
    }
    class = pm_sets_add(&s->classes, kept.len, kept.at);
    map_put(&s->class_of, key, class);
    return class;
}

/* Is the operand there, and not for a parameter, which patterns write in <...>? */
static bool is_extra(const struct pm_site *site, ir_node n, uint32_t k) {
    const struct ir_schema *x = ir_nod(site->g, n)->schema;
    return ir_input(site->g, n, k) != IR_NONE &&
           !(x && ir_param_of_operand(x->domain, x->name, k, x->since));
}

/* So many operands a pattern must give at least; those that all give are not told apart. */
static uint32_t extent(const struct pm_site *site, ir_node n, const struct pm_of_op *o) {
    uint32_t k = ir_nod(site->g, n)->nin;
    while (k > o->least_args && !is_extra(site, n, k - 1)) k--;
    return k <= o->least_args ? 0 : rw_min_u32(k, o->most_args + 1);
}

/* --- nodes ------------------------------------------------------------------------- */
enum { KEY_OP, KEY_FACTS, KEY_EXTENT, KEY_CLASSES };

/* What is asked of an operand at most; behind the last nothing is there. */
static struct pm_list operand_class(const struct pm_states *s, const struct pm_list *key,
                                    uint32_t slot) {
    return KEY_CLASSES + slot < key->n
               ? list_of(&s->classes, key->at[KEY_CLASSES + slot])
               : list_of(&s->values, s->absent);
}

/* Does operand k of the sub-pattern fit there? */
static bool kid_fits(const struct pm_states *s, const struct pm_list *key, uint32_t slot,
                     uint32_t sub, uint32_t k) {
    uint32_t kid = s->p->subs->list.at[sub].kids[k];
    return kid == PM_SUB_ANY || pm_is_left(&s->live, sub, kid) ||
           pm_list_has(operand_class(s, key, slot), kid);
}

static bool kids_fit(const struct pm_states *s, const struct pm_list *key, uint32_t sub) {
    const struct pm_sub *x = &s->p->subs->list.at[sub];
    for (uint32_t k = x->commutes ? 2 : 0; k < x->nkids; k++)
        if (!kid_fits(s, key, k, sub, k)) return false;
    if (!x->commutes) return true;
    return (kid_fits(s, key, 0, sub, 0) && kid_fits(s, key, 1, sub, 1)) ||
           (kid_fits(s, key, 1, sub, 0) && kid_fits(s, key, 0, sub, 1));
}

static bool sub_fits(const struct pm_states *s, const struct pm_list *key, uint32_t sub) {
    const struct pm_sub *x = &s->p->subs->list.at[sub];
    const struct pm_spec *spec = &s->p->spec.at[x->spec];
    return pm_list_has(list_of(&s->facts, key->at[KEY_FACTS]), sub) &&
           (spec->rest || key->at[KEY_EXTENT] <= spec->nargs) && kids_fit(s, key, sub);
}

/* Those of n, which are in order, of which that kid is an operand. */
static void add_wanted(struct pm_states *s, const struct pm_list *key, uint32_t kid,
                       uint32_t n, const struct pm_wanted *at) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (at[mid].kid < kid) low = mid + 1;
        else high = mid;
    }
    for (; low < n && at[low].kid == kid; low++)
        if (sub_fits(s, key, at[low].sub)) key_word(s, at[low].sub);
}

/* Those of the operator whose most telling operand is in that class, or whose rare one is. */
static void add_by_operand(struct pm_states *s, const struct pm_list *key,
                           const struct pm_of_op *o, struct pm_list class) {
    for (uint32_t i = 0; i < class.n; i++) {
        add_wanted(s, key, class.at[i], o->by_kid.len, o->by_kid.at);
        if (is_literal(s, class.at[i]))
            add_wanted(s, key, class.at[i], s->live.by_literal.len, s->live.by_literal.at);
    }
}

static uint32_t new_node_state(struct pm_states *s, struct pm_list key) {
    const struct pm_of_op *o = &s->p->subs->of_op[key.at[KEY_OP]];
    s->misses++;
    s->key.len = 0;
    for (uint32_t i = 0; i < o->always.len; i++)
        if (sub_fits(s, &key, o->always.at[i])) key_word(s, o->always.at[i]);
    for (uint32_t k = 0; k < o->nslots; k++)
        if (KEY_CLASSES + k <= key.n) add_by_operand(s, &key, o, operand_class(s, &key, k));
    s->key.len = pm_make_set(s->key.len, s->key.at);
    return pm_sets_add(&s->nodes, s->key.len, s->key.at);
}

uint32_t pm_op_asked(const struct pm_states *s, const struct pm_site *site, ir_node n) {
    const struct ir_node_info *x = ir_nod(site->g, n);
    uint32_t op = map_get(&site->names->op_of, (uint64_t)x->domain << 32 | x->op);
    return op != MAP_NONE && s->p->subs->of_op[op].subs.len > 0 ? op : MAP_NONE;
}

void pm_states_see(struct pm_states *s, uint32_t op) {
    pm_live_see_op(&s->live, op);
    s->live.nodes++;
}

void pm_states_see_operand(struct pm_states *s, uint32_t op, uint32_t k, uint32_t state) {
    uint64_t key = (uint64_t)(s->first_slot[op] + k) << 32 | state;
    uint32_t i = map_get(&s->looked_at, key);
    if (i == MAP_NONE) {
        i = s->looked.len;
        map_put(&s->looked_at, key, i);
        vec_push(s->arena, &s->looked, (struct pm_looked){s->first_slot[op] + k, state, 0});
    }
    s->looked.at[i].times++;
}

void pm_states_looked(struct pm_states *s) {
    for (uint32_t i = 0; i < s->looked.len && !pm_live_is_full(&s->live); i++) {
        struct pm_looked x = s->looked.at[i];
        struct pm_list l = list_of(&s->values, x.state);
        for (uint32_t k = 0; k < l.n; k++)
            if (is_literal(s, l.at[k]))
                pm_live_see_literal(&s->live, x.slot, l.at[k], x.times);
    }
    pm_states_widen(s);
}

uint32_t pm_node_state(struct pm_states *s, const struct pm_site *site, ir_node n, uint32_t op,
                       uint32_t noperands, const uint32_t *operands) {
    s->lookups++;
    uint32_t facts = facts_of(s, site, n, op);
    s->key.len = 0;
    key_word(s, op);
    key_word(s, facts);
    key_word(s, extent(site, n, &s->p->subs->of_op[op]));
    for (uint32_t k = 0; k < noperands; k++)
        key_word(s, class_of(s, op, k, operands[k]));
    if (list_of(&s->facts, facts).n == 0) return PM_NO_PATTERN;
    uint32_t id = pm_sets_add(&s->node_keys, s->key.len, s->key.at);
    if (id == s->node_of.len)
        vec_push(s->arena, &s->node_of, new_node_state(s, list_of(&s->node_keys, id)));
    return s->node_of.at[id];
}

/* --- values ------------------------------------------------------------------------ */
static void add_marked(struct pm_states *s, uint32_t sub) {
    if (s->marked.at[sub]) return;
    s->marked.at[sub] = true;
    key_word(s, sub);
}

/* The set, with the alternatives that something in it is one of, and theirs. */
static uint32_t new_value_state(struct pm_states *s, struct pm_list node, uint32_t output,
                                struct pm_list constant) {
    s->key.len = 0;
    add_marked(s, output == PM_NOTHING ? PM_SUB_ABSENT : PM_SUB_PRESENT);
    for (uint32_t i = 0; i < node.n; i++)
        if (s->p->subs->list.at[node.at[i]].output == output) add_marked(s, node.at[i]);
    for (uint32_t i = 0; i < constant.n; i++) add_marked(s, constant.at[i]);
    for (uint32_t i = 0; i < s->key.len; i++) {
        const struct pm_of_sub *x = &s->p->subs->of_sub[s->key.at[i]];
        for (uint32_t k = 0; k < x->alts.len; k++) add_marked(s, x->alts.at[k]);
    }
    for (uint32_t i = 0; i < s->key.len; i++) s->marked.at[s->key.at[i]] = false;
    s->key.len = pm_make_set(s->key.len, s->key.at);
    return pm_sets_add(&s->values, s->key.len, s->key.at);
}

static uint32_t const_state(struct pm_states *s, struct ir_model *m,
                            const struct ir_tensor *t) {
    uint32_t key[PM_CONST_KEY];
    if (!t) return PM_NO_PATTERN;
    uint32_t n = pm_literals_key(&s->p->subs->literals, m, t, key);
    uint32_t id = pm_sets_add(&s->const_keys, n, key);
    if (id < s->const_of.len) return s->const_of.at[id];
    s->key.len = 0;
    key_word(s, PM_SUB_CONST);
    if (n > 0) pm_literals_find(s->p, m, t, s->arena, &s->key);
    s->key.len = pm_make_set(s->key.len, s->key.at);
    vec_push(s->arena, &s->const_of, pm_sets_add(&s->nodes, s->key.len, s->key.at));
    return s->const_of.at[id];
}

static uint32_t find_value_state(struct pm_states *s, uint32_t node, uint32_t output,
                                 uint32_t constant) {
    uint32_t key[3] = {node, output, constant};
    uint32_t id = pm_sets_add(&s->value_keys, countof(key), key);
    if (id == s->value_of.len)
        vec_push(s->arena, &s->value_of,
                 new_value_state(s, list_of(&s->nodes, node), output,
                                 list_of(&s->nodes, constant)));
    return s->value_of.at[id];
}

uint32_t pm_value_state(struct pm_states *s, struct ir_model *m, uint32_t node,
                        uint32_t output, const struct ir_tensor *t) {
    if (t || output != 0) return find_value_state(s, node, output, const_state(s, m, t));
    while (s->first_of.len <= node) vec_push(s->arena, &s->first_of, 0);
    if (s->first_of.at[node] == 0)
        s->first_of.at[node] = 1 + find_value_state(s, node, 0, PM_NO_PATTERN);
    return s->first_of.at[node] - 1;
}
