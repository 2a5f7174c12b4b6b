/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The library, by every instruction set, against the exact results: every f16 and bf16 input, every 61st f32 bit pattern
 * with all those around special places (fewer by the scalar kernels and in sanitizer builds, which are slow), samples of
 * f64 and of second derivatives. GELU_TEST_STRIDE sets the stride of f32; GELU_TEST_STRIDE=1 build/tests/test_sweep takes
 * every f32 input in an hour or two, from f32 straight to f16 and bf16 too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "sweep.h"
#include "unit/act_ops.h"

enum { STRIDE = TEST_SANITIZED ? 4093 : 61, SCALAR_STRIDE = TEST_SANITIZED ? 16381 : 997 };
enum { SAMPLES = TEST_SANITIZED ? 1000 : 20000, MOST_ISAS = 8 };

static uint64_t stride_or(uint64_t usual) {
    const char *text = getenv("GELU_TEST_STRIDE");
    uint64_t value = text ? strtoull(text, NULL, 10) : 0;
    return value ? value : usual;
}

static int report(const sweep_target *target, const sweep_result *result) {
    if (result->failed == 0 && result->differs == 0) return 0;
    print_error("%s order %d%s, %s to %s, %s: %llu of %llu wrong, %llu not as the first one, worst %g ULP\n",
                gelu_act_name(target->act), target->order, target->backward ? " backward" : "",
                gelu_dtype_name(target->in), gelu_dtype_name(target->out), target->isa,
                (unsigned long long)result->failed, (unsigned long long)result->checked,
                (unsigned long long)result->differs, result->worst_ulp);
    for (uint64_t i = 0; i < SWEEP_KEPT_FAILURES && i < result->failed; i++) {
        const sweep_failure *failure = &result->failures[i];
        print_error("  x %llx, dy %llx: got %llx, want %llx\n", (unsigned long long)failure->x,
                    (unsigned long long)failure->dy, (unsigned long long)failure->got,
                    (unsigned long long)failure->want);
    }
    return 1;
}

/* n functions by the given instruction sets. */
static int sweep_isas(size_t n_isas, const char *const *isas, uint64_t stride, size_t n,
                      const sweep_target *functions) {
    sweep_options options = {.stride = stride, .samples = SAMPLES};
    sweep_target targets[SWEEP_MOST_TARGETS];
    sweep_result results[SWEEP_MOST_TARGETS];
    assert_in_range(n_isas * n, 1, SWEEP_MOST_TARGETS);
    for (size_t t = 0; t < n_isas * n; t++) {
        targets[t] = functions[t % n];
        targets[t].isa = isas[t / n];
    }
    assert_int_equal(sweep_run(n_isas * n, targets, &options, results), GELU_OK);
    int failures = 0;
    for (size_t t = 0; t < n_isas * n; t++) {
        assert_true(results[t].checked > 3000);
        failures += report(&targets[t], &results[t]);
    }
    return failures;
}

static size_t list_isas(const char **isas) {
    size_t n = 0;
    for (size_t i = 0; n < MOST_ISAS && gelu_isa_available(i); i++)
        if (sweep_isa_is_own(gelu_isa_available(i))) isas[n++] = gelu_isa_available(i);
    return n;
}

static sweep_target library_function(gelu_act act, int order, gelu_dtype dtype) {
    return (sweep_target){
        .act = act, .order = order, .in = dtype, .out = dtype, .kernel = sweep_library_kernel(order, dtype)};
}

static sweep_target library_backward(gelu_act act, gelu_dtype dtype) {
    return (sweep_target){.act = act, .order = 1, .in = dtype, .out = dtype, .backward = sweep_library_backward(dtype)};
}

static void sweep_short_type(gelu_dtype dtype) {
    const char *isas[MOST_ISAS];
    size_t n_isas = list_isas(isas);
    int failures = 0;
    for (int a = 0; a <= GELU_ELU; a++) {
        gelu_act act = (gelu_act)a;
        sweep_target functions[] = {library_function(act, 0, dtype), library_function(act, 1, dtype),
                                    library_backward(act, dtype)};
        failures += sweep_isas(n_isas, isas, 1, 3, functions);
    }
    assert_int_equal(failures, 0);
}

static void f16_is_correctly_rounded(void **unused) {
    (void)unused;
    sweep_short_type(GELU_F16);
}

static void bf16_is_correctly_rounded(void **unused) {
    (void)unused;
    sweep_short_type(GELU_BF16);
}

/* f32 inputs straight to 16-bit outputs, as Linear's epilogue uses them: one rounding, not two. */
static void f32_to_f16(gelu_act act, size_t n, const void *x, void *y) {
    gelu_dispatch()->forward_f32_f16[act](n, x, y);
}

static void f32_to_bf16(gelu_act act, size_t n, const void *x, void *y) {
    gelu_dispatch()->forward_f32_bf16[act](n, x, y);
}

static void f32_is_correctly_rounded(void **unused) {
    (void)unused;
    const char *isas[MOST_ISAS];
    size_t n_isas = list_isas(isas), fast = n_isas - 1; /* the scalar one is last */
    int failures = 0;
    for (int a = 0; a <= GELU_ELU; a++) {
        gelu_act act = (gelu_act)a;
        sweep_target functions[] = {library_function(act, 0, GELU_F32),
                                    library_function(act, 1, GELU_F32),
                                    library_backward(act, GELU_F32),
                                    {.act = act, .in = GELU_F32, .out = GELU_F16, .kernel = f32_to_f16},
                                    {.act = act, .in = GELU_F32, .out = GELU_BF16, .kernel = f32_to_bf16}};
        if (fast > 0) failures += sweep_isas(fast, isas, stride_or(STRIDE), 5, functions);
        failures += sweep_isas(1, isas + fast, stride_or(fast > 0 ? SCALAR_STRIDE : STRIDE), 5, functions);
    }
    assert_int_equal(failures, 0);
}

static void sweep_bounded(gelu_dtype dtype, int order) {
    const char *isas[MOST_ISAS];
    size_t n_isas = list_isas(isas);
    int failures = 0;
    for (int act = 0; act <= GELU_ELU; act++) {
        sweep_target function = library_function((gelu_act)act, order, dtype);
        failures += sweep_isas(n_isas, isas, 0, 1, &function);
    }
    assert_int_equal(failures, 0);
}

static void f32_second_derivatives_keep_their_bound(void **unused) {
    (void)unused;
    sweep_bounded(GELU_F32, 2);
}

static void f64_keeps_its_bounds(void **unused) {
    (void)unused;
    for (int order = 0; order < 3; order++) sweep_bounded(GELU_F64, order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_is_correctly_rounded),  cmocka_unit_test(f16_is_correctly_rounded),
        cmocka_unit_test(bf16_is_correctly_rounded), cmocka_unit_test(f32_second_derivatives_keep_their_bound),
        cmocka_unit_test(f64_keeps_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
