/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The sweep against functions that are wrong on purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sweep.h"

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

/* Right only with the best instruction set. */
static void wrong_in_scalar(gelu_act act, size_t n, const void *x, void *y) {
    if (strcmp(gelu_isa_name(), "scalar") == 0)
        one_wrong_bit(act, n, x, y);
    else
        gelu_forward_f32(act, n, x, y);
}

static void one_wrong_double(gelu_act act, size_t n, const void *x, void *y) {
    uint64_t *out = y;
    gelu_forward_f64(act, n, x, y);
    for (size_t i = 0; i < n && strcmp(gelu_isa_name(), "scalar") == 0; i++)
        if (((const double *)x)[i] == 0x1p-53) out[i]++; /* still within 1 ULP */
}

/* relu as a product, so that infinity times 0 is NaN; a slope of 8 bits. */
static void careless_backward(gelu_act act, size_t n, const void *x, const void *dy, void *dx) {
    const uint16_t *in = x, *factor = dy;
    uint16_t *out = dx;
    for (size_t i = 0; i < n; i++) {
        uint16_t slope;
        gelu_grad_bf16(act, 1, in + i, &slope);
        out[i] = gelu_bf16_from_f32(gelu_bf16_to_f32(slope) * gelu_bf16_to_f32(factor[i]));
    }
}

/* To f32 and from there to 16 bits. */
static void two_roundings(gelu_dtype out, gelu_act act, size_t n, const void *x, void *y) {
    enum { CHUNK = 1024 };
    float once[CHUNK];
    for (size_t i = 0, count; i < n; i += count) {
        count = n - i < CHUNK ? n - i : CHUNK;
        gelu_forward_f32(act, count, (const float *)x + i, once);
        assert_int_equal(gelu_convert(count, GELU_F32, once, out, (uint16_t *)y + i), GELU_OK);
    }
}

static void two_roundings_to_f16(gelu_act act, size_t n, const void *x, void *y) {
    two_roundings(GELU_F16, act, n, x, y);
}

static void two_roundings_to_bf16(gelu_act act, size_t n, const void *x, void *y) {
    two_roundings(GELU_BF16, act, n, x, y);
}

static void one_wrong_half(gelu_act act, size_t n, const void *x, void *y) {
    sweep_library_narrowing(GELU_F16)(act, n, x, y);
    for (size_t i = 0; i < n && strcmp(gelu_isa_name(), "scalar") == 0; i++)
        if (((const uint32_t *)x)[i] == bad_input) ((uint16_t *)y)[i] ^= 1;
}

