/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* TANH, QUICK, SILU: x sigma(U(x)) with an odd U. sigma(-U), the derivative at -z and the second derivative, for
 * z >= 0, in double-double. Parameter: the vector vocabulary (after exp.inc.h). Relative error 2^-70, of derivatives
 * relative to sigma(-U).
 *
 * With e = e^-U <= 1, s = sigma(U) = 1/(1+e) and q = sigma(-U) = e s, so nothing overflows and nothing cancels. */

typedef struct {
    dd u;      /* U(z) */
    dd first;  /* U'(z) */
    dd second; /* U''(z) */
} logistic_argument;

/* Clamping z here changes no result: everything underflows before. */
#define SILU_Z_MAX 800.0
#define QUICK_Z_MAX 480.0
#define TANH_Z_MAX 22.5

GELU_INLINE logistic_argument silu_argument(v64 z) {
    return (logistic_argument){dd_make(z, v64_set(0)), dd_constant(1, 0), dd_constant(0, 0)};
}

GELU_INLINE logistic_argument quick_argument(v64 z) {
    dd slope = dd_constant(QUICK_SLOPE_HI, QUICK_SLOPE_LO);
    return (logistic_argument){dd_multiply_v64(slope, z), slope, dd_constant(0, 0)};
}

GELU_INLINE logistic_argument tanh_argument(v64 z) {
    dd slope = dd_constant(TANH_SLOPE_HI, TANH_SLOPE_LO);
    dd square = dd_two_product(z, z);
    dd value = dd_add_v64(dd_multiply(dd_constant(TANH_CUBIC_HI, TANH_CUBIC_LO), square), v64_set(1));
    dd first = dd_add_v64(dd_multiply(dd_constant(TANH_CUBIC_3_HI, TANH_CUBIC_3_LO), square), v64_set(1));
    return (logistic_argument){dd_multiply(slope, dd_multiply_v64(value, z)), dd_multiply(slope, first),
                               dd_multiply_v64(dd_constant(TANH_CURVE_HI, TANH_CURVE_LO), z)};
}

typedef struct {
    dd s;
    scaled q;
} logistic_pair;

GELU_INLINE logistic_pair logistic(dd u) {
    exp_result e = dd_exp(dd_negate(u));
    dd small = scaled_at_least((scaled){e.m, e.k}, -500); /* 1 + e is 1 long before */
    dd s = dd_reciprocal(dd_add_v64(small, v64_set(1)));
    return (logistic_pair){s, {dd_multiply(e.m, s), e.k}};
}

GELU_INLINE scaled logistic_q(logistic_argument a) { return logistic(a.u).q; }

/* f'(-z) = q (1 - z U' s) */
GELU_INLINE scaled logistic_p(logistic_argument a, v64 z) {
    logistic_pair sigma = logistic(a.u);
    dd slope = dd_multiply_v64(dd_multiply(a.first, sigma.s), z);
    dd factor = dd_add_v64(dd_negate(slope), v64_set(1));
    return (scaled){dd_multiply(sigma.q.value, factor), sigma.q.exponent};
}

/* f''(z) = f''(-z) = s q (2 U' - z ((s - q) U'^2 - U'')) */
GELU_INLINE scaled logistic_second(logistic_argument a, v64 z) {
    logistic_pair sigma = logistic(a.u);
    dd difference = dd_subtract(sigma.s, scaled_at_least(sigma.q, -500));
    dd bend = dd_subtract(dd_multiply(difference, dd_multiply(a.first, a.first)), a.second);
    dd factor = dd_subtract(dd_scale(a.first, v64_set(2)), dd_multiply_v64(bend, z));
    return (scaled){dd_multiply(dd_multiply(sigma.s, sigma.q.value), factor), sigma.q.exponent};
}

#define LOGISTIC_PARTS(name)                                                                                           \
    GELU_INLINE scaled name##_q(v64 z) { return logistic_q(name##_argument(z)); }                                      \
    GELU_INLINE scaled name##_p(v64 z) { return logistic_p(name##_argument(z), z); }                                   \
    GELU_INLINE scaled name##_second(v64 z) { return logistic_second(name##_argument(z), z); }

LOGISTIC_PARTS(tanh)
LOGISTIC_PARTS(quick)
LOGISTIC_PARTS(silu)
