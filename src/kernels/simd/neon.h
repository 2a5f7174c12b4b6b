/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary for AArch64 NEON: 2 doubles. See scalar.h for what the names promise. */
#ifndef GELU_SIMD_NEON_H
#define GELU_SIMD_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/compiler.h"
#include "kernels/f32_tables.h"

#define GELU_SIMD_FMA /* fma.h may use the instruction */
#define V64_LANES 2

typedef float64x2_t v64;
typedef int64x2_t i64;
typedef uint64x2_t m64; /* all bits of a lane set or none */

GELU_INLINE v64 v64_set(double x) { return vdupq_n_f64(x); }
GELU_INLINE i64 i64_set(int64_t x) { return vdupq_n_s64(x); }
GELU_INLINE i64 v64_bits(v64 x) { return vreinterpretq_s64_f64(x); }
GELU_INLINE v64 v64_from_bits(i64 bits) { return vreinterpretq_f64_s64(bits); }
GELU_INLINE v64 v64_abs(v64 x) { return vabsq_f64(x); }
GELU_INLINE v64 v64_negate(v64 x) { return vnegq_f64(x); }
GELU_INLINE v64 v64_multiply_add(v64 a, v64 b, v64 c) { return vfmaq_f64(c, a, b); }

GELU_INLINE m64 v64_less(v64 a, v64 b) { return vcltq_f64(a, b); }
GELU_INLINE m64 v64_equal(v64 a, v64 b) { return vceqq_f64(a, b); }
GELU_INLINE m64 v64_is_nan(v64 x) { return veorq_u64(vceqq_f64(x, x), vdupq_n_u64(UINT64_MAX)); }
GELU_INLINE m64 v64_is_negative(v64 x) { return vcltzq_s64(v64_bits(x)); }
GELU_INLINE m64 i64_equal(i64 a, i64 b) { return vceqq_s64(a, b); }
GELU_INLINE m64 m64_or(m64 a, m64 b) { return vorrq_u64(a, b); }
GELU_INLINE bool m64_all(m64 m) { return vminvq_u32(vreinterpretq_u32_u64(m)) != 0; }
GELU_INLINE bool m64_any(m64 m) { return vmaxvq_u32(vreinterpretq_u32_u64(m)) != 0; }

/* clang makes fmax and its kin of a comparison and a selection, which lose -0 and take signalling NaN otherwise: it
 * must not know that the mask comes from a comparison. */
#if defined(__clang__)
#define NEON_HIDE(mask) __asm__("" : "+w"(mask))
#else
#define NEON_HIDE(mask) (void)0
#endif

GELU_INLINE v64 v64_select(m64 m, v64 a, v64 b) {
    NEON_HIDE(m);
    return vbslq_f64(m, a, b);
}
GELU_INLINE i64 i64_select(m64 m, i64 a, i64 b) { return vbslq_s64(m, a, b); }
GELU_INLINE v64 v64_min(v64 x, v64 limit) { return v64_select(v64_less(x, limit), x, limit); }
GELU_INLINE v64 v64_max(v64 x, v64 limit) { return v64_select(v64_less(limit, x), x, limit); }
GELU_INLINE i64 i64_max(i64 a, i64 b) { return i64_select(vcgtq_s64(a, b), a, b); }
GELU_INLINE i64 i64_shift_right_arithmetic(i64 x, int count) { return vshlq_s64(x, i64_set(-count)); }
GELU_INLINE i64 i64_shift_left(i64 x, int count) { return vshlq_s64(x, i64_set(count)); }

GELU_INLINE v64 v64_lookup(const double *table, int width, i64 row, int column) {
    float64x1_t low = vld1_f64(table + vgetq_lane_s64(row, 0) * width + column);
    return vcombine_f64(low, vld1_f64(table + vgetq_lane_s64(row, 1) * width + column));
}

GELU_INLINE v64 v64_lookup_16(const double column[16], i64 row) { return v64_lookup(column, 1, row, 0); }

GELU_INLINE v64 v64_two_product(v64 a, v64 b, v64 *low) {
    v64 product = a * b;
    GELU_KEEP_ROUNDED(product);
    *low = vfmaq_f64(vnegq_f64(product), a, b);
    return product;
}

