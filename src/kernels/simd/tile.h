/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What product tiles and packing need beyond the vocabulary, which is included before: how large a tile is, and how narrow
 * in vectors; f64's exact fma; loads by the same name for both types; zip_low and zip_high, the two halves of
 * a0 b0 a1 b1 ...; and load_transposed: r[j] gets element j of as many lines as a vector has lanes. */
#ifndef GELU_SIMD_TILE_H
#define GELU_SIMD_TILE_H

#include "kernels/simd/fma.h"

GELU_INLINE v32 v32_load(const float *p) { return v32_load_f32(p); }
GELU_INLINE void v32_store(float *p, v32 x) { v32_store_f32(p, x); }
GELU_INLINE v64 v64_load(const double *p) { return load_f64(p); }
GELU_INLINE void v64_store(double *p, v64 x) { store_f64(p, x); }

#if V32_LANES == 1

/* One row, of a width that the compiler can make vectors of. */
#define TILE_VECTORS 8
#define TILE_ROWS 1
#define TILE_HEIGHTS(X) X(1)
#define TILE_PARTS 1
#define TILE_WIDTHS(X, height) X(height, 8)

GELU_INLINE v64 v64_fma(v64 a, v64 b, v64 c) { return fma_f64(a, b, c); }
GELU_INLINE v32 v32_load_f16(const uint16_t *p) { return (float)load_f16(p); }
GELU_INLINE v32 v32_load_bf16(const uint16_t *p) { return (float)load_bf16(p); }
GELU_INLINE v32 v32_zip_low(v32 a, v32 b) { return (void)b, a; }
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) { return (void)a, b; }
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) { return (void)b, a; }
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) { return (void)a, b; }
GELU_INLINE void v32_load_transposed(const float *lines, size_t stride, v32 *r) { (void)stride, r[0] = lines[0]; }
GELU_INLINE void v64_load_transposed(const double *lines, size_t stride, v64 *r) { (void)stride, r[0] = lines[0]; }

#else

GELU_INLINE v64 v64_fma(v64 a, v64 b, v64 c) { return v64_multiply_add(a, b, c); }

#if V32_LANES == 16

/* The sums fill 27 of 32 registers. */
#define TILE_VECTORS 3
#define TILE_ROWS 9
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define TILE_PARTS 3
#define TILE_WIDTHS(X, height) X(height, 1) X(height, 2) X(height, 3)

GELU_INLINE v32 v32_zip_low(v32 a, v32 b) {
    const i32 order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
}
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) {
    const i32 order = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}

/* Loads of half a vector save a step of shuffles. Quarters then have elements of lines that follow each other. */
GELU_INLINE void v32_load_transposed(const float *lines, size_t stride, v32 *r) {
    GELU_UNROLL for (int half = 0; half < 2; half++) {
        v32 h[8], quarters[8];
        v64 pairs[8];
        GELU_UNROLL for (int i = 0; i < 8; i++) {
            const float *line = lines + (size_t)(i / 4 * 8 + i % 4) * stride + half * 8;
            h[i] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(line)), _mm256_loadu_ps(line + 4 * stride),
                                      1);
        }
        GELU_UNROLL for (int i = 0; i < 8; i += 2) {
            pairs[i] = _mm512_castps_pd(_mm512_unpacklo_ps(h[i], h[i + 1]));
            pairs[i + 1] = _mm512_castps_pd(_mm512_unpackhi_ps(h[i], h[i + 1]));
        }
        GELU_UNROLL for (int i = 0; i < 8; i += 2) {
            v64 a = pairs[i / 4 * 4 + i % 4 / 2], b = pairs[i / 4 * 4 + i % 4 / 2 + 2];
            quarters[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            quarters[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
        GELU_UNROLL for (int i = 0; i < 4; i++) {
            r[half * 8 + i] = _mm512_shuffle_f32x4(quarters[i], quarters[i + 4], 0x88);
            r[half * 8 + i + 4] = _mm512_shuffle_f32x4(quarters[i], quarters[i + 4], 0xdd);
        }
    }
}
GELU_INLINE void v64_load_transposed(const double *lines, size_t stride, v64 *r) {
    GELU_UNROLL for (int half = 0; half < 2; half++) {
        v64 h[4];
        GELU_UNROLL for (int i = 0; i < 4; i++) {
            const double *line = lines + (size_t)(i / 2 * 4 + i % 2) * stride + half * 4;
            h[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(line)), _mm256_loadu_pd(line + 2 * stride),
                                      1);
        }
        v64 even_low = _mm512_unpacklo_pd(h[0], h[1]), even_high = _mm512_unpacklo_pd(h[2], h[3]);
        v64 odd_low = _mm512_unpackhi_pd(h[0], h[1]), odd_high = _mm512_unpackhi_pd(h[2], h[3]);
        r[half * 4] = _mm512_shuffle_f64x2(even_low, even_high, 0x88);
        r[half * 4 + 1] = _mm512_shuffle_f64x2(odd_low, odd_high, 0x88);
        r[half * 4 + 2] = _mm512_shuffle_f64x2(even_low, even_high, 0xdd);
        r[half * 4 + 3] = _mm512_shuffle_f64x2(odd_low, odd_high, 0xdd);
    }
}

