/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The smooth activations and ELU in plain double with an error bound, for inputs that came from f32, f16 or bf16: enough
 * to round to those formats but for one lane in about 2^22, which the double-double formulas then decide.
 * Parameter: the vector vocabulary (after activation.inc.h).
 *
 * The bounds leave a factor of two or more over the sum of the roundings; products and sums may be fused or not. */

typedef struct {
    v64 value, error; /* abs(value - exact) <= error, unless x is NaN */
} estimate;

/* Clamps for inputs of f32: results are below every format's smallest number. */
#define ERF_F32_Z_MAX 14.875 /* inside the table */
#define TANH_F32_Z_MAX 11.5
#define QUICK_F32_Z_MAX 70.0
#define SILU_F32_Z_MAX 120.0

GELU_INLINE v64 estimate_erf_tail(v64 z) {
    i64 row = i64_shift_right_arithmetic(v64_bits(z + v64_set(1)), 50) - i64_set(1023 << 2);
    v64 d = z - v64_lookup_16(short_tail_table[0], row);
    /* Even and odd powers apart, for a shorter chain. */
    _Static_assert(SHORT_DEGREE % 2 == 1, "the last coefficient is of an odd power");
    v64 square = d * d, even = v64_lookup_16(short_tail_table[SHORT_DEGREE], row);
    v64 odd = v64_lookup_16(short_tail_table[SHORT_DEGREE + 1], row);
    for (int i = SHORT_DEGREE - 1; i > 0; i -= 2) {
        odd = v64_multiply_add(square, odd, v64_lookup_16(short_tail_table[i], row));
        even = v64_multiply_add(square, even, v64_lookup_16(short_tail_table[i - 1], row));
    }
    return v64_multiply_add(d, odd, even);
}

/* What forward and grad need of a function at z: q = f(-z) / -z, p = f'(-z), and the size of the terms of p. */
typedef struct {
    v64 q, p, p_terms;
} estimate_parts;

GELU_INLINE estimate_parts erf_estimate(v64 z) {
    v64 e = exp_of(estimate_exp(z * z * v64_set(-0.5), v64_set(0))); /* the square of an f32 is exact */
    v64 w = estimate_erf_tail(z), slope = z * v64_set(INV_SQRT_2PI_HI);
    return (estimate_parts){e * w, e * (w - slope), e * (w + slope)};
}

GELU_INLINE estimate_parts logistic_estimate(v64 z, v64 u, v64 u_low, v64 first) {
    v64 e = exp_of(estimate_exp(v64_negate(u), v64_negate(u_low)));
    v64 s = v64_set(1) / (e + v64_set(1)), q = e * s;
    v64 slope = z * first * s;
    return (estimate_parts){q, q * (v64_set(1) - slope), q * (v64_set(1) + slope)};
}

GELU_INLINE estimate_parts silu_estimate(v64 z) { return logistic_estimate(z, z, v64_set(0), v64_set(1)); }

GELU_INLINE estimate_parts quick_estimate(v64 z) {
    dd u = dd_two_product(z, v64_set(QUICK_SLOPE_HI));
    return logistic_estimate(z, u.hi, v64_multiply_add(z, v64_set(QUICK_SLOPE_LO), u.lo), v64_set(QUICK_SLOPE_HI));
}

GELU_INLINE estimate_parts tanh_estimate(v64 z) {
    v64 square = z * z; /* exact */
    dd cubic = dd_two_product(square, v64_set(TANH_CUBIC_HI));
    dd factor = dd_two_sum(v64_set(1), cubic.hi);
    v64 factor_low = factor.lo + v64_multiply_add(square, v64_set(TANH_CUBIC_LO), cubic.lo);
    v64 scaled_z = z * v64_set(TANH_SLOPE_HI);
    dd slope = dd_two_product(z, v64_set(TANH_SLOPE_HI));
    v64 slope_low = v64_multiply_add(z, v64_set(TANH_SLOPE_LO), slope.lo);
    dd u = dd_two_product(scaled_z, factor.hi);
    v64 u_low = u.lo + v64_multiply_add(scaled_z, factor_low, slope_low * factor.hi);
    v64 first = v64_set(TANH_SLOPE_HI) * v64_multiply_add(square, v64_set(TANH_CUBIC_3_HI), v64_set(1));
    return logistic_estimate(z, u.hi, u_low, first);
}