/* Two 16-bit elements. */
GELU_INLINE uint16x4_t load_halves(const uint16_t *p) {
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    return vcreate_u16(bits);
}
GELU_INLINE void store_halves(uint16_t *p, uint16x4_t x) {
    uint32_t bits = vget_lane_u32(vreinterpret_u32_u16(x), 0);
    memcpy(p, &bits, sizeof bits);
}

GELU_INLINE v64 load_f64(const double *p) { return vld1q_f64(p); }
GELU_INLINE v64 load_f32(const float *p) { return vcvt_f64_f32(vld1_f32(p)); }
GELU_INLINE v64 load_f16(const uint16_t *p) {
    return vcvt_f64_f32(vget_low_f32(vcvt_f32_f16(vreinterpret_f16_u16(load_halves(p)))));
}
GELU_INLINE v64 load_bf16(const uint16_t *p) {
    return vcvt_f64_f32(vget_low_f32(vreinterpretq_f32_u32(vshll_n_u16(load_halves(p), 16))));
}

GELU_INLINE v64 round_to_f32(v64 x) { return vcvt_f64_f32(vcvt_f32_f64(x)); }
GELU_INLINE void store_f64(double *p, v64 x) { vst1q_f64(p, x); }
GELU_INLINE void store_f32(float *p, v64 x) { vst1_f32(p, vcvt_f32_f64(x)); }
GELU_INLINE void store_exact_f16(uint16_t *p, v64 x) {
    float32x2_t narrow = vcvt_f32_f64(x);
    store_halves(p, vreinterpret_u16_f16(vcvt_f16_f32(vcombine_f32(narrow, narrow))));
}
GELU_INLINE void store_exact_bf16(uint16_t *p, v64 x) {
    float32x2_t narrow = vcvt_f32_f64(x);
    store_halves(p, vshrn_n_u32(vreinterpretq_u32_f32(vcombine_f32(narrow, narrow)), 16));
}

/* ---- 4 floats ---- */

#define V32_LANES 4

typedef float32x4_t v32;
typedef int32x4_t i32;
typedef uint32x4_t m32; /* all bits of a lane set or none */

GELU_INLINE v32 v32_set(float x) { return vdupq_n_f32(x); }
GELU_INLINE i32 i32_set(int32_t x) { return vdupq_n_s32(x); }
GELU_INLINE i32 v32_bits(v32 x) { return vreinterpretq_s32_f32(x); }
GELU_INLINE v32 v32_from_bits(i32 bits) { return vreinterpretq_f32_s32(bits); }
GELU_INLINE v32 v32_abs(v32 x) { return vabsq_f32(x); }
GELU_INLINE v32 v32_fma(v32 a, v32 b, v32 c) { return vfmaq_f32(c, a, b); }
GELU_INLINE v32 v32_fnma(v32 a, v32 b, v32 c) { return vfmsq_f32(c, a, b); } /* c - a * b */
GELU_INLINE m32 v32_less(v32 a, v32 b) { return vcltq_f32(a, b); }
GELU_INLINE m32 v32_equal(v32 a, v32 b) { return vceqq_f32(a, b); }
GELU_INLINE m32 v32_is_negative(v32 x) { return vcltzq_s32(v32_bits(x)); }
GELU_INLINE m32 i32_equal(i32 a, i32 b) { return vceqq_s32(a, b); }
GELU_INLINE i32 i32_add(i32 a, i32 b) { /* unsigned: the sum may wrap */
    return vreinterpretq_s32_u32(vaddq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
}
GELU_INLINE i32 i32_and(i32 a, i32 b) { return vandq_s32(a, b); }
GELU_INLINE i32 i32_shift_left(i32 x, int count) { return vshlq_s32(x, vdupq_n_s32(count)); }
GELU_INLINE m32 i32_none(i32 x, i32 mask) { return vceqzq_s32(vandq_s32(x, mask)); } /* x & mask == 0 */
GELU_INLINE i32 i32_shift_right(i32 x, int count) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), vdupq_n_s32(-count)));
}
GELU_INLINE m32 m32_and(m32 a, m32 b) { return vandq_u32(a, b); }
GELU_INLINE m32 m32_or(m32 a, m32 b) { return vorrq_u32(a, b); }
GELU_INLINE m32 m32_not(m32 m) { return vmvnq_u32(m); }
GELU_INLINE bool m32_any(m32 m) { return vmaxvq_u32(m) != 0; }
GELU_INLINE v32 v32_select(m32 m, v32 a, v32 b) {
    NEON_HIDE(m);
    return vbslq_f32(m, a, b);
}
GELU_INLINE v32 v32_min(v32 x, v32 limit) { return v32_select(v32_less(x, limit), x, limit); }
GELU_INLINE v32 v32_max(v32 x, v32 limit) { return v32_select(v32_less(limit, x), x, limit); }

