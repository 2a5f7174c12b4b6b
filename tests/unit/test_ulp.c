/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The ULPs that `gelu diff` and `gelu probe` speak of (cli/ulp.c): every f16 and bf16 value, and the edges of all types. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "ulp.h"

/* What IEEE 754 says of a type. */
static const struct type {
    gelu_dtype dtype;
    double largest, smallest, smallest_normal, epsilon;
    uint64_t infinity; /* its bits */
    int fraction_bits;
} types[] = {{GELU_F16, 65504, 0x1p-24, 0x1p-14, 0x1p-10, 0x7c00, 10},
             {GELU_BF16, 0x1.fep127, 0x1p-133, 0x1p-126, 0x1p-7, 0x7f80, 7},
             {GELU_F32, FLT_MAX, 0x1p-149, FLT_MIN, FLT_EPSILON, 0x7f800000, 23},
             {GELU_F64, DBL_MAX, 0x1p-1074, DBL_MIN, DBL_EPSILON, 0x7ff0000000000000, 52}};
enum { N_TYPES = sizeof types / sizeof types[0] };

static double value_of(gelu_dtype dtype, uint64_t bits) {
    uint16_t half = (uint16_t)bits;
    uint32_t single = (uint32_t)bits;
    double value;
    const void *from = dtype == GELU_F64 ? (const void *)&bits : dtype == GELU_F32 ? (const void *)&single : &half;
    assert_int_equal(gelu_convert(1, dtype, from, GELU_F64, &value), GELU_OK);
    return value;
}

static void distance_is(const struct type *t, double a, double b, uint64_t want) {
    uint64_t there = cli_ulp_distance(t->dtype, a, b), back = cli_ulp_distance(t->dtype, b, a);
    if (there != want || back != want)
        fail_msg("%s: %a and %a are %llu and %llu apart, not %llu", gelu_dtype_name(t->dtype), a, b,
                 (unsigned long long)there, (unsigned long long)back, (unsigned long long)want);
}

static void edges(void **state) {
    (void)state;
    for (int i = 0; i < N_TYPES; i++) {
        const struct type *t = &types[i];
        const double values[] = {0, t->smallest, t->smallest_normal, 1, t->largest, INFINITY};
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            distance_is(t, values[v], values[v], 0);
            distance_is(t, -values[v], -values[v], 0);
            distance_is(t, values[v], NAN, UINT64_MAX);
            distance_is(t, -values[v], -NAN, UINT64_MAX);
        }
        distance_is(t, NAN, -NAN, 0);
        distance_is(t, 0.0, -0.0, 0);
        distance_is(t, t->smallest, 0.0, 1);
        distance_is(t, t->smallest, -0.0, 1);
        distance_is(t, t->smallest, -t->smallest, 2);
        distance_is(t, t->smallest_normal, t->smallest_normal - t->smallest, 1);
        distance_is(t, t->smallest_normal, 0, (uint64_t)1 << t->fraction_bits);
        distance_is(t, 1, 1 + t->epsilon, 1);
        distance_is(t, 1, 1 - t->epsilon / 2, 1);
        distance_is(t, -1, -2, (uint64_t)1 << t->fraction_bits);
        distance_is(t, t->largest, INFINITY, 1);
        distance_is(t, -t->largest, -INFINITY, 1);
        distance_is(t, INFINITY, 0, t->infinity);
        distance_is(t, INFINITY, -INFINITY, 2 * t->infinity);
        distance_is(t, t->largest, -t->largest, 2 * t->infinity - 2);
    }
}

/* All values of the short types in order, from -infinity to +infinity: each is one step from the last, and as many from
 * zero as its bits say. */
static void neighbours(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct type *t = &types[i];
        for (uint64_t bits = 0; bits <= t->infinity; bits++) {
            double x = value_of(t->dtype, bits);
            distance_is(t, x, -0.0, bits);
            distance_is(t, x, -x, 2 * bits);
            if (bits < t->infinity) distance_is(t, x, value_of(t->dtype, bits + 1), 1);
            if (bits < t->infinity) distance_is(t, -x, -value_of(t->dtype, bits + 1), 1);
        }
    }
}

