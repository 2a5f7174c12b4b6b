/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer beside PyTorch's, both measured by PyTorch's own float64 results. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "gelu.h"
#include "golden/errors.h"
#include "golden/golden.h"

static const int seeds[] = {0, 42};
static const size_t shapes[][3] = {{8, 16, 2}, {5, 3, 2}, {24, 96, 7}, {64, 256, 33}};
static const char *approximations[] = {"none", "tanh"};

enum kind { H, A, Y, DX, DW1, DB1, DW2, DB2, KINDS };
static const char *const kind_names[KINDS] = {"h", "a", "y", "dx", "dw1", "db1", "dw2", "db2"};

enum { MAX_ELEMENTS = 64 * 256 };

/* One golden: its name without the last part, inputs, and PyTorch's f32 results. */
struct golden {
    char prefix[96];
    size_t d_model, d_ff, rows, counts[KINDS];
    gelu_act act;
    gelu_tensor x, w1, b1, w2, b2, dy, torch[KINDS];
};

static gelu_tensor load(const struct golden *g, const char *name, const char *suffix, gelu_dtype dtype, size_t count) {
    char full[160];
    snprintf(full, sizeof full, "%s_%s%s", g->prefix, name, suffix);
    gelu_tensor tensor = golden_load(full);
    assert_int_equal(tensor.dtype, dtype);
    assert_int_equal(tensor.count, count);
    return tensor;
}

static struct golden golden_open(int seed, const size_t *shape, int approximation) {
    struct golden g = {.d_model = shape[0], .d_ff = shape[1], .rows = shape[2]};
    g.act = approximation ? GELU_TANH : GELU_ERF;
    snprintf(g.prefix, sizeof g.prefix, "seed%d_ffn_%zux%zux%zu_%s", seed, shape[0], shape[1], shape[2],
             approximations[approximation]);
    size_t model = g.rows * g.d_model, hidden = g.rows * g.d_ff, weight = g.d_model * g.d_ff;
    const size_t counts[KINDS] = {hidden, hidden, model, model, weight, g.d_ff, weight, g.d_model};
    memcpy(g.counts, counts, sizeof counts);
    g.x = load(&g, "x", "", GELU_F32, model);
    g.dy = load(&g, "dy", "", GELU_F32, model);
    g.w1 = load(&g, "w1", "", GELU_F32, weight);
    g.w2 = load(&g, "w2", "", GELU_F32, weight);
    g.b1 = load(&g, "b1", "", GELU_F32, g.d_ff);
    g.b2 = load(&g, "b2", "", GELU_F32, g.d_model);
    for (int k = 0; k < KINDS; k++) g.torch[k] = load(&g, kind_names[k], "", GELU_F32, counts[k]);
    return g;
}

static void golden_close(struct golden *g) {
    gelu_tensor *inputs[] = {&g->x, &g->dy, &g->w1, &g->w2, &g->b1, &g->b2};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) gelu_tensor_free(inputs[i]);
    for (int k = 0; k < KINDS; k++) gelu_tensor_free(&g->torch[k]);
}

/* Our results, from inputs of the type (an f32 golden widened where it is f64). */
static void run(const struct golden *g, gelu_dtype dtype, void *results[KINDS]) {
    static double widened[6][MAX_ELEMENTS];
    const gelu_tensor *inputs[] = {&g->x, &g->dy, &g->w1, &g->b1, &g->w2, &g->b2};
    const void *in[6];
    for (int i = 0; i < 6; i++) {
        in[i] = dtype == GELU_F32 ? inputs[i]->data : widened[i];
        if (dtype != GELU_F32)
            assert_int_equal(gelu_convert(inputs[i]->count, GELU_F32, inputs[i]->data, dtype, widened[i]), GELU_OK);
    }
    const gelu_ffn_desc desc = {.d_model = g->d_model,
                                .d_ff = g->d_ff,
                                .act = g->act,
                                .fc1 = {dtype, GELU_OUT_IN, in[2], 0, in[3]},
                                .fc2 = {dtype, GELU_OUT_IN, in[4], 0, in[5]}};
    const gelu_ffn_trace trace = {.h = results[H], .a = results[A]};
    const gelu_ffn_grads grads = {results[DX], g->d_model, results[DW1], results[DB1],
                                  NULL,        NULL,       results[DW2], results[DB2]};
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    assert_int_equal(
        gelu_ffn_forward(ffn, g->rows, dtype, in[0], g->d_model, &trace, dtype, results[Y], g->d_model, NULL), GELU_OK);
    assert_int_equal(gelu_ffn_backward(ffn, GELU_GRAD_SET, g->rows, dtype, in[0], g->d_model, dtype, in[1], g->d_model,
                                       NULL, &grads, NULL),
                     GELU_OK);
    gelu_ffn_free(ffn);
}

/* PyTorch's float64 result; there is none for the biases' gradients, for which our own f64 layer stands in, once it has
 * shown on everything else that it agrees. */
