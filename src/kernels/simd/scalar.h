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
#include "kernels/f32_tables.h"
#include "kernels/simd/fma.h"

#define V64_LANES 1

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
GELU_INLINE m64 v64_equal(v64 a, v64 b) { return a == b; }
GELU_INLINE m64 v64_is_nan(v64 x) { return __builtin_isnan(x); }
GELU_INLINE m64 v64_is_negative(v64 x) { return v64_bits(x) < 0; } /* the sign bit: true for -0 */
GELU_INLINE m64 i64_equal(i64 a, i64 b) { return a == b; }
GELU_INLINE m64 m64_or(m64 a, m64 b) { return a | b; }
GELU_INLINE bool m64_all(m64 m) { return m; }
GELU_INLINE bool m64_any(m64 m) { return m; }

/* clang 14 makes fmax of x < 0 ? 0 : x, which loses -0: it must not know what is selected. */
#if defined(__clang__) && defined(__aarch64__)
#define SCALAR_HIDE(a, b) __asm__("" : "+w"(a), "+w"(b))
#else
#define SCALAR_HIDE(a, b) (void)0
#endif

GELU_INLINE v64 v64_select(m64 m, v64 a, v64 b) {
    SCALAR_HIDE(a, b);
    return m ? a : b;
}
GELU_INLINE i64 i64_select(m64 m, i64 a, i64 b) { return m ? a : b; }
GELU_INLINE v64 v64_min(v64 x, v64 limit) { return v64_select(v64_less(x, limit), x, limit); } /* limit for NaN */
GELU_INLINE v64 v64_max(v64 x, v64 limit) { return v64_select(v64_less(limit, x), x, limit); } /* limit for NaN */

GELU_INLINE i64 i64_max(i64 a, i64 b) { return a > b ? a : b; }
GELU_INLINE i64 i64_shift_right_arithmetic(i64 x, int count) { return x >> count; }
GELU_INLINE i64 i64_shift_left(i64 x, int count) { return (i64)((uint64_t)x << count); }

/* a * b + c, rounded once or twice: only where an error bound covers both. */
GELU_INLINE v64 v64_multiply_add(v64 a, v64 b, v64 c) { return a * b + c; }

/* table[row * width + column] */
GELU_INLINE v64 v64_lookup(const double *table, int width, i64 row, int column) { return table[row * width + column]; }

/* column[row], 0 <= row < 16 */
GELU_INLINE v64 v64_lookup_16(const double column[16], i64 row) { return column[row]; }