GELU_INLINE v32 v32_load_f32(const float *p) { return vld1q_f32(p); }
GELU_INLINE v32 v32_load_f16(const uint16_t *p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
GELU_INLINE v32 v32_load_bf16(const uint16_t *p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
GELU_INLINE v32 v32_load_bf16_even(const uint16_t *p) {
    return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_u16(vld1q_u16(p)), 16));
}
GELU_INLINE v32 v32_load_bf16_odd(const uint16_t *p) {
    return v32_from_bits(i32_and(vreinterpretq_s32_u16(vld1q_u16(p)), i32_set(-0x10000)));
}
GELU_INLINE void v32_store_f32(float *p, v32 x) { vst1q_f32(p, x); }
GELU_INLINE void v32_store_f16(uint16_t *p, v32 x) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x))); }
GELU_INLINE void v32_store_high_half(uint16_t *p, i32 x) { vst1_u16(p, vshrn_n_u32(vreinterpretq_u32_s32(x), 16)); }

/* The row of a table that the low five bits of index name, transposed to one register per column. */
GELU_INLINE void v32_lookup_rows(const float *table, int columns, i32 index, v32 *column) {
    _Alignas(16) int32_t row[4];
    vst1q_s32(row, i32_and(index, i32_set(F32_INTERVALS - 1)));
    GELU_UNROLL
    for (int part = 0; part < columns; part += 4) {
        v32 r[4];
        GELU_UNROLL
        for (int i = 0; i < 4; i++) r[i] = vld1q_f32(table + row[i] * columns + part);
        v64 even_01 = vreinterpretq_f64_f32(vtrn1q_f32(r[0], r[1]));
        v64 odd_01 = vreinterpretq_f64_f32(vtrn2q_f32(r[0], r[1]));
        v64 even_23 = vreinterpretq_f64_f32(vtrn1q_f32(r[2], r[3]));
        v64 odd_23 = vreinterpretq_f64_f32(vtrn2q_f32(r[2], r[3]));
        column[part] = vreinterpretq_f32_f64(vtrn1q_f64(even_01, even_23));
        column[part + 1] = vreinterpretq_f32_f64(vtrn1q_f64(odd_01, odd_23));
        column[part + 2] = vreinterpretq_f32_f64(vtrn2q_f64(even_01, even_23));
        column[part + 3] = vreinterpretq_f32_f64(vtrn2q_f64(odd_01, odd_23));
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
    const uint8x16x2_t bytes = {{vreinterpretq_u8_f32(vld1q_f32(table)), vreinterpretq_u8_f32(vld1q_f32(table + 4))}};
    uint32x4_t row = vandq_u32(vreinterpretq_u32_s32(index), vdupq_n_u32(7));
    uint32x4_t at = vmlaq_u32(vdupq_n_u32(0x03020100), row, vdupq_n_u32(0x04040404));
    return vreinterpretq_f32_u8(vqtbl2q_u8(bytes, vreinterpretq_u8_u32(at)));
}

/* One bit per lane, the first lane lowest. */
GELU_INLINE unsigned m32_bits(m32 m) { return vaddvq_u32(vandq_u32(m, (uint32x4_t){1, 2, 4, 8})); }

#include "kernels/simd/lanes.h"

#endif
