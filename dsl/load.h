/* load.h -- the files of a pack: what one is, and what it uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DSL_LOAD_H
#define DSL_LOAD_H

#include "base/intern.h"
#include "dsl/ast.h"
#include "dsl/dsl.h"

#define LOAD_DEPTH 32u
#define LOAD_FILES 256u

struct load;
struct unit_use { /* one `use` */
    struct unit *unit;
    const struct ast_top *top;
};
struct unit_rule {
    const struct rule *rule; /* NULL: it had errors */
    const char *name;
    struct span at;
    bool wanted;     /* by a whole `use`, or by name */
    uint32_t number; /* in the pack that is made; MAP_NONE */
    bool in_phase;
};
struct unit {
    struct load *load;
    const struct diag_source *source;
    const char *path;        /* as opened */
    const char *folder;      /* of the first file, when it was loaded: see load */
    const struct ast_file *file;
    const struct ast_pack *head; /* or NULL */
    struct rule_pack *pack;  /* head and parameters; rules of the file alone */
    VEC(struct unit_use) uses;
    VEC(struct unit_rule) rules;
    struct map rule_index;    /* name -> rules */
    VEC(const struct rule_operator *) operators; /* NULL: it had errors */
    struct map pattern_index; /* name -> file->tops */
    struct map operator_index; /* name -> operators */
    VEC(const struct rule_predicate *) predicates;
    struct map predicate_index; /* name -> predicates */
    struct map pattern_used;  /* names that were asked for */
    bool loading, whole, numbered, staged;
};

struct load {
    struct arena *arena;
    struct diag_sink *diags;
    const struct dsl_paths *paths;
    const char *folder; /* of the first file: the pack's own tree; NULL for a text */
    struct intern names;
    VEC(struct unit *) units;
    bool failed;
};

void dsl_load_error(struct load *ld, struct span at, const char *format, ...)
    RW_PRINTF(3, 4);

/* A sub-pattern by name: of the unit, or of what it uses; *home where it was found. */
const struct ast_pattern *dsl_find_pattern(struct unit *u, const char *name,
                                           struct unit **home);

/* Is there a staged operator of that name in sight? Then *out is it, or NULL where it had
 * errors. */
bool dsl_find_operator(struct unit *u, const char *name, const struct rule_operator **out);

/* predicate.c: the native predicates that a unit declares; one in sight by name, or NULL. */
void dsl_declare_predicates(struct unit *u);
const struct rule_predicate *dsl_find_predicate(struct unit *u, const char *name);

/* The sub-pattern in sight whose name is nearest, or NULL. */
const char *dsl_near_pattern(struct unit *u, const char *name);

/* lower_inline.c: each of a sub-pattern's operands and <...> occurs in its body. */
void dsl_check_sub_pattern(struct load *ld, const struct ast_pattern *p);

/* lower_operator.c: NULL when there was an error. */
const struct rule_operator *dsl_lower_operator(struct unit *u, const struct ast_pattern *p,
                                               struct span at);

/* pack.c: head and parameters of a unit; then all stages. */
void dsl_pack_head(struct unit *u);
const struct rule_pack *dsl_assemble(struct load *ld, struct unit *top);

#endif
