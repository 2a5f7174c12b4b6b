/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Values in f32, and derivatives in f32, f16 and bf16, correctly rounded by float arithmetic. Parameters: a vector vocabulary
 * with floats, after elementwise.inc.h, whose formulas decide what floats cannot.
 *
 * With z = abs(x): f(x) = max(0, x) + g(z), f'(x) = p(z) for x < 0, else 1 - p(z); g and p are polynomials on 32
 * intervals (f32_tables.h). The last two steps of each are kept as a sum of two floats, so that the result is known as
 * value + rest with an error of 2^-24 to 2^-34 of its size. It is taken when value + (rest +- error) rounds to one
 * number. The other lanes, some two in a hundred, are listed block by block and go through the double formulas. */

/* value + rest, and value + rest_down <= exact <= value + rest_up */
typedef struct {
    v32 value, rest, rest_up, rest_down;
} f32_split;

/* The polynomial at z: high + low. carrier is the part of high that carries its relative error. */
typedef struct {
    v32 high, low, carrier, error;
} f32_polynomial;

GELU_INLINE f32_polynomial f32_evaluate(const struct f32_table *table, v32 z, bool with_c0_low) {
    enum { M, C0, C1, C2, C7 = C1 + 6, ERROR, C0_LOW };
    v32 column[F32_COLUMNS];
    /* Adding 1.5 * 2^23 leaves the rounded product in the low bits. */
    v32_lookup(table, v32_bits(v32_fma(z, v32_set(table->scale), v32_set(0x1.8p+23f))), column);
    v32 d = z - column[M]; /* exact but in the first interval of p, whose error covers it */
    v32 v = column[C7];
    GELU_UNROLL
    for (int i = C7 - 1; i >= C2; i--) v = v32_fma(v, d, column[i]);
    v32 w = v32_fma(v, d, column[C1]);
    v32 change = column[C1] - w;
    v32 w_low = v32_fma(v, d, change);
    v32 high = v32_fma(w, d, column[C0]);
    v32 low = v32_fma(w, d, column[C0] - high);
    if (with_c0_low) low = low + column[C0_LOW];
    return (f32_polynomial){high, v32_fma(w_low, d, low), v32_fnma(change, d, column[C0]), column[ERROR]};
}

GELU_INLINE f32_split f32_grad(const struct f32_table *table, v32 x) {
    f32_polynomial p = f32_evaluate(table, v32_min(v32_abs(x), v32_set(table->z_max)), true);
    v32 above = v32_set(1) - p.high;
    v32 above_rest = ((v32_set(1) - above) - p.high) - p.low;
    m32 negative = v32_is_negative(x);
    v32 rest = v32_select(negative, p.low, above_rest);
    return (f32_split){v32_select(negative, p.high, above), rest, rest + p.error, rest - p.error};
}

#define FAST_GRAD_SHARE 0.85f /* of z_max */

#ifdef GELU_SIMD_FMA
/* Where the polynomial may decide. Below 2^-20 the carrier has lost its digits; infinity minus infinity would raise
 * invalid. */
GELU_INLINE m32 f32_forward_domain(v32 x) {
    return m32_and(v32_less(v32_set(0x1p-20f), v32_abs(x)), v32_less(v32_abs(x), v32_set(__builtin_inff())));
}
GELU_INLINE m32 f32_grad_domain(v32 x) { return v32_equal(x, x); }

GELU_INLINE f32_split f32_forward(const struct f32_table *table, v32 x) {
    f32_polynomial g = f32_evaluate(table, v32_min(v32_abs(x), v32_set(table->z_max)), false);
    v32 positive = v32_select(f32_forward_domain(x), v32_max(x, v32_set(0)), v32_set(0));
    v32 value = positive + g.high;
    v32 rest = g.low + (g.high - (value - positive));
    return (f32_split){value, rest, v32_fma(g.error, g.carrier, rest), v32_fnma(g.error, g.carrier, rest)};
}

/* Whether a and b round to one number of a type, and whether that says how the exact value does: a float in the middle
 * between two numbers of a shorter type does not tell to which side the exact value lies. */
GELU_INLINE i32 f32_bf16_bits(v32 x) {
    i32 bits = v32_bits(x);
    i32 odd = i32_and(i32_shift_right(bits, 16), i32_set(1));
    return i32_add(i32_add(bits, i32_set(0x7fff)), odd);
}
GELU_INLINE void f32_store_f16(uint16_t *p, v32 y) { v32_store_f16(p, y); }
GELU_INLINE void f32_store_bf16(uint16_t *p, v32 y) { v32_store_high_half(p, f32_bf16_bits(y)); }

