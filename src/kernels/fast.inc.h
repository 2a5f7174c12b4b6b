/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The fast forward kernels: floats all the way, less than 1 ULP from the exact value for every x, monotone where f is.
 * One sequence of operations on every instruction set, since nothing else fixes the bits. Parameter: a vector vocabulary
 * with floats.
 *
 * Down to -z_max of the table, f(x) = max(0, x) + g(abs(x)), g a polynomial on 32 intervals (f32_tables.h). In the
 * first interval x/2 stands for max(0, x) + c1 d. Beyond, fast_tail.inc.h takes over. */

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

/* act##_fast_far(x) for x beyond the table; for others it does no harm. */
#define FAST_FORWARD(act, end)                                                                                         \
    GELU_INLINE v32 act##_fast_near(v32 x, float half) { return fast_body(&act##_fast_table, x, half); }               \
    GELU_INLINE v32 act##_fast_far(v32 x) {                                                                            \
        return act##_fast_tail(v32_max(v32_min(v32_abs(x), v32_set(end)), v32_set(act##_fast_table.z_max)));           \
    }                                                                                                                  \
    GELU_INLINE m32 act##_fast_beyond(v32 x) { return v32_less(x, v32_set(-act##_fast_table.z_max)); }

FAST_FORWARD(erf, ERF_FAST_END)
FAST_FORWARD(tanh, TANH_FAST_END)
FAST_FORWARD(quick, QUICK_FAST_END)
FAST_FORWARD(silu, SILU_FAST_END)

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
 * that does not fit: one bit per lane. The 65,536 inputs of a short type are known: of the subnormal results in f16
 * only 2^-25, which is not quite f(2^-24), does not come out right. */
#define FAST_OPEN_f32_f32(y) 0u
#define FAST_OPEN_f16_f16(y) m32_bits(m32_or(fast_near_middle(y, 13), v32_equal(y, v32_set(0x1p-25f))))
#define FAST_OPEN_bf16_bf16(y) m32_bits(fast_near_middle(y, 16))
#define FAST_OPEN_f32_f16(y) m32_bits(fast_open_f16(y))
#define FAST_OPEN_f32_bf16(y) m32_bits(fast_open_bf16(y))

/* What stands for 1/2 in x/2. Half of the smallest float in f32 would be 0, and y then +0 whatever the sign of x: where
 * that shows, a little more, which near_middle allows for. */
#define FAST_HALF_f32_f32 0.5f
#define FAST_HALF_f16_f16 0.5f
#define FAST_HALF_bf16_bf16 0.5f
#define FAST_HALF_f32_f16 0x1.000002p-1f
#define FAST_HALF_f32_bf16 0x1.000002p-1f

#define FAST_BEYOND_BITS(bits, act, in)                                                                                \
    for (int i = 0; i < F32_GROUP; i += V32_LANES)                                                                     \
        bits |= (uint64_t)m32_bits(act##_fast_beyond(v32_load_##in(x + i))) << i;

/* A function of groups of 64 elements: one bit each, set where the result stored is not certain. Inputs beyond the table
 * are left open too, but for groups of nothing else, which far completes. After such a group another is likely. */
#define FAST_GROUPS_OF(name, act, far, in, out)                                                                        \
    GELU_SHARED void name(size_t groups, const gelu_##in *x, gelu_##out *y, uint64_t *open) {                          \
        bool all_beyond = false;                                                                                       \
        for (; groups > 0; groups--, x += F32_GROUP, y += F32_GROUP, open++) {                                         \
            uint64_t near_middle = 0, beyond = 0;                                                                      \
            if (all_beyond) FAST_BEYOND_BITS(beyond, act, in)                                                          \
            if (beyond != UINT64_MAX) {                                                                                \
                v32 lowest = v32_set(0);                                                                               \
                GELU_UNROLL                                                                                            \
                for (int i = 0; i < F32_GROUP; i += V32_LANES) {                                                       \
                    v32 lanes = v32_load_##in(x + i), result = act##_fast_near(lanes, FAST_HALF_##in##_##out);         \
                    lowest = v32_min(lanes, lowest);                                                                   \
                    fast_store_##out(y + i, result);                                                                   \
                    near_middle |= (uint64_t)FAST_OPEN_##in##_##out(result) << i;                                      \
                }                                                                                                      \
                if (__builtin_expect(m32_any(act##_fast_beyond(lowest)), 0)) FAST_BEYOND_BITS(beyond, act, in)         \
            }                                                                                                          \
            all_beyond = beyond == UINT64_MAX;                                                                         \
            if (all_beyond) far(F32_GROUP, x, y);                                                                      \
            *open = all_beyond ? 0 : near_middle | beyond;                                                             \
        }                                                                                                              \
    }

/* What f32_list lists: mostly inputs beyond the table. n is a multiple of V32_LANES. */
#define FAST_FAR_LOOP(name, act)                                                                                       \
    GELU_SHARED void name(size_t n, const float *x, float *y) {                                                        \
        for (size_t i = 0; i < n; i += V32_LANES) v32_store_f32(y + i, act##_fast_far(v32_load_f32(x + i)));           \
    }
#define SHORT_FAR_LOOP(name, act, exact, in, out)                                                                      \
    GELU_SHARED void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                               \
        for (size_t i = 0; i < n; i += V32_LANES) {                                                                    \
            v32 lanes = v32_load_##in(x + i), result = act##_fast_far(lanes);                                          \
            fast_store_##out(y + i, result);                                                                           \
            bool open = FAST_OPEN_##in##_##out(result) != 0 || m32_any(m32_not(act##_fast_beyond(lanes)));             \
            if (open) exact(V32_LANES, x + i, y + i);                                                                  \
        }                                                                                                              \
    }
