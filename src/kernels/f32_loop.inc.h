/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops over blocks of f32_block.inc.h, for the float kernels of fast.inc.h and f32.inc.h. */

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

/* name_part: up to a block of elements. An output may be the input: then it works on a copy. */
#define F32_PART(name, repair, in, out)                                                                                \
    GELU_SHARED void name##_part(size_t count, const gelu_##in *x, gelu_##out *y, struct f32_ahead ahead) {            \
        gelu_##in copy[F32_BLOCK];                                                                                     \
        uint64_t open[F32_BLOCK / F32_GROUP];                                                                          \
        if ((const void *)x == (void *)y) x = memcpy(copy, x, count * sizeof *x);                                      \
        size_t whole = count / F32_GROUP, i = whole * F32_GROUP;                                                       \
        name##_block(whole, x, y, open, ahead);                                                                        \
        if (i < count) {                                                                                               \
            gelu_##in x_padded[F32_GROUP] = {0};                                                                       \
            gelu_##out y_padded[F32_GROUP];                                                                            \
            memcpy(x_padded, x + i, (count - i) * sizeof *x);                                                          \
            name##_block(1, x_padded, y_padded, open + whole, (struct f32_ahead){0});                                  \
            memcpy(y + i, y_padded, (count - i) * sizeof *y);                                                          \
            open[whole++] &= ((uint64_t)1 << (count - i)) - 1;                                                         \
        }                                                                                                              \
        repair(whole, x, y, open);                                                                                     \
    }

#define F32_LOOP(name, in, out)                                                                                        \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        for (size_t count; n > 0; x += count, y += count, n -= count) {                                                \
            count = n < F32_BLOCK ? n : F32_BLOCK;                                                                     \
            name##_part(count, x, y, (struct f32_ahead){0});                                                           \
        }                                                                                                              \
    }

/* dx = dy * f'(x), f' by the part that grad names, as f32. A block of f' is complete before dx, which may be x. */
#define F32_BACKWARD_LOOP(name, grad, type)                                                                            \
    static void name(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx) {                         \
        float slope[F32_BLOCK];                                                                                        \
        for (size_t count; n > 0; x += count, dy += count, dx += count, n -= count) {                                  \
            count = n < F32_BLOCK ? n : F32_BLOCK;                                                                     \
            grad(count, x, slope, (struct f32_ahead){dy, dx, F32_GROUP * sizeof *dy});                                 \
            multiply_##type(count, slope, dy, dx);                                                                     \
        }                                                                                                              \
    }
