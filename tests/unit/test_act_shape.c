/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The shape of the functions: monotone where the real function is, bounded by |x|, of the right sign, never a NaN from
 * a number. Rounding keeps each of these exactly, so none has a tolerance. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include "unit/act_ops.h"

enum { BLOCK = 8192 };
static const uint32_t SLOWER = TEST_SANITIZED ? 37 : 1;

static bool is_smooth_gelu(int act) {
    return act == GELU_ERF || act == GELU_TANH || act == GELU_QUICK || act == GELU_SILU;
}

/* Whether f goes only down (falling) or only up from one float to the step-th next, over patterns of one sign. */
static void expect_monotone(gelu_act act, uint32_t from, uint32_t to, uint32_t step, bool falling) {
    static float x[BLOCK], y[BLOCK];
    bool any = false;
    float last = 0;
    for (uint64_t at = from; at <= to;) {
        size_t n = 0;
        for (; n < BLOCK && at <= to; at += step) x[n++] = f32_of_bits((uint32_t)at);
        gelu_forward_f32(act, n, x, y);
        for (size_t i = 0; i < n; i++) {
            if (any && (falling ? y[i] > last : y[i] < last))
                fail_msg("%s turns at %a: %a after %a", gelu_act_name(act), (double)x[i], (double)y[i], (double)last);
            last = y[i];
            any = true;
        }
    }
}

/* The four have one minimum. As the patterns of negative floats grow, x falls from -0 to -infinity. */
static void monotone_on_both_sides_of_the_minimum(void **state) {
    (void)state;
    static const struct {
        gelu_act act;
        uint32_t right, left; /* the floats next to the minimum */
    } rows[] = {
        {GELU_ERF, 0xbf407568, 0xbf40756a},
        {GELU_TANH, 0xbf40a14f, 0xbf40a151},
        {GELU_QUICK, 0xbf404ba4, 0xbf404ba6},
        {GELU_SILU, 0xbfa3a4b9, 0xbfa3a4bb},
    };
    for (size_t i = 0; i < 4; i++) {
        gelu_act act = rows[i].act;
        uint32_t right = rows[i].right, left = rows[i].left;
        expect_monotone(act, right - 200000 / SLOWER, right, 1, true);
        expect_monotone(act, left, left + 200000 / SLOWER, 1, false);
        expect_monotone(act, 0x80000000u, right, 1009 * SLOWER, true);
        expect_monotone(act, left, 0xff800000u, 499 * SLOWER, false); /* up again to -0 */
        expect_monotone(act, 0, 0x7f800000, 4001 * SLOWER, false);
    }
}

/* Where 1 + erf cancels, every 7th float: the wiggles of a careless kernel are a few hundred floats wide. */
static void erf_is_monotone_in_the_tail(void **state) {
    (void)state;
    expect_monotone(GELU_ERF, bits_of_f32(-0.7518f), bits_of_f32(-5.54f), 7 * SLOWER, false);
    expect_monotone(GELU_ERF, bits_of_f32(-5.54f), bits_of_f32(-14.4f), 7 * SLOWER, false);
}

static void monotone_by_definition(void **state) {
    (void)state;
    static const gelu_act acts[] = {GELU_IDENTITY, GELU_RELU, GELU_ELU};
    for (size_t i = 0; i < 3; i++) {
        expect_monotone(acts[i], 0x80000000u, 0xff800000u, 3001 * SLOWER, true);
        expect_monotone(acts[i], 0, 0x7f800000, 3001 * SLOWER, false);
    }
}

static void check_value(gelu_act act, float x, float y) {
    if (isnan(y)) fail_msg("%s(%a) is a NaN", gelu_act_name(act), (double)x);
    if (fabsf(y) > fabsf(x)) fail_msg("%s(%a) = %a is larger", gelu_act_name(act), (double)x, (double)y);
    if (x > 0 && signbit(y)) fail_msg("%s(%a) = %a", gelu_act_name(act), (double)x, (double)y);
    if (x < 0 && act != GELU_RELU && !signbit(y)) fail_msg("%s(%a) = %a", gelu_act_name(act), (double)x, (double)y);
    if (x < 0 && act == GELU_RELU && bits_of_f32(y) != 0) fail_msg("relu(%a) = %a", (double)x, (double)y);
}

/* Patterns of all kinds; NaNs are left out. */
static void random_patterns_f32(void **state) {
    (void)state;
    static float x[BLOCK], y[BLOCK], d[BLOCK];
    for (int act = 0; act < ACT_COUNT; act++) {
        uint64_t seed = 100 + (uint64_t)act;
        uint32_t blocks = (is_smooth_gelu(act) ? 400 : 40) / SLOWER + 1; /* 10^7 patterns in all */
        for (uint32_t b = 0; b < blocks; b++) {
            for (size_t n = 0; n < BLOCK;) {
                uint32_t bits = (uint32_t)random_bits(&seed);
                if (!is_nan_bits(GELU_F32, bits)) x[n++] = f32_of_bits(bits);
            }
            gelu_forward_f32((gelu_act)act, BLOCK, x, y);
            for (size_t i = 0; i < BLOCK; i++) check_value((gelu_act)act, x[i], y[i]);
            gelu_grad_f32((gelu_act)act, BLOCK, x, y);
            gelu_grad2_f32((gelu_act)act, BLOCK, x, d);
            for (size_t i = 0; i < BLOCK; i++)
                if (isnan(y[i]) || isnan(d[i]) || fabsf(y[i]) > 1.13f || fabsf(d[i]) > 1)
                    fail_msg("%s at %a: f' = %a, f'' = %a", gelu_act_name((gelu_act)act), (double)x[i], (double)y[i],
                             (double)d[i]);
        }
    }
}

