/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Contiguous arrays: in place, every offset and length, guard pages, no influence of position or neighbours. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "unit/act_ops.h"
#include "unit/guard.h"

enum { LONGEST = 67, OFFSETS = 64, MANY = 1021 };

/* Calls fn(op, act, dtype) for each function there is. */
static void for_each_op(void (*fn)(enum op op, gelu_act act, gelu_dtype dtype)) {
    for (int op = 0; op < OP_COUNT; op++)
        for (int act = 0; act < ACT_COUNT; act++)
            for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
                if (op_exists((enum op)op, (gelu_dtype)dtype)) fn((enum op)op, (gelu_act)act, (gelu_dtype)dtype);
}

/* The results of n calls of one element each: what any longer call must give, too. */
static void run_one_by_one(enum op op, gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) {
    size_t size = gelu_dtype_nbytes(dtype);
    for (size_t i = 0; i < n; i++)
        run_op(op, act, dtype, 1, (const unsigned char *)x + i * size, (unsigned char *)y + i * size);
}

#define FAIL_AT(op, act, dtype, ...)                                                                                   \
    do {                                                                                                               \
        print_error("%s of %s, %s: ", op, gelu_act_name(act), gelu_dtype_name(dtype));                                 \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

static void check_zero_count(enum op op, gelu_act act, gelu_dtype dtype) {
    uint64_t y = 0x0123456789abcdef;
    run_op(op, act, dtype, 0, NULL, NULL);
    run_op(op, act, dtype, 0, &y, &y);
    assert_true(y == 0x0123456789abcdef);
    run_backward(act, dtype, 0, NULL, NULL, NULL);
    run_backward(act, dtype, 0, &y, &y, &y);
    assert_true(y == 0x0123456789abcdef);
}

static void zero_count(void **state) {
    (void)state;
    for_each_op(check_zero_count);
}

static void check_in_place(enum op op, gelu_act act, gelu_dtype dtype) {
    size_t nbytes = MANY * gelu_dtype_nbytes(dtype);
    uint64_t x[MANY], apart[MANY], place[MANY];
    fill_random(dtype, MANY, 11, x);
    memcpy(place, x, nbytes);
    run_op(op, act, dtype, MANY, x, apart);
    run_op(op, act, dtype, MANY, place, place);
    if (memcmp(apart, place, nbytes) != 0) FAIL_AT(op_name(op), act, dtype, "in place differs");
}

static void in_place(void **state) {
    (void)state;
    for_each_op(check_in_place);
}

static void backward_in_place(void **state) {
    (void)state;
    uint64_t x[MANY], dy[MANY], apart[MANY], place[MANY];
    for (int act = 0; act < ACT_COUNT; act++)
        for (int type = DTYPE_FIRST; type <= DTYPE_LAST; type++) {
            gelu_dtype dtype = (gelu_dtype)type;
            size_t nbytes = MANY * gelu_dtype_nbytes(dtype);
            fill_random(dtype, MANY, 12, x);
            fill_random(dtype, MANY, 13, dy);
            run_backward((gelu_act)act, dtype, MANY, x, dy, apart);
            memcpy(place, x, nbytes);
            run_backward((gelu_act)act, dtype, MANY, place, dy, place);
            if (memcmp(apart, place, nbytes) != 0) FAIL_AT("backward", (gelu_act)act, dtype, "dx == x differs");
            memcpy(place, dy, nbytes);
            run_backward((gelu_act)act, dtype, MANY, x, place, place);
            if (memcmp(apart, place, nbytes) != 0) FAIL_AT("backward", (gelu_act)act, dtype, "dx == dy differs");
            run_backward((gelu_act)act, dtype, MANY, x, x, apart);
            memcpy(place, x, nbytes);
            run_backward((gelu_act)act, dtype, MANY, place, place, place);
            if (memcmp(apart, place, nbytes) != 0) FAIL_AT("backward", (gelu_act)act, dtype, "x == dy == dx differs");
        }
}

static struct guard memory[3];

/* Places input and output at the lower (low) or upper guard page, `gap` and `other` elements away from it. */
static void place(gelu_dtype dtype, size_t n, bool low, size_t gap, size_t other, void *at[3]) {
    size_t size = gelu_dtype_nbytes(dtype), gaps[3] = {gap * size, other * size, (gap + other) % 64 * size % 64};
    for (int i = 0; i < 3; i++)
        at[i] = low ? guard_low(&memory[i], gaps[i]) : guard_high(&memory[i], n * size, gaps[i]);
}

static void check_offsets(enum op op, gelu_act act, gelu_dtype dtype) {
    size_t size = gelu_dtype_nbytes(dtype);
    uint64_t x[LONGEST], want[LONGEST];
    void *at[3];
    fill_random(dtype, LONGEST, 21, x);
    run_one_by_one(op, act, dtype, LONGEST, x, want);
    for (size_t gap = 0; gap < OFFSETS / size; gap++)
        for (size_t n = 0; n <= LONGEST; n++)
            for (int low = 0; low < 2; low++) {
                if (TEST_SANITIZED && (gap + n) % 3 != 0) continue;
                place(dtype, n, low, gap, (gap * 7 + n) % (OFFSETS / size), at);
                memcpy(at[0], x, n * size);
                guard_fill(&memory[1]);
                run_op(op, act, dtype, n, at[0], at[1]);
                if (memcmp(at[1], want, n * size) != 0)
                    FAIL_AT(op_name(op), act, dtype, "n = %zu, gap %zu: wrong values", n, gap);
                if (memcmp(at[0], x, n * size) != 0)
                    FAIL_AT(op_name(op), act, dtype, "n = %zu, gap %zu: input written", n, gap);
                if ((gap + n) % 8 == 0 && !guard_intact(&memory[1], at[1], n * size))
                    FAIL_AT(op_name(op), act, dtype, "n = %zu, gap %zu: written outside", n, gap);
            }
}

static void every_offset_and_length(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) memory[i] = guard_open(64);
    for_each_op(check_offsets);
    for (int i = 0; i < 3; i++) guard_close(&memory[i]);
}

