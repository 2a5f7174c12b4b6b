/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Every activation and its derivatives for a double x, before rounding. Parameter: the vector vocabulary (after
 * erf.inc.h and logistic.inc.h).
 *
 * <name>_forward(x), <name>_grad(x) and <name>_grad2(x) return a value * 2^exponent whose relative error is below 2^-68
 * (derivatives: relative to 1 near their roots, of either size). Where the real value is not a double, lo is not zero
 * and has the right sign, so that rounding once, to any format and in any direction of a tie, is right.
 *
 * | x                | forward            | grad         | grad2 |
 * | NaN              | the same NaN       | NaN          | NaN   |
 * | +inf             | +inf               | 1            | +-0   |
 * | -inf             | -0 (RELU +0, ELU -1, IDENTITY -inf) | -0 (RELU, ELU +0, IDENTITY 1) | +-0 |
 *
 * For the four smooth functions, with z = abs(x): f(x) = max(x, 0) - z q(z), and f'(x) = p(z) for x < 0, else
 * 1 - p(z), where q(z) = f(-z) / -z and p(z) = f'(-z). */

/* Below this, f(x) = x/2 and f' = 1/2 (ELU: x and 1) up to a relative 2^-60, whose sign alone matters. Products of
 * smaller numbers could underflow. */
#define TINY_Z 0x1p-60

GELU_INLINE scaled exact(v64 x) { return (scaled){dd_make(x, v64_set(0)), i64_set(0)}; }

GELU_INLINE scaled scaled_select(m64 m, scaled a, scaled b) {
    return (scaled){dd_select(m, a.value, b.value), i64_select(m, a.exponent, b.exponent)};
}

/* x * 2^exponent and a trace towards +infinity, for abs(x) < TINY_Z; scaled so that no part underflows. */
GELU_INLINE scaled just_above(v64 x, int64_t exponent) {
    v64 large = v64_min(v64_max(x, v64_set(-1)), v64_set(1)) * v64_set(0x1p+200); /* no overflow elsewhere */
    return (scaled){dd_make(large, v64_abs(large) * v64_set(0x1p-70)), i64_set(exponent - 200)};
}

GELU_INLINE v64 clamp(v64 z, double max) { return v64_max(v64_min(z, v64_set(max)), v64_set(TINY_Z)); }

/* The rounding makes a NaN quiet. */
GELU_INLINE scaled keep_nan(v64 x, scaled r) { return scaled_select(v64_is_nan(x), exact(x), r); }

/* f(x) from q(z) and the clamped z. */
GELU_INLINE scaled smooth_forward(v64 x, v64 z, scaled q) {
    scaled below = {dd_multiply_v64(q.value, v64_negate(z)), q.exponent};
    /* 2^-200 keeps x > 0 from becoming exact when q underflows: f(x) < x. */
    dd loss = scaled_at_least(below, -200);
    m64 finite = v64_less(v64_abs(x), v64_set(__builtin_inf()));
    dd above = dd_fast_two_sum(v64_select(finite, x, z), loss.hi); /* inf - inf would raise invalid */
    above = dd_fast_two_sum(above.hi, above.lo + loss.lo);
    scaled r = scaled_select(finite, (scaled){above, i64_set(0)}, exact(x));
    r = scaled_select(v64_is_negative(x), below, r);
    r = scaled_select(v64_less(v64_abs(x), v64_set(TINY_Z)), just_above(x, -1), r);
    return keep_nan(x, r);
}

/* f'(x) from p(z). */
GELU_INLINE scaled smooth_grad(v64 x, scaled p) {
    dd loss = scaled_at_least((scaled){dd_negate(p.value), p.exponent}, -200);
    dd above = dd_fast_two_sum(v64_set(1), loss.hi);
    above = dd_fast_two_sum(above.hi, above.lo + loss.lo);
    scaled r = scaled_select(v64_is_negative(x), p, (scaled){above, i64_set(0)});
    return keep_nan(x, r);
}

/* Half of all bit patterns are larger than z_max and a quarter are tiny: where every lane is, the rest is not needed.
 * Underflow is all that the value at z_max does; -1 keeps its sign. */
