/* dsl.h -- the public header of dsl/: rules text to checked packs, and formatting.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_DSL_H
#define DSL_DSL_H

#include "dsl/rule.h"

/* Where packs are looked up by name: folders in order. */
struct dsl_paths {
    uint32_t n;
    const char *const *folders;
};

/* Loads, parses and checks a pack and all that it uses. A name without a slash ("bert",
 * "bert.rules") is that of a pack of the folders, or a file here when they have none; with a
 * slash it is a path, or a pack of the folders ("lib/norm.rules") when there is no such
 * file. NULL when there were errors; diagnostics in any case. Lives in *a. */
const struct rule_pack *dsl_load(struct arena *a, const char *name,
                                 const struct dsl_paths *paths, struct diag_sink *diags);
/* Several, in the order of their names. Rules that they share, by `use`, are the same
 * objects. false when one could not be loaded. */
bool dsl_load_packs(struct arena *a, uint32_t n, const char *const *names,
                    const struct dsl_paths *paths, struct diag_sink *diags,
                    const struct rule_pack **out);
/* The packs of the folders, by name: those that a user may mean. doc is "" where a pack has none.
 * Files in folders of theirs are for `use`. */
struct dsl_pack_entry { const char *name, *doc; };
uint32_t dsl_catalogue(struct arena *a, const struct dsl_paths *paths,
                       const struct dsl_pack_entry **out);
/* The file that dsl_load would read for that name, with its warnings, or NULL. */
const char *dsl_pack_file(struct arena *a, const char *name,
                          const struct dsl_paths *paths, struct diag_sink *diags);
/* The same as dsl_load from text; `use` resolves in the folders only. */
const struct rule_pack *dsl_parse(struct arena *a, const struct diag_source *source,
                                  const struct dsl_paths *paths, struct diag_sink *diags);
/* A pack of copies of those rules alone, a phase each in that order; else as the pack of the
 * last one. Lives in *a, as long as the rules do. n > 0. */
const struct rule_pack *dsl_alone(struct arena *a, uint32_t n, const struct rule *const *some);
/* The text in canonical form; RW_USAGE and diagnostics when it does not parse. Comments
 * are kept. Formatting twice changes nothing more. */
enum rw_code dsl_format(const struct diag_source *source, struct buf *out,
                        struct diag_sink *diags);
/* Reads a file whole into the arena; NULL and an error (with a limit of 16 MiB). */
const struct diag_source *dsl_read(struct arena *a, const char *path,
                                   struct diag_sink *diags);

/* A rule in its checked form, as text: for tests and people. */
void dsl_dump_rule(const struct rule *r, struct buf *out);

#endif
