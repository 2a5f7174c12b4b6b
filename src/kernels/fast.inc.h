/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The fast forward kernels: floats all the way, less than 1 ULP from the exact value for every x, monotone where f is.
 * One sequence of operations on every instruction set, since nothing else fixes the bits. Parameter: a vector vocabulary
 * with floats.
 *
 * Down to -z_max of the table, f(x) = max(0, x) + g(abs(x)), g a polynomial on 32 intervals (f32_tables.h). In the
 * first interval x/2 stands for max(0, x) + c1 d. Beyond, tail.inc.h takes over. */

GELU_INLINE v32 fast_body(const struct fast_table *table, v32 x) {
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
    return v32_fma(w, d, v32_select(v32_equal(interval, first), x * v32_set(0.5f), sum));
}

/* name_near, name_far and name_block; nothing is left open. */
#define FAST_BLOCKS(name, act)                                                                                         \
    GELU_INLINE f32_result name##_near(v32 x) { return (f32_result){fast_body(&act##_fast_table, x), 0}; }             \
    GELU_INLINE v32 name##_far(v32 x) {                                                                                \
        return tail_float(act##_forward_tail(v32_min(v32_abs(x), v32_set(act##_tail_end))));                           \
    }                                                                                                                  \
    GELU_INLINE void name##_store(float *y, v32 value) { v32_store_f32(y, value); }                                    \
    F32_BLOCKS(name, below, act##_fast_table.z_max, f32_never_tiny, f32, f32)
