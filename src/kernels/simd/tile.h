/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What product tiles and packing need beyond the vocabulary, which is included before: how large a tile is, f64's exact
 * fma, loads by the same name for both types, and zip_low and zip_high, the two halves of a0 b0 a1 b1 ... */
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

GELU_INLINE v64 v64_fma(v64 a, v64 b, v64 c) { return fma_f64(a, b, c); }
GELU_INLINE v32 v32_load_f16(const uint16_t *p) { return (float)load_f16(p); }
GELU_INLINE v32 v32_load_bf16(const uint16_t *p) { return (float)load_bf16(p); }
GELU_INLINE v32 v32_zip_low(v32 a, v32 b) { return (void)b, a; }
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) { return (void)a, b; }
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) { return (void)b, a; }
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) { return (void)a, b; }

#else

GELU_INLINE v64 v64_fma(v64 a, v64 b, v64 c) { return v64_multiply_add(a, b, c); }

#if V32_LANES == 16

/* The sums fill 27 of 32 registers. */
#define TILE_VECTORS 3
#define TILE_ROWS 9
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)

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

#elif V32_LANES == 8

/* The sums fill 12 of 16 registers. */
#define TILE_VECTORS 2
#define TILE_ROWS 6
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6)

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

#else /* NEON */

/* The sums fill 21 of 32 registers; a row more and the compiler spills. */
#define TILE_VECTORS 3
#define TILE_ROWS 7
#define TILE_HEIGHTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

GELU_INLINE v32 v32_zip_low(v32 a, v32 b) { return vzip1q_f32(a, b); }
GELU_INLINE v32 v32_zip_high(v32 a, v32 b) { return vzip2q_f32(a, b); }
GELU_INLINE v64 v64_zip_low(v64 a, v64 b) { return vzip1q_f64(a, b); }
GELU_INLINE v64 v64_zip_high(v64 a, v64 b) { return vzip2q_f64(a, b); }

#endif
#endif
#endif
