/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The fast forward kernels: floats all the way, less than 1 ULP from the exact value for every x, monotone where f is.
 * One sequence of operations on every instruction set, since nothing else fixes the bits. Parameter: a vector vocabulary
 * with floats.
 *
 * Down to -z_max of the table, f(x) = max(0, x) + g(abs(x)), g a polynomial on 32 intervals (f32_tables.h). In the
 * first interval x/2 stands for max(0, x) + c1 d. Beyond, tail.inc.h takes over. */

GELU_INLINE v32 fast_body(const struct fast_table *table, v32 x, float half) {
    enum { M, C0, C1 };
    v32 column[FAST_COLUMNS];
    v32 z = v32_min(v32_abs(x), v32_set(table->z_max));
    v32 first = v32_set(0x1.8p+23f),
        interval = v32_fma(z, v32_fma(z, v32_set(table->bend), v32_set(table->scale)), first);
    v32_lookup_fast(table, v32_bits(interval), column);
    v32 d = column[M] - z; /* -0 for z = 0, so that x = -0 keeps its sign */
    v32 w = column[FAST_COLUMNS - 1];
    GELU_UNROLL
    for (int i = FAST_COLUMNS - 2; i >= C1; i--) w = v32_fma(w, d, column[i]);
    v32 sum = v32_max(v32_set(0), x) + column[C0]; /* this order of max keeps NaN */
    return v32_fma(w, d, v32_select(v32_equal(interval, first), x * v32_set(half), sum));
}

GELU_INLINE void fast_store_f32(float *p, v32 y) { v32_store_f32(p, y); }
#ifdef GELU_SIMD_FMA
/* Halves round up here, which is not the rule: they are near the middle, and so done again. */
GELU_INLINE i32 fast_moved(v32 y, int bits) { return i32_add(v32_bits(y), i32_set((1 << (bits - 1)) + 1)); }
GELU_INLINE void fast_store_f16(uint16_t *p, v32 y) { v32_store_f16(p, y); }
GELU_INLINE void fast_store_bf16(uint16_t *p, v32 y) { v32_store_high_half(p, fast_moved(y, 16)); }

/* Whether y is within a few ULP of the middle between two numbers with that many bits less. */
GELU_INLINE m32 fast_near_middle(v32 y, int bits) { return i32_none(fast_moved(y, bits), i32_set((1 << bits) - 4)); }
GELU_INLINE m32 fast_open_bf16(v32 y) { return m32_or(fast_near_middle(y, 16), m32_not(v32_equal(y, y))); }
GELU_INLINE m32 fast_open_f16(v32 y) {
    v32 size = v32_abs(y);
    m32 subnormal = m32_and(v32_less(v32_set(0x1p-26f), size), v32_less(size, v32_set(0x1p-14f)));
    return m32_or(m32_or(fast_near_middle(y, 13), subnormal), m32_not(v32_equal(y, y)));
}
#endif

/* Which float results may lie on the wrong side of a rounding boundary of the output type, or are NaN with a payload
 * that does not fit. The 65,536 inputs of a short type are known: of the subnormal results in f16 only 2^-25, which is
 * not quite f(2^-24), does not come out right. */
#define FAST_OPEN_f16_f16(y) m32_or(fast_near_middle(y, 13), v32_equal(y, v32_set(0x1p-25f)))
#define FAST_OPEN_bf16_bf16(y) fast_near_middle(y, 16)
#define FAST_OPEN_f32_f16(y) fast_open_f16(y)
#define FAST_OPEN_f32_bf16(y) fast_open_bf16(y)
#define FAST_NEAR_f32_f32(y) ((f32_result){y, 0})
#define FAST_NEAR_f16_f16(y) f32_sure_but(y, FAST_OPEN_f16_f16(y))
#define FAST_NEAR_bf16_bf16(y) f32_sure_but(y, FAST_OPEN_bf16_bf16(y))
#define FAST_NEAR_f32_f16(y) f32_sure_but(y, FAST_OPEN_f32_f16(y))
#define FAST_NEAR_f32_bf16(y) f32_sure_but(y, FAST_OPEN_f32_bf16(y))
#define FAST_FAR_f32_f32(y) y
#define FAST_FAR_f16_f16(y) f32_nan_where(FAST_OPEN_f16_f16(y), y)
#define FAST_FAR_bf16_bf16(y) f32_nan_where(FAST_OPEN_bf16_bf16(y), y)
#define FAST_FAR_f32_f16(y) f32_nan_where(FAST_OPEN_f32_f16(y), y)
#define FAST_FAR_f32_bf16(y) f32_nan_where(FAST_OPEN_f32_bf16(y), y)

/* What stands for 1/2 in x/2. Half of the smallest float in f32 would be 0, and y then +0 whatever the sign of x: where
 * that shows, a little more, which near_middle allows for. */
#define FAST_HALF_f32_f32 0.5f
#define FAST_HALF_f16_f16 0.5f
#define FAST_HALF_bf16_bf16 0.5f
#define FAST_HALF_f32_f16 0x1.000002p-1f
#define FAST_HALF_f32_bf16 0x1.000002p-1f

/* name_near, name_far and name_block. tiny: what may complete groups of which little is certain. */
#define FAST_FORWARD_BLOCKS(name, in, out, act, tiny)                                                                  \
    GELU_INLINE f32_result name##_near(v32 x) {                                                                        \
        v32 y = fast_body(&act##_fast_table, x, FAST_HALF_##in##_##out);                                               \
        return FAST_NEAR_##in##_##out(y);                                                                              \
    }                                                                                                                  \
    GELU_INLINE v32 name##_far(v32 x) {                                                                                \
        f32_tail t = act##_forward_tail(v32_min(v32_abs(x), v32_set(act##_tail_end)));                                 \
        v32 y = tail_value(t.high + t.rest);                                                                           \
        return FAST_FAR_##in##_##out(y);                                                                               \
    }                                                                                                                  \
    GELU_INLINE void name##_store(gelu_##out *y, v32 value) { fast_store_##out(y, value); }                            \
    F32_BLOCKS(name, below, act##_fast_table.z_max, tiny, in, out)
