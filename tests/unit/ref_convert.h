/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Conversions between types by integer arithmetic alone: slow, plain, and independent of the library. */
#ifndef GELU_TESTS_REF_CONVERT_H
#define GELU_TESTS_REF_CONVERT_H

#include "unit/act_ops.h"

/* A finite number is (-1)^sign * mantissa * 2^exponent. The exact widening of any type to f64's bits. */
static inline uint64_t ref_widen(gelu_dtype from, uint64_t bits) {
    struct format f = format_of(from), d = format_of(GELU_F64);
    uint64_t sign = (bits & f.sign) ? d.sign : 0;
    uint64_t magnitude = bits & ~f.sign;
    int shift = d.mantissa_bits - f.mantissa_bits;
    if (magnitude > f.infinity) return sign | d.infinity | d.quiet | (magnitude - f.infinity) << shift;
    if (magnitude == f.infinity) return sign | d.infinity;
    if (magnitude == 0) return sign;
    int exponent = (int)(magnitude >> f.mantissa_bits);
    uint64_t mantissa = magnitude & ((1ull << f.mantissa_bits) - 1);
    if (exponent > 0 || from == GELU_F64) {
        if (from == GELU_F64) return bits;
        return sign | (uint64_t)(exponent - f.bias + d.bias) << d.mantissa_bits | mantissa << shift;
    }
    exponent = 1;
    while (!(mantissa >> f.mantissa_bits)) {
        mantissa <<= 1;
        exponent--;
    }
    mantissa &= (1ull << f.mantissa_bits) - 1;
    return sign | (uint64_t)(exponent - f.bias + d.bias) << d.mantissa_bits | mantissa << shift;
}

/* An f64 (normal, zero or not finite) to a narrower type, rounded once to nearest even. */
static inline uint64_t ref_narrow(uint64_t bits, gelu_dtype to) {
    struct format f = format_of(GELU_F64), t = format_of(to);
    if (to == GELU_F64) return is_nan_bits(to, bits) ? bits | f.quiet : bits;
    uint64_t sign = (bits & f.sign) ? t.sign : 0;
    uint64_t magnitude = bits & ~f.sign;
    int shift = f.mantissa_bits - t.mantissa_bits;
    if (magnitude > f.infinity) return sign | t.infinity | t.quiet | (magnitude - f.infinity) >> shift;
    int exponent = (int)(magnitude >> f.mantissa_bits) - f.bias;
    if (exponent > t.bias) return sign | t.infinity;
    int lowest = 1 - t.bias;
    if (exponent < lowest - t.mantissa_bits - 1) return sign;
    uint64_t mantissa = (magnitude & ((1ull << f.mantissa_bits) - 1)) | 1ull << f.mantissa_bits;
    uint64_t biased = 0;
    if (exponent < lowest)
        shift += lowest - exponent;
    else
        biased = (uint64_t)(exponent + t.bias) - 1; /* the implicit bit adds the missing one */
    uint64_t kept = mantissa >> shift, rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    if (rest > half || (rest == half && (kept & 1))) kept++;
    return sign | ((biased << t.mantissa_bits) + kept);
}

static inline uint64_t ref_convert(gelu_dtype from, uint64_t bits, gelu_dtype to) {
    return ref_narrow(ref_widen(from, bits), to);
}

/* Element i of an array, exactly. */
static inline double ref_value(gelu_dtype dtype, const void *p, size_t i) {
    return f64_of_bits(ref_widen(dtype, element_bits(dtype, p, i)));
}

#endif
