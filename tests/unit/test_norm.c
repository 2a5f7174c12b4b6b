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

static double expected(int rms, const double *x, int i, const double *weight, const double *bias, double offset,
                       double eps) {
    double terms[COLS];
    for (int k = 0; k < COLS; k++) terms[k] = x[k];
    double mean = rms ? 0 : sum(terms) / COLS;
    for (int k = 0; k < COLS; k++) terms[k] = (x[k] - mean) * (x[k] - mean);
    volatile double scaled = (x[i] - mean) / sqrt(sum(terms) / COLS + eps);
    if (weight) scaled = scaled * (offset + weight[i]);
    return bias ? scaled + bias[i] : scaled;
}

static void fill(float *x, size_t n, uint32_t seed) {
    gelu_rng rng;
    gelu_manual_seed(&rng, seed);
    gelu_randn_f32(&rng, n, x);
}

/* The numbers of both calls, in f32, and in f64 with some low bits more. */
struct input {
    float x[ROWS * LD], weight[COLS], bias[COLS];
    double x8[ROWS * LD], weight8[COLS], bias8[COLS];
};

static void widen(size_t n, const float *from, double factor, double *to) {
    for (size_t i = 0; i < n; i++) to[i] = from[i] * factor;
}

static void make_input(struct input *in, double factor) {
    fill(in->x, ROWS * LD, 1);
    fill(in->weight, COLS, 2);
    fill(in->bias, COLS, 3);
    widen(ROWS * LD, in->x, factor, in->x8);
    widen(COLS, in->weight, factor, in->weight8);
    widen(COLS, in->bias, factor, in->bias8);
}

static void same_bits_as_stated(void **state) {
    (void)state;
    struct input in;
    float y[ROWS * LD];
    make_input(&in, 1);
    for (int form = 0; form < 8; form++) {
        int rms = form & 1, weighted = form & 2, biased = (form & 4) && !rms;
        double offset = form & 4 ? 1 : 0;
        memset(y, 0x5a, sizeof y);
        if (rms)
            assert_int_equal(gelu_rms_norm_f32(ROWS, COLS, in.x, LD, weighted ? in.weight : NULL, offset, 1e-6, y, LD),
                             GELU_OK);
        else
            assert_int_equal(gelu_layer_norm_f32(ROWS, COLS, in.x, LD, weighted ? in.weight : NULL,
                                                 biased ? in.bias : NULL, 1e-12, y, LD),
                             GELU_OK);
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < COLS; i++) {
                float want = (float)expected(rms, in.x8 + row * LD, i, weighted ? in.weight8 : NULL,
                                             biased ? in.bias8 : NULL, rms ? offset : 0, rms ? 1e-6 : 1e-12);
                assert_memory_equal(&y[row * LD + i], &want, sizeof want);
            }
            for (int i = row * LD + COLS; i < (row + 1) * LD; i++)
                assert_memory_equal(&y[i], "\x5a\x5a\x5a\x5a", sizeof(float));
        }
    }
}

static void same_bits_as_stated_f64(void **state) {
    (void)state;
    struct input in;
    double y[ROWS * LD];
    make_input(&in, 1 / 3.0);
    for (int form = 0; form < 8; form++) {
        int rms = form & 1;
        const double *w = form & 2 ? in.weight8 : NULL, *b = (form & 4) && !rms ? in.bias8 : NULL;
        double offset = form & 4 ? 1 : 0;
        memset(y, 0x5a, sizeof y);
        if (rms)
            assert_int_equal(gelu_rms_norm_f64(ROWS, COLS, in.x8, LD, w, offset, 1e-6, y, LD), GELU_OK);
        else
            assert_int_equal(gelu_layer_norm_f64(ROWS, COLS, in.x8, LD, w, b, 1e-12, y, LD), GELU_OK);
        for (int row = 0; row < ROWS; row++) {
            for (int i = 0; i < COLS; i++) {
                double want = expected(rms, in.x8 + row * LD, i, w, b, rms ? offset : 0, rms ? 1e-6 : 1e-12);
                assert_memory_equal(&y[row * LD + i], &want, sizeof want);
            }
            for (int i = row * LD + COLS; i < (row + 1) * LD; i++)
                assert_memory_equal(&y[i], "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", sizeof(double));
        }
    }
    assert_int_equal(gelu_layer_norm_f64(ROWS, COLS, in.x8, LD, NULL, NULL, 1e-5, y, LD), GELU_OK);
    assert_int_equal(gelu_layer_norm_f64(ROWS, COLS, in.x8, LD, NULL, NULL, 1e-5, in.x8, LD), GELU_OK);
    for (int row = 0; row < ROWS; row++) assert_memory_equal(in.x8 + row * LD, y + row * LD, COLS * sizeof *y);
    assert_int_equal(gelu_rms_norm_f64(1, 4, y, 4, NULL, 0, 0, y + 3, 4), GELU_ERR_ALIAS);
    assert_int_equal(gelu_rms_norm_f64(1, 4, y, 4, y + 7, 0, 0, y + 4, 4), GELU_ERR_ALIAS);
    assert_int_equal(gelu_rms_norm_f64(1, 4, y, 4, y + 8, 0, 0, y + 4, 4), GELU_OK);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_as_stated), cmocka_unit_test(same_bits_as_stated_f64),
                                       cmocka_unit_test(known_values), cmocka_unit_test(in_place),
                                       cmocka_unit_test(bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
