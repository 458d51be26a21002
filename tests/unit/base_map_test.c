/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"
#include "base/vec.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static void a_map_keeps_what_was_put_through_growth(void) {
    struct arena a = ARENA_EMPTY;
    struct map m;
    map_init(&m, &a);
    for (uint32_t i = 0; i < 5000; i++) map_put(&m, (uint64_t)i * 7919, i);
    map_put(&m, 7919, 42);
    CU_ASSERT_EQUAL(m.len, 5000);
    CU_ASSERT_EQUAL(map_get(&m, 7919), 42);
    for (uint32_t i = 2; i < 5000; i++) CU_ASSERT_EQUAL(map_get(&m, (uint64_t)i * 7919), i);
    CU_ASSERT_EQUAL(map_get(&m, 1), MAP_NONE);
    arena_free(&a);
}

static bool same_id(const void *key, uint32_t id, const void *ctx) {
    RW_UNUSED(ctx);
    return *(const uint32_t *)key == id;
}

static void a_set_forgets_what_was_removed(void) {
    struct arena a = ARENA_EMPTY;
    struct hset s = {.arena = &a};
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t i = 0; i < 1000; i++) {
            hset_add(&s, i % 97, i);
            if (i % 2) CU_ASSERT_TRUE(hset_remove(&s, i % 97, i));
            if (round < 3 && i % 2 == 0) CU_ASSERT_TRUE(hset_remove(&s, i % 97, i));
        }
    CU_ASSERT_EQUAL(s.len, 500);
    for (uint32_t i = 0; i < 1000; i++)
        CU_ASSERT_EQUAL(hset_find(&s, i % 97, same_id, &i, NULL), i % 2 ? MAP_NONE : i);
    CU_ASSERT_FALSE(hset_remove(&s, 1, 1));
    arena_free(&a);
}

static void equal_texts_have_equal_ids(void) {
    struct arena a = ARENA_EMPTY;
    struct intern in;
    intern_init(&in, &a);
    CU_ASSERT_EQUAL(intern(&in, ""), SYM_NONE);
    sym_t add = intern(&in, "Add");
    CU_ASSERT_EQUAL(intern_n(&in, "Addition", 3), add);
    CU_ASSERT_NOT_EQUAL(intern(&in, "Addition"), add);
    CU_ASSERT_STRING_EQUAL(intern_text(&in, add), "Add");
    CU_ASSERT_EQUAL(intern_find(&in, "Sub"), MAP_NONE);
    arena_free(&a);
}

static void vectors_grow_and_arenas_reset(void) {
    struct arena a = ARENA_EMPTY;
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 100000; i++) vec_push(&a, &v, i);
    CU_ASSERT_EQUAL(v.len, 100000);
    CU_ASSERT_EQUAL(v.at[99999], 99999);
    struct arena_mark mark = arena_mark(&a);
    size_t total = a.total;
    arena_alloc(&a, 10u << 20);
    arena_reset(&a, mark);
    CU_ASSERT_EQUAL(a.total, total);
    CU_ASSERT_STRING_EQUAL(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
    arena_free(&a);
    CU_ASSERT_EQUAL(a.total, 0);
}

void add_base_map_suite(void);
void add_base_map_suite(void) {
    CU_pSuite s = CU_add_suite("base: containers", NULL, NULL);
    CU_ADD_TEST(s, a_map_keeps_what_was_put_through_growth);
    CU_ADD_TEST(s, a_set_forgets_what_was_removed);
    CU_ADD_TEST(s, equal_texts_have_equal_ids);
    CU_ADD_TEST(s, vectors_grow_and_arenas_reset);
}
