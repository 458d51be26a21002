/* match.c -- compares the matcher with itself and with the oracle, over packs and models.
 *
 *     match FOLDER MOST [PLUGIN]
 *
 * Reads lines "PACK<tab>MODEL"; FOLDER is where packs are looked up. At each node of the
 * model the matcher must find the same with labels, without, and, where the graph has no
 * more than MOST nodes, as the oracle; then the pack is run, all being compared after each
 * rewrite, labels with labels from scratch too; then once more at each node. Packs that
 * PLUGIN (of `rules compile`) has are run as they were compiled there, which must find the
 * same as what their files give. Prints what differs, and sums.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/library.h"
#include "codegen/codegen.h"
#include "tests/oracle/levels.h"

#include <stdio.h>
#include <stdlib.h>

struct task {
    struct arena arena;
    struct diag_sink diags;
    const char *pack, *file;
    struct dsl_paths paths;
    struct ir_model *model;
    const struct pm_auto *rules, *compiled; /* compiled NULL: the plug-in has none */
};

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && rw_streq(text + n - k, end);
}

static struct ir_model *read_model(struct task *t) {
    if (!ends_with(t->file, ".txt")) return ir_model_read(&t->arena, t->file, &t->diags);
    const struct diag_source *s = dsl_read(&t->arena, t->file, &t->diags);
    return s ? ir_text_parse(&t->arena, s, &t->diags) : NULL;
}

static const struct pm_auto *find_compiled(const struct cg_image *image, const char *path) {
    const struct rule_pack *packs[2] = {image ? cg_unchanged(image, path) : NULL, NULL};
    if (!packs[0] || packs[0]->raises_opset) return NULL;
    for (uint32_t i = 0; i < image->npacks; i++)
        if (image->packs[i]->raises_opset) packs[1] = image->packs[i];
    return packs[1] ? cg_compiled(image, packs, 2) : NULL;
}

static bool open_task(struct task *t, const struct cg_image *image) {
    const struct rule_pack *packs[] = {
        dsl_load(&t->arena, t->pack, &t->paths, &t->diags),
        dsl_load(&t->arena, "opset.rules", &t->paths, &t->diags)};
    if (packs[0] && packs[1]) t->rules = pm_compile(&t->arena, packs, 2, &t->diags);
    if (t->rules) t->compiled = find_compiled(image, packs[0]->source->name);
    t->model = t->rules ? read_model(t) : NULL;
    return t->model && ir_infer_model(t->model, &t->diags) == RW_OK;
}

static bool run_task(struct task *t, struct levels *sum, struct buf *why) {
    const struct pm_options o = {.target = TARGET_ORT, .level = CLASS_APPROX,
                                 .labels = PM_LABELS_CHECKED};
    struct pm_report report;
    const struct pm_auto *p = t->compiled ? t->compiled : t->rules;
    if (!levels_agree(p, t->model, sum, why)) return false;
    if (p != t->rules && !levels_same(t->rules, p, t->model, sum, why)) return false;
    if (pm_run(p, t->model, &o, &t->arena, &report, &t->diags) != RW_OK) return true;
    if (p != t->rules && !levels_same(t->rules, p, t->model, sum, why)) return false;
    return levels_agree(p, t->model, sum, why);
}

/* A model that cannot be read, or a pack that does not end, is another test's business. */
static bool do_line(char *line, const char *folder, const struct cg_image *image,
                    struct levels *sum) {
    struct task t = {.pack = strtok(line, "\t\n"), .file = strtok(NULL, "\t\n"),
                     .paths = {1, &folder}};
    struct buf why = {0};
    bool ok = true;
    diag_init(&t.diags, &t.arena);
    if (!t.file) return false;
    if (open_task(&t, image)) ok = run_task(&t, sum, &why);
    if (!ok) printf("%s, %s: %s\n", t.pack, t.file, buf_text(&why));
    if (t.model) ir_model_close(t.model);
    buf_free(&why);
    arena_free(&t.arena);
    return ok;
}

static const struct cg_image *load_plugin(const char *path) {
    const char *why;
    void *at = library_function(path, CG_SYMBOL, &why);
    cg_entry *entry;
    if (!at) fprintf(stderr, "%s\n", why), exit(RW_USAGE);
    memcpy(&entry, &at, sizeof entry);
    if (cg_refused(entry())) fprintf(stderr, "%s\n", cg_refused(entry())), exit(RW_USAGE);
    return entry()->image;
}

int main(int argc, char **argv) {
    char line[8192];
    struct levels sum = {0};
    uint32_t wrong = 0, n = 0;
    if (argc < 3 || argc > 4) return RW_USAGE;
    const struct cg_image *image = argc == 4 ? load_plugin(argv[3]) : NULL;
    sum.most = (uint32_t)strtoul(argv[2], NULL, 10);
    for (; fgets(line, sizeof line, stdin); n++) wrong += !do_line(line, argv[1], image, &sum);
    printf("%u models, %u wrong: %" PRIu64 " nodes, %" PRIu64 " matches, %" PRIu64
           " candidates, %" PRIu64 " without labels, %" PRIu64 " times the oracle, which was "
           "not sure %" PRIu64 " times\n",
           n, wrong, sum.nodes, sum.matches, sum.labelled, sum.bare, sum.asked, sum.unsure);
    if (image) printf("%" PRIu64 " matches compared with those of compiled rules\n", sum.compared);
    return wrong ? RW_WRONG : RW_OK;
}
