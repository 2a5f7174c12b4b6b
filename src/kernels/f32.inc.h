/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Values in f32, and derivatives in f32, f16 and bf16, correctly rounded by float arithmetic. Parameters: a vector vocabulary
 * with floats, after elementwise.inc.h, whose formulas decide what floats cannot.
 *
 * With z = abs(x): f(x) = max(0, x) + g(z), f'(x) = p(z) for x < 0, else 1 - p(z); g and p are polynomials on 32
 * intervals (f32_tables.h). The last two steps of each are kept as a sum of two floats, so that the result is known as
 * value + rest with an error of 2^-24 to 2^-34 of its size. It is taken when value + (rest +- error) rounds to one
 * number. The other lanes, some two in a hundred, are listed block by block and go through the double formulas. Beyond the
 * table tail.inc.h has the functions. */

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

/* f32_<operation>_to_<type>: correctly rounded where the whole interval rounds to one number. */
#define F32_NEAR(operation, type)                                                                                      \
    GELU_INLINE f32_result f32_##operation##_to_##type(const struct f32_table *table, v32 x) {                         \
        f32_split r = f32_##operation(table, x);                                                                       \
        v32 up = r.value + r.rest_up, down = r.value + r.rest_down;                                                    \
        return f32_sure_but(up, m32_not(m32_and(f32_agree_##type(up, down), f32_##operation##_domain(x))));            \
    }

/* f(x) or f'(x) for x > 0, from tail = f(-x) or f'(-x) times 1 + 2^-22 or less that: beside x or 1 it is little. */
GELU_INLINE v32 f32_forward_above(v32 x, v32 tail, float times) { return v32_fma(tail, v32_set(times), x); }
GELU_INLINE v32 f32_grad_above(v32 x, v32 tail, float times) {
    (void)x;
    return v32_fnma(tail, v32_set(times), v32_set(1));
}

/* The same as f32_<operation>_to_<type> beyond the table, from the tail. A subnormal result is known as a float first and
 * then rounded again: the wider interval holds both neighbours of that float, lest it be in the middle. */
#define F32_FAR(operation, type)                                                                                       \
    GELU_INLINE v32 f32_##operation##_tail_to_##type(f32_tail t, v32 x, float relative) {                              \
        v32 error = t.high * v32_select(v32_less(t.high, v32_set(0x1p-61f)), v32_set(0x1p-22f), v32_set(relative));    \
        v32 a = tail_value(t.high + (t.rest + error)), b = tail_value(t.high + (t.rest - error));                      \
        m32 negative = v32_is_negative(x);                                                                             \
        v32 first = v32_select(negative, a, f32_##operation##_above(x, a, 0x1.000004p+0f));                            \
        v32 second = v32_select(negative, b, f32_##operation##_above(x, b, 0x1.fffff8p-1f));                           \
        return f32_nan_where(m32_not(f32_agree_##type(first, second)), first);                                         \
    }

F32_NEAR(forward, f32)
F32_NEAR(grad, f32)
F32_NEAR(grad, f16)
F32_NEAR(grad, bf16)
F32_FAR(forward, f32)
F32_FAR(grad, f32)
F32_FAR(grad, f16)
F32_FAR(grad, bf16)

/* name_near, name_far and name_block for a type of results. Beyond is from just below the table's last interval, which
 * is not certain: 30.5 / 31.49 of z_max. */
#define F32_EXACT_BLOCKS(name, operation, in, out, act)                                                                \
    GELU_INLINE f32_result name##_near(v32 x) { return f32_##operation##_to_##out(&act##_##operation##_table, x); }    \
    GELU_INLINE v32 name##_far(v32 x) {                                                                                \
        v32 z = v32_min(v32_abs(x), v32_set(act##_tail_end));                                                          \
        return f32_##operation##_tail_to_##out(act##_##operation##_tail(z), x, act##_tail_error);                      \
    }                                                                                                                  \
    GELU_INLINE void name##_store(gelu_##out *y, v32 value) { f32_store_##out(y, value); }                             \
    F32_BLOCKS(name, both, 0.9685f * act##_##operation##_table.z_max, F32_TINY_##operation##_##in##_##out(act), in, out)
#define F32_TINY_forward_f32_f32(act) f32_tiny_f32
#define F32_TINY_grad_f32_f32(act) f32_never_tiny
#define F32_TINY_grad_f16_f32(act) act##_tiny_slope
#define F32_TINY_grad_bf16_f32(act) f32_never_tiny
#define F32_TINY_grad_f16_f16(act) f32_never_tiny
#define F32_TINY_grad_bf16_bf16(act) f32_never_tiny
#endif

GELU_INLINE void f32_store_f32(float *p, v32 y) { v32_store_f32(p, y); }

/* The fast derivative: no test, less than 1 ULP from the exact value. Where p itself is small the tail is better. */
#define F32_FAST_GRAD_BLOCKS(name, act)                                                                                \
    GELU_INLINE f32_result name##_near(v32 x) {                                                                        \
        f32_split r = f32_grad(&act##_grad_table, x);                                                                  \
        return f32_sure_but(r.value + r.rest, m32_not(v32_equal(x, x)));                                               \
    }                                                                                                                  \
    GELU_INLINE v32 name##_far(v32 x) {                                                                                \
        v32 y = tail_float(act##_grad_tail(v32_min(v32_abs(x), v32_set(act##_tail_end))));                             \
        return v32_select(v32_is_negative(x), y, v32_set(1) - y);                                                      \
    }                                                                                                                  \
    GELU_INLINE void name##_store(float *y, v32 value) { v32_store_f32(y, value); }                                    \
    F32_BLOCKS(name, both, 0.85f * act##_grad_table.z_max, f32_never_tiny, f32, f32)
