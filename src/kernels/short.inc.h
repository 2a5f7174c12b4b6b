/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Values in f16 and bf16, correctly rounded: a float some ULP from the exact value is enough, but for what lies near the
 * middle between two numbers of the type, which is done again in double. Parameters: a vector vocabulary with floats and
 * an FMA instruction, after elementwise.inc.h.
 *
 * f(x) = max(0, x) + g(abs(x)), g a polynomial on 32 equal intervals (f32_tables.h); beyond, tail.inc.h. */

GELU_INLINE v32 short_body(const struct short_table *table, v32 x) {
    enum { C0 };
    v32 column[SHORT_ROW];
    v32 z = v32_min(v32_abs(x), v32_set(table->z_max)), to_integer = v32_set(0x1.8p+23f);
    v32 shifted = v32_fma(z, v32_set(table->scale), to_integer);
    v32_lookup_short(table, v32_bits(shifted), column);
    v32 d = v32_fnma(shifted - to_integer, v32_set(table->width), z);
    v32 w = column[SHORT_COLUMNS - 1];
    GELU_UNROLL
    for (int i = SHORT_COLUMNS - 2; i > C0; i--) w = v32_fma(w, d, column[i]);
    return v32_fma(w, d, v32_max(v32_set(0), x) + column[C0]); /* this order of max keeps NaN and -0 */
}

/* Moves y by half a place of the type, which lacks so many bits, and by the band: a value to cut off at that place. Where
 * the band makes a difference, y was near the middle, as halves are, which this does not round as the rule has it. */
GELU_INLINE i32 short_moved(v32 y, int bits, int32_t band) {
    return i32_add(v32_bits(y), i32_set((1 << (bits - 1)) + band));
}
GELU_INLINE m32 short_near_middle(v32 y, int bits, int32_t band) {
    return i32_none(short_moved(y, bits, band), i32_set((1 << bits) - 2 * band));
}
GELU_INLINE m32 short_is_nan(v32 y) { return m32_not(v32_equal(y, y)); }

/* Which results may lie on the wrong side of a rounding boundary, or are NaN with a payload that does not fit. */
GELU_INLINE m32 short_open_f32_bf16(v32 y, int32_t band) {
    return m32_or(short_near_middle(y, 16, band), short_is_nan(y));
}
/* Results below 2^-14 in size are rounded to multiples of 2^-24, below 2^-26 to 0. The band is that of results of any
 * size. */
GELU_INLINE m32 short_near_middle_below(v32 y, int32_t band) {
    v32 count = v32_min(v32_abs(y), v32_set(0x1p-14f)) * v32_set(0x1p+24f), to_integer = v32_set(0x1.8p+23f);
    v32 off = v32_abs(count - ((count + to_integer) - to_integer));
    return v32_less(v32_set(0.5f), v32_fma(count, v32_set(0x1p-23f * (float)band), off));
}
GELU_INLINE m32 short_open_f32_f16(v32 y, int32_t band, int32_t band_below) {
    v32 size = v32_abs(y);
    m32 below = m32_and(v32_less(v32_set(0x1p-26f), size), v32_less(size, v32_set(0x1p-14f)));
    m32 near = short_near_middle(y, 13, band);
    if (__builtin_expect(m32_any(below), 0))
        near = m32_or(m32_and(below, short_near_middle_below(y, band_below)), m32_and(m32_not(below), near));
    return m32_or(near, short_is_nan(y));
}
/* The 65,536 inputs of a short type are known: of the subnormal results in f16 only 2^-25, which is not quite f(2^-24),
 * does not come out right. */
enum { SHORT_BAND_F16 = 32, SHORT_BAND_BF16 = 4 };
GELU_INLINE m32 short_open_f16_f16(v32 y) {
    return m32_or(short_near_middle(y, 13, SHORT_BAND_F16), v32_equal(y, v32_set(0x1p-25f)));
}
GELU_INLINE m32 short_open_bf16_bf16(v32 y) { return short_near_middle(y, 16, SHORT_BAND_BF16); }

#define SHORT_OPEN_f32_f16(act, y) short_open_f32_f16(y, act##_short_table.band_f16, act##_short_table.band_bf16)
#define SHORT_OPEN_f32_bf16(act, y) short_open_f32_bf16(y, act##_short_table.band_bf16)
#define SHORT_OPEN_f16_f16(act, y) short_open_f16_f16(y)
#define SHORT_OPEN_bf16_bf16(act, y) short_open_bf16_bf16(y)
#define SHORT_STORE_f32_f16(act, p, y) v32_store_f16(p, y)
#define SHORT_STORE_f32_bf16(act, p, y) short_store_bf16(p, y, act##_short_table.band_bf16)
#define SHORT_STORE_f16_f16(act, p, y) v32_store_f16(p, y)
#define SHORT_STORE_bf16_bf16(act, p, y) short_store_bf16(p, y, SHORT_BAND_BF16)

GELU_INLINE void short_store_bf16(uint16_t *p, v32 y, int32_t band) {
    v32_store_high_half(p, short_moved(y, 16, band));
}

/* tanh's exponent with an error of 2^-23 of its size, which the band has room for; the others have little to leave out. */
GELU_INLINE f32_tail tanh_short_tail(v32 z) {
    v32 factor = v32_fma(z * z, v32_set(TAIL_TANH_CUBIC_HI), v32_set(TAIL_TANH_SLOPE_HI));
    return tail_logistic_forward(z, pair_product(z, factor));
}
#define erf_short_tail erf_forward_tail
#define quick_short_tail quick_forward_tail
#define silu_short_tail silu_forward_tail

/* name_near, name_far and name_block. tiny: what may complete groups of which little is certain. */
#define SHORT_BLOCKS(name, in, out, act, tiny)                                                                         \
    GELU_INLINE f32_result name##_near(v32 x) {                                                                        \
        v32 y = short_body(&act##_short_table, x);                                                                     \
        return f32_sure_but(y, SHORT_OPEN_##in##_##out(act, y));                                                       \
    }                                                                                                                  \
    GELU_INLINE v32 name##_far(v32 x) {                                                                                \
        v32 y = tail_float(act##_short_tail(v32_min(v32_abs(x), v32_set(act##_tail_end))));                            \
        return f32_nan_where(SHORT_OPEN_##in##_##out(act, y), y);                                                      \
    }                                                                                                                  \
    GELU_INLINE void name##_store(gelu_##out *y, v32 value) { SHORT_STORE_##in##_##out(act, y, value); }               \
    F32_BLOCKS(name, below, act##_short_table.z_max, tiny, in, out)
