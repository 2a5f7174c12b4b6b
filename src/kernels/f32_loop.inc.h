/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops over the float steps of f32.inc.h. Parameter: a vector vocabulary (after f32.inc.h). An output may be an
 * input: what must be repaired is copied before anything is stored. */

enum { F32_BLOCK = 1024 };

#define F32_STEP(step, in, out, table, from, to, first)                                                                \
    {                                                                                                                  \
        v32 lanes = v32_load_##in(from);                                                                               \
        f32_result r = step(table, lanes);                                                                             \
        f32_store_##out(to, r.value);                                                                                  \
        open += v32_append(m32_not(r.sure), lanes, (uint32_t)(first), values + open, positions + open);                \
    }

/* Blocks of float steps, each followed by the repair of the lanes that were not sure, by the formula. */
#define F32_LOOP(name, formula, step, in, out, table)                                                                  \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        float values[F32_BLOCK + V32_LANES + V64_LANES];                                                               \
        uint32_t positions[F32_BLOCK + V32_LANES];                                                                     \
        while (n > 0) {                                                                                                \
            size_t count = n < F32_BLOCK ? n : F32_BLOCK, open = 0, i = 0;                                             \
            for (; count - i >= V32_LANES; i += V32_LANES) F32_STEP(step, in, out, table, x + i, y + i, i)             \
            if (i < count) {                                                                                           \
                gelu_##in x_padded[V32_LANES] = {0};                                                                   \
                gelu_##out y_padded[V32_LANES];                                                                        \
                memcpy(x_padded, x + i, (count - i) * sizeof *x);                                                      \
                F32_STEP(step, in, out, table, x_padded, y_padded, i)                                                  \
                memcpy(y + i, y_padded, (count - i) * sizeof *y);                                                      \
            }                                                                                                          \
            memset(values + open, 0, V64_LANES * sizeof *values);                                                      \
            for (size_t j = 0; j < open; j += V64_LANES) {                                                             \
                gelu_##out repaired[V64_LANES];                                                                        \
                store_##out(repaired, formula(load_f32(values + j)));                                                  \
                for (size_t k = j; k < j + V64_LANES && k < open; k++)                                                 \
                    if (positions[k] < count) y[positions[k]] = repaired[k - j];                                       \
            }                                                                                                          \
            x += count;                                                                                                \
            y += count;                                                                                                \
            n -= count;                                                                                                \
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
