/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The library against the exact results: every f16 and bf16 input, every 61st f32 bit pattern with all those around
 * special places, samples of f64 and of second derivatives. GELU_TEST_STRIDE sets another stride (slow builds). And
 * the sweep itself against functions that are wrong on purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "sweep.h"

enum { DEFAULT_STRIDE = 61, SAMPLES = 20000 };

static uint64_t stride(void) {
    const char *text = getenv("GELU_TEST_STRIDE");
    uint64_t value = text ? strtoull(text, NULL, 10) : 0;
    return value ? value : DEFAULT_STRIDE;
}

static sweep_options usual_options(void) {
    /* Fewer samples, too, where the stride says that the build is slow. */
    return (sweep_options){.stride = stride(), .samples = SAMPLES * DEFAULT_STRIDE / (stride() + DEFAULT_STRIDE / 2)};
}

/* ---- Wrong on purpose ---- */

static const uint32_t bad_input = 61 * 52000000u; /* on the path of stride 61; negative */

static void one_wrong_bit(gelu_act act, size_t n, const void *x, void *y) {
    const uint32_t *in = x;
    uint32_t *out = y;
    gelu_forward_f32(act, n, x, y);
    for (size_t i = 0; i < n; i++)
        if (in[i] == bad_input) out[i] ^= 1;
}

static void half_of_subnormals(gelu_act act, size_t n, const void *x, void *y) {
    const float *in = x;
    float *out = y;
    gelu_forward_f32(act, n, x, y);
    for (size_t i = 0; i < n; i++)
        if (fabsf(in[i]) < 0x1p-126f) out[i] = 0.5f * in[i];
}

static void nan_without_payload(gelu_act act, size_t n, const void *x, void *y) {
    const float *in = x;
    float *out = y;
    gelu_forward_f32(act, n, x, y);
    for (size_t i = 0; i < n; i++)
        if (isnan(in[i])) out[i] = NAN;
}

static void naive_double(gelu_act act, size_t n, const void *x, void *y) {
    (void)act;
    for (size_t i = 0; i < n; i++) {
        double v = ((const double *)x)[i];
        ((double *)y)[i] = 0.5 * v * (1 + erf(v * sqrt(0.5)));
    }
}

static void positive_zero(gelu_act act, size_t n, const void *x, void *y) {
    double *out = y;
    gelu_forward_f64(act, n, x, y);
    for (size_t i = 0; i < n; i++)
        if (out[i] == 0) out[i] = 0;
}

static void shifted_root(gelu_act act, size_t n, const void *x, void *y) {
    const double *in = x;
    double *out = y;
    gelu_grad_f64(act, n, x, y);
    for (size_t i = 0; i < n; i++)
        if (fabs(in[i] + 0.7517915) < 0x1p-20) out[i] += 0x1p-62;
}

static sweep_result run_one(gelu_act act, int order, gelu_dtype dtype, sweep_kernel kernel, sweep_options options) {
    sweep_target target = {act, order, dtype, dtype, kernel};
    sweep_result result;
    assert_int_equal(sweep_run(1, &target, &options, &result), GELU_OK);
    return result;
}

/* Few regular patterns: the neighbourhoods of special places are what these faults need. */
static sweep_options sparse_options(void) { return (sweep_options){.stride = 1000003, .samples = 5000}; }

static void a_single_wrong_bit_is_found(void **unused) {
    (void)unused;
    sweep_options options = {.stride = 61 * 4000, .threads = 3};
    sweep_result result = run_one(GELU_ERF, 0, GELU_F32, one_wrong_bit, options);
    assert_int_equal(result.failed, 1);
    assert_int_equal(result.failures[0].x, bad_input);
    assert_int_equal(result.failures[0].got ^ result.failures[0].want, 1);
    assert_true(result.worst_ulp > 0.5);
    assert_int_equal(result.worst_x, bad_input);

    sweep_result good = run_one(GELU_ERF, 0, GELU_F32, sweep_library_kernel(0, GELU_F32), options);
    assert_int_equal(good.failed, 0);
    assert_true(good.worst_ulp > 0.49 && good.worst_ulp <= 0.5);
    assert_int_equal(good.checked, result.checked);
}

