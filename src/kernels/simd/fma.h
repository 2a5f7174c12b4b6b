/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* fma_f32 and fma_f64: a * b + c rounded once, to nearest even. The instruction where the target has one, else our own
 * emulation, exact for every input: a libm's fma may be slow, wrong or absent. GELU_EMULATE_FMA forces the emulation.
 * Assumes round to nearest and no flushing of subnormals. */
#ifndef GELU_KERNELS_SIMD_FMA_H
#define GELU_KERNELS_SIMD_FMA_H

#include <stdint.h>
#include <string.h>
#include "base/compiler.h"

/* a * b + c in double. The product of two floats is exact there. Its sum with c is rounded to odd: a double whose last bit
 * is set whenever something was lost has more than two bits beyond any float, so that rounding it again rounds the exact
 * sum. No branches, so that a loop over columns vectorises. */
GELU_INLINE double fma_f32_to_odd(float a, float b, float c) {
    double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    double addend_part = sum - product;
    double lost = (product - (sum - addend_part)) + (addend - addend_part); /* NaN if sum is not finite */
    uint64_t bits, lost_bits;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&lost_bits, &lost, sizeof lost_bits);
    uint64_t inexact = (uint64_t)(lost > 0) | (uint64_t)(lost < 0);
    uint64_t towards_zero = (bits ^ lost_bits) >> 63;
    uint64_t step = inexact & ~bits;
    bits += step - ((step & towards_zero) << 1);
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

GELU_INLINE float fma_f32_emulated(float a, float b, float c) { return (float)fma_f32_to_odd(a, b, c); }

/* A float's subnormals as zeros of their sign. */
GELU_INLINE float fma_flush_operand(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!(bits & 0x7f800000)) bits &= 0x80000000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* fma by the rule of bf16 compute: subnormal operands are zero, and so are results that are below FLT_MIN after rounding
 * to 24 bits; the greatest sums below it round up to it. Right under FTZ and DAZ, too. */
GELU_INLINE float fma_f32_flushed(float a, float b, float c) {
    double sum = fma_f32_to_odd(fma_flush_operand(a), fma_flush_operand(b), fma_flush_operand(c));
    double magnitude = __builtin_fabs(sum);
    if (magnitude < 0x1p-126) return (float)__builtin_copysign(magnitude < 0x1.ffffffp-127 ? 0 : 0x1p-126, sum);
    return (float)sum;
}

__extension__ typedef unsigned __int128 fma_u128;

/* abs(x) = significand * 2^exponent for a finite x other than 0, 2^52 <= significand < 2^53. */
GELU_INLINE uint64_t fma_significand(uint64_t bits, int *exponent) {
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & 0xfffffffffffff;
    if (biased > 0) {
        *exponent = biased - 1075;
        return fraction | 1ull << 52;
    }
    int shift = __builtin_clzll(fraction) - 11;
    *exponent = -1074 - shift;
    return fraction << shift;
}

/* Shift right; the last bit of the result is also set if a set bit was lost. */
GELU_INLINE fma_u128 fma_shift_sticky(fma_u128 x, int shift) {
    if (shift > 127) return x != 0;
    fma_u128 shifted = x >> shift;
    return shifted | (shifted << shift != x);
}

/* The double next to x * 2^exponent, x > 0 (ties to even), as bits without a sign. */
GELU_INLINE uint64_t fma_round(fma_u128 x, int exponent) {
    uint64_t high = (uint64_t)(x >> 64);
    int leading = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
    x <<= leading;
    uint64_t top = (uint64_t)(x >> 64) | ((uint64_t)x != 0);
    int biased = exponent - leading + 127 + 1023; /* of the leading bit, now bit 63 of top */
    if (biased >= 0x7ff) return 0x7ffull << 52;
    int drop = biased > 0 ? 11 : 12 - biased;
    if (drop > 64) return 0;
    uint64_t kept = drop < 64 ? top >> drop : 0;
    uint64_t rest = top << (64 - drop); /* drop >= 11 */
    kept += rest > 1ull << 63 || (rest == 1ull << 63 && (kept & 1));
    /* The hidden bit adds 1 to the exponent, and so does a carry out of the significand, into infinity too. */
    return biased > 0 ? kept + ((uint64_t)(biased - 1) << 52) : kept;
}

/* Both terms as 128-bit integers with 20 or more spare bits at the low end. A shift that loses bits is longer than
 * that, so the terms then differ so much that no cancellation reaches the sticky bit. */
static inline double fma_f64_emulated(double a, double b, double c) {
    uint64_t a_bits, b_bits, c_bits;
    memcpy(&a_bits, &a, sizeof a_bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    memcpy(&c_bits, &c, sizeof c_bits);
    const uint64_t infinity = 0x7ffull << 52, sign = 1ull << 63;
    /* Nothing but the sum is rounded here. */
    if ((a_bits & infinity) == infinity || (b_bits & infinity) == infinity || a == 0 || b == 0) return a * b + c;
    /* Not a * b + c, which is NaN where a * b overflows to the other infinity. */
    if ((c_bits & infinity) == infinity) return c + c;
    if (c == 0) return a * b; /* a product that underflows keeps its sign */
    int a_exponent, b_exponent, c_exponent;
    fma_u128 product = fma_significand(a_bits, &a_exponent);
    product *= fma_significand(b_bits, &b_exponent);
    fma_u128 addend = fma_significand(c_bits, &c_exponent);
    product <<= 20; /* below 2^126 */
    addend <<= 73;
    int exponent = a_exponent + b_exponent - 20;
    c_exponent -= 73;
    if (exponent >= c_exponent) {
        addend = fma_shift_sticky(addend, exponent - c_exponent);
    } else {
        product = fma_shift_sticky(product, c_exponent - exponent);
        exponent = c_exponent;
    }
    uint64_t result_sign = (a_bits ^ b_bits) & sign;
    fma_u128 sum = product + addend;
    if (result_sign != (c_bits & sign)) {
        if (product == addend) return 0;
        sum = product > addend ? product - addend : addend - product;
        if (product < addend) result_sign ^= sign;
    }
    uint64_t bits = result_sign | fma_round(sum, exponent);
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

#if !defined(GELU_EMULATE_FMA) &&                                                                                      \
    (defined(GELU_SIMD_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__))
GELU_INLINE float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GELU_INLINE double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
GELU_INLINE float fma_f32(float a, float b, float c) { return fma_f32_emulated(a, b, c); }
GELU_INLINE double fma_f64(double a, double b, double c) { return fma_f64_emulated(a, b, c); }
#endif

#endif
