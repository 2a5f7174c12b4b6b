/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The proof's own tools: the oracle against a table that another program made and against the compiler's conversions,
 * the fast reference against the oracle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "accuracy/cases.h"
#include "format.h"
#include "oracle.h"
#include "places.h"
#include "reference.h"

enum { N_ACTS = GELU_ELU + 1, POINTS = 40000 };

typedef struct {
    oracle *oracle;
    int failures;
} check_state;

static uint64_t random_state = 1;

static uint64_t random_bits(void) { /* xorshift64* */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static void check_oracle(const activation_case *row, void *context) {
    check_state *state = context;
    double x = format_decode(format_of(row->dtype), row->x);
    uint64_t got = oracle_round(state->oracle, row->act, row->order, x, row->dtype);
    oracle_error error = oracle_measure(state->oracle, row->want);
    if (got == row->want && error.ulps <= 0.5) return;
    print_error("%s: got %" PRIx64 ", %g ULP\n", row->text, got, error.ulps);
    state->failures++;
}

static void oracle_gives_the_results_of_the_table(void **unused) {
    (void)unused;
    check_state state = {oracle_new(), 0};
    assert_non_null(state.oracle);
    assert_int_equal(for_each_case(check_oracle, &state), CASES_ROWS);
    assert_int_equal(state.failures, 0);
    oracle_free(state.oracle);
}

/* The identity shows the rounding alone: to f32 as the compiler does it, and 16-bit types back to themselves. */
static void oracle_rounds_like_the_processor(void **unused) {
    (void)unused;
    oracle *o = oracle_new();
    assert_non_null(o);
    for (int i = 0; i < 200000; i++) {
        int exponent = (int)(random_bits() % 300) - 160;
        double x = ldexp((double)(int64_t)random_bits(), exponent - 63);
        if (i % 4 == 0) x = (double)(float)x + ldexp(1, exponent - 25); /* often a tie */
        float want = (float)x;
        uint32_t bits;
        memcpy(&bits, &want, sizeof bits);
        assert_int_equal(oracle_round(o, GELU_IDENTITY, 0, x, GELU_F32), bits);
    }
    for (int dtype = GELU_F16; dtype <= GELU_BF16; dtype++)
        for (uint64_t bits = 0; bits < 65536; bits++) {
            const number_format *format = format_of((gelu_dtype)dtype);
            if (format_is_nan(format, bits)) continue;
            assert_int_equal(oracle_round(o, GELU_IDENTITY, 0, format_decode(format, bits), (gelu_dtype)dtype), bits);
        }
    oracle_free(o);
}

static void oracle_measures_in_ulps_of_the_exact_binade(void **unused) {
    (void)unused;
    oracle *o = oracle_new();
    assert_non_null(o);
    assert_int_equal(oracle_round(o, GELU_RELU, 0, 1, GELU_F32), 0x3f800000);
    assert_true(oracle_measure(o, 0x3f800001).ulps == 1);
    assert_true(oracle_measure(o, 0x3f7fffff).ulps == 0.5); /* the binade of 1 is [1, 2) */
    assert_true(oracle_measure(o, 0x3f7fffff).absolute == 0x1p-24);
    assert_int_equal(oracle_round(o, GELU_RELU, 0, 0x1p-1074, GELU_F32), 0);
    assert_true(oracle_measure(o, 1).ulps > 0.999);
    assert_int_equal(oracle_round(o, GELU_ERF, 0, -0x1p-149, GELU_F32), 0x80000000);
    double half = oracle_measure(o, 0x80000000).ulps;
    assert_true(half > 0.4999999 && half <= 0.5);
    assert_true(oracle_measure(o, 0x7f800000).ulps == (double)INFINITY);
    oracle_free(o);
}

/* Random inputs: any pattern, the range where functions are curved, and the region of the root. */
static float random_float(int i) {
    uint32_t bits = (uint32_t)(random_bits() >> 32);
    float x;
    memcpy(&x, &bits, sizeof x);
    double fraction = (double)(random_bits() >> 11) * 0x1p-53;
    if (i % 4 == 1) x = (float)((fraction - 0.5) * 32);
    if (i % 4 == 2) x = (float)(fraction * -130);
    if (i % 4 == 3) x = (float)(fraction * -0x1p-5 - (i % 8 == 3 ? 0.74 : 1.265));
    return isnan(x) ? 0 : x;
}

/* The error of the reference as a share of its margin, to the accuracy of f64. */
static double share_of_margin(oracle *o, gelu_act act, int order, float x, const reference *r) {
    double exact = format_decode(format_of(GELU_F64), oracle_round(o, act, order, x, GELU_F64));
    return fabs(r->value[order] - exact) / r->margin[order];
}

static void check_reference(oracle *o, gelu_act act, float x, int *undecided, double *worst) {
    static const gelu_dtype outputs[] = {GELU_F32, GELU_F16, GELU_BF16};
    reference r;
    reference_evaluate(act, x, &r);
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < 3; i++) {
            uint64_t want = oracle_round(o, act, order, x, outputs[i]);
            reference_rounded got = reference_round(r.value[order], r.margin[order], outputs[i]);
            if (!got.decided) {
                *undecided += 1;
            } else if (got.bits != want) {
                fail_msg("%s order %d %s at %a: got %" PRIx64 ", want %" PRIx64, gelu_act_name(act), order,
                         gelu_dtype_name(outputs[i]), (double)x, got.bits, want);
            }
        }
        if (r.margin[order] > 0 && !isinf(r.margin[order])) {
            double share = share_of_margin(o, act, order, x, &r);
            if (share > worst[order]) worst[order] = share;
        }
    }
}

