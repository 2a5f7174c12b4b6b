/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* One rounding, from the double-double formulas or a double to a storage type. Parameter: the vector vocabulary (after
 * double_double.inc.h).
 *
 * A value on its way to a shorter format is first rounded to odd in double: truncated, with the last bit set when
 * anything was lost. A later rounding to nearest to a format at least two bits shorter then gives what rounding the
 * exact value would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 * rounding to odd", 2008). */

/* Explicitly: compilers drop x * 1 and (float)(double)x. */
GELU_INLINE v64 quiet_nan(v64 x) {
    return v64_select(v64_is_nan(x), v64_from_bits(v64_bits(x) | i64_set(0x0008000000000000)), x);
}

/* hi + lo, where hi is already that sum rounded to nearest: hi moved one unit towards lo if there is a lo and hi's last
 * bit is the given one. */
GELU_INLINE v64 nudge(dd a, int64_t last_bit) {
    i64 bits = v64_bits(a.hi);
    /* Towards zero when the signs differ: the neighbour's bits are one less, else one more. */
    i64 away = i64_select(v64_is_negative(v64_from_bits(bits ^ v64_bits(a.lo))), i64_set(-1), i64_set(1));
    i64 step = i64_select(v64_less(v64_set(0), v64_abs(a.lo)), away, i64_set(0));
    return v64_from_bits(i64_select(i64_equal(bits & i64_set(1), i64_set(last_bit)), bits + step, bits));
}

GELU_INLINE v64 round_to_odd(dd a) { return nudge(a, 0); }

/* x * 2^n with one rounding at most, for -2000 < n <= 0 and x of moderate size: the first product is exact. */
GELU_INLINE v64 scale_down(v64 x, i64 n) {
    i64 half = i64_shift_right_arithmetic(n, 1);
    return (x * v64_power_of_two(half)) * v64_power_of_two(n - half);
}

/* A subnormal result with one bit less than hi is a tie where hi is odd, and lo must decide it; with fewer bits,
 * rounding to odd does. */
GELU_INLINE v64 round_f64(scaled a) {
    v64 nearest = scale_down(a.value.hi, a.exponent);
    v64 one_less = scale_down(nudge(a.value, 1), a.exponent);
    v64 fewer = scale_down(round_to_odd(a.value), a.exponent);
    v64 r = v64_select(v64_less(v64_abs(nearest), v64_set(0x1p-1022)), one_less, nearest);
    return quiet_nan(v64_select(v64_less(v64_abs(nearest), v64_set(0x1p-1023)), fewer, r));
}

/* A double that rounds to f32, f16 and bf16 as the exact value does. */
GELU_INLINE v64 round_odd(scaled a) { return scale_down(round_to_odd(a.value), a.exponent); }

/* To the nearest value of a format, ties to even, as a double: the format's smallest normal number, and 2^(52 - f) for f
 * fraction bits. Adding a number of the right size rounds in the addition; infinity and NaN stay. */
GELU_INLINE v64 round_to_format(v64 x, double smallest, double coarser) {
    v64 magnitude = v64_abs(x), infinity = v64_set(__builtin_inf());
    v64 power = v64_from_bits(v64_bits(v64_max(magnitude, v64_set(smallest))) & v64_bits(infinity));
    v64 shift = v64_min(power, v64_set(0x1p+900)) * v64_set(coarser);
    v64 rounded = (magnitude + shift) - shift;
    rounded = v64_select(v64_less(magnitude, infinity), rounded, magnitude);
    return v64_from_bits(v64_bits(rounded) | (v64_bits(x) & v64_bits(v64_set(-0.0))));
}

GELU_INLINE v64 round_to_f16(v64 x) { return round_to_format(x, 0x1p-14, 0x1p+42); }
GELU_INLINE v64 round_to_bf16(v64 x) { return round_to_format(x, 0x1p-126, 0x1p+45); }
GELU_INLINE void store_f16(uint16_t *p, v64 x) { store_exact_f16(p, round_to_f16(x)); }
GELU_INLINE void store_bf16(uint16_t *p, v64 x) { store_exact_bf16(p, round_to_bf16(x)); }
