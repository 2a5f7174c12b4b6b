/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What takes one operation on floats: y = formula(x), and y = x * factor, the one rounding that a product needs.
 * Parameter: a vector vocabulary with floats. */
#define FLAT_LOOP(name, formula, in, out)                                                                              \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V32_LANES; i += V32_LANES) flat_store_##out(y + i, formula(v32_load_##in(x + i)));             \
        if (i == n) return;                                                                                            \
        gelu_##in x_padded[V32_LANES] = {0};                                                                           \
        gelu_##out y_padded[V32_LANES];                                                                                \
        memcpy(x_padded, x + i, (n - i) * sizeof *x);                                                                  \
        flat_store_##out(y_padded, formula(v32_load_##in(x_padded)));                                                  \
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
#endif

GELU_INLINE v32 identity_flat(v32 x) { return v32_select(v32_equal(x, x), x, x * v32_set(0.5f)); } /* NaN: made quiet */
GELU_INLINE v32 relu_flat(v32 x) { return v32_select(v32_less(x, v32_set(0)), v32_set(0), identity_flat(x)); }
