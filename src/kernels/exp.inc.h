/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* e^t in double-double. Parameter: the vector vocabulary (after double_double.inc.h).
 *
 * t = n ln2/64 + r, abs(r) <= ln2/128;  n = 64 k + j;  e^t = 2^k 2^(j/64) (1 + (e^r - 1)).
 * e^r - 1 = r + r^2/2 in double-double, then r^3/6 + ... + r^8/40320 in double: that tail is below 2^-24, so its
 * rounding and the missing r^9 stay below 2^-76 absolute. */

/* For -1000 < t <= 0, with an absolute error of t below 2^-90. */
typedef struct {
    dd m;             /* 2^(j/64) e^r, between 1/2 and 2 */
    i64 k;            /* e^t = 2^k m */
    dd reduced_expm1; /* e^r - 1 with a relative error of 2^-69: e^t - 1 itself where whole is 0 */
    i64 whole;        /* n */
} exp_result;

GELU_INLINE exp_result dd_exp(dd t) {
    const double to_integer = 0x1.8p+52; /* adding it leaves the rounded integer in the low bits */
    v64 shifted = v64_product(t.hi, v64_set(EXP_INVERSE)) + v64_set(to_integer);
    v64 n = shifted - v64_set(to_integer);
    i64 whole = v64_bits(shifted) - i64_set(0x4338000000000000); /* the bits of to_integer */

    v64 first = t.hi - n * v64_set(EXP_LN2_1);                    /* exact */
    dd r = dd_two_sum(first, v64_negate(n * v64_set(EXP_LN2_2))); /* exact */
    r = dd_fast_two_sum(r.hi, r.lo + (t.lo - v64_product(n, v64_set(EXP_LN2_3))));

    dd square = dd_two_product(r.hi, r.hi);
    v64 half = square.hi * v64_set(0.5);
    v64 tail = v64_set(1.0 / 5040) + v64_product(r.hi, v64_set(1.0 / 40320));
    tail = v64_set(1.0 / 720) + v64_product(r.hi, tail);
    tail = v64_set(1.0 / 120) + v64_product(r.hi, tail);
    tail = v64_set(1.0 / 24) + v64_product(r.hi, tail);
    tail = v64_set(1.0 / 6) + v64_product(r.hi, tail);
    tail = v64_product(square.hi * r.hi, tail);
    dd e = dd_fast_two_sum(r.hi, half);
    e = dd_fast_two_sum(e.hi, e.lo + (tail + (square.lo * v64_set(0.5) + (r.lo + v64_product(r.hi, r.lo)))));

    i64 j = whole & i64_set(63);
    dd power = dd_make(v64_lookup(exp_table[0], 2, j, 0), v64_lookup(exp_table[0], 2, j, 1));
    dd scaled_e = dd_multiply(power, e);
    dd m = dd_fast_two_sum(power.hi, scaled_e.hi);
    m = dd_fast_two_sum(m.hi, m.lo + (power.lo + scaled_e.lo));
    return (exp_result){m, i64_shift_right_arithmetic(whole, 6), e, whole};
}
