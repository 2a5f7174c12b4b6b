/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* alias_overlap against a map of bytes, over all small shapes and distances. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "base/alias.h"

enum { SPAN = 64 };

static void mark(struct alias_matrix m, const char *base, unsigned char bit, unsigned char *map) {
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols * m.element_nbytes; j++)
            map[(size_t)((const char *)m.p - base) + i * m.ld * m.element_nbytes + j] |= bit;
}

static bool bytes_overlap(struct alias_matrix a, struct alias_matrix b, const char *base) {
    unsigned char map[2 * SPAN] = {0};
    mark(a, base, 1, map);
    mark(b, base, 2, map);
    return memchr(map, 3, sizeof map) != NULL;
}

static void exact_for_equal_strides(void **state) {
    (void)state;
    static char buffer[2 * SPAN];
    size_t checked = 0;
    for (size_t rows_a = 0; rows_a <= 3; rows_a++)
        for (size_t rows_b = 0; rows_b <= 3; rows_b++)
            for (size_t cols_a = 0; cols_a <= 4; cols_a++)
                for (size_t cols_b = 0; cols_b <= 4; cols_b++)
                    for (size_t ld = 4; ld <= 6; ld++)
                        for (size_t offset = 0; offset < SPAN; offset++) {
                            struct alias_matrix a = alias_matrix(buffer + 16, rows_a, cols_a, ld, 2);
                            struct alias_matrix b = alias_matrix(buffer + offset, rows_b, cols_b, ld, 2);
                            assert_int_equal(alias_overlap(a, b), bytes_overlap(a, b, buffer));
                            assert_int_equal(alias_overlap(b, a), alias_overlap(a, b));
                            checked++;
                        }
    assert_int_equal(checked, 4 * 4 * 5 * 5 * 3 * SPAN);
}

/* One row, whatever its ld (0 among them), has no stride of its own: the test stays exact. */
static void exact_for_single_rows(void **state) {
    (void)state;
    static char buffer[2 * SPAN];
    for (size_t offset = 0; offset < SPAN; offset++)
        for (size_t cols = 1; cols <= 9; cols++) {
            struct alias_matrix a = alias_matrix(buffer + 16, 3, 2, 4, 2);
            struct alias_matrix row = alias_matrix(buffer + offset, 1, cols, cols, 2);
            struct alias_matrix every = alias_matrix(buffer + offset, 3, cols, 0, 2);
            bool expected = bytes_overlap(a, row, buffer);
            assert_int_equal(alias_overlap(a, row), expected);
            assert_int_equal(alias_overlap(row, a), expected);
            assert_int_equal(alias_overlap(a, every), expected);
            assert_int_equal(alias_overlap(every, a), expected);
        }
}

static void ranges_otherwise(void **state) {
    (void)state;
    static char buffer[2 * SPAN];
    struct alias_matrix a = alias_matrix(buffer, 3, 2, 4, 2); /* 20 bytes */
    assert_true(alias_overlap(a, alias_matrix(buffer + 4, 2, 1, 5, 2)));
    assert_true(alias_overlap(a, alias_matrix(buffer + 19, 2, 1, 5, 1)));
    assert_false(alias_overlap(a, alias_matrix(buffer + 20, 2, 1, 5, 2)));
}

static void absent_and_equal(void **state) {
    (void)state;
    static char buffer[2 * SPAN];
    struct alias_matrix a = alias_matrix(buffer, 3, 2, 4, 2);
    assert_false(alias_overlap(a, alias_matrix(NULL, 3, 2, 4, 2)));
    assert_true(alias_same(a, a));
    assert_false(alias_same(a, alias_matrix(buffer, 3, 2, 5, 2)));
    assert_false(alias_same(a, alias_matrix(buffer + 2, 3, 2, 4, 2)));
    assert_true(alias_same(alias_matrix(buffer, 1, 2, 4, 2), alias_matrix(buffer, 1, 2, 7, 2)));
}

static void sizes_that_wrap(void **state) {
    (void)state;
    assert_true(alias_fits(alias_matrix(NULL, 0, SIZE_MAX, SIZE_MAX, 8)));
    assert_true(alias_fits(alias_matrix(NULL, 3, 2, 4, 8)));
    assert_false(alias_fits(alias_matrix(NULL, 3, SIZE_MAX / 2, SIZE_MAX / 2, 1)));
    assert_false(alias_fits(alias_matrix(NULL, 1, SIZE_MAX / 2, SIZE_MAX / 2, 4)));
    assert_false(alias_fits(alias_matrix(NULL, 2, SIZE_MAX / 2, SIZE_MAX / 2 + 2, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_for_equal_strides), cmocka_unit_test(exact_for_single_rows),
        cmocka_unit_test(ranges_otherwise),        cmocka_unit_test(absent_and_equal),
        cmocka_unit_test(sizes_that_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