static void fast_reference_agrees_with_the_oracle(void **unused) {
    (void)unused;
    oracle *o = oracle_new();
    assert_non_null(o);
    for (int act = 0; act < N_ACTS; act++) {
        int undecided = 0;
        double worst[2] = {0, 0};
        for (int i = 0; i < POINTS; i++) check_reference(o, (gelu_act)act, random_float(i), &undecided, worst);
        print_message("%s: %d undecided, worst error 2^%.1f and 2^%.1f of the margin\n", gelu_act_name((gelu_act)act),
                      undecided, log2(worst[0]), log2(worst[1]));
        /* f: two roundings to f64, of the reference and of what stands for the exact value, are all that shows. */
        assert_true(worst[0] <= 0x1.1p-13 && worst[1] <= 0x1p-4);
        assert_true(undecided < POINTS / 10);
    }
    oracle_free(o);
}

/* Half of a subnormal is not a tie, and the largest values round from below. */
static void fast_reference_knows_the_ends(void **unused) {
    (void)unused;
    static const uint32_t starts[] = {0,          0x007ffc00, 0x00fffc00, 0x317ffc00, 0x7f7ff800, 0x3f7ffc00,
                                      0x40dffc00, 0x40fffc00, 0x417ffc00, 0x4195fc00, 0x41bffc00, 0x4161fc00,
                                      0x413ffc00, 0x416ffc00, 0x428bfc00, 0x42effc00, 0x42dbfc00};
    oracle *o = oracle_new();
    assert_non_null(o);
    int undecided = 0;
    double worst[2] = {0, 0};
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
        for (uint32_t i = 0; i < 2048; i += s < 5 ? 1 : 13)
            for (uint32_t sign = 0; sign <= 1; sign++) {
                uint32_t bits = (starts[s] + i) | sign << 31;
                float x;
                memcpy(&x, &bits, sizeof x);
                for (int act = 0; act < N_ACTS; act++) check_reference(o, (gelu_act)act, x, &undecided, worst);
            }
    oracle_free(o);
}

static double find_root(oracle *o, gelu_act act, int order, double low, double high) {
    const number_format *format = format_of(GELU_F64);
    uint64_t sign = oracle_round(o, act, order, low, GELU_F64) & format->sign;
    assert_int_not_equal(sign, oracle_round(o, act, order, high, GELU_F64) & format->sign);
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if ((oracle_round(o, act, order, middle, GELU_F64) & format->sign) == sign)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void roots_are_where_the_sweep_thinks(void **unused) {
    (void)unused;
    oracle *o = oracle_new();
    assert_non_null(o);
    for (int act = GELU_ERF; act <= GELU_SILU; act++)
        for (int order = 1; order <= 2; order++)
            for (int sign = -1; sign <= 2 * order - 3; sign += 2) {
                double root = find_root(o, (gelu_act)act, order, sign * 0.1, sign * 4.0);
                assert_true(places_near_root((gelu_act)act, order, root - 0x1.ffp-11));
                assert_true(places_near_root((gelu_act)act, order, root + 0x1.ffp-11));
                assert_false(places_near_root((gelu_act)act, order, root - 0x1.01p-10));
                assert_false(places_near_root((gelu_act)act, order, root + 0x1.01p-10));
            }
    oracle_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_gives_the_results_of_the_table),
        cmocka_unit_test(oracle_rounds_like_the_processor),
        cmocka_unit_test(oracle_measures_in_ulps_of_the_exact_binade),
        cmocka_unit_test(fast_reference_agrees_with_the_oracle),
        cmocka_unit_test(fast_reference_knows_the_ends),
        cmocka_unit_test(roots_are_where_the_sweep_thinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