GELU_INLINE estimate smooth_forward_estimate(v64 x, v64 z, estimate_parts parts) {
    v64 loss = z * parts.q;
    v64 y = v64_select(v64_is_negative(x), v64_negate(loss), x - loss);    /* x - loss is at least loss */
    v64 error = v64_min(v64_abs(y), v64_set(0x1p+130)) * v64_set(0x1p-48); /* inf - inf would raise invalid */
    /* Below 2^-30, x/2 and a trace upwards: halves of subnormals are ties that it decides. */
    i64 sign = v64_bits(x) & v64_bits(v64_set(-0.0));
    v64 tiny = x * (v64_set(0.5) + v64_from_bits(sign | v64_bits(v64_set(0x1p-46))));
    return (estimate){v64_select(v64_less(v64_abs(x), v64_set(0x1p-30)), tiny, y), error};
}

GELU_INLINE estimate smooth_grad_estimate(v64 x, estimate_parts parts) {
    v64 above = v64_set(1) - parts.p;
    v64 terms = v64_select(v64_is_negative(x), parts.p_terms, v64_set(2));
    return (estimate){v64_select(v64_is_negative(x), parts.p, above), terms * v64_set(0x1p-48)};
}

#define SMOOTH_ESTIMATES(name, z_max)                                                                                  \
    GELU_INLINE estimate name##_forward_estimate(v64 x) {                                                              \
        v64 z = v64_min(v64_abs(x), v64_set(z_max));                                                                   \
        return smooth_forward_estimate(x, z, name##_estimate(z));                                                      \
    }                                                                                                                  \
    GELU_INLINE estimate name##_grad_estimate(v64 x) {                                                                 \
        return smooth_grad_estimate(x, name##_estimate(v64_min(v64_abs(x), v64_set(z_max))));                          \
    }

SMOOTH_ESTIMATES(erf, ERF_F32_Z_MAX)
SMOOTH_ESTIMATES(tanh, TANH_F32_Z_MAX)
SMOOTH_ESTIMATES(quick, QUICK_F32_Z_MAX)
SMOOTH_ESTIMATES(silu, SILU_F32_Z_MAX)

#define ELU_F32_Z_MAX 120.0

GELU_INLINE estimate elu_forward_estimate(v64 x) {
    v64 z = v64_min(v64_abs(x), v64_set(ELU_F32_Z_MAX));
    exp_estimate e = estimate_exp(v64_negate(z), v64_set(0));
    v64 y = v64_multiply_add(e.power, e.expm1, e.power - v64_set(1)); /* for n = 0, expm1 itself */
    v64 absolute = v64_select(v64_equal(e.power, v64_set(1)), v64_set(0), v64_set(0x1p-50));
    m64 below = v64_less(x, v64_set(0));
    v64 error = v64_multiply_add(v64_abs(y), v64_set(0x1p-48), absolute);
    return (estimate){v64_select(below, y, x), v64_select(below, error, v64_set(0))};
}

GELU_INLINE estimate elu_grad_estimate(v64 x) {
    v64 z = v64_min(v64_abs(x), v64_set(ELU_F32_Z_MAX));
    v64 e = exp_of(estimate_exp(v64_negate(z), v64_set(0)));
    m64 below = v64_less(x, v64_set(0));
    return (estimate){v64_select(below, e, v64_set(1)), v64_select(below, e * v64_set(0x1p-48), v64_set(0))};
}

GELU_INLINE estimate identity_forward_estimate(v64 x) { return (estimate){x, v64_set(0)}; }
GELU_INLINE estimate identity_grad_estimate(v64 x) {
    (void)x;
    return (estimate){v64_set(1), v64_set(0)};
}
GELU_INLINE estimate relu_forward_estimate(v64 x) {
    return (estimate){v64_select(v64_less(x, v64_set(0)), v64_set(0), x), v64_set(0)};
}
GELU_INLINE estimate relu_grad_estimate(v64 x) {
    v64 step = v64_select(v64_less(v64_set(0), x), v64_set(1), v64_set(0));
    return (estimate){step, v64_set(0)};
}
