/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What vocabulary.inc.h needs in plain C. Included before a target pragma and out of line, so that what a vocabulary is
 * compared with is compiled apart from it, without its instructions. No cmocka: under an emulator there is none. */
#ifndef GELU_TESTS_VOCABULARY_H
#define GELU_TESTS_VOCABULARY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <math.h>
#include "base/compiler.h"
#include "unit/guard.h"
#include "unit/ref_convert.h"

#define OUT_OF_LINE static __attribute__((noinline, unused)) /* unused where the instruction set is not compiled */

enum { SKIPPED = 77, VALUES = 54, MOST_LANES = 16 };

static __attribute__((unused)) const int shifts[] = {0, 1, 15, 16, 29, 31, 42, 63};
static double f64_value[VALUES + MOST_LANES];
static float f32_value[VALUES + MOST_LANES];
static unsigned failures;
static uint64_t random_state = 1;

/* Zeros, subnormals, ordinary numbers, the limits, infinity, quiet and signalling NaN, and integers of interest. */
static const uint64_t value_bits[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3fefffffffffffff,
    0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x400921fb54442d18, 0x4010000000000000,
    0x4340000000000000, 0x3ca0000000000000, 0x3810000010000000, 0x36a0000000000001, 0x47efffffefffffff,
    0x47effffff0000000, 0x40effe0000000000, 0x7feffffffffffff0, 0x7fefffffffffffff, 0x7ff0000000000000,
    0x7ff8000000000000, 0x7ff4000000000123, 0x7fffffffffffffff, 0x00000000ffffffff, 0x3fd5555555555555};
static const uint32_t value_bits_32[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40490fdb,
    0x40800000, 0x4b000000, 0x33000000, 0x33000001, 0x33800000, 0x387fc000, 0x387fe000, 0x3f801000, 0x3f803000,
    0x477fe000, 0x477fefff, 0x477ff000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7fa12345, 0x7fffffff, 0x3eaaaaab};

static inline void fill_values(void) {
    enum { GIVEN_64 = sizeof value_bits / sizeof *value_bits, GIVEN_32 = sizeof value_bits_32 / sizeof *value_bits_32 };
    for (size_t i = 0; i < VALUES + MOST_LANES; i++) {
        /* The negative ones follow the positive ones; more lanes than values left take random ones. */
        uint64_t wide = i < GIVEN_64 ? value_bits[i] : value_bits[i % GIVEN_64] ^ 1ull << 63;
        uint32_t narrow = i < GIVEN_32 ? value_bits_32[i] : value_bits_32[i % GIVEN_32] ^ 1u << 31;
        if (i >= 2 * GIVEN_64) wide = random_bits(&random_state);
        if (i >= 2 * GIVEN_32) narrow = (uint32_t)random_bits(&random_state);
        memcpy(&f64_value[i], &wide, sizeof wide);
        memcpy(&f32_value[i], &narrow, sizeof narrow);
    }
}

OUT_OF_LINE void fail_lane(const char *what, size_t lane, uint64_t got, uint64_t want) {
    if (failures++ < 20) fprintf(stderr, "%s, lane %zu: got %#" PRIx64 ", want %#" PRIx64 "\n", what, lane, got, want);
}

static inline void same_bits(const char *what, size_t lane, uint64_t got, uint64_t want) {
    if (got != want) fail_lane(what, lane, got, want);
}
static inline uint64_t bits_64(const double *x, size_t lane) {
    uint64_t bits;
    memcpy(&bits, &x[lane], sizeof bits);
    return bits;
}
static inline uint64_t bits_32(const float *x, size_t lane) {
    uint32_t bits;
    memcpy(&bits, &x[lane], sizeof bits);
    return bits;
}
static inline void set_bits_64(double *x, size_t lane, uint64_t bits) { memcpy(&x[lane], &bits, sizeof bits); }
static inline void set_bits_32(float *x, size_t lane, uint64_t bits) { memcpy(&x[lane], &bits, 4); }

static inline void same_64(const char *what, size_t lane, const double *got, double want) {
    same_bits(what, lane, bits_64(got, lane), bits_of_f64(want));
}
static inline void same_32(const char *what, size_t lane, const float *got, float want) {
    same_bits(what, lane, bits_32(got, lane), bits_of_f32(want));
}
/* Results of arithmetic, of which any NaN will do. */
static inline void like_64(const char *what, size_t lane, const double *got, double want) {
    if (!isnan(got[lane]) || !isnan(want)) same_64(what, lane, got, want);
}
static inline void like_32(const char *what, size_t lane, const float *got, float want) {
    if (!isnan(got[lane]) || !isnan(want)) same_32(what, lane, got, want);
}

