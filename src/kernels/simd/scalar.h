/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary with one lane, in plain C. The formulas of this folder are written over it: v64 is a vector of
 * doubles, i64 of 64-bit integers, m64 of truth values; + - * / work on v64 lane by lane and round each once. Other
 * instruction sets provide the same names. */
#ifndef GELU_SIMD_SCALAR_H
#define GELU_SIMD_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/compiler.h"

typedef double v64;
typedef int64_t i64;
typedef int m64;

GELU_INLINE v64 v64_set(double x) { return x; }
GELU_INLINE i64 i64_set(int64_t x) { return x; }

GELU_INLINE i64 v64_bits(v64 x) {
    i64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

GELU_INLINE v64 v64_from_bits(i64 bits) {
    v64 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

GELU_INLINE v64 v64_abs(v64 x) { return v64_from_bits(v64_bits(x) & INT64_MAX); }
GELU_INLINE v64 v64_negate(v64 x) { return -x; }

/* Comparisons are false for NaN, and raise invalid for it only where C's do. */
GELU_INLINE m64 v64_less(v64 a, v64 b) { return __builtin_isless(a, b); }
GELU_INLINE m64 v64_greater_equal(v64 a, v64 b) { return __builtin_isgreaterequal(a, b); }
GELU_INLINE m64 v64_is_nan(v64 x) { return __builtin_isnan(x); }
GELU_INLINE m64 v64_is_negative(v64 x) { return v64_bits(x) < 0; } /* the sign bit: true for -0 */
GELU_INLINE m64 i64_equal(i64 a, i64 b) { return a == b; }
GELU_INLINE m64 m64_or(m64 a, m64 b) { return a | b; }
GELU_INLINE bool m64_all(m64 m) { return m; }
GELU_INLINE bool m64_any(m64 m) { return m; }

GELU_INLINE v64 v64_select(m64 m, v64 a, v64 b) { return m ? a : b; }
GELU_INLINE i64 i64_select(m64 m, i64 a, i64 b) { return m ? a : b; }
GELU_INLINE v64 v64_min(v64 x, v64 limit) { return v64_select(v64_less(x, limit), x, limit); } /* limit for NaN */
GELU_INLINE v64 v64_max(v64 x, v64 limit) { return v64_select(v64_less(limit, x), x, limit); } /* limit for NaN */

GELU_INLINE i64 i64_max(i64 a, i64 b) { return a > b ? a : b; }
GELU_INLINE i64 i64_shift_right_arithmetic(i64 x, int count) { return x >> count; }
GELU_INLINE i64 i64_shift_left(i64 x, int count) { return (i64)((uint64_t)x << count); }

/* table[row * width + column] */
GELU_INLINE v64 v64_lookup(const double *table, int width, i64 row, int column) { return table[row * width + column]; }

/* a * b exactly, as *low + the result, when neither part over- or underflows. */
GELU_INLINE v64 v64_two_product(v64 a, v64 b, v64 *low) {
    v64 product = a * b;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
    *low = __builtin_fma(a, b, -product);
#else
    /* Veltkamp's split and Dekker's product: the same low part, without the instruction. */
    v64 wide_a = a * 0x1.000002p+27, wide_b = b * 0x1.000002p+27;
    v64 a_high = wide_a - (wide_a - a), b_high = wide_b - (wide_b - b);
    v64 a_low = a - a_high, b_low = b - b_high;
    *low = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
#endif
    return product;
}

#endif
