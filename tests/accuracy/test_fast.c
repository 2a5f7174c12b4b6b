/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The fast calls: less than 1 ULP from the f64 results, which other tests hold to MPFR; monotone where f is; the special
 * values of the exact calls. Blocks of neighbouring floats, every GELU_TEST_STRIDE-th one (default 61; 1 is the whole). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gelu.h"

enum { BLOCK = 1 << 12 };

static const struct {
    gelu_act act;
    double minimum; /* of f, at minus this */
} functions[] = {
    {GELU_ERF, 0.751791524693565}, {GELU_TANH, 0.752461422}, {GELU_QUICK, 0.751154255}, {GELU_SILU, 1.278464542761074}};

static uint32_t stride(void) {
    const char *text = getenv("GELU_TEST_STRIDE");
    long value = text ? atol(text) : 61;
    return value > 0 ? (uint32_t)value : 61;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double ulp_of(double exact) {
    int exponent;
    frexp(exact, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* Floats of one sign, in the order of their size. */
static double check_values(gelu_act act, double minimum, uint32_t first, uint32_t sign) {
    static float x[BLOCK], y[BLOCK];
    static double wide[BLOCK], exact[BLOCK];
    double worst = 0;
    for (uint32_t i = 0; i < BLOCK; i++) wide[i] = x[i] = float_of(sign | (first + i));
    gelu_fast_forward_f32(act, BLOCK, x, y);
    gelu_forward_f64(act, BLOCK, wide, exact);
    for (int i = 0; i < BLOCK; i++) {
        double error = fabs((double)y[i] - exact[i]) / ulp_of(exact[i]);
        if (error > worst) worst = error;
        if (i == 0) continue;
        /* Away from zero f rises for x > 0; for x < 0 it falls to its minimum and then rises. */
        double z = fabs(wide[i]);
        if (!sign || z > minimum + 1e-6)
            assert_true(y[i] >= y[i - 1]);
        else if (z < minimum - 1e-6)
            assert_true(y[i] <= y[i - 1]);
    }
    return worst;
}

static double check_slopes(gelu_act act, uint32_t first, uint32_t sign) {
    static float x[BLOCK], one[BLOCK], y[BLOCK];
    static double wide[BLOCK], exact[BLOCK];
    double worst = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
        wide[i] = x[i] = float_of(sign | (first + i));
        one[i] = 1;
    }
    gelu_fast_backward_f32(act, BLOCK, x, one, y);
    gelu_grad_f64(act, BLOCK, wide, exact);
    for (int i = 0; i < BLOCK; i++) {
        int at_root = fabs(exact[i]) < 0x1p-12 && fabs(wide[i]) < 2;
        double error = fabs((double)y[i] - exact[i]) / (at_root ? 0x1p-35 : ulp_of(exact[i]));
        if (error > worst) worst = error;
    }
    return worst;
}

static void less_than_one_ulp_and_monotone(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        double value = 0, slope = 0;
        for (uint32_t block = 0; block < 0x7f800000u / BLOCK; block += stride())
            for (uint32_t sign = 0; sign <= 1; sign++) {
                value = fmax(value, check_values(functions[f].act, functions[f].minimum, block * BLOCK, sign << 31));
                slope = fmax(slope, check_slopes(functions[f].act, block * BLOCK, sign << 31));
            }
        /* All around the root of the derivative, where its relative error is largest. */
        for (uint32_t block = 0x3f000000u / BLOCK; block < 0x3fc00000u / BLOCK; block++)
            slope = fmax(slope, check_slopes(functions[f].act, block * BLOCK, 1u << 31));
        print_message("%s: fast value %.4f ULP, slope %.4f ULP\n", gelu_act_name(functions[f].act), value, slope);
        assert_true(value < 1);
        assert_true(slope < 1);
    }
}

static void special_values(void **state) {
    (void)state;
    const uint32_t bits[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc12345u,
                             0xffc12345u, 0x7f800001u, 0x7f7fffffu, 0xff7fffffu, 0xc2c80000u};
    for (int act = GELU_IDENTITY; act <= GELU_ELU; act++)
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            float x = float_of(bits[i]), fast, exact;
            gelu_fast_forward_f32((gelu_act)act, 1, &x, &fast);
            gelu_forward_f32((gelu_act)act, 1, &x, &exact);
            assert_memory_equal(&fast, &exact, sizeof fast);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(less_than_one_ulp_and_monotone),
                                       cmocka_unit_test(special_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