static sweep_result run_one(gelu_act act, int order, gelu_dtype dtype, sweep_kernel kernel, sweep_options options) {
    sweep_target target = {.act = act, .order = order, .in = dtype, .out = dtype, .kernel = kernel};
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

static void a_second_rounding_is_found(void **unused) {
    (void)unused;
    sweep_options options = {.stride = 61 * 24};
    for (int act = GELU_ERF; act <= GELU_ELU; act++) {
        const sweep_kernel library[] = {sweep_library_narrowing(GELU_F16), sweep_library_narrowing(GELU_BF16)};
        const sweep_target targets[] = {
            {.act = (gelu_act)act, .in = GELU_F32, .out = GELU_F16, .kernel = two_roundings_to_f16},
            {.act = (gelu_act)act, .in = GELU_F32, .out = GELU_BF16, .kernel = two_roundings_to_bf16},
            {.act = (gelu_act)act, .in = GELU_F32, .out = GELU_F16, .kernel = library[0]},
            {.act = (gelu_act)act, .in = GELU_F32, .out = GELU_BF16, .kernel = library[1]}};
        sweep_result results[4];
        assert_int_equal(sweep_run(4, targets, &options, results), GELU_OK);
        for (int t = 0; t < 2; t++) {
            const sweep_result *twice = &results[t], *once = &results[t + 2];
            assert_true(twice->failed > 0 && twice->failed < twice->checked / 1000);
            assert_true(twice->worst_ulp > 0.5 && twice->worst_ulp < 0.51);
            assert_int_equal(once->failed, 0);
            assert_int_equal(once->differs, twice->failed);
            assert_int_equal(once->checked, twice->checked);
            float x;
            uint16_t y;
            memcpy(&x, &(uint32_t){(uint32_t)twice->failures[0].x}, sizeof x);
            library[t]((gelu_act)act, 1, &x, &y);
            assert_int_equal(y, twice->failures[0].want);
        }
    }
}

/* One result of many, by one instruction set, among functions that share the exact value. */
static void a_wrong_half_is_found(void **unused) {
    (void)unused;
    sweep_options options = {.stride = 61 * 4000};
    for (size_t i = 0; gelu_isa_available(i); i++) {
        const char *isa = gelu_isa_available(i);
        sweep_result results[3];
        const sweep_target targets[] = {
            {.in = GELU_F32, .out = GELU_F32, .kernel = sweep_library_kernel(0, GELU_F32), .isa = isa},
            {.in = GELU_F32, .out = GELU_F16, .kernel = one_wrong_half, .isa = isa},
            {.in = GELU_F32, .out = GELU_BF16, .kernel = sweep_library_narrowing(GELU_BF16), .isa = isa}};
        assert_int_equal(sweep_run(3, targets, &options, results), GELU_OK);
        bool faulty = strcmp(isa, "scalar") == 0;
        assert_int_equal(results[0].failed + results[2].failed, 0);
        assert_int_equal(results[1].failed, faulty);
        if (faulty) assert_int_equal(results[1].failures[0].x, bad_input);
        if (faulty) assert_int_equal(results[1].failures[0].got ^ results[1].failures[0].want, 1);
    }
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

static void a_careless_backward_is_found(void **unused) {
    (void)unused;
    sweep_target target = {.order = 1, .in = GELU_BF16, .out = GELU_BF16, .backward = careless_backward};
    sweep_options options = sparse_options();
    for (int act = 0; act <= GELU_ELU; act++) {
        sweep_result careless, good;
        target.act = (gelu_act)act;
        target.backward = careless_backward;
        assert_int_equal(sweep_run(1, &target, &options, &careless), GELU_OK);
        target.backward = sweep_library_backward(GELU_BF16);
        assert_int_equal(sweep_run(1, &target, &options, &good), GELU_OK);
        assert_int_equal(good.failed, 0);
        assert_int_equal(good.checked, 65536);
        if (act != GELU_IDENTITY) assert_true(careless.failed > 0);
    }
}

/* By three threads, all of which must be in the right instruction set each time. */
static void the_faulty_instruction_set_is_found(void **unused) {
    (void)unused;
    const char *best = gelu_isa_available(0), *in_use = gelu_isa_name();
    if (strcmp(best, "scalar") == 0) {
        print_message("skipped: one faulty instruction set of several, this machine has one only\n");
        return;
    }
    sweep_options options = {.stride = 61 * 400, .threads = 3, .samples = 2000};
    sweep_result results[4];
    sweep_target targets[] = {
        {.act = GELU_ERF, .in = GELU_F32, .out = GELU_F32, .kernel = wrong_in_scalar, .isa = best},
        {.act = GELU_ERF,
         .order = 1,
         .in = GELU_F32,
         .out = GELU_F32,
         .kernel = sweep_library_kernel(1, GELU_F32),
         .isa = best},
        {.act = GELU_ERF, .in = GELU_F32, .out = GELU_F32, .kernel = wrong_in_scalar, .isa = "scalar"},
        {.act = GELU_ERF,
         .order = 1,
         .in = GELU_F32,
         .out = GELU_F32,
         .kernel = sweep_library_kernel(1, GELU_F32),
         .isa = "scalar"},
    };
    assert_int_equal(sweep_run(4, targets, &options, results), GELU_OK);
    for (int t = 0; t < 4; t++) {
        assert_int_equal(results[t].failed, t == 2);
        assert_int_equal(results[t].differs, t == 2);
        assert_int_equal(results[t].checked, results[0].checked);
    }
    assert_int_equal(results[2].failures[0].x, bad_input);
    assert_string_equal(gelu_isa_name(), in_use);

    sweep_target bounded[2] = {
        {.act = GELU_SILU, .in = GELU_F64, .out = GELU_F64, .kernel = one_wrong_double, .isa = best},
        {.act = GELU_SILU, .in = GELU_F64, .out = GELU_F64, .kernel = one_wrong_double, .isa = "scalar"},
    };
    assert_int_equal(sweep_run(2, bounded, &options, results), GELU_OK);
    assert_int_equal(results[0].failed + results[1].failed + results[0].differs, 0);
    assert_true(results[1].differs > 0);
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
    sweep_result results[3];
    sweep_target good = {
        .act = GELU_RELU, .in = GELU_F16, .out = GELU_F16, .kernel = sweep_library_kernel(0, GELU_F16)};
    sweep_target targets[3] = {good, good, good};
    assert_int_equal(sweep_run(0, targets, &options, results), GELU_ERR_ARGUMENT);
    assert_int_equal(sweep_run(SWEEP_MOST_TARGETS + 1, targets, &options, results), GELU_ERR_ARGUMENT);
    assert_int_equal(sweep_run(3, targets, &options, results), GELU_OK);
    targets[1].in = targets[1].out = GELU_F32;
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[1] = good;
    targets[1].order = 2;
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[1] = good;
    targets[1].kernel = NULL;
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[1].backward = sweep_library_backward(GELU_F16);
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[1].order = 1;
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_OK);
    targets[1] = good;
    targets[1].isa = "scalar";
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ARGUMENT);
    targets[0].isa = "nope";
    assert_int_equal(sweep_run(2, targets, &options, results), GELU_ERR_ISA);
    targets[0].isa = targets[2].isa = gelu_isa_available(0);
    if (strcmp(targets[0].isa, "scalar") != 0)
        assert_int_equal(sweep_run(3, targets, &options, results), GELU_ERR_ARGUMENT);
    assert_null(sweep_library_kernel(2, GELU_BF16));
    assert_null(sweep_library_backward(GELU_F64));
    assert_null(sweep_library_narrowing(GELU_F32));
    assert_null(sweep_library_narrowing(GELU_F64));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_wrong_bit_is_found),
        cmocka_unit_test(a_second_rounding_is_found),
        cmocka_unit_test(a_wrong_half_is_found),
        cmocka_unit_test(ties_and_nans_are_found),
        cmocka_unit_test(faults_beyond_a_bound_are_found),
        cmocka_unit_test(a_careless_backward_is_found),
        cmocka_unit_test(the_faulty_instruction_set_is_found),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(a_sweep_can_be_stopped),
        cmocka_unit_test(bad_targets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
