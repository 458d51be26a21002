/* Constants that are computed when they are read: views, joins, what is held, bounds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ir/graph.h"
#include "ir/tensor/lazy.h"
#include "ir/tensor/tensor_bytes.h"

#include <CUnit/Basic.h>

static struct arena a;
static struct ir_model *m;

/* float[rows, columns] 0, 1, 2 ... */
static struct ir_tensor *counted(int64_t rows, int64_t columns) {
    int64_t dims[] = {rows, columns};
    float *x = arena_new_array(&a, float, (size_t)(rows * columns));
    for (int64_t i = 0; i < rows * columns; i++) x[i] = (float)i;
    return ir_tensor_new(&a, IR_FLOAT, 2, dims, x);
}

static struct ir_tensor *transposed(const struct ir_tensor *t) {
    struct ir_axis axes[] = {{t->dims[1], 1}, {t->dims[0], t->dims[1]}};
    const struct ir_view v = {.rank = 2, .count = t->count, .axes = axes};
    return ir_lazy_view(&a, t, &v, 2, (int64_t[]){t->dims[1], t->dims[0]});
}

static float at(const struct ir_tensor *t, uint64_t i) {
    double x = -1;
    CU_ASSERT_TRUE(ir_tensor_double_at(m, t, i, &x));
    return (float)x;
}

static void begin(void) {
    m = ir_model_new(&a, 10);
}
static void end(void) { arena_free(&a); }

static void a_transposed_tensor_is_read_in_any_range(void) {
    begin();
    const struct ir_tensor *t = transposed(counted(37, 53));
    CU_ASSERT_EQUAL_FATAL(t->storage, IR_COMPUTED);
    float *all = arena_new_array(&a, float, (size_t)t->count);
    for (uint64_t first = 0; first < t->count; first += 97)
        for (uint64_t n = 1; n <= t->count - first; n = n * 3 + 1) {
            CU_ASSERT_TRUE(ir_tensor_bytes_at(m, t, first * 4, n * 4, all));
            for (uint64_t i = 0; i < n; i++)
                if (all[i] != (float)((first + i) % 37 * 53 + (first + i) / 37))
                    CU_FAIL("another element");
        }
    uint8_t part[3]; /* bytes 2, 3 of an element and 0 of the next */
    CU_ASSERT_TRUE(ir_tensor_bytes_at(m, t, 4 * 5 + 2, 3, part));
    float five = at(t, 5), six = at(t, 6);
    CU_ASSERT_EQUAL(memcmp(part, (uint8_t *)&five + 2, 2), 0);
    CU_ASSERT_EQUAL(part[2], *(uint8_t *)&six);
    CU_ASSERT_FALSE(ir_tensor_bytes_at(m, t, t->nbytes - 2, 3, part));
    end();
}

/* Rows beside those of another tensor in a join. Tiles, and what is left at the edges, of
 * elements of every size. */
static void transposed_tensors_of_every_size_are_joined(void) {
    static const enum ir_dtype types[] = {IR_UINT8, IR_FLOAT16, IR_FLOAT, IR_DOUBLE,
                                          IR_COMPLEX128};
    enum { ROWS = 150, COLUMNS = 201 };
    for (size_t k = 0; k < countof(types); k++) {
        begin();
        size_t size = ir_dtype_bits(types[k]) / 8;
        uint8_t *x = arena_alloc(&a, ROWS * COLUMNS * size);
        for (size_t i = 0; i < ROWS * COLUMNS * size; i++) x[i] = (uint8_t)(i * 7 + i / 251);
        const struct ir_tensor *t = transposed(
            ir_tensor_new(&a, types[k], 2, (int64_t[]){ROWS, COLUMNS}, x));
        const struct ir_tensor *both =
            ir_lazy_join(&a, 2, (const struct ir_tensor *[]){t, t}, 1, 2,
                         (int64_t[]){COLUMNS, 2 * ROWS});
        uint8_t *got = arena_alloc(&a, (size_t)both->nbytes);
        CU_ASSERT_TRUE_FATAL(ir_tensor_bytes_at(m, both, 0, both->nbytes, got));
        uint32_t wrong = 0;
        for (size_t r = 0; r < COLUMNS; r++)
            for (size_t c = 0; c < 2 * ROWS; c++)
                wrong += memcmp(got + (r * 2 * ROWS + c) * size,
                                x + (c % ROWS * COLUMNS + r) * size, size) != 0;
        CU_ASSERT_EQUAL(wrong, 0);
        end();
    }
}

