/* body.c -- bodies of If, Loop, Scan and SequenceMap take and give what their node says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/verify/parts.h"

static void verify_count(struct verify *v, const char *body, uint32_t count,
                         uint32_t wanted, const char *what) {
    if (count == wanted) return;
    ir_verify_wrong(v, "body \"%s\" has %u %s%s, wanted %u", body, count, what,
                    count == 1 ? "" : "s", wanted);
}

static void verify_counts(struct verify *v, const struct ir_attr *a, uint32_t nin,
                          uint32_t nout) {
    if (a->type != IR_ATTR_GRAPH || a->ref) return;
    const struct ir_graph *body = a->graphs[0];
    verify_count(v, a->name, body->inputs.len, nin, "input");
    verify_count(v, a->name, body->outputs.len, nout, "output");
    ir_verify_declared(v, a->name, body);
}

/* Scan 8 has the lengths of the sequences in front of its other operands. */
static uint32_t scan_inputs(const struct verify *v) {
    uint32_t front = v->x->schema->since < 9;
    return v->x->nin > front ? v->x->nin - front : 0;
}

void ir_verify_bodies(struct verify *v) {
    const struct ir_schema *s = v->x->schema;
    bool is_flex = rw_streq(s->domain, "ai.onnx.preview") &&
                   rw_streq(s->name, "FlexAttention");
    if (*s->domain && !is_flex) return;
    for (uint32_t k = 0; k < v->x->nattr; k++) {
        const struct ir_attr *a = &v->x->attr[k];
        if (is_flex) verify_counts(v, a, 1, 1);
        else if (rw_streq(s->name, "If")) verify_counts(v, a, 0, v->x->nout);
        /* The iteration and the condition, then what is carried; the condition goes out. */
        else if (rw_streq(s->name, "Loop")) verify_counts(v, a, v->x->nin, v->x->nout + 1);
        else if (rw_streq(s->name, "SequenceMap"))
            verify_counts(v, a, v->x->nin, v->x->nout);
        else if (rw_streq(s->name, "Scan")) verify_counts(v, a, scan_inputs(v), v->x->nout);
    }
}
