/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Beyond the tables, in floats: f(-z) = -(high + rest) * 2^-64 and f'(-z) likewise. Parameter: a vector
 * vocabulary with floats.
 *
 * Both are -G(z) e^-V(z) (1 + change(z)), change small. e^-V = 2^(n/8) e^r, V + r a multiple of ln(2)/8. */

typedef struct {
    v32 high, low;
} v32_pair;

GELU_INLINE v32_pair pair_product(v32 a, v32 b) {
    v32 product = a * b;
    return (v32_pair){product, v32_fma(a, b, v32_set(0) - product)};
}

GELU_INLINE v32_pair pair_sum(v32 larger, v32 smaller) {
    v32 sum = larger + smaller;
    return (v32_pair){sum, smaller - (sum - larger)};
}

typedef struct {
    v32 high, rest; /* times 2^64, so that neither is subnormal */
} f32_tail;

/* factor e^-V = power (1 + power_low) (1 + head + tail) 2^-64, for 4 < V < 113. head is exact, and growth about
 * 1 + head + tail. */
typedef struct {
    v32 power, power_low, head, tail, growth;
} tail_exp;

GELU_INLINE tail_exp tail_exp_of_minus(const float table[2][8], v32_pair v) {
    v32 to_integer = v32_set(0x1.8p+23f);
    v32 shifted = v32_fma(v.high, v32_set(-TAIL_EIGHTHS), to_integer);
    v32 n = shifted - to_integer;
    v32 head = v32_fma(n, v32_set(-TAIL_LN2_HI), v32_set(0) - v.high); /* exact: they nearly cancel */
    v32 rest = v32_fma(n, v32_set(-TAIL_LN2_LO), v32_set(0) - v.low);
    v32 r = head + rest, square = r * r; /* in pairs, for a shorter chain */
    v32 sum = v32_fma(v32_set(tail_exp_terms[3]), r, v32_set(tail_exp_terms[2]));
    sum = v32_fma(sum, square, v32_fma(v32_set(tail_exp_terms[1]), r, v32_set(tail_exp_terms[0])));
    v32 tail = v32_fma(sum, square, rest);
    /* A table's bits have n modulo 8 subtracted where the sum adds it. */
    i32 power = i32_add(v32_bits(v32_lookup_8(table[0], v32_bits(shifted))), i32_shift_left(v32_bits(shifted), 20));
    v32 power_low = v32_lookup_8(table[1], v32_bits(shifted));
    return (tail_exp){v32_from_bits(power), power_low, head, tail, v32_set(1) + (head + tail)};
}

GELU_INLINE f32_tail tail_changed(tail_exp e, v32 change) {
    v32 small = v32_fma(change + e.power_low, e.growth, e.tail);
    v32 high = v32_fma(e.power, e.head, e.power);
    return (f32_tail){high, v32_fma(e.power, small, v32_fma(e.power, e.head, e.power - high))};
}

GELU_INLINE f32_tail tail_product(f32_tail t, v32 factor) {
    v32_pair product = pair_product(t.high, factor);
    return (f32_tail){product.high, v32_fma(t.rest, factor, product.low)};
}

GELU_INLINE v32 tail_polynomial(const float c[6], v32 t) {
    v32 sum = v32_set(c[5]);
    GELU_UNROLL
    for (int i = 4; i >= 0; i--) sum = v32_fma(sum, t, v32_set(c[i]));
    return sum;
}

/* 1 / (v + shift) - centre, to the last place of that difference */
GELU_INLINE v32 tail_erf_variable(v32_pair v, float shift, float centre) {
    v32_pair divisor = pair_sum(v.high, v32_set(shift));
    v32 inverse = v32_set(1) / divisor.high;
    v32 miss = v32_fnma(inverse, divisor.low + v.low, v32_fnma(inverse, divisor.high, v32_set(1)));
    return v32_fma(inverse, miss, inverse - v32_set(centre));
}

/* f(-z) = -e^-V / sqrt(2 pi) (1 - 1/z^2 + 3/z^4 - ...), f'(-z) = -z e^-V / sqrt(2 pi) (1 - 1/z^2 + 1/z^4 - ...) */
GELU_INLINE f32_tail erf_forward_tail(v32 z) {
    v32_pair v = pair_product(z, z * v32_set(0.5f));
    v32 t = tail_erf_variable(v, TAIL_ERF_FORWARD_SHIFT, TAIL_ERF_FORWARD_CENTRE);
    return tail_changed(tail_exp_of_minus(tail_exp_erf, v), tail_polynomial(tail_erf_forward, t));
}
GELU_INLINE f32_tail erf_grad_tail(v32 z) {
    v32_pair v = pair_product(z, z * v32_set(0.5f));
    v32 t = tail_erf_variable(v, TAIL_ERF_GRAD_SHIFT, TAIL_ERF_GRAD_CENTRE);
    return tail_product(tail_changed(tail_exp_of_minus(tail_exp_erf, v), tail_polynomial(tail_erf_grad, t)), z);
}