static void reference(const struct golden *g, int kind, const double *ours, double *want) {
    memcpy(want, ours, g->counts[kind] * sizeof *want);
    if (kind == DB1 || kind == DB2) return;
    gelu_tensor golden = load(g, kind_names[kind], "64", GELU_F64, g->counts[kind]);
    memcpy(want, golden.data, g->counts[kind] * sizeof *want);
    gelu_tensor_free(&golden);
    for (size_t i = 0; i < g->counts[kind]; i++)
        if (!(fabs(ours[i] - want[i]) <= 1e-13 * (1 + fabs(want[i]))))
            fail_msg("%s_%s64[%zu]: got %.17g, PyTorch %.17g", g->prefix, kind_names[kind], i, ours[i], want[i]);
}

static void check_golden(const struct golden *g, struct error_ratio *ratios) {
    static float f32[KINDS][MAX_ELEMENTS];
    static double f64[KINDS][MAX_ELEMENTS], want[KINDS][MAX_ELEMENTS];
    void *narrow[KINDS], *wide[KINDS];
    for (int k = 0; k < KINDS; k++) narrow[k] = f32[k], wide[k] = f64[k];
    run(g, GELU_F32, narrow);
    run(g, GELU_F64, wide);
    for (int k = 0; k < KINDS; k++) {
        reference(g, k, f64[k], want[k]);
        error_ratio_add(&ratios[k], max_error(g->counts[k], f32[k], want[k]),
                        max_error(g->counts[k], g->torch[k].data, want[k]));
    }
    assert_linear_bound(g->prefix, g->rows, g->d_model, g->d_ff, g->x.data, g->w1.data, g->b1.data, f32[H], want[H]);
    assert_linear_bound(g->prefix, g->rows, g->d_ff, g->d_model, f32[A], g->w2.data, g->b2.data, f32[Y], NULL);
}

static void as_near_as_pytorch(void **state) {
    (void)state;
    struct error_ratio ratios[KINDS] = {0};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < 4; i++)
            for (int a = 0; a < 2; a++) {
                struct golden g = golden_open(seeds[s], shapes[i], a);
                check_golden(&g, ratios);
                golden_close(&g);
            }
    print_message("Our largest error / PyTorch 1.13.1's, over %d goldens: geometric mean (worst)\n", ratios[0].count);
    for (int k = 0; k < KINDS; k++)
        print_message("  %-3s %.2f (%.2f)\n", kind_names[k], error_ratio_mean(&ratios[k]), ratios[k].worst);
    for (int k = 0; k < KINDS; k++) {
        /* The sums of the biases' gradients have no mean to keep: PyTorch adds pairwise, which no order of ours beats. */
        if (k != DB1 && k != DB2 && !(error_ratio_mean(&ratios[k]) <= 1.05))
            fail_msg("%s: mean above 1.05", kind_names[k]);
        if (!(ratios[k].worst <= 3)) fail_msg("%s: a ratio above 3", kind_names[k]);
    }
}

/* Sequential(Linear(8, 32), GELU(), Linear(32, 8)) after manual_seed(42), as PyTorch prints it. */
static void assert_printed(int x_first, gelu_act act, const char *const want[16]) {
    static float x[16], w1[256], b1[32], w2[256], b2[8], y[16];
    gelu_rng rng;
    gelu_manual_seed(&rng, 42);
    if (x_first) gelu_randn_f32(&rng, 16, x);
    assert_int_equal(gelu_linear_init_f32(&rng, 8, 32, w1, b1), GELU_OK);
    assert_int_equal(gelu_linear_init_f32(&rng, 32, 8, w2, b2), GELU_OK);
    if (!x_first) gelu_randn_f32(&rng, 16, x);
    const gelu_ffn_desc desc = {.d_model = 8,
                                .d_ff = 32,
                                .act = act,
                                .fc1 = {GELU_F32, GELU_OUT_IN, w1, 0, b1},
                                .fc2 = {GELU_F32, GELU_OUT_IN, w2, 0, b2}};
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    assert_int_equal(gelu_ffn_forward(ffn, 2, GELU_F32, x, 8, NULL, GELU_F32, y, 8, NULL), GELU_OK);
    gelu_ffn_free(ffn);
    for (int i = 0; i < 16 && want[i]; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.4f", (double)y[i]);
        assert_string_equal(text, want[i]);
    }
}

static void printed(void **state) {
    (void)state;
    static const char *const x_first[16] = {"0.1808",  "0.0846", "-0.2864", "-0.9312", "-0.3521", "-0.0399",
                                            "-0.2784", "0.3738", "0.1182",  "-0.0741", "-0.1795", "-0.3062",
                                            "-0.1224", "0.0300", "-0.1022", "-0.0228"};
    static const char *const model_first[16] = {"0.0057",  "-0.1682", "0.3126", "0.1364",  "-0.1074", "-0.0365",
                                                "-0.0128", "0.2311",  "0.3065", "-0.0395", "-0.0280", "0.1517",
                                                "-0.0442", "0.1882",  "0.0929", "0.2020"};
    static const char *const x_first_tanh[16] = {"0.1808", "0.0846", "-0.2863", "-0.9311"};
    assert_printed(1, GELU_ERF, x_first);
    assert_printed(0, GELU_ERF, model_first);
    assert_printed(1, GELU_TANH, x_first_tanh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_near_as_pytorch), cmocka_unit_test(printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
