/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* e^t in plain double, for estimate.inc.h. Parameter: the vector vocabulary (after exp.inc.h). */

/* e^t for -128 < t <= 0, relative error 2^-51: as dd_exp, with 2^(n/16), which fits into registers, and without r^8. */
typedef struct {
    v64 power; /* 2^(n/16) */
    v64 expm1; /* e^r - 1; e^t = power + power * expm1 */
} exp_estimate;

GELU_INLINE exp_estimate estimate_exp(v64 t, v64 t_low) {
    v64 to_integer = v64_set(0x1.8p+52);
    v64 shifted = v64_multiply_add(t, v64_set(EXP_INVERSE / 4), to_integer);
    v64 n = shifted - to_integer;
    i64 whole = v64_bits(shifted) - v64_bits(to_integer);
    v64 r = v64_multiply_add(n, v64_set(-4 * EXP_LN2_1), t) + v64_multiply_add(n, v64_set(-4 * EXP_LN2_2), t_low);
    /* In pairs, for a shorter chain. */
    v64 square = r * r;
    v64 sum = v64_multiply_add(r, v64_set(1.0 / 5040), v64_set(1.0 / 720));
    sum = v64_multiply_add(square, sum, v64_multiply_add(r, v64_set(1.0 / 120), v64_set(1.0 / 24)));
    sum = v64_multiply_add(square, sum, v64_multiply_add(r, v64_set(1.0 / 6), v64_set(0.5)));
    i64 exponent = i64_shift_left(i64_shift_right_arithmetic(whole, 4), 52);
    i64 power = v64_bits(v64_lookup_16(short_exp_table, whole & i64_set(15))) + exponent;
    return (exp_estimate){v64_from_bits(power), v64_multiply_add(square, sum, r)};
}

GELU_INLINE v64 exp_of(exp_estimate e) { return v64_multiply_add(e.power, e.expm1, e.power); }
