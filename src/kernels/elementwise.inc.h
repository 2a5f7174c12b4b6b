/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops of kernel_list.inc over the formulas. Parameter: the vector vocabulary (after activation.inc.h and
 * rounding.inc.h). An output may be an input: elements are read before they are written. The last, shorter step goes
 * through a padded copy and the same formula, so that position never matters. */

#include <string.h>

#define TAIL_COPY(type, from, count)                                                                                   \
    gelu_##type from##_padded[V64_LANES] = {0};                                                                        \
    memcpy(from##_padded, from + i, (count) * sizeof *from);

#define UNARY_LOOP(name, formula, in, out)                                                                             \
    static void name(size_t n, const gelu_##in *x, gelu_##out *y) {                                                    \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V64_LANES; i += V64_LANES) store_##out(y + i, formula(load_##in(x + i)));                      \
        if (i == n) return;                                                                                            \
        TAIL_COPY(in, x, n - i)                                                                                        \
        gelu_##out y_padded[V64_LANES];                                                                                \
        store_##out(y_padded, formula(load_##in(x_padded)));                                                           \
        memcpy(y + i, y_padded, (n - i) * sizeof *y);                                                                  \
    }

#define BINARY_LOOP(name, formula, type)                                                                               \
    static void name(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx) {                         \
        size_t i = 0;                                                                                                  \
        for (; n - i >= V64_LANES; i += V64_LANES)                                                                     \
            store_##type(dx + i, formula(load_##type(x + i), load_##type(dy + i)));                                    \
        if (i == n) return;                                                                                            \
        TAIL_COPY(type, x, n - i)                                                                                      \
        TAIL_COPY(type, dy, n - i)                                                                                     \
        gelu_##type dx_padded[V64_LANES];                                                                              \
        store_##type(dx_padded, formula(load_##type(x_padded), load_##type(dy_padded)));                               \
        memcpy(dx + i, dx_padded, (n - i) * sizeof *dx);                                                               \
    }

/* f' in the precision in which backward multiplies: f32, but f64 for f64. The product of two f32 is exact in double, so
 * that the store is its only rounding. */
#define MULTIPLIER_f32(a) round_to_f32(round_odd(a))
#define MULTIPLIER_f16 MULTIPLIER_f32
#define MULTIPLIER_bf16 MULTIPLIER_f32
#define MULTIPLIER_f64(a) round_f64(a)

/* The formulas of one activation for one slot, then their loop. RELU selects instead of multiplying: 0 * inf must not
 * become NaN. */
#define UNARY(slot, operation, in, out, act)                                                                           \
    GELU_INLINE v64 slot##_##act##_formula(v64 x) { return finish_##out(act##_##operation(x)); }                       \
    UNARY_LOOP(slot##_##act, slot##_##act##_formula, in, out)
#define BACKWARD(slot, type, act)                                                                                      \
    GELU_INLINE v64 slot##_##act##_formula(v64 x, v64 dy) {                                                            \
        v64 product = dy * MULTIPLIER_##type(act##_grad(x));                                                           \
        return v64_select(v64_is_nan(x), quiet_nan(x), product); /* which of two NaN must not be up to the compiler */ \
    }                                                                                                                  \
    BINARY_LOOP(slot##_##act, slot##_##act##_formula, type)

GELU_INLINE v64 relu_backward_formula(v64 x, v64 dy) {
    v64 selected = v64_select(v64_less(v64_set(0), x), dy, v64_set(0));
    return quiet_nan(v64_select(v64_is_nan(x), x, selected));
}
GELU_INLINE v64 convert_formula(v64 x) { return quiet_nan(x); }

#define GELU_UNARY(slot, operation, in, out)                                                                           \
    UNARY(slot, operation, in, out, identity)                                                                          \
    UNARY(slot, operation, in, out, relu)                                                                              \
    UNARY(slot, operation, in, out, erf)                                                                               \
    UNARY(slot, operation, in, out, tanh)                                                                              \
    UNARY(slot, operation, in, out, quick)                                                                             \
    UNARY(slot, operation, in, out, silu)                                                                              \
    UNARY(slot, operation, in, out, elu)
#define GELU_BACKWARD(slot, type)                                                                                      \
    BACKWARD(slot, type, identity)                                                                                     \
    BINARY_LOOP(slot##_relu, relu_backward_formula, type)                                                              \
    BACKWARD(slot, type, erf)                                                                                          \
    BACKWARD(slot, type, tanh)                                                                                         \
    BACKWARD(slot, type, quick)                                                                                        \
    BACKWARD(slot, type, silu)                                                                                         \
    BACKWARD(slot, type, elu)
#define GELU_CONVERT(from, to) UNARY_LOOP(convert_##from##_##to, convert_formula, from, to)
#include "kernels/kernel_list.inc"

/* The table's entries, in the order of gelu_act. */
#define ELEMENTWISE_ENTRY(slot)                                                                                        \
    .slot = {slot##_identity, slot##_relu, slot##_erf, slot##_tanh, slot##_quick, slot##_silu, slot##_elu},
