/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Bit equality with what PyTorch drew. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "gelu.h"
#include "golden/golden.h"

static const int seeds[] = {0, 42};
static const size_t counts[] = {1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 100};
static const size_t shapes[][3] = {{8, 16, 2}, {5, 3, 2}, {24, 96, 7}, {64, 256, 33}};
static const char *approximations[] = {"none", "tanh"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_golden(const char *name, size_t count, const float *got) {
    gelu_tensor want = golden_load(name);
    assert_int_equal(want.dtype, GELU_F32);
    assert_int_equal(want.count, count);
    const float *expected = want.data;
    for (size_t i = 0; i < count; i++)
        if (memcmp(&got[i], &expected[i], sizeof *got) != 0)
            fail_msg("%s[%zu]: got %.9g, PyTorch %.9g", name, i, got[i], expected[i]);
    gelu_tensor_free(&want);
}

static void draws(void **state) {
    (void)state;
    char name[128];
    float got[100];
    gelu_rng rng;
    for (size_t s = 0; s < COUNT(seeds); s++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            snprintf(name, sizeof name, "seed%d_rand_%zu", seeds[s], counts[c]);
            gelu_manual_seed(&rng, (uint64_t)seeds[s]);
            gelu_rand_f32(&rng, counts[c], got);
            assert_golden(name, counts[c], got);
            snprintf(name, sizeof name, "seed%d_randn_%zu", seeds[s], counts[c]);
            gelu_manual_seed(&rng, (uint64_t)seeds[s]);
            gelu_randn_f32(&rng, counts[c], got);
            assert_golden(name, counts[c], got);
        }
}

/* The normal that the first call leaves serves the second; the third, in blocks, does without. */
static void sequence(void **state) {
    (void)state;
    char name[128];
    float got[22];
    gelu_rng rng;
    for (size_t s = 0; s < COUNT(seeds); s++) {
        gelu_manual_seed(&rng, (uint64_t)seeds[s]);
        gelu_randn_f32(&rng, 3, got);
        gelu_randn_f32(&rng, 3, got + 3);
        gelu_randn_f32(&rng, 16, got + 6);
        snprintf(name, sizeof name, "seed%d_randn_seq_3_3_2x8", seeds[s]);
        assert_golden(name, 22, got);
    }
}

static void layer(gelu_rng *rng, const char *prefix, const char *weight_name, const char *bias_name, size_t in,
                  size_t out) {
    char name[128];
    static float weight[64 * 256], bias[256];
    assert_int_equal(gelu_linear_init_f32(rng, in, out, weight, bias), GELU_OK);
    snprintf(name, sizeof name, "%s_%s", prefix, weight_name);
    assert_golden(name, in * out, weight);
    snprintf(name, sizeof name, "%s_%s", prefix, bias_name);
    assert_golden(name, out, bias);
}

/* A model is built, then x and dy are drawn. */
static void feed_forward(void **state) {
    (void)state;
    char prefix[96], name[128];
    static float normal[33 * 64];
    gelu_rng rng;
    for (size_t s = 0; s < COUNT(seeds); s++)
        for (size_t i = 0; i < COUNT(shapes); i++)
            for (size_t a = 0; a < COUNT(approximations); a++) {
                size_t d_model = shapes[i][0], d_ff = shapes[i][1], rows = shapes[i][2];
                snprintf(prefix, sizeof prefix, "seed%d_ffn_%zux%zux%zu_%s", seeds[s], d_model, d_ff, rows,
                         approximations[a]);
                gelu_manual_seed(&rng, (uint64_t)seeds[s]);
                layer(&rng, prefix, "w1", "b1", d_model, d_ff);
                layer(&rng, prefix, "w2", "b2", d_ff, d_model);
                gelu_randn_f32(&rng, rows * d_model, normal);
                snprintf(name, sizeof name, "%s_x", prefix);
                assert_golden(name, rows * d_model, normal);
                gelu_randn_f32(&rng, rows * d_model, normal);
                snprintf(name, sizeof name, "%s_dy", prefix);
                assert_golden(name, rows * d_model, normal);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws),
        cmocka_unit_test(sequence),
        cmocka_unit_test(feed_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
