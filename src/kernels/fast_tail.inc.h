/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* f(-z) = -H(z) e^-V(z) in floats, less than 1 ULP from the exact value, where the tables of fast.inc.h end and beyond.
 * Parameter: a vector vocabulary with floats. */

/* A number in two floats. */
typedef struct {
    v32 high, low;
} v32_pair;

GELU_INLINE v32_pair fast_product(v32 a, v32 b) {
    v32 product = a * b;
    return (v32_pair){product, v32_fma(a, b, v32_set(0) - product)};
}

#define FAST_LOG2_E 0x1.715476p+0f
#define FAST_LN2_HI 0x1.62e4p-1f /* 15 bits, so that n times it is exact */
#define FAST_LN2_LO 0x1.7f7d1cp-20f
#define FAST_QUICK_HI 0x1.b3b646p+0f /* 1.702 */
#define FAST_QUICK_LO -0x1.78d4fep-26f
#define FAST_TANH_SLOPE_HI 0x1.988454p+0f /* 2 sqrt(2/pi), and 0.044715 times it */
#define FAST_TANH_SLOPE_LO -0x1.857936p-25f
#define FAST_TANH_CUBIC_HI 0x1.2444f2p-4f
#define FAST_TANH_CUBIC_LO 0x1.49b16ap-29f

/* e^-V = (1 + head + tail) * power * 2^-64, for 0 <= V < 110. head is exact, and tail small beside it. */
typedef struct {
    v32 head, tail, power;
} fast_exp;

GELU_INLINE fast_exp fast_exp_of_minus(v32_pair v) {
    v32 to_integer = v32_set(0x1.8p+23f);
    v32 shifted = v32_fma(v.high, v32_set(-FAST_LOG2_E), to_integer);
    v32 n = shifted - to_integer;
    v32 head = v32_fma(n, v32_set(-FAST_LN2_HI), v32_set(0) - v.high);
    v32 rest = v32_fma(n, v32_set(-FAST_LN2_LO), v32_set(0) - v.low);
    v32 r = head + rest, square = r * r; /* in pairs, for a shorter chain */
    v32 sum = v32_fma(v32_set(fast_tail_exp[5]), r, v32_set(fast_tail_exp[4]));
    sum = v32_fma(sum, square, v32_fma(v32_set(fast_tail_exp[3]), r, v32_set(fast_tail_exp[2])));
    sum = v32_fma(sum, square, v32_fma(v32_set(fast_tail_exp[1]), r, v32_set(fast_tail_exp[0])));
    i32 power = i32_add(i32_shift_left(v32_bits(shifted), 23), i32_set((127 + 64) << 23));
    return (fast_exp){head, v32_fma(sum, square, rest), v32_from_bits(power)};
}

/* -x * power * 2^-64: only the second step rounds, when the result is subnormal. */
GELU_INLINE v32 fast_scale(v32 x, v32 power) { return x * power * v32_set(-0x1p-64f); }

/* Where the results end: f(-z) is -0 from here on. */
#define ERF_FAST_END 14.5f
#define TANH_FAST_END 10.875f
#define QUICK_FAST_END 64.0f
#define SILU_FAST_END 109.0f

GELU_INLINE v32 erf_fast_tail(v32 z) {
    fast_exp e = fast_exp_of_minus(fast_product(z, z * v32_set(0.5f)));
    v32 u = v32_set(1) / z, rest = v32_set(fast_tail_erf[5]);
    GELU_UNROLL
    for (int i = 4; i >= 0; i--) rest = v32_fma(rest, u, v32_set(fast_tail_erf[i]));
    v32 main = v32_set(FAST_ERF_TAIL_MAIN);
    v32 small = v32_fma(main, e.tail, v32_fma(rest, e.head + e.tail, rest));
    return fast_scale(main + v32_fma(main, e.head, small), e.power);
}

/* -z / (1 + e^V) = -z e^-V (1 - e^-V) but for a term in e^-3V, which is too small here. */
GELU_INLINE v32 fast_logistic_tail(v32 z, v32_pair v) {
    fast_exp e = fast_exp_of_minus(v);
    v32 factor = v32_set(1) + (e.head + e.tail);
    v32 small = z * v32_fnma(e.power * v32_set(0x1p-64f) * factor, factor, e.tail);
    return fast_scale(z + v32_fma(z, e.head, small), e.power);
}

GELU_INLINE v32 silu_fast_tail(v32 z) { return fast_logistic_tail(z, (v32_pair){z, v32_set(0)}); }

GELU_INLINE v32 quick_fast_tail(v32 z) {
    v32_pair v = fast_product(z, v32_set(FAST_QUICK_HI));
    v.low = v32_fma(z, v32_set(FAST_QUICK_LO), v.low);
    return fast_logistic_tail(z, v);
}

/* V = z (k + c z^2); c z^2 is the larger term beyond the table. */
GELU_INLINE v32 tanh_fast_tail(v32 z) {
    v32_pair square = fast_product(z, z);
    v32_pair cubic = fast_product(square.high, v32_set(FAST_TANH_CUBIC_HI));
    cubic.low = v32_fma(square.low, v32_set(FAST_TANH_CUBIC_HI), cubic.low);
    cubic.low = v32_fma(square.high, v32_set(FAST_TANH_CUBIC_LO), cubic.low);
    v32 factor = cubic.high + v32_set(FAST_TANH_SLOPE_HI);
    v32 factor_low = (v32_set(FAST_TANH_SLOPE_HI) - (factor - cubic.high)) + (cubic.low + v32_set(FAST_TANH_SLOPE_LO));
    v32_pair v = fast_product(z, factor);
    v.low = v32_fma(z, factor_low, v.low);
    return fast_logistic_tail(z, v);
}