#elif V32_LANES == 8

/* The sums fill 12 of 16 registers. */
#define TILE_VECTORS 2
#define TILE_ROWS 6
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define TILE_PARTS 2
#define TILE_WIDTHS(X, height) X(height, 1) X(height, 2)

GELU_INLINE v32 v32_zip_low(v32 a, v32 b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x20);
}
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x31);
}

/* Loads of half a vector leave shuffles within halves only. */
GELU_INLINE void v32_load_transposed(const float *lines, size_t stride, v32 *r) {
    GELU_UNROLL for (int half = 0; half < 2; half++) {
        v32 h[4];
        GELU_UNROLL for (int i = 0; i < 4; i++) {
            const float *line = lines + (size_t)i * stride + half * 4;
            h[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(line)), _mm_loadu_ps(line + 4 * stride), 1);
        }
        v64 low_a = _mm256_castps_pd(_mm256_unpacklo_ps(h[0], h[1])),
            low_b = _mm256_castps_pd(_mm256_unpacklo_ps(h[2], h[3]));
        v64 high_a = _mm256_castps_pd(_mm256_unpackhi_ps(h[0], h[1])),
            high_b = _mm256_castps_pd(_mm256_unpackhi_ps(h[2], h[3]));
        r[half * 4] = _mm256_castpd_ps(_mm256_unpacklo_pd(low_a, low_b));
        r[half * 4 + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low_a, low_b));
        r[half * 4 + 2] = _mm256_castpd_ps(_mm256_unpacklo_pd(high_a, high_b));
        r[half * 4 + 3] = _mm256_castpd_ps(_mm256_unpackhi_pd(high_a, high_b));
    }
}
GELU_INLINE void v64_load_transposed(const double *lines, size_t stride, v64 *r) {
    GELU_UNROLL for (int half = 0; half < 2; half++) {
        v64 h[2];
        GELU_UNROLL for (int i = 0; i < 2; i++) {
            const double *line = lines + (size_t)i * stride + half * 2;
            h[i] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(line)), _mm_loadu_pd(line + 2 * stride), 1);
        }
        r[half * 2] = _mm256_unpacklo_pd(h[0], h[1]);
        r[half * 2 + 1] = _mm256_unpackhi_pd(h[0], h[1]);
    }
}

#else /* NEON */

/* The sums fill 21 of 32 registers; a row more and the compiler spills. */
#define TILE_VECTORS 3
#define TILE_ROWS 7
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TILE_PARTS 3
#define TILE_WIDTHS(X, height) X(height, 1) X(height, 2) X(height, 3)

GELU_INLINE v32 v32_zip_low(v32 a, v32 b) { return vzip1q_f32(a, b); }
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) { return vzip2q_f32(a, b); }
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) { return vzip1q_f64(a, b); }
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) { return vzip2q_f64(a, b); }

GELU_INLINE void v32_load_transposed(const float *lines, size_t stride, v32 *r) {
    v32 a = vld1q_f32(lines), b = vld1q_f32(lines + stride);
    v32 c = vld1q_f32(lines + 2 * stride), d = vld1q_f32(lines + 3 * stride);
    v32 even_low = vzip1q_f32(a, c), even_high = vzip2q_f32(a, c);
    v32 odd_low = vzip1q_f32(b, d), odd_high = vzip2q_f32(b, d);
    r[0] = vzip1q_f32(even_low, odd_low);
    r[1] = vzip2q_f32(even_low, odd_low);
    r[2] = vzip1q_f32(even_high, odd_high);
    r[3] = vzip2q_f32(even_high, odd_high);
}
GELU_INLINE void v64_load_transposed(const double *lines, size_t stride, v64 *r) {
    v64 a = vld1q_f64(lines), b = vld1q_f64(lines + stride);
    r[0] = vzip1q_f64(a, b);
    r[1] = vzip2q_f64(a, b);
}

#endif
#endif
#endif
