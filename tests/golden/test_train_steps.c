/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The first steps of PyTorch's optimisers, from its own initial weights, which our seed draws as well. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "digits.h"
#include "train.h"

#define GOLDENS GELU_TEST_SOURCE_DIR "/data/train/"

enum { STEPS = 20, BATCH = 32, SAMPLES = STEPS * BATCH, PIXELS = 64, IMAGES_AT = 16, LABELS_AT = 8 };

static void read_golden(const char *name, gelu_dtype dtype, size_t count, gelu_tensor *out) {
    char path[1024];
    gelu_error err;
    snprintf(path, sizeof path, GOLDENS "%s.npy", name);
    if (gelu_npy_read(path, NULL, out, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(out->dtype, dtype);
    assert_int_equal(out->count, count);
}

static double value_at(gelu_dtype dtype, const void *values, size_t i) {
    return dtype == GELU_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static train_run *create(gelu_dtype dtype, train_optimiser optimiser) {
    const train_plan plan = {.net = {.dtype = dtype,
                                     .layers = 3,
                                     .widths = {PIXELS, 16, 16, 10},
                                     .act = GELU_ERF,
                                     .init = TRAIN_INIT_TORCH,
                                     .loss = TRAIN_CROSS_ENTROPY},
                             .optimiser = optimiser,
                             .samples = SAMPLES,
                             .batch = BATCH,
                             .epochs = 1,
                             .seed = 3};
    train_run *run;
    assert_int_equal(train_run_create(&plan, &run), GELU_OK);
    return run;
}

static double step(train_run *run, gelu_dtype dtype, size_t index) {
    float x32[BATCH * PIXELS];
    double x64[BATCH * PIXELS], sum;
    uint32_t labels[BATCH];
    for (size_t i = 0; i < BATCH * PIXELS; i++)
        x64[i] = x32[i] = (float)train_digits_images[IMAGES_AT + index * BATCH * PIXELS + i] / 16;
    for (size_t i = 0; i < BATCH; i++) labels[i] = train_digits_labels[LABELS_AT + index * BATCH + i];
    const void *x = dtype == GELU_F64 ? (const void *)x64 : x32;
    assert_int_equal(train_forward(run->net, BATCH, x, NULL), GELU_OK);
    assert_int_equal(train_backward(run->net, x, labels, &sum, NULL), GELU_OK);
    train_step(run);
    return sum / BATCH;
}

/* Each layer's weight and bias: 1e-9 of its largest value in f64, 2e-6 absolute in f32. */
static void compare_tensor(gelu_dtype dtype, size_t first, size_t count, const void *got, const void *want) {
    double largest = 0;
    for (size_t i = first; i < first + count; i++) largest = fmax(largest, fabs(value_at(dtype, want, i)));
    double limit = dtype == GELU_F64 ? 1e-9 * largest : 2e-6;
    for (size_t i = first; i < first + count; i++) {
        double error = fabs(value_at(dtype, got, i) - value_at(dtype, want, i));
        if (!(error <= limit)) fail_msg("parameter %zu is off by %g, more than %g", i, error, limit);
    }
}

static void check(const char *name, train_optimiser optimiser, gelu_dtype dtype) {
    char file[64];
    gelu_tensor initial, losses, want;
    train_run *run = create(dtype, optimiser);
    size_t count = run->net->count;
    read_golden("initial", GELU_F32, count, &initial);
    for (size_t i = 0; i < count; i++)
        assert_true(value_at(dtype, run->net->values, i) == (double)((const float *)initial.data)[i]);
    snprintf(file, sizeof file, "%s_losses", name);
    read_golden(file, GELU_F64, STEPS, &losses);
    for (size_t i = 0; i < STEPS; i++) {
        double loss = step(run, dtype, i), golden = ((const double *)losses.data)[i];
        assert_true(fabs(loss - golden) <= (dtype == GELU_F64 ? 1e-12 : 2e-6));
    }
    snprintf(file, sizeof file, "%s_%s", name, gelu_dtype_name(dtype));
    read_golden(file, dtype, count, &want);
    for (size_t i = 0, at = 0; i < run->plan.net.layers; i++) {
        const train_layer *l = &run->net->layers[i];
        compare_tensor(dtype, at, l->in * l->out, run->net->values, want.data);
        compare_tensor(dtype, at + l->in * l->out, l->out, run->net->values, want.data);
        at += (l->in + 1) * l->out;
    }
    gelu_tensor_free(&initial);
    gelu_tensor_free(&losses);
    gelu_tensor_free(&want);
    train_run_free(run);
}

static void check_both(const char *name, train_optimiser optimiser) {
    check(name, optimiser, GELU_F64);
    check(name, optimiser, GELU_F32);
}

static void test_adam(void **state) {
    (void)state;
    check_both("adam", train_adam(1e-3));
}

static void test_adam_decay(void **state) {
    train_optimiser optimiser = train_adam(1e-3);
    (void)state;
    optimiser.weight_decay = 0.01;
    check_both("adam_decay", optimiser);
}

static void test_adamw(void **state) {
    train_optimiser optimiser = train_adam(1e-3);
    (void)state;
    optimiser.rule = TRAIN_ADAMW;
    optimiser.weight_decay = 0.1;
    check_both("adamw", optimiser);
}

static void test_sgd(void **state) {
    (void)state;
    check_both("sgd", (train_optimiser){.rule = TRAIN_SGD, .rate = 0.1, .momentum = 0.9, .weight_decay = 1e-3});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adam),
        cmocka_unit_test(test_adam_decay),
        cmocka_unit_test(test_adamw),
        cmocka_unit_test(test_sgd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