static void ties_and_nans_are_found(void **unused) {
    (void)unused;
    sweep_result ties = run_one(GELU_ERF, 0, GELU_F32, half_of_subnormals, sparse_options());
    assert_true(ties.failed > 1000);
    assert_int_equal(ties.failures[0].x, 1);
    sweep_result nans = run_one(GELU_SILU, 0, GELU_F32, nan_without_payload, sparse_options());
    assert_true(nans.failed > 1000);
    assert_true(isinf(nans.worst_ulp));
}

static void faults_beyond_a_bound_are_found(void **unused) {
    (void)unused;
    sweep_result tail = run_one(GELU_ERF, 0, GELU_F64, naive_double, sparse_options());
    assert_true(tail.failed > 500);
    assert_true(tail.worst_ulp > 1e6);
    sweep_result zero = run_one(GELU_ERF, 0, GELU_F64, positive_zero, sparse_options());
    assert_true(zero.failed > 0);
    assert_true(zero.worst_ulp <= 1);
    sweep_result root = run_one(GELU_ERF, 1, GELU_F64, shifted_root, sparse_options());
    assert_true(root.failed > 0);
    assert_true(root.worst_near_root > 1);
}

static void results_do_not_depend_on_threads(void **unused) {
    (void)unused;
    sweep_options options = sparse_options();
    for (int i = 0; i < 2; i++) {
        gelu_dtype dtype = i ? GELU_F64 : GELU_F32;
        sweep_kernel kernel = i ? naive_double : half_of_subnormals;
        options.threads = 1;
        sweep_result one = run_one(GELU_ERF, 0, dtype, kernel, options);
        options.threads = 7;
        sweep_result seven = run_one(GELU_ERF, 0, dtype, kernel, options);
        assert_memory_equal(&one, &seven, offsetof(sweep_result, stopped)); /* no padding before that */
    }
}

static void count_calls(void *context, uint64_t done, uint64_t total) {
    assert_in_range(done, 1, total);
    *(int *)context += 1;
}

static void a_sweep_can_be_stopped(void **unused) {
    (void)unused;
    atomic_bool stop = true;
    int calls = 0;
    sweep_options options = {.stride = 1, .stop = &stop, .progress = count_calls, .context = &calls};
    sweep_result result = run_one(GELU_ERF, 0, GELU_F32, sweep_library_kernel(0, GELU_F32), options);
    assert_true(result.stopped);
    assert_int_equal(result.checked, 0);
    assert_int_equal(calls, 0);
    atomic_store(&stop, false);
    result = run_one(GELU_RELU, 0, GELU_F16, sweep_library_kernel(0, GELU_F16), options);
    assert_false(result.stopped);
    assert_int_equal(result.checked, 65536);
    assert_true(calls > 0);
}

static void bad_targets_are_refused(void **unused) {
    (void)unused;
    sweep_options options = sparse_options();
    sweep_result results[2];
    sweep_target targets[] = {{GELU_ERF, 0, GELU_F32, GELU_F32, sweep_library_kernel(0, GELU_F32)},
                              {GELU_ERF, 2, GELU_F32, GELU_F32, sweep_library_kernel(2, GELU_F32)}};
    assert_int_equal(sweep_run(0, targets, &options, results), GELU_ERR_ARGUMENT);
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[0].kernel = NULL;
    assert_int_equal(sweep_run(1, targets, &options, results), GELU_ERR_ARGUMENT);
    assert_null(sweep_library_kernel(2, GELU_BF16));
}

/* ---- The library ---- */

