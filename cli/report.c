/* report.c -- what was applied, and how long it took, as tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/process.h"
#include "cli/cli.h"

void stages_begin(struct stages *t) { *t = (struct stages){.last = process_seconds()}; }

void stages_end(struct stages *t, const char *name) {
    double now = process_seconds();
    rw_assert(t->n < countof(t->at));
    t->at[t->n++] = (struct stage_time){name, now - t->last};
    t->last = now;
}

static int name_width(const struct pm_report *r) {
    size_t width = 4;
    for (uint32_t i = 0; i < r->rules.len; i++) {
        size_t len = strlen(r->rules.at[i].rule->name);
        if (len > width) width = len;
    }
    return width < 40 ? (int)width : 40;
}

void report_applied(const struct pm_report *r, bool verbose, struct buf *out) {
    int width = name_width(r);
    bool any = false;
    for (uint32_t i = 0; i < r->rules.len; i++) {
        const struct pm_applied *a = &r->rules.at[i];
        if (a->count == 0 && !verbose) continue;
        if (!any) buf_printf(out, "  %-*s  %7s  %6s%s\n", width, "rule", "applied", "nodes",
                             verbose ? "  refused" : "");
        any = true;
        buf_printf(out, "  %-*s  %7u  %+6" PRId64, width, a->rule->name, a->count,
                   a->nodes);
        if (verbose) buf_printf(out, "  %7u", a->refused);
        buf_putc(out, '\n');
    }
    for (uint32_t i = 0; i < r->passes.len; i++) {
        if (r->passes.at[i].changed == 0 && !verbose) continue;
        buf_printf(out, "  pass %-*s  %u changed\n", width > 5 ? width - 5 : 0,
                   r->passes.at[i].name, r->passes.at[i].changed);
    }
    if (verbose)
        buf_printf(out,
                   "  %" PRIu64 " nodes visited, %" PRIu64 " candidates, %" PRIu64
                   " tests\n",
                   r->tried, r->candidates, r->tests);
}

void report_times(const struct stages *t, struct buf *out) {
    double sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        buf_printf(out, "  %-8s %8.1f ms\n", t->at[i].name, t->at[i].seconds * 1e3);
        sum += t->at[i].seconds;
    }
    buf_printf(out, "  %-8s %8.1f ms, at most %.1f MiB of memory\n", "all", sum * 1e3,
               process_peak_mib());
}