GELU_INLINE m32 f32_agree_f32(v32 a, v32 b) { return v32_equal(a, b); }
GELU_INLINE m32 f32_agree_bf16(v32 a, v32 b) {
    i32 high = i32_set(-0x10000), low = i32_set(0xffff);
    m32 same = i32_equal(i32_and(f32_bf16_bits(a), high), i32_and(f32_bf16_bits(b), high));
    return m32_and(same, m32_not(i32_equal(i32_and(v32_bits(a), low), i32_set(0x8000))));
}
/* Adding 1.5 * 2^(e + 13) rounds to the 11 bits of a normal f16 by a float addition. */
GELU_INLINE v32 f32_f16_rounded(v32 x) {
    v32 power = v32_from_bits(i32_and(v32_bits(x), i32_set((int32_t)0xff800000)));
    v32 shift = power * v32_set(0x1.8p+13f);
    return (x + shift) - shift;
}
GELU_INLINE m32 f32_agree_f16(v32 a, v32 b) {
    m32 same = v32_equal(f32_f16_rounded(a), f32_f16_rounded(b));
    m32 normal = m32_and(v32_less(v32_set(0x1p-14f), v32_abs(a)), v32_less(v32_abs(a), v32_set(0x1p+16f)));
    m32 middle = i32_equal(i32_and(v32_bits(a), i32_set(0x1fff)), i32_set(0x1000));
    return m32_and(m32_and(same, normal), m32_not(middle));
}

/* What needs no polynomial. Below 2^-25, f(x) rounds to x/2, and halves of odd subnormals, which lie just above a tie,
 * away from zero for x > 0 and towards it for x < 0. There bits are proportional to values. */
GELU_INLINE f32_result f32_tiny(v32 x) {
    i32 sign = i32_and(v32_bits(x), i32_set(INT32_MIN)), magnitude = i32_and(v32_bits(x), i32_set(INT32_MAX));
    i32 up = i32_shift_right(i32_add(v32_bits(x), i32_set(INT32_MIN)), 31); /* 1 for x > 0 */
    i32 half = i32_add(sign, i32_shift_right(i32_add(magnitude, up), 1));
    m32 linear = v32_less(v32_abs(x), v32_set(0x1p-125f));
    v32 y = v32_select(linear, v32_from_bits(half), x * v32_set(0.5f));
    return (f32_result){y, v32_less(v32_abs(x), v32_set(0x1p-25f))};
}

/* Completes a group of nothing but tiny inputs, or says that this is none. */
GELU_INLINE bool f32_tiny_group(const float *x, float *y) {
    bool all = true;
    for (int i = 0; i < F32_GROUP; i += V32_LANES) all = all && !m32_any(m32_not(f32_tiny(v32_load_f32(x + i)).sure));
    for (int i = 0; all && i < F32_GROUP; i += V32_LANES) v32_store_f32(y + i, f32_tiny(v32_load_f32(x + i)).value);
    return all;
}
#define F32_TINY_forward_f32 f32_tiny_group

/* f32_<operation>_to_<type>: correctly rounded where sure. */
#define F32_EXACT(operation, type)                                                                                     \
    GELU_INLINE f32_result f32_##operation##_to_##type(const struct f32_table *table, v32 x) {                         \
        f32_split r = f32_##operation(table, x);                                                                       \
        v32 up = r.value + r.rest_up, down = r.value + r.rest_down;                                                    \
        m32 sure = m32_and(f32_agree_##type(up, down), f32_##operation##_domain(x));                                   \
        return (f32_result){up, sure};                                                                                 \
    }
F32_EXACT(forward, f32)
F32_EXACT(grad, f32)
F32_EXACT(grad, f16)
F32_EXACT(grad, bf16)
#endif

GELU_INLINE void f32_store_f32(float *p, v32 y) { v32_store_f32(p, y); }

#define F32_TINY_grad_f32(x, y) false /* tiny inputs are for the polynomial */
#define F32_TINY_grad_f16 F32_TINY_grad_f32
#define F32_TINY_grad_bf16 F32_TINY_grad_f32

/* The fast derivative: the split without its rounding test, less than 1 ULP from the exact value. Beyond the table, and
 * where p itself is small, the formula. */
GELU_INLINE f32_result f32_fast_grad_to_f32(const struct f32_table *table, v32 x) {
    f32_split r = f32_grad(table, x);
    return (f32_result){r.value + r.rest, v32_less(v32_abs(x), v32_set(FAST_GRAD_SHARE * table->z_max))};
}
