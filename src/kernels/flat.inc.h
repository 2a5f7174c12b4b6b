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

/* A product as a float, and where rounding it again to a shorter type may not give the exact product rounded once. */
typedef struct {
    v32 value;
    m32 open;
} flat_product;

/* A float becomes the middle between two numbers of the type, when the product was not: then its bits in `middle` are zero,
 * and what it lost is not. And NaN: which of two it is must not be up to the compiler. */
GELU_INLINE flat_product flat_product_of(v32 a, v32 b, int32_t middle) {
    v32 value = a * b, lost = v32_fnma(a, b, value);
    m32 lossy = v32_less(v32_set(0), v32_abs(lost)), is_nan = m32_not(v32_equal(value, value));
    return (flat_product){value, m32_or(m32_and(i32_none(v32_bits(value), i32_set(middle)), lossy), is_nan)};
}

GELU_INLINE flat_product flat_product_f16(v32 slope, v32 dy) { return flat_product_of(slope, dy, 0xfff); }
/* Below 2^-117 what is lost may be lost itself, and below 2^-126 numbers of bf16 are the multiples of 2^-133. */
GELU_INLINE flat_product flat_product_bf16(v32 slope, v32 dy) {
    enum { MIDDLE = 0x7fff };
    flat_product usual = flat_product_of(slope, dy, MIDDLE);
    v32 size = v32_abs(usual.value);
    m32 tiny = m32_and(v32_less(v32_set(0), size), v32_less(size, v32_set(0x1p-117f)));
    if (__builtin_expect(!m32_any(tiny), 1)) return usual;
    flat_product large = flat_product_of(slope * v32_set(0x1p+64f), dy, MIDDLE);
    v32 power = v32_from_bits(i32_and(v32_bits(large.value), i32_set(0x7f800000)));
    v32 shift = v32_max(power, v32_set(0x1p-62f)) * v32_set(0x1.8p+16f);
    v32 rounded = v32_abs((large.value + shift) - shift) * v32_set(0x1p-64f);
    i32 sign = i32_and(v32_bits(usual.value), i32_set(INT32_MIN)); /* also of what becomes 0 */
    rounded = v32_from_bits(i32_add(v32_bits(rounded), sign));
    m32 open = m32_or(m32_and(tiny, large.open), m32_and(m32_not(tiny), usual.open));
    return (flat_product){v32_select(tiny, rounded, usual.value), open};
}

/* dx = dy * slope, the exact product rounded once. Vectors that are open somewhere are done in double. */
#define FLAT_PRODUCT(type)                                                                                             \
    BINARY_LOOP(multiply_##type##_exact, multiply_formula, f32, type)                                                  \
    static void multiply_##type(size_t n, const float *slope, const gelu_##type *dy, gelu_##type *dx) {                \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V32_LANES; i += V32_LANES) {                                                                   \
            flat_product product = flat_product_##type(v32_load_f32(slope + i), v32_load_##type(dy + i));              \
            if (__builtin_expect(m32_any(product.open), 0))                                                            \
                multiply_##type##_exact(V32_LANES, slope + i, dy + i, dx + i);                                         \
            else                                                                                                       \
                flat_round_##type(dx + i, product.value);                                                              \
        }                                                                                                              \
        multiply_##type##_exact(n - i, slope + i, dy + i, dx + i);                                                     \
    }
FLAT_PRODUCT(f16)
FLAT_PRODUCT(bf16)
#endif

GELU_INLINE v32 identity_flat(v32 x) { return v32_select(v32_equal(x, x), x, x * v32_set(0.5f)); } /* NaN: made quiet */
GELU_INLINE v32 relu_flat(v32 x) { return v32_select(v32_less(x, v32_set(0)), v32_set(0), identity_flat(x)); }
