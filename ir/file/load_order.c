/* load_order.c -- topological order of the nodes of one graph, as near to the order of the
 * file as can be: of the nodes that could come next, the one that stands first in the file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/file/load.h"

struct sorter {
    const struct ir_graph *g;
    const struct ir_pending *nodes;
    uint32_t n;
    uint32_t *producer; /* by value; IR_NONE: no node of this graph */
    uint32_t *missing;  /* by node: operands whose producers are not placed yet */
    uint32_t *first, *user; /* users of what node i makes: user[first[i] .. first[i + 1]) */
};

static uint32_t *new_numbers(struct arena *a, size_t n) {
    return arena_zalloc(a, (n + 1) * sizeof(uint32_t));
}

/* Calls `each` with the producer of everything that node i needs, bodies included. */
static void for_needs(struct sorter *s, uint32_t i,
                      void (*each)(struct sorter *, uint32_t node, uint32_t producer)) {
    const struct ir_pending *p = &s->nodes[i];
    for (size_t k = 0; k < p->proto->n_input; k++)
        if (p->in[k] != IR_NONE && s->producer[p->in[k]] != IR_NONE)
            each(s, i, s->producer[p->in[k]]);
    for (size_t a = 0; a < p->proto->n_attribute; a++) {
        if (!p->attr[a].graphs) continue;
        for (uint32_t b = 0; b < p->attr[a].n; b++) {
            const struct ir_graph *body = p->attr[a].graphs[b];
            for (ir_value v = 0; v < body->values.len; v++)
                if (ir_has(body, v, IR_IS_OUTER) &&
                    s->producer[body->values.at[v].outer] != IR_NONE)
                    each(s, i, s->producer[body->values.at[v].outer]);
        }
    }
}

static void count_misplaced(struct sorter *s, uint32_t node, uint32_t producer) {
    if (producer >= node) s->missing[node]++;
}
static void count_users(struct sorter *s, uint32_t node, uint32_t producer) {
    s->missing[node]++;
    s->first[producer + 1]++;
}
static void note_user(struct sorter *s, uint32_t node, uint32_t producer) {
    s->user[s->first[producer]++] = node;
}

static void find_producers(struct ir_load *l, struct sorter *s) {
    s->producer = new_numbers(&l->scratch, s->g->values.len);
    for (ir_value v = 0; v < s->g->values.len; v++) s->producer[v] = IR_NONE;
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->nodes[i].proto->n_output; k++)
            if (s->nodes[i].out[k] != IR_NONE) s->producer[s->nodes[i].out[k]] = i;
}

static bool is_sorted(struct sorter *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        for_needs(s, i, count_misplaced);
        if (s->missing[i]) return false;
    }
    return true;
}

static void find_users(struct ir_load *l, struct sorter *s) {
    memset(s->missing, 0, s->n * sizeof *s->missing);
    s->first = new_numbers(&l->scratch, s->n + 1);
    for (uint32_t i = 0; i < s->n; i++) for_needs(s, i, count_users);
    for (uint32_t i = 0; i < s->n; i++) s->first[i + 1] += s->first[i];
    s->user = new_numbers(&l->scratch, s->first[s->n]);
    for (uint32_t i = 0; i < s->n; i++) for_needs(s, i, note_user);
    /* note_user moved each start to the next one's. */
    for (uint32_t i = s->n; i > 0; i--) s->first[i] = s->first[i - 1];
    s->first[0] = 0;
}

/* --- the nodes that can come next: a heap, lowest number on top ------------------- */

static void heap_add(uint32_t *heap, uint32_t *len, uint32_t x) {
    uint32_t i = (*len)++;
    for (; i && heap[(i - 1) / 2] > x; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
}

static uint32_t heap_take(uint32_t *heap, uint32_t *len) {
    uint32_t top = heap[0], x = heap[--*len], i = 0;
    for (uint32_t child; (child = 2 * i + 1) < *len; i = child) {
        if (child + 1 < *len && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= x) break;
        heap[i] = heap[child];
    }
    heap[i] = x;
    return top;
}

static uint32_t place(struct ir_load *l, struct sorter *s, uint32_t *order) {
    uint32_t *heap = new_numbers(&l->scratch, s->n), waiting = 0, placed = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->missing[i]) heap_add(heap, &waiting, i);
    while (waiting) {
        uint32_t i = heap_take(heap, &waiting);
        order[placed++] = i;
        for (uint32_t u = s->first[i]; u < s->first[i + 1]; u++)
            if (--s->missing[s->user[u]] == 0) heap_add(heap, &waiting, s->user[u]);
    }
    return placed;
}

/* --- cycles ----------------------------------------------------------------------- */

static void note_unplaced(struct sorter *s, uint32_t node, uint32_t producer) {
    if (s->missing[producer]) s->user[node] = producer;
}

/* Every node that was not placed needs one that was not placed: following those needs
 * ends in a cycle. */
static enum rw_code report_cycle(struct ir_load *l, struct sorter *s) {
    uint32_t at = 0;
    s->user = new_numbers(&l->scratch, s->n);
    while (!s->missing[at]) at++;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->missing[i]) for_needs(s, i, note_unplaced);
    for (uint32_t steps = 0; steps < s->n; steps++) at = s->user[at];
    const Onnx__NodeProto *p = s->nodes[at].proto, *q = s->nodes[s->user[at]].proto;
    if (p == q)
        return ir_load_error(l, (struct ir_spot){.node = p}, "needs its own output");
    return ir_load_error(l, (struct ir_spot){.node = p},
                         "is in a cycle: it needs %s, which needs it", ir_node_words(l, q));
}

enum rw_code ir_load_order(struct ir_load *l, const struct ir_graph *g,
                           const struct ir_pending *nodes, uint32_t n, uint32_t *order) {
    struct sorter s = {.g = g, .nodes = nodes, .n = n};
    s.missing = new_numbers(&l->scratch, n);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    find_producers(l, &s);
    if (is_sorted(&s)) return RW_OK;
    find_users(l, &s);
    if (place(l, &s, order) < n) return report_cycle(l, &s);
    l->sorted = true;
    return RW_OK;
}