/* a * b exactly, as *low + the result, when neither part over- or underflows. */
GELU_INLINE v64 v64_two_product(v64 a, v64 b, v64 *low) {
    v64 product = a * b;
    GELU_KEEP_ROUNDED(product);
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

/* Widening loads of V64_LANES elements. A NaN keeps its sign and payload. */
GELU_INLINE v64 load_f64(const double *p) { return *p; }
GELU_INLINE v64 load_f32(const float *p) { return *p; }
GELU_INLINE v64 load_bf16(const uint16_t *p) {
    uint32_t bits = (uint32_t)*p << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

GELU_INLINE v64 load_f16(const uint16_t *p) {
    uint64_t sign = (uint64_t)(*p & 0x8000) << 48, rest = *p & 0x7fff;
    if (rest >= 0x7c00) /* infinity, NaN */
        return v64_from_bits((int64_t)(sign | 0x7ff0000000000000 | (rest & 0x3ff) << 42));
    /* As the fraction of a double with the smallest exponent, then scaled back: exact, for subnormals too. */
    return v64_from_bits((int64_t)(sign | rest << 42)) * 0x1p+1008;
}

/* To the nearest f32, ties to even, as a double. */
GELU_INLINE v64 round_to_f32(v64 x) { return (double)(float)x; }

/* Stores with one rounding to nearest even; a NaN becomes quiet and keeps its sign and leading payload bits. */
GELU_INLINE void store_f64(double *p, v64 x) { *p = x; }
GELU_INLINE void store_f32(float *p, v64 x) { *p = (float)x; }

/* Stores of values that the format has, of larger ones as infinity, and of NaN. */
GELU_INLINE void store_exact_bf16(uint16_t *p, v64 x) {
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    *p = (uint16_t)(bits >> 16);
}

GELU_INLINE void store_exact_f16(uint16_t *p, v64 x) {
    uint64_t bits = (uint64_t)v64_bits(x), magnitude = bits & INT64_MAX;
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    if (magnitude > 0x7ff0000000000000)
        *p = (uint16_t)(sign | 0x7e00 | (magnitude >> 42 & 0x3ff));
    else if (magnitude >= 0x40f0000000000000) /* 2^16 */
        *p = (uint16_t)(sign | 0x7c00);
    else /* the mirror image of load_f16: exact, for results that are subnormal too */
        *p = (uint16_t)(sign | (uint64_t)v64_bits(v64_from_bits((int64_t)magnitude) * 0x1p-1008) >> 42);
}

/* ---- Floats: what the fast kernels need. fma is exact, by instruction or emulation. ---- */

#define V32_LANES 1

typedef float v32;
typedef int32_t i32;
typedef int m32;

GELU_INLINE v32 v32_set(float x) { return x; }
GELU_INLINE i32 v32_bits(v32 x) {
    i32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
GELU_INLINE v32 v32_from_bits(i32 bits) {
    v32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
GELU_INLINE v32 v32_abs(v32 x) { return v32_from_bits(v32_bits(x) & INT32_MAX); }
GELU_INLINE v32 v32_select(m32 m, v32 a, v32 b) {
    SCALAR_HIDE(a, b);
    return m ? a : b;
}
GELU_INLINE v32 v32_min(v32 x, v32 limit) { return v32_select(__builtin_isless(x, limit), x, limit); }
GELU_INLINE v32 v32_max(v32 x, v32 limit) { return v32_select(__builtin_isless(limit, x), x, limit); }
GELU_INLINE v32 v32_fma(v32 a, v32 b, v32 c) { return fma_f32(a, b, c); }
GELU_INLINE v32 v32_fnma(v32 a, v32 b, v32 c) { return fma_f32(-a, b, c); }
GELU_INLINE m32 v32_less(v32 a, v32 b) { return __builtin_isless(a, b); }
GELU_INLINE m32 v32_equal(v32 a, v32 b) { return a == b; }
GELU_INLINE m32 v32_is_negative(v32 x) { return v32_bits(x) < 0; }
GELU_INLINE i32 i32_set(int32_t x) { return x; }
GELU_INLINE i32 i32_add(i32 a, i32 b) { return (i32)((uint32_t)a + (uint32_t)b); }
GELU_INLINE i32 i32_shift_left(i32 x, int count) { return (i32)((uint32_t)x << count); }
GELU_INLINE bool m32_any(m32 m) { return m; }
GELU_INLINE m32 m32_not(m32 m) { return !m; }

GELU_INLINE v32 v32_load_f32(const float *p) { return *p; }
/* Of V32_LANES pairs of bf16, the first or the second of each, exactly. */
GELU_INLINE v32 v32_load_bf16_even(const uint16_t *p) { return v32_from_bits((int32_t)((uint32_t)p[0] << 16)); }
GELU_INLINE v32 v32_load_bf16_odd(const uint16_t *p) { return v32_from_bits((int32_t)((uint32_t)p[1] << 16)); }
GELU_INLINE void v32_store_f32(float *p, v32 x) { *p = x; }

/* The row of a table that the low five bits of index name: one number per column. */
GELU_INLINE void v32_lookup(const struct f32_table *table, i32 index, v32 *column) {
    memcpy(column, table->row[index & (F32_INTERVALS - 1)], sizeof table->row[0]);
}
GELU_INLINE void v32_lookup_fast(const struct fast_table *table, i32 index, v32 *column) {
    memcpy(column, table->row[index & (F32_INTERVALS - 1)], sizeof table->row[0]);
}
GELU_INLINE void v32_lookup_short(const struct short_table *table, i32 index, v32 *column) {
    memcpy(column, table->row[index & (F32_INTERVALS - 1)], SHORT_COLUMNS * sizeof(float));
}
/* table[index modulo 8] */
GELU_INLINE v32 v32_lookup_8(const float table[8], i32 index) { return table[index & 7]; }

/* One bit per lane, the first lane lowest. */
GELU_INLINE unsigned m32_bits(m32 m) { return (unsigned)m; }

#include "kernels/simd/lanes.h"

#endif
