/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary for AVX2 with FMA and F16C: 4 doubles. See scalar.h for what the names promise. */
#ifndef GELU_SIMD_AVX2_H
#define GELU_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/compiler.h"
#include "kernels/f32_tables.h"

#define GELU_SIMD_FMA /* fma.h may use the instruction */
#define V64_LANES 4

typedef __m256d v64;
typedef __m256i i64;
typedef __m256d m64; /* all bits of a lane set or none */

GELU_INLINE v64 v64_set(double x) { return _mm256_set1_pd(x); }
GELU_INLINE i64 i64_set(int64_t x) { return _mm256_set1_epi64x(x); }
GELU_INLINE i64 v64_bits(v64 x) { return _mm256_castpd_si256(x); }
GELU_INLINE v64 v64_from_bits(i64 bits) { return _mm256_castsi256_pd(bits); }
GELU_INLINE v64 v64_abs(v64 x) { return _mm256_andnot_pd(v64_set(-0.0), x); }
GELU_INLINE v64 v64_negate(v64 x) { return _mm256_xor_pd(x, v64_set(-0.0)); }
GELU_INLINE v64 v64_multiply_add(v64 a, v64 b, v64 c) { return _mm256_fmadd_pd(a, b, c); }

GELU_INLINE m64 v64_less(v64 a, v64 b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
GELU_INLINE m64 v64_equal(v64 a, v64 b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
GELU_INLINE m64 v64_is_nan(v64 x) { return _mm256_cmp_pd(x, x, _CMP_UNORD_Q); }
GELU_INLINE m64 v64_is_negative(v64 x) { return x; } /* selecting looks at the sign bit only */
GELU_INLINE m64 i64_equal(i64 a, i64 b) { return _mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)); }
GELU_INLINE m64 m64_or(m64 a, m64 b) { return _mm256_or_pd(a, b); }
GELU_INLINE bool m64_all(m64 m) { return _mm256_movemask_pd(m) == 0xf; }
GELU_INLINE bool m64_any(m64 m) { return _mm256_movemask_pd(m) != 0; }

GELU_INLINE v64 v64_select(m64 m, v64 a, v64 b) { return _mm256_blendv_pd(b, a, m); }
GELU_INLINE i64 i64_select(m64 m, i64 a, i64 b) { return v64_bits(v64_select(m, v64_from_bits(a), v64_from_bits(b))); }
GELU_INLINE v64 v64_min(v64 x, v64 limit) { return _mm256_min_pd(x, limit); }
GELU_INLINE v64 v64_max(v64 x, v64 limit) { return _mm256_max_pd(x, limit); }
/* Not by blendv_epi8, which gcc 12 misunderstands under -funsigned-char. */
GELU_INLINE i64 i64_max(i64 a, i64 b) { return i64_select(_mm256_castsi256_pd(_mm256_cmpgt_epi64(a, b)), a, b); }
GELU_INLINE i64 i64_shift_left(i64 x, int count) { return _mm256_slli_epi64(x, count); }
GELU_INLINE i64 i64_shift_right_arithmetic(i64 x, int count) {
    i64 sign = _mm256_cmpgt_epi64(i64_set(0), x);
    return _mm256_xor_si256(_mm256_srli_epi64(_mm256_xor_si256(x, sign), count), sign);
}

GELU_INLINE v64 v64_lookup(const double *table, int width, i64 row, int column) {
    return _mm256_i64gather_pd(table + column, _mm256_mul_epu32(row, i64_set(width)), 8);
}

GELU_INLINE v64 v64_lookup_16(const double column[16], i64 row) { return _mm256_i64gather_pd(column, row, 8); }

GELU_INLINE v64 v64_two_product(v64 a, v64 b, v64 *low) {
    v64 product = a * b;
    *low = _mm256_fmsub_pd(a, b, product);
    return product;
}

GELU_INLINE v64 load_f64(const double *p) { return _mm256_loadu_pd(p); }
GELU_INLINE v64 load_f32(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
GELU_INLINE v64 load_f16(const uint16_t *p) {
    return _mm256_cvtps_pd(_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)p)));
}
GELU_INLINE v64 load_bf16(const uint16_t *p) {
    __m128i wide = _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p));
    return _mm256_cvtps_pd(_mm_castsi128_ps(_mm_slli_epi32(wide, 16)));
}

