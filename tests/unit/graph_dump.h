/* graph_dump.h -- the whole state of a model as text, for comparing before and after.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_GRAPH_DUMP_H
#define TESTS_GRAPH_DUMP_H

#include "ir/graph.h"

static inline void dump_graph(const struct ir_graph *g, struct buf *b) {
    buf_printf(b, "graph %s owner %u first %u last %u live %u\n", g->name, g->owner, g->first,
               g->last, g->live);
    for (ir_value v = 0; v < g->values.len; v++) {
        const struct ir_value_info *x = &g->values.at[v];
        buf_printf(b, "v%u %s %x %u.%u outer %u %u type %p %p %p uses %u %u find %u of %u\n", v,
                   x->name, x->flags, x->producer, x->output, x->outer, x->capture,
                   (const void *)x->type, (const void *)x->symval, (const void *)x->tensor,
                   x->uses, x->nuses, ir_find_value(g, x->name), map_get(&g->outer_of, v));
    }
    for (ir_node n = 0; n < g->nodes.len; n++) {
        const struct ir_node_info *x = &g->nodes.at[n];
        buf_printf(b, "n%u %s %u %u flags %x order %" PRIu64 " %u %u rule %u in", n, x->name,
                   x->op, x->domain, x->flags, x->order, x->prev, x->next, x->rule);
        for (uint32_t k = 0; k < x->nin; k++) buf_printf(b, " %u", x->in[k]);
        buf_puts(b, " out");
        for (uint32_t k = 0; k < x->nout; k++) buf_printf(b, " %u", x->out[k]);
        for (uint32_t k = 0; k < x->nattr; k++)
            buf_printf(b, " %s=%" PRId64 ",%u", x->attr[k].name, x->attr[k].i, x->attr[k].n);
        buf_putc(b, '\n');
    }
    for (ir_use u = 0; u < g->uses.len; u++) {
        const struct ir_use_info *x = &g->uses.at[u];
        buf_printf(b, "u%u of %u by %u.%u %u %u %p %u\n", u, x->value, x->user, x->slot, x->next,
                   x->prev, (const void *)x->body, x->inner);
    }
    buf_puts(b, "interface");
    for (uint32_t i = 0; i < g->inputs.len; i++) buf_printf(b, " %u", g->inputs.at[i]);
    for (uint32_t i = 0; i < g->outputs.len; i++) buf_printf(b, " u%u", g->outputs.at[i]);
    buf_putc(b, '\n');
}

static inline void dump_model(const struct ir_model *m, struct buf *b) {
    buf_printf(b, "edits %" PRIu64 " opaque %u functions %u\n", m->edits, m->opaque,
               m->functions.len);
    for (uint32_t i = 0; i < m->opsets.len; i++)
        buf_printf(b, "opset %s %" PRId64 "\n", m->opsets.at[i].domain, m->opsets.at[i].version);
    for (uint32_t i = 0; i < m->graphs.len; i++) dump_graph(m->graphs.at[i], b);
}

#endif
