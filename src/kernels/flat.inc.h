/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What takes one operation on floats: y = formula(x), and y = x * factor, the one rounding that a product needs.
 * Parameter: a vector vocabulary with floats. */
#define FLAT_LOOP(name, formula, store, in, out)                                                                       \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V32_LANES; i += V32_LANES) store##_##out(y + i, formula(v32_load_##in(x + i)));                \
        if (i == n) return;                                                                                            \
        gelu_##in x_padded[V32_LANES] = {0};                                                                           \
        gelu_##out y_padded[V32_LANES];                                                                                \
        memcpy(x_padded, x + i, (n - i) * sizeof *x);                                                                  \
        store##_##out(y_padded, formula(v32_load_##in(x_padded)));                                                     \
        memcpy(y + i, y_padded, (n - i) * sizeof *y);                                                                  \
    }

static void flat_multiply_f32(size_t n, const float *x, const float *factor, float *y) {
    size_t i = 0;
    for (; n - i >= V32_LANES; i += V32_LANES) v32_store_f32(y + i, v32_load_f32(x + i) * v32_load_f32(factor + i));
    for (; i < n; i++) y[i] = x[i] * factor[i];
}

GELU_INLINE void flat_store_f32(float *p, v32 y) { v32_store_f32(p, y); }
#ifdef GELU_SIMD_FMA
GELU_INLINE void flat_store_f16(uint16_t *p, v32 y) { v32_store_f16(p, y); }
GELU_INLINE void flat_store_bf16(uint16_t *p, v32 y) { v32_store_high_half(p, v32_bits(y)); }

/* Of floats that the type need not have, rounded to nearest even; NaN is cut short. */
GELU_INLINE i32 flat_bf16_bits(v32 y) {
    i32 bits = v32_bits(y);
    i32 odd = i32_and(i32_shift_right(bits, 16), i32_set(1));
    return i32_add(i32_add(bits, i32_set(0x7fff)), odd);
}
GELU_INLINE void flat_round_f16(uint16_t *p, v32 y) { v32_store_f16(p, y); }
GELU_INLINE void flat_round_bf16(uint16_t *p, v32 y) {
    v32_store_high_half(p, v32_bits(v32_select(v32_equal(y, y), v32_from_bits(flat_bf16_bits(y)), y)));
}
#endif

GELU_INLINE v32 identity_flat(v32 x) { return v32_select(v32_equal(x, x), x, x * v32_set(0.5f)); } /* NaN: made quiet */
GELU_INLINE v32 relu_flat(v32 x) { return v32_select(v32_less(x, v32_set(0)), v32_set(0), identity_flat(x)); }
