/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* bf16 compute as the header states it, one output at a time: libm's fma with gradual underflow, and the flush on top of
 * it. It shares nothing with the kernels. To be called in the default floating-point environment. */
#ifndef GELU_TESTS_NAIVE_BF16_H
#define GELU_TESTS_NAIVE_BF16_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float naive_bf16_widen(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float naive_bf16_operand(float x) { return fabsf(x) < FLT_MIN ? copysignf(0, x) : x; }

static inline uint64_t naive_bf16_bits(void) {
    static uint64_t state = 0x2545f4914f6cdd1d;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* PLAIN: around 1, with zeros. TINY: products and sums near the least normal number. ANY: every bit pattern, so that NaN
 * is soon everywhere. FINITE: the same without infinities and NaN, which sums overflow to instead. */
enum naive_bf16_data { PLAIN, TINY, ANY, FINITE, DATA_KINDS };

/* A value of that kind, as the bits of a float of which bf16 takes the upper half. */
static inline uint32_t naive_bf16_random(enum naive_bf16_data data) {
    uint32_t bits = (uint32_t)(naive_bf16_bits() >> 32), sign = bits & 0x80000000, mantissa = bits & 0x7fffff;
    uint32_t exponent = bits >> 23 & 0xff;
    if (data == PLAIN) return exponent < 5 ? sign : sign | (121 + exponent % 8) << 23 | mantissa;
    if (data == TINY) return sign | (59 + exponent % 9) << 23 | mantissa;
    if (data == FINITE && exponent == 0xff) return sign | mantissa;
    return bits;
}

/* Gradual underflow rounds sums just below FLT_MIN to a coarser grid, and so up to FLT_MIN where 24 bits would stay below.
 * Scaled by 2^64 there is no underflow. */
static inline float naive_bf16_fma(float a, float b, float c) {
    a = naive_bf16_operand(a), b = naive_bf16_operand(b), c = naive_bf16_operand(c);
    float sum = fmaf(a, b, c);
    if (fabsf(sum) == FLT_MIN && fabsf(fmaf(a * 0x1p64f, b, c * 0x1p64f)) < FLT_MIN * 0x1p64f) return copysignf(0, sum);
    return naive_bf16_operand(sum);
}

/* acc + the sum over k < depth of x[k] * w[k * w_step]. */
static inline float naive_bf16_sum(size_t depth, const uint16_t *x, const uint16_t *w, size_t w_step, float acc) {
    for (size_t start = 0; start < depth; start += 32) {
        float chain[2] = {0, 0};
        for (size_t k = start; k < start + 32; k++) { /* padded with +0 */
            float a = k < depth ? naive_bf16_widen(x[k]) : 0, b = k < depth ? naive_bf16_widen(w[k * w_step]) : 0;
            chain[k % 2] = naive_bf16_fma(a, b, chain[k % 2]);
        }
        acc = naive_bf16_fma(acc, 1, naive_bf16_fma(chain[0], 1, chain[1]));
    }
    return acc;
}

#endif
