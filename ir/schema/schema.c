/* schema.c -- finding operator schemas in the generated table.
 *
 * The table is sorted by domain, name and version. A domain has the sorted names of its
 * operators and, for each, where its versions begin: two binary searches find a schema.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/schema.h"

struct type_set {
    uint32_t mask; /* bit t: tensors of element type t */
    uint32_t n;
    const char *const *list;
};
struct domain {
    const char *name;
    int32_t newest;
    uint32_t nops;
    const char *const *names;
    const uint16_t *first; /* nops + 1 items, counted from `begin` */
    uint32_t begin;
};

#include "ir/schema/schema_table.inc"

static const struct domain *find_domain(const char *name) {
    if (rw_streq(name, "ai.onnx")) name = "";
    for (size_t i = 0; i < countof(domains); i++)
        if (rw_streq(domains[i].name, name)) return &domains[i];
    return NULL;
}

uint32_t ir_find_name(const char *const *names, uint32_t n, const char *name) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = rw_strcmp(names[middle], name);
        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return n;
}

/* The versions of an operator: *n of them, oldest first, or NULL. */
static const struct ir_schema *find_versions(const struct domain *d, const char *name,
                                             uint32_t *n) {
    uint32_t op = d ? ir_find_name(d->names, d->nops, name) : 0;
    if (!d || op == d->nops) return NULL;
    *n = (uint32_t)(d->first[op + 1] - d->first[op]);
    return schemas + d->begin + d->first[op];
}

static const struct ir_schema *at_opset(const struct ir_schema *versions, uint32_t n,
                                        int64_t opset) {
    while (n > 0 && versions[n - 1].since > opset) n--;
    return n > 0 ? &versions[n - 1] : NULL;
}

const struct ir_schema *ir_schema_find(const char *domain, const char *name,
                                       int64_t opset) {
    uint32_t n = 0;
    const struct ir_schema *versions = find_versions(find_domain(domain), name, &n);
    return at_opset(versions, n, opset);
}

const struct ir_schema *ir_schema_newest(const char *domain, const char *name) {
    return ir_schema_find(domain, name, INT64_MAX);
}

const struct ir_schema *ir_schema_versions(const char *domain, const char *name,
                                           size_t *n) {
    uint32_t count = 0;
    const struct ir_schema *versions = find_versions(find_domain(domain), name, &count);
    *n = count;
    return versions;
}

const struct ir_schema *ir_schema_runtime(const char *name, int64_t opset) {
    const uint32_t count = (uint32_t)countof(names_runtime);
    uint32_t op = ir_find_name(names_runtime, count, name);
    if (op == count || ir_schema_find("", name, opset)) return NULL;
    const struct ir_schema *s =
        at_opset(runtime_schemas + first_runtime[op],
                 (uint32_t)(first_runtime[op + 1] - first_runtime[op]), opset);
    return s && !s->deprecated ? s : NULL;
}

bool ir_schema_is_runtime(const struct ir_schema *s) {
    return s >= runtime_schemas && s < runtime_schemas + countof(runtime_schemas);
}

int64_t ir_schema_newest_opset(const char *domain) {
    const struct domain *d = find_domain(domain);
    return d ? d->newest : 0;
}

int64_t ir_version_for_opset(int64_t opset) {
    const int64_t newest = (int64_t)countof(ir_versions) - 1;
    if (opset < 1) opset = 1;
    return ir_versions[opset < newest ? opset : newest];
}

const struct ir_schema *ir_schema_all(size_t *n) {
    *n = countof(schemas);
    return schemas;
}

const char *const *ir_schema_names(const char *domain, size_t *n) {
    const struct domain *d = find_domain(domain);
    *n = d ? d->nops : 0;
    return d ? d->names : NULL;
}

const struct ir_schema_attr *ir_schema_attr(const struct ir_schema *s, const char *name) {
    for (uint32_t i = 0; i < s->nattrs; i++)
        if (rw_streq(s->attrs[i].name, name)) return &s->attrs[i];
    return NULL;
}

static const struct ir_formal_param *formal(const struct ir_formal_param *list, uint32_t n,
                                            uint32_t i) {
    if (i < n) return &list[i];
    return n > 0 && list[n - 1].option == IR_VARIADIC ? &list[n - 1] : NULL;
}

const struct ir_formal_param *ir_schema_input(const struct ir_schema *s, uint32_t i) {
    return formal(s->inputs, s->ninputs, i);
}

const struct ir_formal_param *ir_schema_output(const struct ir_schema *s, uint32_t i) {
    return formal(s->outputs, s->noutputs, i);
}

bool ir_types_allow(uint32_t types, enum ir_dtype t) {
    const uint32_t mask = type_sets[types].mask;
    if (t == IR_UNDEFINED) return mask != 0;
    return (uint32_t)t < 32 && (mask >> (uint32_t)t & 1u);
}

const char *const *ir_types_list(uint32_t types, size_t *n) {
    *n = type_sets[types].n;
    return type_sets[types].list;
}