static int report(const char *what, const sweep_target *target, const sweep_result *result) {
    if (result->failed == 0) return 0;
    print_error("%s order %d, %s %s: %llu of %llu wrong, worst %g ULP\n", gelu_act_name(target->act), target->order,
                gelu_dtype_name(target->in), what, (unsigned long long)result->failed,
                (unsigned long long)result->checked, result->worst_ulp);
    for (uint64_t i = 0; i < SWEEP_KEPT_FAILURES && i < result->failed; i++)
        print_error("  %llx: got %llx, want %llx\n", (unsigned long long)result->failures[i].x,
                    (unsigned long long)result->failures[i].got, (unsigned long long)result->failures[i].want);
    return 1;
}

static int sweep_library(gelu_act act, gelu_dtype dtype, int first, int last) {
    sweep_options options = usual_options();
    sweep_target targets[2];
    sweep_result results[2];
    size_t n = 0;
    for (int order = first; order <= last; order++)
        targets[n++] = (sweep_target){act, order, dtype, dtype, sweep_library_kernel(order, dtype)};
    assert_int_equal(sweep_run(n, targets, &options, results), GELU_OK);
    int failures = 0;
    for (size_t t = 0; t < n; t++) {
        assert_true(results[t].checked > 15000 || stride() > DEFAULT_STRIDE);
        failures += report("", &targets[t], &results[t]);
    }
    return failures;
}

static void sweep_every_act(gelu_dtype dtype, int first, int last) {
    int failures = 0;
    for (int act = 0; act <= GELU_ELU; act++) failures += sweep_library((gelu_act)act, dtype, first, last);
    assert_int_equal(failures, 0);
}

static void f32_is_correctly_rounded(void **unused) {
    (void)unused;
    sweep_every_act(GELU_F32, 0, 1);
}

static void f16_is_correctly_rounded(void **unused) {
    (void)unused;
    sweep_every_act(GELU_F16, 0, 1);
}

static void bf16_is_correctly_rounded(void **unused) {
    (void)unused;
    sweep_every_act(GELU_BF16, 0, 1);
}

static void f32_second_derivatives_keep_their_bound(void **unused) {
    (void)unused;
    sweep_every_act(GELU_F32, 2, 2);
}

static void f64_keeps_its_bounds(void **unused) {
    (void)unused;
    for (int order = 0; order < 3; order++) sweep_every_act(GELU_F64, order, order);
}

/* f32 inputs straight to 16-bit outputs, as Linear's epilogue uses them: one rounding, not two. */
static void f32_to_f16(gelu_act act, size_t n, const void *x, void *y) {
    gelu_dispatch()->forward_f32_f16[act](n, x, y);
}

static void f32_to_bf16(gelu_act act, size_t n, const void *x, void *y) {
    gelu_dispatch()->forward_f32_bf16[act](n, x, y);
}

static void f32_rounds_once_to_16_bits(void **unused) {
    (void)unused;
    sweep_options options = usual_options();
    int failures = 0;
    for (int act = 0; act <= GELU_ELU; act++) {
        sweep_target targets[] = {{(gelu_act)act, 0, GELU_F32, GELU_F16, f32_to_f16},
                                  {(gelu_act)act, 0, GELU_F32, GELU_BF16, f32_to_bf16}};
        sweep_result results[2];
        assert_int_equal(sweep_run(2, targets, &options, results), GELU_OK);
        failures += report("to f16", &targets[0], &results[0]) + report("to bf16", &targets[1], &results[1]);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_wrong_bit_is_found),
        cmocka_unit_test(ties_and_nans_are_found),
        cmocka_unit_test(faults_beyond_a_bound_are_found),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(a_sweep_can_be_stopped),
        cmocka_unit_test(bad_targets_are_refused),
        cmocka_unit_test(f32_is_correctly_rounded),
        cmocka_unit_test(f16_is_correctly_rounded),
        cmocka_unit_test(bf16_is_correctly_rounded),
        cmocka_unit_test(f32_rounds_once_to_16_bits),
        cmocka_unit_test(f32_second_derivatives_keep_their_bound),
        cmocka_unit_test(f64_keeps_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
