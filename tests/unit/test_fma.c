/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The emulated fma against libm's, which is correctly rounded in glibc and musl. Bits must match; all NaNs are equal. */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "kernels/simd/fma.h"
#include "unit/naive_bf16.h"

enum { RANDOM_TRIPLES = 4000000 };

static uint64_t random_state = 0x9e3779b97f4a7c15;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check_f32(float a, float b, float c) {
    float got = fma_f32_emulated(a, b, c), want = fmaf(a, b, c);
    if (memcmp(&got, &want, sizeof got) != 0 && !(isnan(got) && isnan(want)))
        fail_msg("fmaf(%a, %a, %a): got %a, want %a", a, b, c, got, want);
    got = fma_f32_flushed(a, b, c), want = naive_bf16_fma(a, b, c);
    if (memcmp(&got, &want, sizeof got) != 0 && !(isnan(got) && isnan(want)))
        fail_msg("flushed fma(%a, %a, %a): got %a, want %a", a, b, c, got, want);
}

static void check_f64(double a, double b, double c) {
    double got = fma_f64_emulated(a, b, c), want = fma(a, b, c);
    if (memcmp(&got, &want, sizeof got) != 0 && !(isnan(got) && isnan(want)))
        fail_msg("fma(%a, %a, %a): got %a, want %a", a, b, c, got, want);
}

/* Everything of interest: zeros, subnormals, powers of two and their neighbours, halfway patterns, infinities, NaNs. */
static size_t specials_f32(float *out) {
    size_t n = 0;
    static const uint32_t exponents[] = {0, 1, 2, 23, 24, 63, 64, 103, 126, 127, 128, 150, 151, 191, 253, 254, 255};
    static const uint32_t fractions[] = {0, 1, 2, 3, 0x400000, 0x400001, 0x3fffff, 0x7ffffe, 0x7fffff, 0x000800};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (size_t j = 0; j < sizeof fractions / sizeof *fractions; j++)
            for (uint32_t sign = 0; sign < 2; sign++)
                out[n++] = float_of(sign << 31 | exponents[i] << 23 | fractions[j]);
    return n;
}

static size_t specials_f64(double *out) {
    size_t n = 0;
    static const uint64_t exponents[] = {0,    1,    2,    52,   53,   511,  512,  970,  1022,
                                         1023, 1024, 1075, 1076, 1534, 1535, 2045, 2046, 2047};
    static const uint64_t fractions[] = {0, 1, 2, 3, 1ull << 51, (1ull << 51) + 1, (1ull << 52) - 1, 1ull << 25};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (size_t j = 0; j < sizeof fractions / sizeof *fractions; j++)
            for (uint64_t sign = 0; sign < 2; sign++)
                out[n++] = double_of(sign << 63 | exponents[i] << 52 | fractions[j]);
    return n;
}

static void special_f32(void **state) {
    (void)state;
    static float x[512];
    size_t n = specials_f32(x);
    for (size_t i = 0; i < n; i += 1)
        for (size_t j = i; j < n; j += 3)
            for (size_t k = 0; k < n; k++) check_f32(x[i], x[j], x[k]);
}

static void special_f64(void **state) {
    (void)state;
    static double x[512];
    size_t n = specials_f64(x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j += 3)
            for (size_t k = 0; k < n; k++) check_f64(x[i], x[j], x[k]);
}

static void random_f32(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_TRIPLES; i++) {
        uint64_t r = random_bits();
        float a = float_of((uint32_t)r), b = float_of((uint32_t)(r >> 32)), c = float_of((uint32_t)random_bits());
        check_f32(a, b, c);
        /* near-cancellation: c next to -a*b; then halfway cases: few bits in a and b */
        float near = float_of((uint32_t)(r >> 9 & 0x8fffffff) | 0x30000000), product = near * b;
        check_f32(near, b, -product);
        check_f32(near, b, nextafterf(-product, c));
        float few_a = (float)(int)(r & 0x1fff), few_b = (float)(int)(r >> 13 & 0x1fff);
        check_f32(few_a, few_b, ldexpf((float)(int)(r >> 26 & 0xffffff), (int)(r >> 50 & 31)));
        check_f32(few_a, ldexpf(few_b, -26), ldexpf((float)(int)(r >> 26 & 0xffffff), -(int)(r >> 50 & 31)));
        /* halfway or next to it, and an addend that double cannot hold beside it */
        float tiny = ldexpf(c < 0 ? -1.0f : 1.0f, -(int)(r >> 26 & 63) - 20);
        check_f32(few_a, few_b, tiny);
        check_f32(4097.0f, few_a * 2 + 1, tiny);
    }
}

static void subnormal_f32(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_TRIPLES; i++) {
        uint64_t r = random_bits();
        float a = ldexpf((float)(int)(r & 0xffffff), -(int)(r >> 24 & 63) - 60);
        float b = ldexpf((float)(int)(r >> 30 & 0xffffff), -(int)(r >> 54 & 63) - 60);
        float c = float_of((uint32_t)(random_bits() & 0x81ffffff));
        check_f32(a, b, c);
        check_f32(a, -b, 0.0f);
        check_f32(a, b, float_of((uint32_t)r & 3));
    }
}

static void random_f64(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_TRIPLES; i++) {
        uint64_t r = random_bits(), s = random_bits();
        double a = double_of(r), b = double_of(s), c = double_of(random_bits());
        check_f64(a, b, c);
        /* b so that a * b has the magnitude of c or a little more or less */
        double scaled = double_of((s & 0x800fffffffffffff) | (1023 + (r & 127) - 64) << 52);
        double unit = double_of((r & 0xfffffffffffff) | 1023ull << 52);
        double other = double_of((c < 0 ? 1ull << 63 : 0) | (random_bits() & 0xfffffffffffff) | 1023ull << 52);
        check_f64(unit, scaled, other);
        double product = unit * scaled;
        check_f64(unit, scaled, -product);
        check_f64(unit, scaled, nextafter(-product, c));
        check_f64(unit, scaled, -nextafter(nextafter(product, c), c));
        double few_a = (double)(r & 0x7ffffff), few_b = (double)(s & 0x7ffffff);
        check_f64(few_a, few_b, ldexp((double)(s >> 11), (int)(r >> 58) - 4));
        check_f64(few_a, -few_b, ldexp((double)(s >> 11), (int)(r >> 58) - 4));
    }
}

static void subnormal_f64(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_TRIPLES; i++) {
        uint64_t r = random_bits(), s = random_bits();
        double a = double_of((r & 0x800fffffffffffff) | (1023 - 520 - (s & 63)) << 52);
        double b = double_of((s & 0x800fffffffffffff) | (1023 - 500 + (r & 63)) << 52);
        double c = double_of(random_bits() & 0x807fffffffffffff);
        check_f64(a, b, c);
        check_f64(a, b, double_of(c < 0 ? 1ull << 63 : 0));
        check_f64(a, b, double_of(r & 3));
        check_f64(a, ldexp(b, -30), double_of(s & 0x800000000000000f));
        check_f64(ldexp(a, 1030), ldexp(b, 1020), ldexp(c, 2000)); /* near overflow */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_f32),   cmocka_unit_test(special_f64), cmocka_unit_test(random_f32),
        cmocka_unit_test(subnormal_f32), cmocka_unit_test(random_f64),  cmocka_unit_test(subnormal_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
