/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops over the float kernels of fast.inc.h and f32.inc.h. Parameter: a vector vocabulary with floats. */

enum { F32_BLOCK = 2048, F32_GROUP = 64, F32_LIST_STEP = 4 };

/* What takes one operation on floats: y = formula(x), and y = x * factor, the one rounding that a product needs. */
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

/* A float to store, and where it is the right one. */
typedef struct {
    v32 value;
    m32 sure;
} f32_result;

/* A function of groups of 64 elements: one bit each, set where the step was not sure. Where it was of none, tiny or
 * exact completes the group. */
#define F32_GROUPS_OF(name, step, tiny, exact, in, out, table)                                                         \
    GELU_SHARED void name(size_t groups, const gelu_##in *x, gelu_##out *y, uint64_t *open) {                          \
        for (; groups > 0; groups--, x += F32_GROUP, y += F32_GROUP, open++) {                                         \
            uint64_t sure = 0;                                                                                         \
            GELU_UNROLL                                                                                                \
            for (int i = 0; i < F32_GROUP; i += V32_LANES) {                                                           \
                f32_result r = step(table, v32_load_##in(x + i));                                                      \
                f32_store_##out(y + i, r.value);                                                                       \
                sure |= (uint64_t)m32_bits(r.sure) << i;                                                               \
            }                                                                                                          \
            *open = ~sure;                                                                                             \
            if (__builtin_expect(sure == 0, 0)) {                                                                      \
                if (!tiny(x, y)) exact(F32_GROUP, x, y);                                                               \
                *open = 0;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The positions of the set bits, and how many. Has written up to F32_LIST_STEP - 1 more. */
GELU_INLINE size_t f32_list(const uint64_t *open, size_t groups, uint16_t *positions) {
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        uint64_t left = open[g];
        size_t at = count;
        count += (size_t)__builtin_popcountll(left);
        /* A step has as many positions as it has, used or not: nobody could predict a branch per bit. */
        for (; at < count; at += F32_LIST_STEP) {
            GELU_UNROLL
            for (size_t k = at; k < at + F32_LIST_STEP; k++) {
                positions[k] = (uint16_t)(g * F32_GROUP + (size_t)__builtin_ctzll(left | (uint64_t)1 << 63));
                left &= left - 1;
            }
        }
    }
    return count;
}

/* name: blocks of groups, each followed by the repair of its open elements by exact, a loop over the formula that takes
 * multiples of V32_LANES. An output may be an input: then the block works on a copy. */
#define F32_LOOP(name, groups, exact, in, out)                                                                         \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        gelu_##in copy[F32_BLOCK], values[F32_BLOCK + V32_LANES];                                                      \
        gelu_##out results[F32_BLOCK + V32_LANES];                                                                     \
        uint16_t positions[F32_BLOCK + F32_LIST_STEP];                                                                 \
        uint64_t open[F32_BLOCK / F32_GROUP];                                                                          \
        for (size_t count; n > 0; x += count, y += count, n -= count) {                                                \
            count = n < F32_BLOCK ? n : F32_BLOCK;                                                                     \
            const gelu_##in *from = (const void *)x == (void *)y ? memcpy(copy, x, count * sizeof *x) : x;             \
            size_t whole = count / F32_GROUP, i = whole * F32_GROUP;                                                   \
            groups(whole, from, y, open);                                                                              \
            if (i < count) {                                                                                           \
                gelu_##in x_padded[F32_GROUP] = {0};                                                                   \
                gelu_##out y_padded[F32_GROUP];                                                                        \
                memcpy(x_padded, from + i, (count - i) * sizeof *x);                                                   \
                groups(1, x_padded, y_padded, open + whole);                                                           \
                memcpy(y + i, y_padded, (count - i) * sizeof *y);                                                      \
                open[whole++] &= ((uint64_t)1 << (count - i)) - 1;                                                     \
            }                                                                                                          \
            size_t listed = f32_list(open, whole, positions);                                                          \
            if (listed == 0) continue;                                                                                 \
            for (size_t j = 0; j < listed; j++) values[j] = from[positions[j]];                                        \
            memset(values + listed, 0, V32_LANES * sizeof *values);                                                    \
            exact((listed + V32_LANES - 1) / V32_LANES * V32_LANES, values, results);                                  \
            for (size_t j = 0; j < listed; j++) y[positions[j]] = results[j];                                          \
        }                                                                                                              \
    }

/* dx = dy * f'(x), f' by the loop that grad names, as f32. A block of f' is complete before dx, which may be x. */
#define F32_BACKWARD_LOOP(name, grad, type)                                                                            \
    static void name(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx) {                         \
        float slope[F32_BLOCK];                                                                                        \
        for (size_t done = 0, count; done < n; done += count) {                                                        \
            count = n - done < F32_BLOCK ? n - done : F32_BLOCK;                                                       \
            grad(count, x + done, slope);                                                                              \
            multiply_##type(count, slope, dy + done, dx + done);                                                       \
        }                                                                                                              \
    }
