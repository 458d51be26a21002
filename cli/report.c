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
    for (uint32_t i = 0; i < r->passes.len; i++)
        if (strlen(r->passes.at[i].name) + 5 > width) width = strlen(r->passes.at[i].name) + 5;
    for (uint32_t i = 0; i < r->rules.len; i++) {
        size_t len = strlen(r->rules.at[i].rule->name);
        if (len > width) width = len;
    }
    return width < 40 ? (int)width : 40;
}

static void report_nothing(const struct pm_report *r, struct buf *out) {
    uint32_t refused = 0;
    for (uint32_t i = 0; i < r->rules.len; i++) refused += r->rules.at[i].refused > 0;
    buf_puts(out, "  no rule was applied");
    if (refused)
        buf_printf(out, "; %u matched and %s refused (-v says why)", refused,
                   refused == 1 ? "was" : "were");
    buf_putc(out, '\n');
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
        if (verbose && a->refused && a->why) buf_printf(out, "    refused: %s\n", a->why);
    }
    if (!any) report_nothing(r, out);
    for (uint32_t i = 0; i < r->passes.len; i++) {
        if (r->passes.at[i].changed == 0 && !verbose) continue;
        buf_printf(out, "  pass %-*s  %7u  %+6" PRId64 "\n", width > 5 ? width - 5 : 0,
                   r->passes.at[i].name, r->passes.at[i].changed, r->passes.at[i].nodes);
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
