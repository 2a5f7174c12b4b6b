/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* backward and the gated products are defined by roundings of other functions' results: each is checked to the bit
 * against that definition. NaNs count as equal, and must be quiet. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include "unit/act_ops.h"
#include "unit/ref_convert.h"

enum { COUNT = 8192 };

/* The definition's f and f': f32 results for the types up to f32, f64 results for f64. */
static double value_of(gelu_act act, gelu_dtype dtype, double x) {
    float narrow = (float)x, y;
    double wide;
    if (dtype == GELU_F64) {
        gelu_forward_f64(act, 1, &x, &wide);
        return wide;
    }
    gelu_forward_f32(act, 1, &narrow, &y);
    return (double)y;
}

static double grad_of(gelu_act act, gelu_dtype dtype, double x) {
    float narrow = (float)x, y;
    double wide;
    if (dtype == GELU_F64) {
        gelu_grad_f64(act, 1, &x, &wide);
        return wide;
    }
    gelu_grad_f32(act, 1, &narrow, &y);
    return (double)y;
}

/* A product of two f32 is exact in f64, so this rounds once. */
static double product(gelu_dtype dtype, double a, double b) {
    return dtype == GELU_F64 ? a * b : (double)(float)(a * b);
}

static void expect_same(const char *what, gelu_act act, gelu_dtype dtype, double x, double dy, uint64_t got,
                        uint64_t want) {
    if (is_nan_bits(dtype, want) ? is_nan_bits(dtype, got) && (got & format_of(dtype).quiet) : got == want) return;
    fail_msg("%s of %s, %s, x = %a, dy = %a: %llx, not %llx", what, gelu_act_name(act), gelu_dtype_name(dtype), x, dy,
             (unsigned long long)got, (unsigned long long)want);
}

/* Ordinary numbers first, then every pattern there may be: huge, tiny, infinite, NaN. */
static void fill_mixed(gelu_dtype dtype, uint64_t seed, void *out) {
    struct format f = format_of(dtype);
    const uint64_t special[] = {0, f.sign,     f.infinity,    f.sign | f.infinity, f.infinity | f.quiet,
                                1, f.sign | 1, f.infinity - 1};
    fill_random(dtype, COUNT / 2, seed, out);
    for (size_t i = COUNT / 2; i < COUNT; i++) {
        uint64_t r = random_bits(&seed);
        set_element_bits(dtype, out, i, r % 4 == 0 ? special[r / 4 % 8] : random_bits(&seed) & (f.sign | (f.sign - 1)));
    }
}

static uint64_t expected_backward(gelu_act act, gelu_dtype dtype, double x, double dy) {
    struct format f = format_of(dtype);
    if (act == GELU_RELU) {
        if (isnan(x)) return f.infinity | f.quiet;
        return x > 0 ? ref_narrow(bits_of_f64(dy), dtype) : 0;
    }
    return ref_narrow(bits_of_f64(dy * grad_of(act, dtype, x)), dtype);
}

static void backward_is_a_rounded_product(void **state) {
    (void)state;
    static uint64_t x[COUNT], dy[COUNT], dx[COUNT];
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int act = 0; act < ACT_COUNT; act++) {
            fill_mixed(dtype, 51, x);
            fill_mixed(dtype, 52, dy);
            run_backward((gelu_act)act, dtype, COUNT, x, dy, dx);
            for (size_t i = 0; i < COUNT; i++) {
                double a = ref_value(dtype, x, i), b = ref_value(dtype, dy, i);
                if (act == GELU_IDENTITY && isnan(a)) continue; /* its f' at a NaN is nowhere said */
                expect_same("backward", (gelu_act)act, dtype, a, b, element_bits(dtype, dx, i),
                            expected_backward((gelu_act)act, dtype, a, b));
            }
        }
}

/* All values of x against a few of dy, in the 16-bit types. */
static void backward_for_every_16_bit_x(void **state) {
    (void)state;
    static uint16_t x[65536], dy[65536], dx[65536];
    size_t step = TEST_SANITIZED ? 31 : 1;
    for (gelu_dtype dtype = GELU_F16; dtype <= GELU_BF16; dtype++)
        for (int act = GELU_ERF; act <= GELU_QUICK; act++) {
            uint64_t seed = 61;
            for (size_t i = 0; i < 65536; i++) {
                x[i] = (uint16_t)i;
                dy[i] = (uint16_t)random_element(dtype, &seed);
            }
            run_backward((gelu_act)act, dtype, 65536, x, dy, dx);
            for (size_t i = 0; i < 65536; i += step) {
                double a = ref_value(dtype, x, i), b = ref_value(dtype, dy, i);
                expect_same("backward", (gelu_act)act, dtype, a, b, dx[i],
                            expected_backward((gelu_act)act, dtype, a, b));
            }
        }
}

static void relu_selects(void **state) {
    (void)state;
    const float x[] = {-1, -0.0f, 0, 1, -INFINITY, INFINITY, 0x1p-149f, -1, 2, 2, 0};
    const float dy[] = {3, 3, -3, -3, INFINITY, 3, 3, NAN, INFINITY, -0.0f, NAN};
    const float want[] = {0, 0, 0, -3, 0, 3, 3, 0, INFINITY, -0.0f, 0};
    float dx[11];
    gelu_backward_f32(GELU_RELU, 11, x, dy, dx);
    for (size_t i = 0; i < 11; i++) assert_int_equal(bits_of_f32(dx[i]), bits_of_f32(want[i]));
    const float nan[2] = {NAN, NAN}, one[2] = {0, 1};
    gelu_backward_f32(GELU_RELU, 2, nan, one, dx);
    assert_true(isnan(dx[0]) && isnan(dx[1]));
}

