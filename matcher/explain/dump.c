/* dump.c -- the merged programs as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "matcher/auto.h"

static const struct {
    const char *name, *layout;
} insns[] = {
#define PM_INSN(name, layout, meaning) {#name, layout},
#include "matcher/insn.def"
};

static const char *entry(const struct pm_auto *p, char kind, uint32_t x) {
    switch (kind) {
    case 'O': return intern_text(&p->keys->ops, x + 1);
    case 'P': return intern_text(&p->keys->param, x + 1);
    case 'T': return intern_text(&p->keys->test, x + 1);
    case 'N': return intern_text(&p->keys->spec, x + 1);
    case 'L': return intern_text(&p->keys->literal, x + 1);
    case 'W': return intern_text(&p->keys->way, x + 1);
    default: return p->accept.at[x].rule->name;
    }
}

static void dump_insn(const struct pm_auto *p, uint32_t pc, struct buf *out) {
    const struct pm_insn *in = &p->code.at[pc];
    buf_printf(out, "%5u  %-9s", pc, insns[in->op].name);
    for (const char *l = insns[in->op].layout; *l; l++) {
        switch (*l) {
        case 'a': buf_printf(out, " r%u", in->a); break;
        case 'b': buf_printf(out, " r%u", in->b); break;
        case 'c': buf_printf(out, " r%u", in->c); break;
        case 'n':
            if (in->c) buf_printf(out, " +%u", in->c);
            break;
        case 'x': buf_printf(out, " %u", in->x); break;
        case 'p': buf_printf(out, " -> %u", in->x); break;
        default: buf_printf(out, " %s", entry(p, *l, in->x)); break;
        }
    }
    buf_putc(out, '\n');
}

static uint32_t program_end(const struct pm_auto *p, const struct pm_stage *s, uint32_t i) {
    if (i + 1 < s->nprograms) return s->programs[i + 1].start;
    for (uint32_t k = (uint32_t)(s - p->stages.at) + 1; k < p->stages.len; k++)
        if (p->stages.at[k].nprograms) return p->stages.at[k].programs[0].start;
    return p->code.len;
}

void pm_dump(const struct pm_auto *p, struct buf *out) {
    for (uint32_t i = 0; i < p->stages.len; i++) {
        const struct pm_stage *s = &p->stages.at[i];
        buf_printf(out, "%s %s.%s\n", s->stage->is_pass ? "pass" : "phase", s->pack->name,
                   s->stage->name);
        for (uint32_t k = 0; k < s->nprograms; k++) {
            const struct pm_program *g = &s->programs[k];
            buf_printf(out, "%s: %u registers\n", intern_text(&p->keys->op, g->op + 1),
                       g->nregs);
            uint32_t end = program_end(p, s, k);
            for (uint32_t pc = g->start; pc < end; pc++) dump_insn(p, pc, out);
        }
    }
}