GELU_INLINE v64 round_to_f32(v64 x) { return _mm256_cvtps_pd(_mm256_cvtpd_ps(x)); }
GELU_INLINE void store_f64(double *p, v64 x) { _mm256_storeu_pd(p, x); }
GELU_INLINE void store_f32(float *p, v64 x) { _mm_storeu_ps(p, _mm256_cvtpd_ps(x)); }
GELU_INLINE void store_exact_f16(uint16_t *p, v64 x) {
    __m128i half = _mm_cvtps_ph(_mm256_cvtpd_ps(x), _MM_FROUND_TO_NEAREST_INT);
    _mm_storel_epi64((__m128i *)p, half);
}
GELU_INLINE void store_exact_bf16(uint16_t *p, v64 x) {
    __m128i wide = _mm_srli_epi32(_mm_castps_si128(_mm256_cvtpd_ps(x)), 16);
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi32(wide, wide));
}

/* ---- 8 floats ---- */

#define V32_LANES 8

typedef __m256 v32;
typedef __m256i i32;
typedef __m256 m32; /* all bits of a lane set or none */

GELU_INLINE v32 v32_set(float x) { return _mm256_set1_ps(x); }
GELU_INLINE i32 i32_set(int32_t x) { return _mm256_set1_epi32(x); }
GELU_INLINE i32 v32_bits(v32 x) { return _mm256_castps_si256(x); }
GELU_INLINE v32 v32_from_bits(i32 bits) { return _mm256_castsi256_ps(bits); }
GELU_INLINE v32 v32_abs(v32 x) { return _mm256_andnot_ps(v32_set(-0.0f), x); }
GELU_INLINE v32 v32_min(v32 x, v32 limit) { return _mm256_min_ps(x, limit); }
GELU_INLINE v32 v32_max(v32 x, v32 limit) { return _mm256_max_ps(x, limit); }
GELU_INLINE v32 v32_fma(v32 a, v32 b, v32 c) { return _mm256_fmadd_ps(a, b, c); }
GELU_INLINE v32 v32_fnma(v32 a, v32 b, v32 c) { return _mm256_fnmadd_ps(a, b, c); } /* c - a * b */
GELU_INLINE m32 v32_less(v32 a, v32 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
GELU_INLINE m32 v32_equal(v32 a, v32 b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
GELU_INLINE m32 v32_is_negative(v32 x) { return x; } /* selecting looks at the sign bit only */
GELU_INLINE m32 i32_equal(i32 a, i32 b) { return v32_from_bits(_mm256_cmpeq_epi32(a, b)); }
GELU_INLINE i32 i32_add(i32 a, i32 b) { return _mm256_add_epi32(a, b); }
GELU_INLINE i32 i32_and(i32 a, i32 b) { return _mm256_and_si256(a, b); }
GELU_INLINE i32 i32_shift_left(i32 x, int count) { return _mm256_slli_epi32(x, count); }
GELU_INLINE m32 i32_none(i32 x, i32 mask) { /* x & mask == 0 */
    return v32_from_bits(_mm256_cmpeq_epi32(_mm256_and_si256(x, mask), _mm256_setzero_si256()));
}
GELU_INLINE i32 i32_shift_right(i32 x, int count) { return _mm256_srli_epi32(x, count); }
GELU_INLINE m32 m32_and(m32 a, m32 b) { return _mm256_and_ps(a, b); }
GELU_INLINE m32 m32_or(m32 a, m32 b) { return _mm256_or_ps(a, b); }
GELU_INLINE m32 m32_not(m32 m) { return _mm256_xor_ps(m, v32_from_bits(i32_set(-1))); }
GELU_INLINE bool m32_any(m32 m) { return _mm256_movemask_ps(m) != 0; }
GELU_INLINE v32 v32_select(m32 m, v32 a, v32 b) { return _mm256_blendv_ps(b, a, m); }

GELU_INLINE v32 v32_load_f32(const float *p) { return _mm256_loadu_ps(p); }
GELU_INLINE v32 v32_load_f16(const uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
GELU_INLINE v32 v32_load_bf16(const uint16_t *p) {
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
GELU_INLINE v32 v32_load_bf16_even(const uint16_t *p) {
    return v32_from_bits(_mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)p), 16));
}
GELU_INLINE v32 v32_load_bf16_odd(const uint16_t *p) {
    return v32_from_bits(_mm256_and_si256(_mm256_loadu_si256((const __m256i *)p), i32_set(-0x10000)));
}
GELU_INLINE void v32_store_f32(float *p, v32 x) { _mm256_storeu_ps(p, x); }
GELU_INLINE void v32_store_f16(uint16_t *p, v32 x) {
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
GELU_INLINE void v32_store_high_half(uint16_t *p, i32 x) {
    __m256i high = _mm256_srli_epi32(x, 16);
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(high, high), 0x08);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(packed));
}