OUT_OF_LINE double pick_64(int first, double a, double b) {
    return f64_of_bits(first ? bits_of_f64(a) : bits_of_f64(b));
}
OUT_OF_LINE float pick_32(int first, float a, float b) { return f32_of_bits(first ? bits_of_f32(a) : bits_of_f32(b)); }
OUT_OF_LINE double plus_64(double a, double b) { return a + b; }
OUT_OF_LINE double minus_64(double a, double b) { return a - b; }
OUT_OF_LINE double times_64(double a, double b) { return a * b; }
OUT_OF_LINE double over_64(double a, double b) { return a / b; }
OUT_OF_LINE float plus_32(float a, float b) { return a + b; }
OUT_OF_LINE float minus_32(float a, float b) { return a - b; }
OUT_OF_LINE float times_32(float a, float b) { return a * b; }
OUT_OF_LINE float over_32(float a, float b) { return a / b; }
OUT_OF_LINE double plain_fma_64(double a, double b, double c) { return fma(a, b, c); }
OUT_OF_LINE float plain_fma_32(float a, float b, float c) { return fmaf(a, b, c); }

/* Shifts by count as arithmetic on one bit after the other. */
OUT_OF_LINE uint64_t plain_shift(uint64_t bits, int width, int count, int left, int arithmetic) {
    uint64_t shifted = 0;
    for (int to = 0; to < width; to++) {
        int from = left ? to - count : to + count;
        int bit = from >= 0 && from < width ? (int)(bits >> from & 1) : arithmetic && (int)(bits >> (width - 1) & 1);
        shifted |= (uint64_t)bit << to;
    }
    return shifted;
}

/* clang takes a widening and the narrowing after it for nothing at all, which leaves a NaN signalling: not if it cannot
 * see that the number in memory is the one just stored. */
OUT_OF_LINE void hide(double *x) { __asm__ volatile("" : : "r"(x) : "memory"); }

/* Rounded once or twice. */
OUT_OF_LINE double plain_multiply_add(double got, double a, double b, double c) {
    double product = a * b, fused = fma(a, b, c);
    GELU_KEEP_ROUNDED(product);
    return bits_of_f64(got) == bits_of_f64(fused) ? fused : product + c;
}

static inline uint64_t exact(uint64_t bits) { return bits; }
static inline uint64_t quiet_64(uint64_t bits) { return is_nan_bits(GELU_F64, bits) ? bits | 1ull << 51 : bits; }
static inline uint64_t quiet_32(uint64_t bits) { return is_nan_bits(GELU_F32, bits) ? bits | 1u << 22 : bits; }

/* The bits of numbers with exponents from -most to most - 1; and those or any others. */
static inline uint64_t normal_64(int most) {
    uint64_t bits = random_bits(&random_state), exponent = random_bits(&random_state) % (2 * (uint64_t)most);
    return (bits & 0x800fffffffffffff) | (1023 + exponent - (uint64_t)most) << 52;
}
static inline uint64_t any_64(int most) {
    return random_bits(&random_state) % 4 && most < 1023 ? normal_64(most) : random_bits(&random_state);
}
static inline uint64_t any_32(int most) {
    uint64_t bits = random_bits(&random_state) >> 32, exponent = random_bits(&random_state) % (2 * (uint64_t)most);
    if (random_bits(&random_state) % 4 == 0 || most > 126) return bits;
    return (bits & 0x807fffff) | (127 + exponent - (uint64_t)most) << 23;
}
/* As f64: what a 16-bit type can hold, and powers of two that are too large for it. */
static inline uint64_t any_held(gelu_dtype type) {
    uint64_t bits = random_bits(&random_state), bias = (uint64_t)format_of(type).bias;
    if (bits % 8) return ref_convert(type, bits >> 48, GELU_F64);
    return (bits & 1ull << 63) | (1023 + bias + 1 + (bits >> 8) % (1023 - bias)) << 52;
}

static inline int skip(const char *isa) {
    printf("skipped: this machine has no %s\n", isa);
    return SKIPPED;
}

#endif