/* 1 / (1 + E) = 1 + change, E = e^-V, but for a term in E^3, which is too small here. */
GELU_INLINE v32 tail_logistic_change(tail_exp e) {
    v32 size = v32_max(e.power, v32_set(0x1p-40f)) * v32_set(0x1p-64f) * e.growth; /* without underflow */
    return size * (size - v32_set(1));
}

/* -z E / (1 + E) */
GELU_INLINE f32_tail tail_logistic_forward(v32 z, v32_pair v) {
    tail_exp e = tail_exp_of_minus(tail_exp_one, v);
    return tail_product(tail_changed(e, tail_logistic_change(e)), z);
}

/* With 1/(1 + E) = 1 + c, w = 1 + 1/m and m = z V' - 1, f'(-z) = -m E (1 + c) (1 + w c). */
GELU_INLINE f32_tail tail_logistic_grad(v32_pair v, v32_pair z_slope) {
    tail_exp e = tail_exp_of_minus(tail_exp_one, v);
    v32_pair m = pair_sum(z_slope.high, v32_set(-1));
    v32 w = v32_set(1) + v32_set(1) / m.high, c = tail_logistic_change(e);
    f32_tail t = tail_changed(e, c * v32_fma(w, c, v32_set(1) + w)), product = tail_product(t, m.high);
    return (f32_tail){product.high, v32_fma(t.high, m.low + z_slope.low, product.rest)};
}

GELU_INLINE f32_tail silu_forward_tail(v32 z) { return tail_logistic_forward(z, (v32_pair){z, v32_set(0)}); }
GELU_INLINE f32_tail silu_grad_tail(v32 z) {
    v32_pair v = {z, v32_set(0)};
    return tail_logistic_grad(v, v);
}
GELU_INLINE v32_pair tail_quick_v(v32 z) {
    v32_pair v = pair_product(z, v32_set(TAIL_QUICK_HI));
    return (v32_pair){v.high, v32_fma(z, v32_set(TAIL_QUICK_LO), v.low)};
}
GELU_INLINE f32_tail quick_forward_tail(v32 z) { return tail_logistic_forward(z, tail_quick_v(z)); }
GELU_INLINE f32_tail quick_grad_tail(v32 z) {
    v32_pair v = tail_quick_v(z);
    return tail_logistic_grad(v, v);
}

/* z (k + c z^2), where c z^2 is not much smaller than k */
GELU_INLINE v32_pair tail_tanh_cubic(v32 z, float c_high, float c_low) {
    v32_pair square = pair_product(z, z);
    v32_pair cubic = pair_product(square.high, v32_set(c_high));
    cubic.low = v32_fma(square.low, v32_set(c_high), cubic.low);
    cubic.low = v32_fma(square.high, v32_set(c_low), cubic.low);
    v32_pair factor = pair_sum(cubic.high, v32_set(TAIL_TANH_SLOPE_HI));
    v32 factor_low = factor.low + (cubic.low + v32_set(TAIL_TANH_SLOPE_LO));
    v32_pair v = pair_product(z, factor.high);
    return (v32_pair){v.high, v32_fma(z, factor_low, v.low)};
}
GELU_INLINE v32_pair tail_tanh_v(v32 z) { return tail_tanh_cubic(z, TAIL_TANH_CUBIC_HI, TAIL_TANH_CUBIC_LO); }
GELU_INLINE f32_tail tanh_forward_tail(v32 z) { return tail_logistic_forward(z, tail_tanh_v(z)); }
GELU_INLINE f32_tail tanh_grad_tail(v32 z) {
    return tail_logistic_grad(tail_tanh_v(z), tail_tanh_cubic(z, TAIL_TANH_CUBIC_3_HI, TAIL_TANH_CUBIC_3_LO));
}

/* -s * 2^-64, rounded once. Subnormal results are made of integers: processors take long to round floats to them. */
GELU_INLINE v32 tail_value(v32 s) {
    v32 limit = v32_set(0x1p-62f), small = v32_min(s, limit);
    i32 units = v32_bits(v32_fma(small, v32_set(0x1p+85f), v32_set(0x1p+23f)));
    v32 subnormal = v32_from_bits(i32_add(units, i32_set((int32_t)(0x80000000u - 0x4b000000u))));
    m32 is_small = v32_less(s, limit);
    return v32_select(is_small, subnormal, v32_select(is_small, v32_set(0), s) * v32_set(-0x1p-64f));
}

/* The result as one float, less than 1 ULP from the exact value. */
GELU_INLINE v32 tail_float(f32_tail t) { return tail_value(t.high + t.rest); }

/* Where all results have become -0: larger z are clamped to this. And bounds of the relative error of high + rest; found
 * on floats: 2^-27.3 for erf, whose change(z) is 0.02 and rounded a few times, 2^-31.3 for the others. */
static const float erf_tail_end = 14.75f, tanh_tail_end = 11, quick_tail_end = 66, silu_tail_end = 112;
static const float erf_tail_error = 0x1p-27f, tanh_tail_error = 0x1p-31f;
static const float quick_tail_error = 0x1p-31f, silu_tail_error = 0x1p-31f;
