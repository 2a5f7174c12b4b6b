/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A block of the float kernels of fast.inc.h and f32.inc.h, all but the elements that floats do not decide. Parameter: a
 * vector vocabulary with floats. */

/* F32_FEW: elements beyond the table are few if no more than one in so many. */
enum { F32_BLOCK = 2048, F32_GROUP = 64, F32_FEW = 8, F32_LIST_STEP = 4 };

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

/* The positions of the set bits, and how many. Has written up to F32_LIST_STEP - 1 more. */
GELU_INLINE size_t f32_list(const uint64_t *open, size_t groups, uint16_t *positions) {
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        uint64_t left = open[g];
        size_t at = count;
        count += gelu_count_bits(left);
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

/* Where the vectors begin that have any bit, and how many there are. Nobody could predict a branch for each. */
GELU_INLINE size_t f32_vectors(size_t n, const uint64_t *bits, uint16_t *listed) {
    size_t count = 0;
    for (size_t i = 0; i < n; i += V32_LANES) {
        listed[count] = (uint16_t)i;
        count += f32_lanes(bits, i) != 0;
    }
    return count;
}

/* What is worked on next, at the same places as a group: so many bytes of each array for it, which come nearer. */
struct f32_ahead {
    const void *read, *written;
    size_t step;
};
GELU_INLINE void f32_fetch(struct f32_ahead ahead, size_t group) {
    for (size_t at = group * ahead.step; at < (group + 1) * ahead.step; at += 64) {
        __builtin_prefetch((const char *)ahead.read + at, 0, 3);
        __builtin_prefetch((const char *)ahead.written + at, 1, 3);
    }
}

/* name_block: groups of 64 elements, for each of which open gets a bit, set where the result stored is not certain.
 * Groups of nothing but inputs beyond the table go to name_far_group; after one another is likely. Other such inputs
 * are brought together for name_far: where they are few, one by one, else vector by vector. A group of which little is
 * certain may be tiny's. */
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
    GELU_SHARED void name##_far_listed(size_t groups, const gelu_##in *x, gelu_##out *y, uint64_t *open,               \
                                       const uint64_t *beyond) {                                                       \
        gelu_##in inputs[F32_BLOCK / F32_FEW + V32_LANES];                                                             \
        gelu_##out results[F32_BLOCK / F32_FEW + V32_LANES];                                                           \
        uint16_t positions[F32_BLOCK / F32_FEW + F32_LIST_STEP] = {0};                                                 \
        size_t count = f32_list(beyond, groups, positions);                                                            \
        for (size_t j = 0; j < count; j++) inputs[j] = x[positions[j]];                                                \
        for (size_t j = count; j < count + V32_LANES; j++) inputs[j] = x[positions[0]];                                \
        for (size_t j = 0; j < count; j += V32_LANES) {                                                                \
            v32 result = name##_far(v32_load_##in(inputs + j));                                                        \
            name##_store(results + j, result);                                                                         \
            for (uint64_t nan = f32_is_nan(result); nan != 0; nan &= nan - 1) {                                        \
                size_t at = j + (size_t)__builtin_ctzll(nan);                                                          \
                if (at >= count) break;                                                                                \
                size_t i = positions[at];                                                                              \
                open[i / F32_GROUP] |= (uint64_t)1 << i % F32_GROUP;                                                   \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t j = 0; j < count; j++) y[positions[j]] = results[j];                                               \
    }                                                                                                                  \
    GELU_SHARED void name##_far_packed(size_t n, const gelu_##in *x, gelu_##out *y, uint64_t *open,                    \
                                       const uint64_t *beyond) {                                                       \
        float packed[F32_BLOCK + V32_LANES];                                                                           \
        uint16_t listed[F32_BLOCK / V32_LANES + 1];                                                                    \
        size_t vectors = f32_vectors(n, beyond, listed), count = 0;                                                    \
        for (size_t k = 0; k < vectors; k++) {                                                                         \
            unsigned lanes = f32_lanes(beyond, listed[k]);                                                             \
            v32_pack(packed + count, lanes, v32_load_##in(x + listed[k]));                                             \
            count += gelu_count_bits(lanes);                                                                           \
        }                                                                                                              \
        v32_store_f32(packed + count, v32_set(limit));                                                                 \
        for (size_t i = 0; i < count; i += V32_LANES) v32_store_f32(packed + i, name##_far(v32_load_f32(packed + i))); \
        count = 0;                                                                                                     \
        for (size_t k = 0; k < vectors; k++) {                                                                         \
            size_t i = listed[k];                                                                                      \
            unsigned lanes = f32_lanes(beyond, i);                                                                     \
            v32 result = v32_unpack(packed + count, lanes, v32_load_##out(y + i));                                     \
            count += gelu_count_bits(lanes);                                                                           \
            name##_store(y + i, result);                                                                               \
            open[i / F32_GROUP] |= (f32_is_nan(result) & lanes) << i % F32_GROUP;                                      \
        }                                                                                                              \
    }                                                                                                                  \
    GELU_SHARED void name##_block(size_t groups, const gelu_##in *x, gelu_##out *y, uint64_t *open,                    \
                                  struct f32_ahead ahead) {                                                            \
        uint64_t beyond[F32_BLOCK / F32_GROUP];                                                                        \
        size_t n_beyond = 0;                                                                                           \
        bool all = false;                                                                                              \
        for (size_t g = 0; g < groups; g++, x += F32_GROUP, y += F32_GROUP) {                                          \
            uint64_t left = 0, far = 0;                                                                                \
            f32_fetch(ahead, g);                                                                                       \
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
            if (__builtin_expect(gelu_count_bits(left) > F32_GROUP / 4, 0) && tiny(x, y)) left = 0;                    \
            open[g] = left & ~far;                                                                                     \
            beyond[g] = far;                                                                                           \
            n_beyond += gelu_count_bits(far);                                                                          \
        }                                                                                                              \
        size_t n = groups * F32_GROUP;                                                                                 \
        if (n_beyond > n / F32_FEW)                                                                                    \
            name##_far_packed(n, x - n, y - n, open, beyond);                                                          \
        else if (n_beyond > 0)                                                                                         \
            name##_far_listed(groups, x - n, y - n, open, beyond);                                                     \
    }

GELU_INLINE bool f32_never_tiny(const void *x, const void *y) {
    (void)x, (void)y;
    return false;
}