GELU_INLINE m64 trivial(v64 z, double z_max) {
    return m64_or(v64_less(z, v64_set(TINY_Z)), v64_less(v64_set(z_max), z));
}

GELU_INLINE scaled vanishing(double sign) { return (scaled){dd_constant(sign, 0), i64_set(-1300)}; }

#define SMOOTH_ACTIVATION(name, z_max)                                                                                 \
    GELU_SHARED scaled name##_forward(v64 x) {                                                                         \
        v64 z = clamp(v64_abs(x), z_max);                                                                              \
        bool skip = m64_all(trivial(v64_abs(x), z_max));                                                               \
        return smooth_forward(x, z, skip ? vanishing(1) : name##_q(z));                                                \
    }                                                                                                                  \
    GELU_SHARED scaled name##_grad(v64 x) {                                                                            \
        v64 z = clamp(v64_abs(x), z_max);                                                                              \
        bool skip = m64_all(trivial(v64_abs(x), z_max));                                                               \
        scaled half = exact(v64_set(0.5));                                                                             \
        return smooth_grad(x, skip ? scaled_select(v64_less(z, v64_set(1)), half, vanishing(-1)) : name##_p(z));       \
    }                                                                                                                  \
    GELU_SHARED scaled name##_grad2(v64 x) { return keep_nan(x, name##_second(clamp(v64_abs(x), z_max))); }

SMOOTH_ACTIVATION(erf, ERF_Z_MAX)
SMOOTH_ACTIVATION(tanh, TANH_Z_MAX)
SMOOTH_ACTIVATION(quick, QUICK_Z_MAX)
SMOOTH_ACTIVATION(silu, SILU_Z_MAX)

/* Clamping x here changes no result: e^x is far below every format's smallest number. */
#define ELU_Z_MAX 800.0

GELU_INLINE exp_result elu_exp(v64 x) { return dd_exp(dd_make(v64_negate(clamp(v64_abs(x), ELU_Z_MAX)), v64_set(0))); }

GELU_INLINE scaled elu_below(v64 x) {
    exp_result e = elu_exp(x);
    dd difference = dd_add_v64(scaled_at_least((scaled){e.m, e.k}, -200), v64_set(-1));
    dd below = dd_select(i64_equal(e.whole, i64_set(0)), e.reduced_expm1, difference);
    scaled r = {below, i64_set(0)};
    return scaled_select(v64_less(v64_abs(x), v64_set(TINY_Z)), just_above(x, 0), r);
}

/* e^x for x < 0, else the constant: f' and f''. */
GELU_INLINE scaled elu_derivative(v64 x, double otherwise) {
    m64 below = v64_less(x, v64_set(0));
    scaled r = exact(v64_set(otherwise));
    if (m64_any(below)) {
        exp_result e = elu_exp(x);
        r = scaled_select(below, (scaled){e.m, e.k}, r);
    }
    return keep_nan(x, r);
}

GELU_SHARED scaled elu_forward(v64 x) {
    m64 below = v64_less(x, v64_set(0));
    return m64_any(below) ? scaled_select(below, elu_below(x), exact(x)) : exact(x);
}
GELU_SHARED scaled elu_grad(v64 x) { return elu_derivative(x, 1); }
GELU_SHARED scaled elu_grad2(v64 x) { return elu_derivative(x, 0); }

GELU_SHARED scaled relu_forward(v64 x) { return exact(v64_select(v64_less(x, v64_set(0)), v64_set(0), x)); }
GELU_SHARED scaled relu_grad(v64 x) {
    return keep_nan(x, exact(v64_select(v64_less(v64_set(0), x), v64_set(1), v64_set(0))));
}
GELU_SHARED scaled relu_grad2(v64 x) { return keep_nan(x, exact(v64_set(0))); }

GELU_SHARED scaled identity_forward(v64 x) { return exact(x); }
GELU_SHARED scaled identity_grad(v64 x) { return keep_nan(x, exact(v64_set(1))); }
GELU_SHARED scaled identity_grad2(v64 x) { return keep_nan(x, exact(v64_set(0))); }