static void random_patterns_f64(void **state) {
    (void)state;
    static double x[BLOCK], y[BLOCK], d[BLOCK], d2[BLOCK];
    for (int act = 0; act < ACT_COUNT; act++) {
        uint64_t seed = 200 + (uint64_t)act;
        for (uint32_t b = 0; b < 20 / SLOWER + 1; b++) {
            for (size_t n = 0; n < BLOCK;) {
                uint64_t bits = random_bits(&seed);
                if (n & 1) bits = (bits & ~(0x7ffull << 52)) | (1000 + bits % 40) << 52;
                if (!is_nan_bits(GELU_F64, bits)) x[n++] = f64_of_bits(bits);
            }
            gelu_forward_f64((gelu_act)act, BLOCK, x, y);
            gelu_grad_f64((gelu_act)act, BLOCK, x, d);
            gelu_grad2_f64((gelu_act)act, BLOCK, x, d2);
            for (size_t i = 0; i < BLOCK; i++) {
                bool ok = !isnan(y[i]) && !isnan(d[i]) && !isnan(d2[i]) && fabs(d[i]) < 1.13 && fabs(d2[i]) <= 1;
                if (!ok || fabs(y[i]) > fabs(x[i]) || (x[i] > 0 && signbit(y[i])) || (x[i] < 0 && y[i] > 0))
                    fail_msg("%s at %a: %a, %a, %a", gelu_act_name((gelu_act)act), x[i], y[i], d[i], d2[i]);
            }
        }
    }
}

/* All of them: no NaN from a number, nothing larger than x, the right sign. */
static void every_16_bit_pattern(void **state) {
    (void)state;
    static uint16_t x[65536], y[65536], d[65536];
    for (size_t i = 0; i < 65536; i++) x[i] = (uint16_t)i;
    for (gelu_dtype dtype = GELU_F16; dtype <= GELU_BF16; dtype++)
        for (int act = 0; act < ACT_COUNT; act++) {
            run_forward((gelu_act)act, dtype, 65536, x, y);
            run_grad((gelu_act)act, dtype, 65536, x, d);
            for (size_t i = 0; i < 65536; i++) {
                if (is_nan_bits(dtype, x[i])) continue;
                bool negative = (x[i] & 0x8000) != 0, kept = (y[i] & 0x8000) == (x[i] & 0x8000);
                assert_false(is_nan_bits(dtype, y[i]) || is_nan_bits(dtype, d[i]));
                assert_true((y[i] & 0x7fff) <= (x[i] & 0x7fff));
                if (act == GELU_RELU && negative && x[i] != 0x8000)
                    assert_int_equal(y[i], 0);
                else
                    assert_true(kept);
            }
        }
}

/* f' is the derivative of f and f'' that of f', for each variant: central differences in f64. */
static void derivatives_match_differences(void **state) {
    (void)state;
    const double h = 1e-6;
    for (int act = 0; act < ACT_COUNT; act++)
        for (int i = -800; i <= 800; i++) {
            double x = i * 0.01 + 0.0037, at[3] = {x - h, x, x + h}, f[3], d[3], d2[3];
            if (i == 0) continue; /* relu's corner and elu's jump of f'' lie within reach */
            gelu_forward_f64((gelu_act)act, 3, at, f);
            gelu_grad_f64((gelu_act)act, 3, at, d);
            gelu_grad2_f64((gelu_act)act, 3, at, d2);
            if (!(fabs((f[2] - f[0]) / (at[2] - at[0]) - d[1]) < 1e-8))
                fail_msg("%s'(%g) is %g", gelu_act_name((gelu_act)act), x, d[1]);
            if (!(fabs((d[2] - d[0]) / (at[2] - at[0]) - d2[1]) < 1e-8))
                fail_msg("%s''(%g) is %g", gelu_act_name((gelu_act)act), x, d2[1]);
        }
}

/* f(x) - f(-x) = x and f'(x) + f'(-x) = 1 for the four, exactly so where both terms are exact: beyond the tail. */
static void symmetry_beyond_the_tail(void **state) {
    (void)state;
    for (int act = GELU_ERF; act <= GELU_SILU; act++)
        for (float x = 120; x < 1e30f; x *= 3) {
            const float in[2] = {x, -x};
            float y[2], d[2];
            gelu_forward_f32((gelu_act)act, 2, in, y);
            gelu_grad_f32((gelu_act)act, 2, in, d);
            assert_true(y[0] - y[1] == x);
            assert_true(d[0] + d[1] == 1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotone_on_both_sides_of_the_minimum),
        cmocka_unit_test(erf_is_monotone_in_the_tail),
        cmocka_unit_test(monotone_by_definition),
        cmocka_unit_test(random_patterns_f32),
        cmocka_unit_test(random_patterns_f64),
        cmocka_unit_test(every_16_bit_pattern),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(symmetry_beyond_the_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
