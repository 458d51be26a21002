/* fuzz_rules.c -- any bytes as a rules file: an error or a pack, and a stable format.
 *
 *     build-fuzz/tests/fuzz_rules -max_total_time=30 build-fuzz/corpus tests/fuzz/rules rules
 * SPDX-License-Identifier: Apache-2.0
 */
#include "dsl/dsl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void format_is_stable(const struct diag_source *source, struct diag_sink *sink) {
    struct buf once = {0}, twice = {0};
    if (dsl_format(source, &once, sink) == RW_OK) {
        struct diag_source again = {"again", buf_text(&once), once.len};
        rw_assert(dsl_format(&again, &twice, sink) == RW_OK);
        rw_assert(rw_streq(buf_text(&once), buf_text(&twice)));
    }
    buf_free(&once);
    buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena a = ARENA_EMPTY;
    struct diag_sink sink;
    diag_init(&sink, &a);
    struct diag_source source = {"fuzz", arena_strndup(&a, (const char *)data, size), size};
    const struct rule_pack *pack = dsl_parse(&a, &source, NULL, &sink);
    rw_assert((pack == NULL) == (sink.count[DIAG_ERROR] > 0));
    struct buf out = {0};
    for (uint32_t i = 0; pack && i < pack->nrules; i++) dsl_dump_rule(pack->rules[i], &out);
    diag_print_all(&sink, DIAG_NOTE, &out);
    buf_free(&out);
    format_is_stable(&source, &sink);
    arena_free(&a);
    return 0;
}