static void a_piece_is_whole_rows_of_tiles(void) {
    begin();
    const int64_t dims[] = {1000, 3000};
    struct ir_tensor *w = arena_new(&a, struct ir_tensor);
    *w = (struct ir_tensor){.dtype = IR_FLOAT, .rank = 2, .dims = dims, .count = 3000000,
                            .nbytes = 12000000, .storage = IR_IN_FILE};
    CU_ASSERT_EQUAL(ir_lazy_piece(transposed(w)), (4 << 20) / (16 * 4000) * (16 * 4000));
    CU_ASSERT_EQUAL(ir_lazy_piece(transposed(counted(20, 30))), 2400);
    end();
}

static void twice_transposed_is_the_tensor_itself(void) {
    begin();
    const struct ir_tensor *t = counted(6, 7), *back = transposed(transposed(t));
    CU_ASSERT_EQUAL(back->storage, IR_IN_MEMORY);
    CU_ASSERT_PTR_EQUAL(back->data, t->data);
    end();
}

static void rows_of_joined_tensors_alternate(void) {
    begin();
    const struct ir_tensor *parts[] = {counted(3, 2), transposed(counted(4, 3))};
    const struct ir_tensor *t = ir_lazy_join(&a, 2, parts, 1, 2, (int64_t[]){3, 6});
    static const float want[] = {0, 1, 0, 3, 6, 9, 2, 3, 1, 4, 7, 10, 4, 5, 2, 5, 8, 11};
    float got[18];
    CU_ASSERT_TRUE(ir_tensor_bytes_at(m, t, 0, sizeof got, got));
    CU_ASSERT_EQUAL(memcmp(got, want, sizeof got), 0);
    for (uint64_t i = 0; i < 18; i++) CU_ASSERT_EQUAL(at(t, i), want[i]);
    end();
}

static void the_same_expression_is_equal_without_being_read(void) {
    begin();
    const struct ir_tensor *t = counted(5, 9);
    CU_ASSERT_TRUE(ir_lazy_same(transposed(t), transposed(t)));
    CU_ASSERT_FALSE(ir_lazy_same(transposed(t), transposed(counted(5, 9))));
    CU_ASSERT_TRUE(ir_tensor_equal(m, transposed(t), transposed(counted(5, 9))));
    end();
}

static void depth_is_bounded(void) {
    begin();
    const struct ir_tensor *t = transposed(counted(2, 3));
    uint32_t deep = 1;
    for (const struct ir_tensor *next = t; next && deep < 1000; t = next ? next : t, deep++)
        next = ir_lazy_join(&a, 1, &t, 0, 2, t->dims);
    CU_ASSERT_TRUE(deep < 100);
    CU_ASSERT_EQUAL(at(t, 1), 3);
    end();
}

void add_ir_lazy_suite(void);
void add_ir_lazy_suite(void) {
    CU_pSuite s = CU_add_suite("ir: lazy constants", NULL, NULL);
    CU_ADD_TEST(s, a_transposed_tensor_is_read_in_any_range);
    CU_ADD_TEST(s, transposed_tensors_of_every_size_are_joined);
    CU_ADD_TEST(s, a_piece_is_whole_rows_of_tiles);
    CU_ADD_TEST(s, twice_transposed_is_the_tensor_itself);
    CU_ADD_TEST(s, rows_of_joined_tensors_alternate);
    CU_ADD_TEST(s, the_same_expression_is_equal_without_being_read);
    CU_ADD_TEST(s, depth_is_bounded);
}