static void spacing_is(const struct type *t, double x, double want) {
    double up = cli_ulp(t->dtype, x), down = cli_ulp(t->dtype, -x);
    if (up != want || down != want)
        fail_msg("%s: at %a the spacing is %a and %a, not %a", gelu_dtype_name(t->dtype), x, up, down, want);
}

/* Away from zero, up to the next value. */
static void spacing(void **state) {
    (void)state;
    for (int i = 0; i < N_TYPES; i++) {
        const struct type *t = &types[i];
        spacing_is(t, 0, t->smallest);
        spacing_is(t, t->smallest, t->smallest);
        spacing_is(t, t->smallest_normal - t->smallest, t->smallest);
        spacing_is(t, t->smallest_normal, t->smallest);
        spacing_is(t, 2 * t->smallest_normal, 2 * t->smallest);
        spacing_is(t, 1, t->epsilon);
        spacing_is(t, 1 - t->epsilon / 2, t->epsilon / 2);
        spacing_is(t, 2 - t->epsilon, t->epsilon);
        spacing_is(t, 3, 2 * t->epsilon);
        for (uint64_t bits = 0; i < 2 && bits + 1 < t->infinity; bits++) {
            double x = value_of(t->dtype, bits);
            spacing_is(t, x, value_of(t->dtype, bits + 1) - x);
        }
    }
    spacing_is(&types[0], 65504, 32);
    spacing_is(&types[3], DBL_MAX, 0x1p971);
}

static void same(double got, double want) {
    if (memcmp(&got, &want, sizeof got) != 0) fail_msg("%a, not %a", got, want);
}

static void rounding(void **state) {
    (void)state;
    for (int i = 0; i < N_TYPES; i++) {
        const struct type *t = &types[i];
        const double values[] = {0.0, -0.0, t->smallest, -t->smallest_normal, 1, -t->largest, INFINITY, -INFINITY};
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            same(cli_round_to(t->dtype, values[v]), values[v]);
            assert_true(cli_is_in(t->dtype, values[v]));
        }
        assert_true(isnan(cli_round_to(t->dtype, NAN)) && cli_is_in(t->dtype, NAN));
        if (t->dtype == GELU_F64) continue;
        /* To nearest, halves to even, and once: a sum that f32 would make a half is none. */
        same(cli_round_to(t->dtype, 1 + t->epsilon / 2), 1);
        same(cli_round_to(t->dtype, 1 + 1.5 * t->epsilon), 1 + 2 * t->epsilon);
        same(cli_round_to(t->dtype, -(1 + t->epsilon / 2 + 0x1p-50)), -(1 + t->epsilon));
        same(cli_round_to(t->dtype, t->smallest / 2), 0.0);
        same(cli_round_to(t->dtype, -t->smallest / 2), -0.0);
        same(cli_round_to(t->dtype, 0.75 * t->smallest), t->smallest);
        same(cli_round_to(t->dtype, t->smallest_normal - t->smallest / 4), t->smallest_normal);
        double last = t->largest * t->epsilon / (2 - t->epsilon); /* the spacing there */
        same(cli_round_to(t->dtype, t->largest + 0.49 * last), t->largest);
        same(cli_round_to(t->dtype, -(t->largest + last / 2)), -INFINITY);
        assert_false(cli_is_in(t->dtype, 1 + t->epsilon / 2));
        assert_false(cli_is_in(t->dtype, t->smallest / 2));
        assert_false(cli_is_in(t->dtype, t->largest + last / 2));
        assert_false(cli_is_in(t->dtype, 1 / 3.0));
    }
    assert_true(cli_is_in(GELU_F64, 1 / 3.0));
    assert_true(cli_is_in(GELU_F16, 0x1.ffcp15) && !cli_is_in(GELU_BF16, 0x1.ffcp15));
    assert_true(cli_is_in(GELU_BF16, 0x1p100) && !cli_is_in(GELU_F16, 0x1p100));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges), cmocka_unit_test(neighbours), cmocka_unit_test(spacing),
                                       cmocka_unit_test(rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
