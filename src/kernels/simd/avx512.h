/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary for AVX-512 (F, BW, DQ, VL): 8 doubles. See scalar.h for what the names promise. */
#ifndef GELU_SIMD_AVX512_H
#define GELU_SIMD_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/compiler.h"
#include "kernels/f32_tables.h"

#define GELU_SIMD_FMA /* fma.h may use the instruction */
#define V64_LANES 8

typedef __m512d v64;
typedef __m512i i64;
typedef __mmask8 m64;

GELU_INLINE v64 v64_set(double x) { return _mm512_set1_pd(x); }
GELU_INLINE i64 i64_set(int64_t x) { return _mm512_set1_epi64(x); }
GELU_INLINE i64 v64_bits(v64 x) { return _mm512_castpd_si512(x); }
GELU_INLINE v64 v64_from_bits(i64 bits) { return _mm512_castsi512_pd(bits); }
GELU_INLINE v64 v64_abs(v64 x) { return _mm512_abs_pd(x); }
GELU_INLINE v64 v64_negate(v64 x) { return _mm512_xor_pd(x, v64_set(-0.0)); }
GELU_INLINE v64 v64_multiply_add(v64 a, v64 b, v64 c) { return _mm512_fmadd_pd(a, b, c); }

GELU_INLINE m64 v64_less(v64 a, v64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
GELU_INLINE m64 v64_equal(v64 a, v64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
GELU_INLINE m64 v64_is_nan(v64 x) { return _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q); }
GELU_INLINE m64 v64_is_negative(v64 x) { return _mm512_movepi64_mask(v64_bits(x)); }
GELU_INLINE m64 i64_equal(i64 a, i64 b) { return _mm512_cmpeq_epi64_mask(a, b); }
GELU_INLINE m64 m64_or(m64 a, m64 b) { return (m64)(a | b); }
GELU_INLINE bool m64_all(m64 m) { return m == 0xff; }
GELU_INLINE bool m64_any(m64 m) { return m != 0; }

GELU_INLINE v64 v64_select(m64 m, v64 a, v64 b) { return _mm512_mask_mov_pd(b, m, a); }
GELU_INLINE i64 i64_select(m64 m, i64 a, i64 b) { return _mm512_mask_mov_epi64(b, m, a); }
GELU_INLINE v64 v64_min(v64 x, v64 limit) { return _mm512_min_pd(x, limit); }
GELU_INLINE v64 v64_max(v64 x, v64 limit) { return _mm512_max_pd(x, limit); }
GELU_INLINE i64 i64_max(i64 a, i64 b) { return _mm512_max_epi64(a, b); }
GELU_INLINE i64 i64_shift_right_arithmetic(i64 x, int count) { return _mm512_srai_epi64(x, (unsigned)count); }
GELU_INLINE i64 i64_shift_left(i64 x, int count) { return _mm512_slli_epi64(x, (unsigned)count); }

GELU_INLINE v64 v64_lookup(const double *table, int width, i64 row, int column) {
    return _mm512_i64gather_pd(_mm512_mullo_epi64(row, i64_set(width)), table + column, 8);
}

GELU_INLINE v64 v64_lookup_16(const double column[16], i64 row) {
    return _mm512_permutex2var_pd(_mm512_loadu_pd(column), row, _mm512_loadu_pd(column + 8));
}

GELU_INLINE v64 v64_two_product(v64 a, v64 b, v64 *low) {
    v64 product = a * b;
    *low = _mm512_fmsub_pd(a, b, product);
    return product;
}

GELU_INLINE v64 load_f64(const double *p) { return _mm512_loadu_pd(p); }
GELU_INLINE v64 load_f32(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
GELU_INLINE v64 load_f16(const uint16_t *p) {
    return _mm512_cvtps_pd(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}
GELU_INLINE v64 load_bf16(const uint16_t *p) {
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
}

GELU_INLINE v64 round_to_f32(v64 x) { return _mm512_cvtps_pd(_mm512_cvtpd_ps(x)); }
GELU_INLINE void store_f64(double *p, v64 x) { _mm512_storeu_pd(p, x); }
GELU_INLINE void store_f32(float *p, v64 x) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(x)); }
GELU_INLINE void store_exact_f16(uint16_t *p, v64 x) {
    __m128i half = _mm256_cvtps_ph(_mm512_cvtpd_ps(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128((__m128i *)p, half);
}
GELU_INLINE void store_exact_bf16(uint16_t *p, v64 x) {
    __m256i wide = _mm256_srli_epi32(_mm256_castps_si256(_mm512_cvtpd_ps(x)), 16);
    _mm_storeu_si128((__m128i *)p, _mm256_cvtepi32_epi16(wide));
}

/* ---- 16 floats ---- */

#define V32_LANES 16

typedef __m512 v32;
typedef __m512i i32;
typedef __mmask16 m32;

GELU_INLINE v32 v32_set(float x) { return _mm512_set1_ps(x); }
GELU_INLINE i32 i32_set(int32_t x) { return _mm512_set1_epi32(x); }
GELU_INLINE i32 v32_bits(v32 x) { return _mm512_castps_si512(x); }
GELU_INLINE v32 v32_from_bits(i32 bits) { return _mm512_castsi512_ps(bits); }
GELU_INLINE v32 v32_abs(v32 x) { return _mm512_abs_ps(x); }
GELU_INLINE v32 v32_min(v32 x, v32 limit) { return _mm512_min_ps(x, limit); }
GELU_INLINE v32 v32_max(v32 x, v32 limit) { return _mm512_max_ps(x, limit); }
GELU_INLINE v32 v32_fma(v32 a, v32 b, v32 c) { return _mm512_fmadd_ps(a, b, c); }
GELU_INLINE v32 v32_fnma(v32 a, v32 b, v32 c) { return _mm512_fnmadd_ps(a, b, c); } /* c - a * b */
GELU_INLINE m32 v32_less(v32 a, v32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
GELU_INLINE m32 v32_equal(v32 a, v32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
GELU_INLINE m32 v32_is_negative(v32 x) { return _mm512_movepi32_mask(v32_bits(x)); }
GELU_INLINE m32 i32_equal(i32 a, i32 b) { return _mm512_cmpeq_epi32_mask(a, b); }
GELU_INLINE i32 i32_add(i32 a, i32 b) { return _mm512_add_epi32(a, b); }
GELU_INLINE i32 i32_and(i32 a, i32 b) { return _mm512_and_si512(a, b); }
GELU_INLINE i32 i32_shift_left(i32 x, int count) { return _mm512_slli_epi32(x, (unsigned)count); }
GELU_INLINE m32 i32_none(i32 x, i32 mask) { return _mm512_testn_epi32_mask(x, mask); } /* x & mask == 0 */
GELU_INLINE i32 i32_shift_right(i32 x, int count) { return _mm512_srli_epi32(x, (unsigned)count); }
GELU_INLINE m32 m32_and(m32 a, m32 b) { return (m32)(a & b); }
GELU_INLINE m32 m32_or(m32 a, m32 b) { return (m32)(a | b); }
GELU_INLINE m32 m32_not(m32 m) { return (m32)~m; }
GELU_INLINE bool m32_any(m32 m) { return m != 0; }
GELU_INLINE v32 v32_select(m32 m, v32 a, v32 b) { return _mm512_mask_mov_ps(b, m, a); }

GELU_INLINE v32 v32_load_f32(const float *p) { return _mm512_loadu_ps(p); }
GELU_INLINE v32 v32_load_f16(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
GELU_INLINE v32 v32_load_bf16(const uint16_t *p) {
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
GELU_INLINE v32 v32_load_bf16_even(const uint16_t *p) {
    return v32_from_bits(_mm512_slli_epi32(_mm512_loadu_si512(p), 16));
}
GELU_INLINE v32 v32_load_bf16_odd(const uint16_t *p) {
    return v32_from_bits(_mm512_and_si512(_mm512_loadu_si512(p), i32_set(-0x10000)));
}
GELU_INLINE void v32_store_f32(float *p, v32 x) { _mm512_storeu_ps(p, x); }
GELU_INLINE void v32_store_f16(uint16_t *p, v32 x) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
GELU_INLINE void v32_store_high_half(uint16_t *p, i32 x) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(x, 16)));
}

/* The row of a table that the low five bits of index name: one register per column. */
GELU_INLINE void v32_lookup_columns(const float (*table)[F32_INTERVALS], int columns, i32 index, v32 *column) {
    GELU_UNROLL
    for (int i = 0; i < columns; i++)
        column[i] = _mm512_permutex2var_ps(_mm512_load_ps(table[i]), index, _mm512_load_ps(table[i] + 16));
}
GELU_INLINE void v32_lookup(const struct f32_table *table, i32 index, v32 *column) {
    v32_lookup_columns(table->column, F32_COLUMNS, index, column);
}
GELU_INLINE void v32_lookup_fast(const struct fast_table *table, i32 index, v32 *column) {
    v32_lookup_columns(table->column, FAST_COLUMNS, index, column);
}
GELU_INLINE void v32_lookup_short(const struct short_table *table, i32 index, v32 *column) {
    v32_lookup_columns(table->column, SHORT_COLUMNS, index, column);
}

/* table[index modulo 8] */
GELU_INLINE v32 v32_lookup_8(const float table[8], i32 index) {
    return _mm512_permutexvar_ps(index, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)));
}

/* Stores the lanes whose bit is set one after the other, and anything behind them up to a vector; and puts them back
 * into x. */
GELU_INLINE void v32_pack(float *to, unsigned lanes, v32 x) {
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((m32)lanes, x));
}
GELU_INLINE v32 v32_unpack(const float *from, unsigned lanes, v32 x) {
    return _mm512_mask_expand_ps(x, (m32)lanes, _mm512_loadu_ps(from));
}

/* One bit per lane, the first lane lowest. */
GELU_INLINE unsigned m32_bits(m32 m) { return m; }

#endif
