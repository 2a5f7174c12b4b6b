/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops over the float kernels of fast.inc.h and f32.inc.h. Parameter: a vector vocabulary with floats. */

enum { F32_BLOCK = 2048, F32_GROUP = 64, F32_LIST_STEP = 4 };

/* A vector to store, and a bit for each lane where it may be the wrong one. */
typedef struct {
    v32 value;
    unsigned open;
} f32_result;

GELU_INLINE f32_result f32_sure_but(v32 value, m32 open) { return (f32_result){value, m32_bits(open)}; }

/* Which inputs lie beyond the table: those below -limit only, or both ways. */
GELU_INLINE m32 f32_beyond_below(v32 x, float limit) { return v32_less(x, v32_set(-limit)); }
GELU_INLINE m32 f32_beyond_both(v32 x, float limit) { return v32_less(v32_set(limit), v32_abs(x)); }

/* name_far is for inputs beyond the table and gives NaN where it is not certain. */
GELU_INLINE v32 f32_nan_where(m32 open, v32 value) { return v32_select(open, v32_set(__builtin_nanf("")), value); }
GELU_INLINE uint64_t f32_is_nan(v32 x) { return m32_bits(m32_not(v32_equal(x, x))); }

/* The bits of the vector at position i. */
GELU_INLINE unsigned f32_lanes(const uint64_t *bits, size_t i) {
    return (unsigned)(bits[i / F32_GROUP] >> i % F32_GROUP & (((uint64_t)1 << V32_LANES) - 1));
}

/* name_block: groups of 64 elements, for each of which open gets a bit, set where the result stored is not certain.
 * Groups of nothing but inputs beyond the table go to name_far_group; after one another is likely. Other such inputs
 * are packed for name_far. A group of which little is certain may be tiny's. */
