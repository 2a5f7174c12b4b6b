/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* LayerNorm and RMSNorm: exact values, the order of the sums, in place, strides, bad arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "gelu.h"

enum { ROWS = 3, COLS = 21, LD = 24 };

/* The header's words once more, lane by lane instead of element by element. */
static double sum(const double *terms) {
    double lane[8];
    for (int l = 0; l < 8; l++) {
        lane[l] = 0;
        for (int i = l; i < COLS; i += 8) lane[l] += terms[i];
    }
    double even = (lane[0] + lane[4]) + (lane[2] + lane[6]), odd = (lane[1] + lane[5]) + (lane[3] + lane[7]);
    return even + odd;
}

static float expected(int rms, const float *x, int i, const float *weight, const float *bias, double offset,
                      double eps) {
    double terms[COLS];
    for (int k = 0; k < COLS; k++) terms[k] = x[k];
    double mean = rms ? 0 : sum(terms) / COLS;
    for (int k = 0; k < COLS; k++) terms[k] = (x[k] - mean) * (x[k] - mean);
    volatile double scaled = (x[i] - mean) / sqrt(sum(terms) / COLS + eps);
    if (weight) scaled = scaled * (offset + weight[i]);
    return (float)(bias ? scaled + bias[i] : scaled);
}

static void fill(float *x, size_t n, uint32_t seed) {
    gelu_rng rng;
    gelu_manual_seed(&rng, seed);
    gelu_randn_f32(&rng, n, x);
}

static void same_bits_as_stated(void **state) {
    (void)state;
    float x[ROWS * LD], weight[COLS], bias[COLS], y[ROWS * LD];
    fill(x, ROWS * LD, 1);
    fill(weight, COLS, 2);
    fill(bias, COLS, 3);
    for (int form = 0; form < 8; form++) {
        int rms = form & 1;
        const float *w = form & 2 ? weight : NULL, *b = (form & 4) && !rms ? bias : NULL;
        double offset = form & 4 ? 1 : 0;
        memset(y, 0x5a, sizeof y);
        if (rms)
            assert_int_equal(gelu_rms_norm_f32(ROWS, COLS, x, LD, w, offset, 1e-6, y, LD), GELU_OK);
        else
            assert_int_equal(gelu_layer_norm_f32(ROWS, COLS, x, LD, w, b, 1e-12, y, LD), GELU_OK);
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < COLS; i++) {
                float want = expected(rms, x + row * LD, i, w, b, rms ? offset : 0, rms ? 1e-6 : 1e-12);
                assert_memory_equal(&y[row * LD + i], &want, sizeof want);
            }
            for (int i = row * LD + COLS; i < (row + 1) * LD; i++)
                assert_memory_equal(&y[i], "\x5a\x5a\x5a\x5a", sizeof(float));
        }
    }
}

static void known_values(void **state) {
    (void)state;
    const float x[4] = {1, 3, 1, 3}, weight[4] = {2, 2, 0, -1}, bias[4] = {0, 1, 5, 0};
    const float layer[4] = {-2, 3, 5, -1}, plain[4] = {-1, 1, -1, 1};
    float y[4];
    assert_int_equal(gelu_layer_norm_f32(1, 4, x, 4, weight, bias, 0, y, 4), GELU_OK);
    assert_memory_equal(y, layer, sizeof y);
    assert_int_equal(gelu_layer_norm_f32(1, 4, x, 4, NULL, NULL, 0, y, 4), GELU_OK);
    assert_memory_equal(y, plain, sizeof y);
    const float z[2] = {1, 7}, ones[2] = {1, 1}, rms[2] = {0.2f, 1.4f}, gemma[2] = {0.4f, 2.8f};
    assert_int_equal(gelu_rms_norm_f32(1, 2, z, 2, ones, 0, 0, y, 2), GELU_OK);
    assert_memory_equal(y, rms, sizeof rms);
    assert_int_equal(gelu_rms_norm_f32(1, 2, z, 2, ones, 1, 0, y, 2), GELU_OK);
    assert_memory_equal(y, gemma, sizeof gemma);
}

static void in_place(void **state) {
    (void)state;
    float x[ROWS * COLS], y[ROWS * COLS];
    fill(x, ROWS * COLS, 4);
    assert_int_equal(gelu_layer_norm_f32(ROWS, COLS, x, COLS, NULL, NULL, 1e-5, y, COLS), GELU_OK);
    assert_int_equal(gelu_layer_norm_f32(ROWS, COLS, x, COLS, NULL, NULL, 1e-5, x, COLS), GELU_OK);
    assert_memory_equal(x, y, sizeof x);
}

static void bad_arguments(void **state) {
    (void)state;
    float x[8] = {1}, y[8];
    assert_int_equal(gelu_layer_norm_f32(0, 4, NULL, 4, NULL, NULL, 0, NULL, 4), GELU_OK);
    assert_int_equal(gelu_rms_norm_f32(2, 0, NULL, 0, NULL, 0, 0, NULL, 0), GELU_OK);
    assert_int_equal(gelu_layer_norm_f32(2, 4, NULL, 4, NULL, NULL, 0, y, 4), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_rms_norm_f32(2, 4, x, 4, NULL, 0, 0, NULL, 4), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_layer_norm_f32(2, 4, x, 4, NULL, NULL, -1e-5, y, 4), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_layer_norm_f32(2, 4, x, 4, NULL, NULL, NAN, y, 4), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_layer_norm_f32(2, 4, x, 3, NULL, NULL, 0, y, 4), GELU_ERR_SHAPE);
    assert_int_equal(gelu_layer_norm_f32(2, 4, x, 4, NULL, NULL, 0, y, 3), GELU_ERR_SHAPE);
    assert_int_equal(gelu_layer_norm_f32(SIZE_MAX, 4, x, 4, NULL, NULL, 0, y, 4), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_layer_norm_f32(1, 4, x, 4, NULL, NULL, 0, x + 1, 4), GELU_ERR_ALIAS);
    assert_int_equal(gelu_layer_norm_f32(1, 4, x, 4, y, NULL, 0, y, 4), GELU_ERR_ALIAS);
    assert_int_equal(gelu_layer_norm_f32(1, 4, x, 4, NULL, y + 3, 0, y, 4), GELU_ERR_ALIAS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_as_stated), cmocka_unit_test(known_values),
                                       cmocka_unit_test(in_place), cmocka_unit_test(bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
