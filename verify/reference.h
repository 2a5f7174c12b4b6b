/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The exact results again, by long double and its libm: fast enough for all 2^32 inputs, and honest about the few that
 * it cannot decide. Those are for the oracle. */
#ifndef GELU_VERIFY_REFERENCE_H
#define GELU_VERIFY_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format.h"

/* f(x) in [0] and f'(x) in [1]. The exact result lies within margin of value. A margin of 0: value rounds as the exact
 * result does, in f32, f16 and bf16; an infinite one: ask the oracle. */
typedef struct {
    double value[2], margin[2];
} reference;

/* x is any number or infinity, no NaN. */
void reference_evaluate(gelu_act act, float x, reference *r);

/* The distance of a result from value, in ULP of f32, f16 or bf16. */
double reference_ulps(double value, gelu_dtype out, uint64_t got);

typedef struct {
    uint64_t bits;
    double ulps;  /* its distance from value; 0 of infinity */
    bool decided; /* false: too close to call */
} reference_rounded;

/* The exponent q of the quantum of a value. */
static inline int reference_quantum(const number_format *format, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return format_quantum(format, (long)(bits >> 52 & 0x7ff) - 1022);
}

/* 2^-q: |q| is small enough for a double in all three formats. */
static inline double reference_scale(int q) {
    uint64_t bits = (uint64_t)(1023 - q) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* What lies within margin (below a quarter of an ULP, or infinite) of value, rounded once to f32, f16 or bf16. A NaN is
 * never decided. Just below a power of two the quantum is half of value's, but there both give the power. */
static inline reference_rounded reference_round(double value, double margin, gelu_dtype out) {
    const number_format *format = format_of(out);
    int q = reference_quantum(format, value);
    double scale = reference_scale(q), size = fabs(value) * scale, slack = margin * scale;
    double low = size - slack + 0x1p52, high = size + slack + 0x1p52; /* the sum is rounded to an integer */
    uint64_t n;
    memcpy(&n, &low, sizeof n);
    n = format_assemble(format, signbit(value) != 0, n & ((UINT64_C(1) << 52) - 1), q);
    bool overflows = (n & (format->sign - 1)) == format->infinity;
    return (reference_rounded){n, overflows ? 0 : fabs(size - (low - 0x1p52)), low == high};
}

#endif