static void glu_is_two_roundings(void **state) {
    (void)state;
    static uint64_t gate[COUNT], value[COUNT], y[COUNT];
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int act = 0; act < ACT_COUNT; act++) {
            fill_mixed(dtype, 71, gate);
            fill_mixed(dtype, 72, value);
            assert_int_equal(
                gelu_glu_2d((gelu_act)act, dtype, 64, COUNT / 64, gate, COUNT / 64, value, COUNT / 64, y, COUNT / 64),
                GELU_OK);
            for (size_t i = 0; i < COUNT; i++) {
                double g = ref_value(dtype, gate, i), v = ref_value(dtype, value, i);
                double want = product(dtype, value_of((gelu_act)act, dtype, g), v);
                expect_same("glu", (gelu_act)act, dtype, g, v, element_bits(dtype, y, i),
                            ref_narrow(bits_of_f64(want), dtype));
            }
        }
}

static void glu_backward_rounds_each_product(void **state) {
    (void)state;
    static uint64_t gate[COUNT], value[COUNT], dy[COUNT], dgate[COUNT], dvalue[COUNT];
    const size_t rows = 64, cols = COUNT / 64;
    for (gelu_dtype dtype = DTYPE_FIRST; dtype <= DTYPE_LAST; dtype++)
        for (int act = 0; act < ACT_COUNT; act++) {
            fill_mixed(dtype, 81, gate);
            fill_mixed(dtype, 82, value);
            fill_mixed(dtype, 83, dy);
            assert_int_equal(gelu_glu_backward_2d((gelu_act)act, dtype, rows, cols, gate, cols, value, cols, dy, cols,
                                                  dgate, cols, dvalue, cols),
                             GELU_OK);
            for (size_t i = 0; i < COUNT; i++) {
                double g = ref_value(dtype, gate, i), v = ref_value(dtype, value, i), d = ref_value(dtype, dy, i);
                double want_value = product(dtype, d, value_of((gelu_act)act, dtype, g));
                expect_same("dvalue", (gelu_act)act, dtype, g, d, element_bits(dtype, dvalue, i),
                            ref_narrow(bits_of_f64(want_value), dtype));
                if (isnan(g) && act == GELU_IDENTITY) continue;
                double dy_value = product(dtype, d, v);
                double want_gate = product(dtype, dy_value, grad_of((gelu_act)act, dtype, g));
                if (act == GELU_RELU) want_gate = isnan(g) ? g : g > 0 ? dy_value : 0;
                expect_same("dgate", (gelu_act)act, dtype, g, d, element_bits(dtype, dgate, i),
                            ref_narrow(bits_of_f64(want_gate), dtype));
            }
        }
}

/* One packed row [1, 2 | 3, -1], read both ways. A swapped gate gives plausible numbers, and the wrong model. */
static void gate_order(void **state) {
    (void)state;
    const float row[4] = {1, 2, 3, -1};
    static const struct {
        gelu_act act;
        int gate, value;
        uint32_t want[2];
    } cases[] = {
        {GELU_ERF, 2, 0, {0x403fbda6, 0xbea27686}},  /* 2.99595031, -0.317310508 */
        {GELU_ERF, 0, 2, {0x402189c7, 0xbffa2d0c}},  /* 2.52403424, -1.95449974 */
        {GELU_SILU, 0, 2, {0x400c5cfe, 0xbfe17beb}}, /* 2.19317574, -1.76159416 */
    };
    for (size_t i = 0; i < 3; i++) {
        const float gate[2] = {row[cases[i].gate], row[cases[i].gate + 1]};
        const float value[2] = {row[cases[i].value], row[cases[i].value + 1]};
        float packed[2], separate[2], in_place[4];
        memcpy(in_place, row, sizeof row);
        assert_int_equal(
            gelu_glu_2d(cases[i].act, GELU_F32, 1, 2, row + cases[i].gate, 4, row + cases[i].value, 4, packed, 2),
            GELU_OK);
        assert_int_equal(gelu_glu_2d(cases[i].act, GELU_F32, 1, 2, gate, 2, value, 2, separate, 2), GELU_OK);
        assert_int_equal(gelu_glu_2d(cases[i].act, GELU_F32, 1, 2, in_place + cases[i].gate, 4,
                                     in_place + cases[i].value, 4, in_place, 4),
                         GELU_OK);
        assert_memory_equal(packed, separate, sizeof packed);
        assert_memory_equal(in_place, packed, sizeof packed);
        assert_memory_equal(packed, cases[i].want, sizeof packed);
    }
}

/* A tail that some kernels cut off: a gate of -3.5 still lets something through. */
static void coarse_gates(void **state) {
    (void)state;
    const float gate[2] = {-3.5f, 0.25f}, one[2] = {1, 1};
    float y[2];
    assert_int_equal(gelu_glu_2d(GELU_ERF, GELU_F32, 1, 2, gate, 2, one, 2, y, 2), GELU_OK);
    assert_int_equal(bits_of_f32(y[0]), 0xba557028);
    assert_int_equal(bits_of_f32(y[1]), 0x3e1944d1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backward_is_a_rounded_product),
        cmocka_unit_test(backward_for_every_16_bit_x),
        cmocka_unit_test(relu_selects),
        cmocka_unit_test(glu_is_two_roundings),
        cmocka_unit_test(glu_backward_rounds_each_product),
        cmocka_unit_test(gate_order),
        cmocka_unit_test(coarse_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
