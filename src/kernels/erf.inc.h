/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* ERF: Phi(-z), the derivative at -z and the second derivative, for z >= 0, in double-double.
 * Parameter: the vector vocabulary (after exp.inc.h). Relative error 2^-70, of the derivative relative to Phi(-z).
 *
 * Phi(-z) = e^(-z^2/2) W(z), where W falls smoothly from 1/2. The square is exact in two parts, so nothing is
 * amplified in the tail. */

/* Clamping z here changes no result: everything underflows from z = 39 on. */
#define ERF_Z_MAX 40.0

GELU_INLINE dd erf_tail(v64 z) {
    enum { WIDTH = 1 + TAIL_PAIRS + TAIL_DEGREE + 1 };
    const double *table = tail_table[0];
    /* The exponent and the first four fraction bits of z + 1. */
    i64 row = i64_shift_right_arithmetic(v64_bits(z + v64_set(1)), 48) - i64_set(1023 << 4);
    v64 d = z - v64_lookup(table, WIDTH, row, 0); /* exact */
    v64 sum = v64_lookup(table, WIDTH, row, WIDTH - 1);
    for (int column = WIDTH - 2; column > 2 * TAIL_PAIRS; column--)
        sum = v64_lookup(table, WIDTH, row, column) + v64_product(d, sum);
    /* d is at most 1/16 of the scale on which W changes: d^4 is small enough for plain double, the rest is not. */
    dd w = dd_make(sum, v64_set(0));
    for (int column = 2 * TAIL_PAIRS - 1; column > 0; column -= 2) {
        dd c = dd_make(v64_lookup(table, WIDTH, row, column), v64_lookup(table, WIDTH, row, column + 1));
        dd product = dd_multiply_v64(w, d);
        w = dd_fast_two_sum(c.hi, product.hi);
        w = dd_fast_two_sum(w.hi, w.lo + (c.lo + product.lo));
    }
    return w;
}

GELU_INLINE exp_result erf_exp(dd square) { return dd_exp(dd_scale(square, v64_set(-0.5))); }

GELU_INLINE scaled erf_q(v64 z) {
    exp_result e = erf_exp(dd_two_product(z, z));
    return (scaled){dd_multiply(e.m, erf_tail(z)), e.k};
}

/* f'(-z) = e^(-z^2/2) (W(z) - z / sqrt(2 pi)) */
GELU_INLINE scaled erf_p(v64 z) {
    exp_result e = erf_exp(dd_two_product(z, z));
    dd slope = dd_multiply_v64(dd_constant(INV_SQRT_2PI_HI, INV_SQRT_2PI_LO), z);
    return (scaled){dd_multiply(e.m, dd_subtract(erf_tail(z), slope)), e.k};
}

/* f''(z) = f''(-z) = (2 - z^2) e^(-z^2/2) / sqrt(2 pi) */
GELU_INLINE scaled erf_second(v64 z) {
    dd square = dd_two_product(z, z);
    exp_result e = erf_exp(square);
    dd factor = dd_add_v64(dd_negate(square), v64_set(2));
    factor = dd_multiply(factor, dd_constant(INV_SQRT_2PI_HI, INV_SQRT_2PI_LO));
    return (scaled){dd_multiply(e.m, factor), e.k};
}
