/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Between the storage types and the double-double formulas: widening on load, one rounding on store.
 * Parameter: the vector vocabulary (after double_double.inc.h); written for one lane.
 *
 * A value on its way to a shorter format is first rounded to odd in double: truncated, with the last bit set when
 * anything was lost. A later rounding to nearest to a format at least two bits shorter then gives what rounding the
 * exact value would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 * rounding to odd", 2008). */

/* hi + lo rounded to odd; hi is already hi + lo rounded to nearest. */
GELU_INLINE v64 round_to_odd(dd a) {
    i64 bits = v64_bits(a.hi);
    m64 keep = i64_equal(bits & i64_set(1), i64_set(1)) | !v64_less(v64_set(0), v64_abs(a.lo)) | v64_is_nan(a.hi);
    i64 away = (v64_bits(a.hi) ^ v64_bits(a.lo)) < 0 ? i64_set(-1) : i64_set(1);
    return v64_from_bits(keep ? bits : bits + away);
}

/* x * 2^n with one rounding at most, for -2000 < n <= 0 and x of moderate size: the first product is exact. */
GELU_INLINE v64 scale_down(v64 x, i64 n) {
    i64 half = i64_shift_right_arithmetic(n, 1);
    return (x * v64_power_of_two(half)) * v64_power_of_two(n - half);
}

GELU_INLINE double round_f64(scaled a) {
    v64 nearest = scale_down(a.value.hi, a.exponent);
    v64 subnormal = scale_down(round_to_odd(a.value), a.exponent);
    return v64_select(v64_less(v64_abs(subnormal), v64_set(0x1p-1021)), subnormal, nearest);
}

/* A double that rounds to f32, f16 and bf16 as the exact value does. */
GELU_INLINE double round_odd(scaled a) { return scale_down(round_to_odd(a.value), a.exponent); }

GELU_INLINE double widen_f64(double x) { return x; }
GELU_INLINE double widen_f32(float x) { return x; }

GELU_INLINE float bf16_to_f32(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float y;
    memcpy(&y, &bits, sizeof y);
    return y;
}

GELU_INLINE double widen_bf16(uint16_t x) { return (double)bf16_to_f32(x); }

GELU_INLINE double widen_f16(uint16_t x) {
    uint64_t sign = (uint64_t)(x & 0x8000) << 48, rest = x & 0x7fff;
    if (rest >= 0x7c00) /* infinity, NaN */
        return v64_from_bits((int64_t)(sign | 0x7ff0000000000000 | (rest & 0x3ff) << 42));
    /* As the fraction of a double with the smallest exponent, then scaled back: exact, for subnormals too. */
    double magnitude = v64_from_bits((int64_t)(rest << 42)) * 0x1p+1008;
    return v64_from_bits((int64_t)sign | v64_bits(magnitude));
}

/* x to a 16-bit format with this many fraction bits and the smallest normal number 2^min_exponent: nearest even,
 * overflow to infinity, NaN quiet with its sign and leading payload bits. */
GELU_INLINE uint16_t narrow_16(double x, int fraction_bits, int min_exponent) {
    int max_exponent = 1 - min_exponent;
    uint16_t infinity = (uint16_t)((2 * max_exponent + 1) << fraction_bits);
    uint64_t bits = (uint64_t)v64_bits(x), magnitude = bits & INT64_MAX, fraction = bits & 0xfffffffffffff;
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    if (magnitude > 0x7ff0000000000000)
        return (uint16_t)(sign | infinity | 1 << (fraction_bits - 1) | (int)(fraction >> (52 - fraction_bits)));
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent > max_exponent) return sign | infinity;
    int drop = 52 - fraction_bits + (exponent < min_exponent ? min_exponent - exponent : 0);
    if (drop > 54) return sign;
    uint64_t significand = fraction | 1ull << 52; /* subnormal doubles have returned */
    uint64_t kept = significand >> drop, lost = significand << (64 - drop), half = 1ull << 63;
    kept += lost > half || (lost == half && (kept & 1));
    /* kept carries the leading bit into the exponent field, and a rounding carry too: up to infinity, as it should. */
    if (exponent > min_exponent) kept += (uint64_t)(exponent - min_exponent) << fraction_bits;
    return (uint16_t)(sign | kept);
}

GELU_INLINE double narrow_f64(double x) { return x; }
GELU_INLINE float narrow_f32(double x) { return (float)x; }
GELU_INLINE uint16_t narrow_f16(double x) { return narrow_16(x, 10, -14); }
GELU_INLINE uint16_t narrow_bf16(double x) { return narrow_16(x, 7, -126); }

GELU_INLINE double store_f64(scaled a) { return round_f64(a); }
GELU_INLINE float store_f32(scaled a) { return narrow_f32(round_odd(a)); }
GELU_INLINE uint16_t store_f16(scaled a) { return narrow_f16(round_odd(a)); }
GELU_INLINE uint16_t store_bf16(scaled a) { return narrow_bf16(round_odd(a)); }