#define F32_BLOCKS(name, side, limit, tiny, in, out)                                                                   \
    GELU_SHARED uint64_t name##_far_group(const gelu_##in *x, gelu_##out *y) {                                         \
        uint64_t open = 0;                                                                                             \
        for (int i = 0; i < F32_GROUP; i += V32_LANES) {                                                               \
            v32 result = name##_far(v32_load_##in(x + i));                                                             \
            name##_store(y + i, result);                                                                               \
            open |= f32_is_nan(result) << i;                                                                           \
        }                                                                                                              \
        return open;                                                                                                   \
    }                                                                                                                  \
    GELU_SHARED void name##_far_packed(size_t n, const gelu_##in *x, gelu_##out *y, uint64_t *open,                    \
                                       const uint64_t *beyond) {                                                       \
        float packed[F32_BLOCK + V32_LANES];                                                                           \
        size_t count = 0;                                                                                              \
        for (size_t i = 0; i < n; i += V32_LANES) {                                                                    \
            unsigned lanes = f32_lanes(beyond, i);                                                                     \
            v32_pack(packed + count, lanes, v32_load_##in(x + i));                                                     \
            count += (size_t)__builtin_popcount(lanes);                                                                \
        }                                                                                                              \
        v32_store_f32(packed + count, v32_set(limit));                                                                 \
        for (size_t i = 0; i < count; i += V32_LANES) v32_store_f32(packed + i, name##_far(v32_load_f32(packed + i))); \
        count = 0;                                                                                                     \
        for (size_t i = 0; i < n; i += V32_LANES) {                                                                    \
            unsigned lanes = f32_lanes(beyond, i);                                                                     \
            if (lanes == 0) continue;                                                                                  \
            v32 result = v32_unpack(packed + count, lanes, v32_load_##out(y + i));                                     \
            count += (size_t)__builtin_popcount(lanes);                                                                \
            name##_store(y + i, result);                                                                               \
            open[i / F32_GROUP] |= (f32_is_nan(result) & lanes) << i % F32_GROUP;                                      \
        }                                                                                                              \
    }                                                                                                                  \
    GELU_SHARED void name##_block(size_t groups, const gelu_##in *x, gelu_##out *y, uint64_t *open) {                  \
        uint64_t beyond[F32_BLOCK / F32_GROUP], any_beyond = 0;                                                        \
        bool all = false;                                                                                              \
        for (size_t g = 0; g < groups; g++, x += F32_GROUP, y += F32_GROUP) {                                          \
            uint64_t left = 0, far = 0;                                                                                \
            if (all)                                                                                                   \
                for (int i = 0; i < F32_GROUP; i += V32_LANES)                                                         \
                    far |= (uint64_t)m32_bits(f32_beyond_##side(v32_load_##in(x + i), limit)) << i;                    \
            if (far != UINT64_MAX) {                                                                                   \
                far = 0;                                                                                               \
                GELU_UNROLL                                                                                            \
                for (int i = 0; i < F32_GROUP; i += V32_LANES) {                                                       \
                    v32 lanes = v32_load_##in(x + i);                                                                  \
                    f32_result r = name##_near(lanes);                                                                 \
                    name##_store(y + i, r.value);                                                                      \
                    left |= (uint64_t)r.open << i;                                                                     \
                    far |= (uint64_t)m32_bits(f32_beyond_##side(lanes, limit)) << i;                                   \
                }                                                                                                      \
            }                                                                                                          \
            all = far == UINT64_MAX;                                                                                   \
            if (all) left = name##_far_group(x, y), far = 0;                                                           \
            if (__builtin_expect(__builtin_popcountll(left) > F32_GROUP / 4, 0) && tiny(x, y)) left = 0;               \
            open[g] = left & ~far;                                                                                     \
            beyond[g] = far;                                                                                           \
            any_beyond |= far;                                                                                         \
        }                                                                                                              \
        size_t n = groups * F32_GROUP;                                                                                 \
        if (any_beyond != 0) name##_far_packed(n, x - n, y - n, open, beyond);                                         \
    }

GELU_INLINE bool f32_never_tiny(const void *x, const void *y) {
    (void)x, (void)y;
    return false;
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

/* The open elements of a block, by exact, a loop over the formula that takes multiples of V32_LANES. */
#define F32_REPAIR(name, exact, in, out)                                                                               \
    GELU_SHARED void name(size_t groups, const gelu_##in *x, gelu_##out *y, const uint64_t *open) {                    \
        gelu_##in values[F32_BLOCK + V32_LANES];                                                                       \
        gelu_##out results[F32_BLOCK + V32_LANES];                                                                     \
        uint16_t positions[F32_BLOCK + F32_LIST_STEP];                                                                 \
        size_t listed = f32_list(open, groups, positions);                                                             \
        if (listed == 0) return;                                                                                       \
        for (size_t j = 0; j < listed; j++) values[j] = x[positions[j]];                                               \
        memset(values + listed, 0, V32_LANES * sizeof *values);                                                        \
        exact((listed + V32_LANES - 1) / V32_LANES * V32_LANES, values, results);                                      \
        for (size_t j = 0; j < listed; j++) y[positions[j]] = results[j];                                              \
    }

/* For kernels that leave nothing open. */
GELU_INLINE void f32_no_repair(size_t groups, const void *x, void *y, const uint64_t *open) {
    (void)groups, (void)x, (void)y, (void)open;
}

/* name: block by block. An output may be an input: then the block works on a copy. */
#define F32_LOOP(name, repair, in, out)                                                                                \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        gelu_##in copy[F32_BLOCK];                                                                                     \
        uint64_t open[F32_BLOCK / F32_GROUP];                                                                          \
        for (size_t count; n > 0; x += count, y += count, n -= count) {                                                \
            count = n < F32_BLOCK ? n : F32_BLOCK;                                                                     \
            const gelu_##in *from = (const void *)x == (void *)y ? memcpy(copy, x, count * sizeof *x) : x;             \
            size_t whole = count / F32_GROUP, i = whole * F32_GROUP;                                                   \
            name##_block(whole, from, y, open);                                                                        \
            if (i < count) {                                                                                           \
                gelu_##in x_padded[F32_GROUP] = {0};                                                                   \
                gelu_##out y_padded[F32_GROUP];                                                                        \
                memcpy(x_padded, from + i, (count - i) * sizeof *x);                                                   \
                name##_block(1, x_padded, y_padded, open + whole);                                                     \
                memcpy(y + i, y_padded, (count - i) * sizeof *y);                                                      \
                open[whole++] &= ((uint64_t)1 << (count - i)) - 1;                                                     \
            }                                                                                                          \
            repair(whole, from, y, open);                                                                              \
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
