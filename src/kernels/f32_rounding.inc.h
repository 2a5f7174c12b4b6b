/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Floats to f16 and bf16, and which results need no polynomial. Parameter: a vector vocabulary with floats and an FMA
 * instruction. */

GELU_INLINE void f32_store_f16(uint16_t *p, v32 y) { v32_store_f16(p, y); }
GELU_INLINE void f32_store_bf16(uint16_t *p, v32 y) { v32_store_high_half(p, flat_bf16_bits(y)); }

/* Whether a and b round to one number of a type, and whether that says how the exact value does: a float in the middle
 * between two numbers of a shorter type does not tell to which side the exact value lies. */
GELU_INLINE m32 f32_agree_f32(v32 a, v32 b) { return v32_equal(a, b); }
GELU_INLINE m32 f32_agree_bf16(v32 a, v32 b) {
    i32 high = i32_set(-0x10000), low = i32_set(0xffff);
    m32 same = i32_equal(i32_and(flat_bf16_bits(a), high), i32_and(flat_bf16_bits(b), high));
    return m32_and(same, m32_not(i32_equal(i32_and(v32_bits(a), low), i32_set(0x8000))));
}
/* Adding 1.5 * 2^(e + 13) rounds to the 11 bits of a normal f16, or to the last place of subnormal ones. */
GELU_INLINE m32 f32_agree_f16(v32 a, v32 b) {
    i32 exponent = i32_and(v32_bits(a), i32_set(0x7f800000));
    v32 power = v32_max(v32_from_bits(exponent), v32_set(0x1p-14f)), shift = power * v32_set(0x1.8p+13f);
    v32 rounded = (a + shift) - shift;
    m32 middle = v32_equal(v32_abs(a - rounded), power * v32_set(0x1p-11f));
    return m32_and(v32_equal(rounded, (b + shift) - shift), m32_not(middle));
}

/* What needs no polynomial. Below 2^-25, f(x) rounds to x/2, and halves of odd subnormals, which lie just above a tie,
 * away from zero for x > 0 and towards it for x < 0. There bits are proportional to values; place is that of the last. */
GELU_INLINE v32 f32_tiny(v32 x, int place) {
    i32 sign = i32_and(v32_bits(x), i32_set(INT32_MIN)), magnitude = i32_and(v32_bits(x), i32_set(INT32_MAX));
    i32 up = i32_shift_right(i32_add(v32_bits(x), i32_set(INT32_MIN)), 31); /* 1 for x > 0 */
    i32 half = i32_shift_right(i32_add(magnitude, i32_shift_left(up, place)), 1);
    v32 bits = v32_from_bits(i32_add(sign, i32_and(half, i32_set(-(1 << place)))));
    return v32_select(v32_less(v32_abs(x), v32_set(0x1p-125f)), bits, x * v32_set(0.5f));
}

/* SiLU's derivative at tiny numbers of f16 is 1/2 + x/2 - x^3/12, for x > 0 just below the middle between two floats. */
GELU_INLINE v32 silu_tiny_grad(v32 x) { return v32_fma(x * v32_set(0x1.fffp-1f), v32_set(0.5f), v32_set(0.5f)); }

/* Completes a group of nothing but tiny inputs, or says that this is none. */
#define F32_TINY(name, in, out, limit, value)                                                                          \
    GELU_INLINE bool name(const gelu_##in *x, gelu_##out *y) {                                                         \
        bool all = true;                                                                                               \
        for (int i = 0; i < F32_GROUP; i += V32_LANES)                                                                 \
            all = all && !m32_any(m32_not(v32_less(v32_abs(v32_load_##in(x + i)), v32_set(limit))));                   \
        for (int i = 0; all && i < F32_GROUP; i += V32_LANES) flat_store_##out(y + i, value(v32_load_##in(x + i)));    \
        return all;                                                                                                    \
    }
GELU_INLINE v32 f32_tiny_forward_f32(v32 x) { return f32_tiny(x, 0); }
GELU_INLINE v32 f32_tiny_forward_bf16(v32 x) { return f32_tiny(x, 16); }
F32_TINY(f32_tiny_f32, f32, f32, 0x1p-25f, f32_tiny_forward_f32)
F32_TINY(f32_tiny_bf16, bf16, bf16, 0x1p-25f, f32_tiny_forward_bf16)
F32_TINY(silu_tiny_slope, f16, f32, 0x1p-13f, silu_tiny_grad)
#define erf_tiny_slope f32_never_tiny
#define tanh_tiny_slope f32_never_tiny
#define quick_tiny_slope f32_never_tiny
