/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The feed-forward layer of a trained ALBERT (rxnmapper's), found in $GELU_TEST_DATA/rxnmapper-albert: fc1, erf, fc2
 * and the block around them against float64, and beside PyTorch's own errors (albert_torch_errors.txt). */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "gelu_io.h"
#include "golden/errors.h"
#include "golden/golden.h"
#include "golden/safetensors.h"

enum { ROWS = 19, D_MODEL = 256, D_FF = 512 };

/* NULL without the data. */
static const char *data_path(const char *name) {
    static char path[1024];
    const char *folder = getenv("GELU_TEST_DATA");
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/rxnmapper-albert/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fclose(file);
    return path;
}

static void skip_without_data(void) {
    if (data_path("model.safetensors")) return;
    print_message("skipped: set GELU_TEST_DATA to a folder that has rxnmapper-albert/model.safetensors\n");
    skip();
}

static gelu_tensor load(const char *name, gelu_dtype dtype, size_t count) {
    gelu_tensor tensor;
    gelu_error err;
    const char *path = data_path(name);
    if (!path) fail_msg("no %s", name);
    if (gelu_npy_read(path, NULL, &tensor, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(tensor.dtype, dtype);
    assert_int_equal(tensor.count, count);
    return tensor;
}

/* PyTorch's largest errors for h, a, y or the block b: over all tokens, then for each token. */
static void torch_errors(const char *name, double errors[1 + ROWS]) {
    char *text = golden_text("albert_torch_errors"), key[8];
    snprintf(key, sizeof key, "\n%s ", name);
    char *at = strstr(text, key);
    if (!at) fail_msg("albert_torch_errors.txt has no %s", name);
    at += strlen(key);
    for (int i = 0; i <= ROWS; i++) {
        errors[i] = strtod(at, &at);
        assert_true(errors[i] > 0);
    }
    free(text);
}

/* Ours over PyTorch's: at most 1.05 in the geometric mean over the tokens. Returns the ratio over all tokens. */
static double check_tensor(const char *name, const float *ours, const gelu_tensor *want) {
    double theirs[1 + ROWS], all = max_error(want->count, ours, want->data);
    size_t cols = want->count / ROWS;
    struct error_ratio tokens = {0};
    torch_errors(name, theirs);
    for (size_t m = 0; m < ROWS; m++)
        error_ratio_add(&tokens, max_error(cols, ours + m * cols, (const double *)want->data + m * cols),
                        theirs[1 + m]);
    print_message("ALBERT %s: largest error %.3g, PyTorch's %.3g, ratio %.2f; mean over tokens %.3f\n", name, all,
                  theirs[0], all / theirs[0], error_ratio_mean(&tokens));
    assert_true(error_ratio_mean(&tokens) <= 1.05);
    assert_true(all <= 3 * theirs[0]);
    return all / theirs[0];
}

static void f32_beside_pytorch(void **state) {
    (void)state;
    skip_without_data();
    gelu_tensor x = load("x.npy", GELU_F32, ROWS * D_MODEL);
    gelu_tensor want[] = {load("fc1_f64.npy", GELU_F64, ROWS * D_FF), load("gelu_f64.npy", GELU_F64, ROWS * D_FF),
                          load("ffn_f64.npy", GELU_F64, ROWS * D_MODEL)};
    const char *model = data_path("model.safetensors");
    float *w1 = safetensors_read(model, ".ffn.weight", D_FF * D_MODEL);
    float *b1 = safetensors_read(model, ".ffn.bias", D_FF);
    float *w2 = safetensors_read(model, ".ffn_output.weight", D_MODEL * D_FF);
    float *b2 = safetensors_read(model, ".ffn_output.bias", D_MODEL);
    const gelu_ffn_desc desc = {.d_model = D_MODEL,
                                .d_ff = D_FF,
                                .act = GELU_ERF,
                                .fc1 = {GELU_F32, GELU_OUT_IN, w1, 0, b1},
                                .fc2 = {GELU_F32, GELU_OUT_IN, w2, 0, b2}};
    static float h[ROWS * D_FF], a[ROWS * D_FF], y[ROWS * D_MODEL];
    gelu_ffn *ffn;
    assert_int_equal(gelu_ffn_create(&desc, &ffn), GELU_OK);
    assert_int_equal(gelu_ffn_forward(ffn, ROWS, GELU_F32, x.data, D_MODEL, &(gelu_ffn_trace){.h = h, .a = a}, GELU_F32,
                                      y, D_MODEL, NULL),
                     GELU_OK);
    gelu_ffn_free(ffn);
    assert_linear_bound("fc1", ROWS, D_MODEL, D_FF, x.data, w1, b1, h, want[0].data);
    assert_linear_bound("fc2", ROWS, D_FF, D_MODEL, a, w2, b2, y, NULL);

    const float *ours[] = {h, a, y};
    static const char *const names[] = {"h", "a", "y"};
    struct error_ratio ratio = {0};
    for (int i = 0; i < 3; i++) error_ratio_add(&ratio, check_tensor(names[i], ours[i], &want[i]), 1);
    print_message("ALBERT: geometric mean of h, a and y %.3f\n", error_ratio_mean(&ratio));
    assert_true(error_ratio_mean(&ratio) <= 1.05);
    for (int i = 0; i < 3; i++) gelu_tensor_free(&want[i]);
    gelu_tensor_free(&x);
    free(w1), free(b1), free(w2), free(b2);
}

/* The layer and the block as gelu_model finds them: the whole way from the checkpoint's folder. */
static void model_beside_pytorch(void **state) {
    (void)state;
    skip_without_data();
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/rxnmapper-albert", getenv("GELU_TEST_DATA"));
    gelu_tensor x = load("x.npy", GELU_F32, ROWS * D_MODEL);
    gelu_tensor ffn_f64 = load("ffn_f64.npy", GELU_F64, ROWS * D_MODEL);
    gelu_tensor block_f64 = load("block_f64.npy", GELU_F64, ROWS * D_MODEL);
    static float y[ROWS * D_MODEL], left[ROWS * D_MODEL];
    const gelu_block_extras extras = {.left = left};
    gelu_model *model;
    gelu_ffn *ffn;
    gelu_error err;
    if (gelu_model_open(folder, NULL, &model, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(gelu_model_count(model), 12);
    if (gelu_model_ffn(model, 11, 0, &ffn, &err) != GELU_OK) fail_msg("%s", err.message);
    if (gelu_block_forward(model, 11, ffn, ROWS, GELU_F32, x.data, &extras, y, &err) != GELU_OK)
        fail_msg("%s", err.message);
    assert_true(check_tensor("y", left, &ffn_f64) <= 1.05);
    assert_true(check_tensor("b", y, &block_f64) <= 1.05);
    gelu_ffn_free(ffn);
    gelu_model_close(model);
    gelu_tensor_free(&x);
    gelu_tensor_free(&ffn_f64);
    gelu_tensor_free(&block_f64);
}

/* gelu_f64.npy is the exact value, rounded; ours may be the next double. */
static void f64_within_one_ulp(void **state) {
    (void)state;
    skip_without_data();
    gelu_tensor x = load("fc1_f64.npy", GELU_F64, ROWS * D_FF), want = load("gelu_f64.npy", GELU_F64, ROWS * D_FF);
    static double got[ROWS * D_FF];
    gelu_forward_f64(GELU_ERF, x.count, x.data, got);
    size_t exact = 0;
    for (size_t i = 0; i < x.count; i++) {
        double w = ((const double *)want.data)[i];
        if (got[i] != w && got[i] != nextafter(w, INFINITY) && got[i] != nextafter(w, -INFINITY))
            fail_msg("erf(%a): got %a, want %a", ((const double *)x.data)[i], got[i], w);
        exact += got[i] == w;
    }
    print_message("ALBERT f64 erf: %zu of %zu exact, the others 1 ULP away\n", exact, x.count);
    gelu_tensor_free(&x);
    gelu_tensor_free(&want);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(f32_beside_pytorch), cmocka_unit_test(model_beside_pytorch),
                                       cmocka_unit_test(f64_within_one_ulp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