static void check_backward_offsets(gelu_act act, gelu_dtype dtype) {
    size_t size = gelu_dtype_nbytes(dtype);
    uint64_t x[LONGEST], dy[LONGEST], want[LONGEST];
    void *at[3];
    fill_random(dtype, LONGEST, 22, x);
    fill_random(dtype, LONGEST, 23, dy);
    for (size_t i = 0; i < LONGEST; i++)
        run_backward(act, dtype, 1, (unsigned char *)x + i * size, (unsigned char *)dy + i * size,
                     (unsigned char *)want + i * size);
    for (size_t gap = 0; gap < OFFSETS / size; gap++)
        for (size_t n = 0; n <= LONGEST; n++)
            for (int low = 0; low < 2; low++) {
                if (TEST_SANITIZED && (gap + n) % 3 != 0) continue;
                place(dtype, n, low, gap, (gap * 5 + n) % (OFFSETS / size), at);
                memcpy(at[0], x, n * size);
                memcpy(at[1], dy, n * size);
                guard_fill(&memory[2]);
                run_backward(act, dtype, n, at[0], at[1], at[2]);
                if (memcmp(at[2], want, n * size) != 0)
                    FAIL_AT("backward", act, dtype, "n = %zu, gap %zu: wrong values", n, gap);
                if (memcmp(at[0], x, n * size) != 0 || memcmp(at[1], dy, n * size) != 0)
                    FAIL_AT("backward", act, dtype, "n = %zu, gap %zu: input written", n, gap);
                if ((gap + n) % 8 == 0 && !guard_intact(&memory[2], at[2], n * size))
                    FAIL_AT("backward", act, dtype, "n = %zu, gap %zu: written outside", n, gap);
            }
}

static void backward_at_every_offset_and_length(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) memory[i] = guard_open(64);
    for (int act = 0; act < ACT_COUNT; act++)
        for (int dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
            check_backward_offsets((gelu_act)act, (gelu_dtype)dtype);
    for (int i = 0; i < 3; i++) guard_close(&memory[i]);
}

/* One value at each of 67 positions, among equals and among neighbours that are NaN, infinite or huge. */
static void check_positions(enum op op, gelu_act act, gelu_dtype dtype) {
    struct format f = format_of(dtype);
    const uint64_t hostile[] = {f.infinity | f.quiet,
                                f.infinity | 1,
                                f.sign | f.infinity | f.quiet | 3,
                                f.infinity,
                                f.sign | f.infinity,
                                f.infinity - 1,
                                f.sign | (f.infinity - 1),
                                1,
                                f.sign | 1};
    uint64_t seed = 31, x[LONGEST], y[LONGEST], in[1], want[1];
    for (int round = 0; round < 12; round++) {
        uint64_t value = random_element(dtype, &seed);
        set_element_bits(dtype, in, 0, value);
        run_op(op, act, dtype, 1, in, want);
        for (size_t i = 0; i < LONGEST; i++) set_element_bits(dtype, x, i, value);
        run_op(op, act, dtype, LONGEST, x, y);
        for (size_t i = 0; i < LONGEST; i++)
            if (element_bits(dtype, y, i) != element_bits(dtype, want, 0))
                FAIL_AT(op_name(op), act, dtype, "another result at position %zu", i);
        for (size_t i = 0; i < LONGEST; i++) set_element_bits(dtype, x, i, hostile[(i + (size_t)round) % 9]);
        for (size_t i = 0; i < LONGEST; i++) {
            uint64_t replaced = element_bits(dtype, x, i);
            set_element_bits(dtype, x, i, value);
            run_op(op, act, dtype, LONGEST, x, y);
            set_element_bits(dtype, x, i, replaced);
            if (element_bits(dtype, y, i) != element_bits(dtype, want, 0))
                FAIL_AT(op_name(op), act, dtype, "neighbours change the result at position %zu", i);
        }
    }
}

static void position_and_neighbours(void **state) {
    (void)state;
    for_each_op(check_positions);
}

/* Long enough for any blocking inside, and no multiple of it. */
static void check_long(enum op op, gelu_act act, gelu_dtype dtype) {
    enum { N = 20011, STEP = 97 };
    size_t size = gelu_dtype_nbytes(dtype);
    unsigned char *x = malloc(N * size), *y = malloc(N * size), want[8];
    assert_non_null(x);
    assert_non_null(y);
    fill_random(dtype, N, 41, x);
    run_op(op, act, dtype, N, x, y);
    for (size_t i = 0; i < N; i = i + STEP < N || i == N - 1 ? i + STEP : N - 1) {
        run_op(op, act, dtype, 1, x + i * size, want);
        if (memcmp(want, y + i * size, size) != 0)
            FAIL_AT(op_name(op), act, dtype, "element %zu of a long call differs", i);
    }
    free(x);
    free(y);
}

static void long_calls(void **state) {
    (void)state;
    for_each_op(check_long);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_count),
        cmocka_unit_test(in_place),
        cmocka_unit_test(backward_in_place),
        cmocka_unit_test(every_offset_and_length),
        cmocka_unit_test(backward_at_every_offset_and_length),
        cmocka_unit_test(position_and_neighbours),
        cmocka_unit_test(long_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
