/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The generator, from numbers that PyTorch users quote. */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "gelu.h"

static gelu_rng rng;

/* As print(tensor) shows it: four digits. */
static void assert_four_digits(float got, const char *want) {
    char text[32];
    snprintf(text, sizeof text, "%.4f", (double)got);
    assert_string_equal(text, want);
}

static void assert_floats(size_t n, const float *got, const float *want) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0) fail_msg("%zu: got %.9g, want %.9g", i, got[i], want[i]);
}

static void words(void **state) {
    (void)state;
    static const uint32_t want[] = {4053805790u, 2173880614u, 380293709u, 1237255315u, 2986595568u};
    gelu_manual_seed(&rng, 137);
    for (int i = 0; i < 5; i++) assert_int_equal(gelu_random_u32(&rng), want[i]);
    /* The reference generator's 10,000th number for its default seed, as the C++ standard states it for mt19937. */
    gelu_manual_seed(&rng, 5489);
    for (int i = 1; i < 10000; i++) gelu_random_u32(&rng);
    assert_int_equal(gelu_random_u32(&rng), 4123659995u);
}

static void seed_takes_32_bits(void **state) {
    (void)state;
    gelu_manual_seed(&rng, 137 + ((uint64_t)5 << 32));
    assert_int_equal(gelu_random_u32(&rng), 4053805790u);
}

static void uniform(void **state) {
    (void)state;
    static const char *want[] = {"0.4963", "0.7682", "0.0885", "0.1320", "0.3074"};
    static float x[100000];
    gelu_manual_seed(&rng, 0);
    gelu_rand_f32(&rng, 5, x);
    for (int i = 0; i < 5; i++) assert_four_digits(x[i], want[i]);
    gelu_rand_f32(&rng, 100000, x);
    for (int i = 0; i < 100000; i++) {
        assert_true(x[i] >= 0 && x[i] < 1);
        assert_true(x[i] * 0x1p24f == floorf(x[i] * 0x1p24f));
    }
    gelu_manual_seed(&rng, 7);
    gelu_uniform_f32(&rng, -3.7f, 1e-3f, 1000, x);
    gelu_manual_seed(&rng, 7);
    for (int i = 0; i < 1000; i++) {
        float u;
        gelu_rand_f32(&rng, 1, &u);
        assert_true(x[i] == fmaf(u, 1e-3f + 3.7f, -3.7f));
    }
}

static void normal_paths(void **state) {
    (void)state;
    float x[17];
    gelu_manual_seed(&rng, 0);
    gelu_randn_f32(&rng, 3, x);
    assert_four_digits(x[0], "1.5410");
    assert_four_digits(x[1], "-0.2934");
    assert_four_digits(x[2], "-2.1788");
    gelu_manual_seed(&rng, 0);
    gelu_randn_f32(&rng, 16, x);
    assert_four_digits(x[0], "-1.1258");
    assert_four_digits(x[1], "-1.1524");
    assert_four_digits(x[2], "-0.2506");
    assert_four_digits(x[3], "-0.4339");
    assert_four_digits(x[15], "-0.2473");
    gelu_manual_seed(&rng, 0);
    gelu_randn_f32(&rng, 17, x);
    assert_four_digits(x[0], "-1.1258");
    assert_four_digits(x[1], "-1.6959");
    assert_four_digits(x[2], "0.5667");
    assert_four_digits(x[16], "0.9318");
    static const float want[] = {1.92691529f,   1.48728406f,   0.900717199f,   -2.10552096f,
                                 0.678418458f,  -1.23454487f,  -0.0430674776f, -1.60466695f,
                                 -0.752135277f, 1.64872301f,   -0.392478645f,  -1.40360713f,
                                 -0.727881312f, -0.559430182f, -0.768838882f,  0.76244539f};
    gelu_manual_seed(&rng, 42);
    gelu_randn_f32(&rng, 16, x);
    assert_floats(16, x, want);
}

/* The second normal of a pair waits for the next short call, a longer one leaves it, and seeding forgets it. */
static void cached_normal(void **state) {
    (void)state;
    float x[3], again[3], four[4], block[16];
    gelu_manual_seed(&rng, 0);
    gelu_randn_f32(&rng, 3, x);
    assert_int_equal(rng.has_normal, 1);
    gelu_randn_f32(&rng, 16, block);
    gelu_randn_f32(&rng, 1, again);
    gelu_manual_seed(&rng, 0);
    gelu_randn_f32(&rng, 4, four);
    assert_floats(3, x, four);
    assert_floats(1, again, four + 3);
    gelu_randn_f32(&rng, 1, again);
    gelu_manual_seed(&rng, 0);
    assert_int_equal(rng.has_normal, 0);
    gelu_randn_f32(&rng, 3, again);
    assert_floats(3, again, x);
}

static void linear_init(void **state) {
    (void)state;
    static float w[32 * 8], b[32];
    static const float want_w[] = {0.270305187f,   0.293452114f,  -0.0828278288f, 0.32477814f,
                                   -0.0774648115f, 0.0713437796f, -0.172129244f,  0.207635775f};
    static const float want_b[] = {0.197809905f, -0.246145472f, 0.177702188f, 0.160436943f};
    gelu_manual_seed(&rng, 42);
    assert_int_equal(gelu_linear_init_f32(&rng, 8, 32, w, b), GELU_OK);
    assert_floats(8, w, want_w);
    assert_floats(4, b, want_b);
    gelu_manual_seed(&rng, 42);
    assert_int_equal(gelu_linear_init_f32(&rng, 1, 1, w, b), GELU_OK);
    assert_floats(1, w, (float[]){0.7645385f});
    assert_floats(1, b, (float[]){0.8300079f});
}

static void linear_init_edges(void **state) {
    (void)state;
    float w[6], b[3] = {9, 9, 9};
    /* bias=False draws none */
    gelu_manual_seed(&rng, 1);
    assert_int_equal(gelu_linear_init_f32(&rng, 2, 3, w, NULL), GELU_OK);
    assert_int_equal(rng.index, 6);
    /* in_features 0: numbers drawn, bias 0 */
    assert_int_equal(gelu_linear_init_f32(&rng, 0, 3, NULL, b), GELU_OK);
    assert_int_equal(rng.index, 9);
    assert_memory_equal(b, ((float[]){0, 0, 0}), sizeof b);
    assert_int_equal(gelu_linear_init_f32(&rng, 2, 0, NULL, NULL), GELU_OK);
    /* refused before anything is drawn or written */
    float before[6];
    memcpy(before, w, sizeof w);
    assert_int_equal(gelu_linear_init_f32(&rng, (size_t)1 << 32, (size_t)1 << 32, w, b), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_linear_init_f32(&rng, 1, SIZE_MAX / 2, w, b), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_linear_init_f32(&rng, 0, SIZE_MAX / 2, w, b), GELU_ERR_OVERFLOW);
    assert_int_equal(gelu_linear_init_f32(&rng, 2, 3, NULL, b), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_linear_init_f32(NULL, 2, 3, w, b), GELU_ERR_ARGUMENT);
    assert_int_equal(rng.index, 9);
    assert_memory_equal(before, w, sizeof w);
    gelu_rand_f32(&rng, 0, NULL);
    gelu_randn_f32(&rng, 0, NULL);
    gelu_uniform_f32(&rng, 0, 1, 0, NULL);
    assert_int_equal(rng.index, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(seed_takes_32_bits),
        cmocka_unit_test(uniform),
        cmocka_unit_test(normal_paths),
        cmocka_unit_test(cached_normal),
        cmocka_unit_test(linear_init),
        cmocka_unit_test(linear_init_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