/* The row of a table that the low five bits of index name, transposed to one register per column: loads of 16 bytes
 * and shuffles are faster than gathers. */
GELU_INLINE void v32_lookup_rows(const float *table, int columns, i32 index, v32 *column) {
    _Alignas(32) uint32_t row[8];
    _mm256_store_si256((__m256i *)row, _mm256_and_si256(index, i32_set(F32_INTERVALS - 1)));
    GELU_UNROLL
    for (int part = 0; part < columns; part += 4) {
        v32 r[4];
        GELU_UNROLL
        for (int i = 0; i < 4; i++) {
            __m128 low = _mm_load_ps(table + row[i] * (uint32_t)columns + part);
            __m128 high = _mm_load_ps(table + row[i + 4] * (uint32_t)columns + part);
            r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
        }
        v32 low_01 = _mm256_unpacklo_ps(r[0], r[1]), high_01 = _mm256_unpackhi_ps(r[0], r[1]);
        v32 low_23 = _mm256_unpacklo_ps(r[2], r[3]), high_23 = _mm256_unpackhi_ps(r[2], r[3]);
        column[part] = _mm256_shuffle_ps(low_01, low_23, 0x44);
        column[part + 1] = _mm256_shuffle_ps(low_01, low_23, 0xee);
        column[part + 2] = _mm256_shuffle_ps(high_01, high_23, 0x44);
        column[part + 3] = _mm256_shuffle_ps(high_01, high_23, 0xee);
    }
}
GELU_INLINE void v32_lookup(const struct f32_table *table, i32 index, v32 *column) {
    v32_lookup_rows(table->row[0], F32_COLUMNS, index, column);
}
GELU_INLINE void v32_lookup_fast(const struct fast_table *table, i32 index, v32 *column) {
    v32_lookup_rows(table->row[0], FAST_COLUMNS, index, column);
}
GELU_INLINE void v32_lookup_short(const struct short_table *table, i32 index, v32 *column) {
    v32_lookup_rows(table->row[0], SHORT_ROW, index, column);
}

/* table[index modulo 8] */
GELU_INLINE v32 v32_lookup_8(const float table[8], i32 index) {
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
}

/* One bit per lane, the first lane lowest. */
GELU_INLINE unsigned m32_bits(m32 m) { return (unsigned)_mm256_movemask_ps(m); }
/* Stores the lanes whose bit is set one after the other, and anything behind them up to a vector; and puts them back
 * into x. By halves: for four bits, which lane comes to each place, and which place to each lane, a byte each. */
static const int32_t v32_packed[16] = {0x00, 0x00,   0x01,   0x0100,   0x02,   0x0200,   0x0201,   0x020100,
                                       0x03, 0x0300, 0x0301, 0x030100, 0x0302, 0x030200, 0x030201, 0x03020100};
static const int32_t v32_unpacked[8] = {0x00000000, 0x01010100, 0x01010000, 0x02020100,
                                        0x01000000, 0x02010100, 0x02010000, 0x03020100};
GELU_INLINE __m128 v32_permuted(__m128 x, int32_t places) {
    return _mm_permutevar_ps(x, _mm_cvtepu8_epi32(_mm_cvtsi32_si128(places)));
}
GELU_INLINE void v32_pack(float *to, unsigned lanes, v32 x) {
    _mm_storeu_ps(to, v32_permuted(_mm256_castps256_ps128(x), v32_packed[lanes & 15]));
    _mm_storeu_ps(to + gelu_count_bits(lanes & 15), v32_permuted(_mm256_extractf128_ps(x, 1), v32_packed[lanes >> 4]));
}
GELU_INLINE v32 v32_unpack(const float *from, unsigned lanes, v32 x) {
    i32 bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    m32 mask = i32_equal(i32_and(i32_set((int32_t)lanes), bit), bit);
    __m128 low = v32_permuted(_mm_loadu_ps(from), v32_unpacked[lanes & 7]);
    __m128 high = v32_permuted(_mm_loadu_ps(from + gelu_count_bits(lanes & 15)), v32_unpacked[lanes >> 4 & 7]);
    return v32_select(mask, _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1), x);
}

#endif
