/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops of kernel_list.inc over the formulas. Parameter: the vector vocabulary (after activation.inc.h and
 * rounding.inc.h). x may be y: an element is read before it is written. */

#define GELU_UNARY_LOOP(slot, operation, in, out, act)                                                                 \
    static void slot##_##act(size_t n, const gelu_##in *x, gelu_##out *y) {                                            \
        for (size_t i = 0; i < n; i++) y[i] = store_##out(act##_##operation(widen_##in(x[i])));                        \
    }

/* f' in the precision in which backward multiplies: f32, but f64 for f64. */
#define BACKWARD_GRAD_f32(act, x) ((double)store_f32(act##_grad(x)))
#define BACKWARD_GRAD_f16 BACKWARD_GRAD_f32
#define BACKWARD_GRAD_bf16 BACKWARD_GRAD_f32
#define BACKWARD_GRAD_f64(act, x) store_f64(act##_grad(x))

/* The product of two floats is exact in double, so narrowing it is the only rounding. */
#define GELU_BACKWARD_LOOP(slot, type, act)                                                                            \
    static void slot##_##act(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx) {                 \
        for (size_t i = 0; i < n; i++)                                                                                 \
            dx[i] = narrow_##type(widen_##type(dy[i]) * BACKWARD_GRAD_##type(act, widen_##type(x[i])));                \
    }

/* RELU selects instead of multiplying: 0 * inf must not become NaN. */
#define GELU_BACKWARD_SELECT_LOOP(slot, type)                                                                          \
    static void slot##_relu(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx) {                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            double input = widen_##type(x[i]), gradient = v64_less(0, input) ? widen_##type(dy[i]) : 0;                \
            dx[i] = narrow_##type(v64_is_nan(input) ? input + input : gradient);                                       \
        }                                                                                                              \
    }

#define GELU_UNARY(slot, operation, in, out)                                                                           \
    GELU_UNARY_LOOP(slot, operation, in, out, identity)                                                                \
    GELU_UNARY_LOOP(slot, operation, in, out, relu)                                                                    \
    GELU_UNARY_LOOP(slot, operation, in, out, erf)                                                                     \
    GELU_UNARY_LOOP(slot, operation, in, out, tanh)                                                                    \
    GELU_UNARY_LOOP(slot, operation, in, out, quick)                                                                   \
    GELU_UNARY_LOOP(slot, operation, in, out, silu)                                                                    \
    GELU_UNARY_LOOP(slot, operation, in, out, elu)
#define GELU_BACKWARD(slot, type)                                                                                      \
    GELU_BACKWARD_LOOP(slot, type, identity)                                                                           \
    GELU_BACKWARD_SELECT_LOOP(slot, type)                                                                              \
    GELU_BACKWARD_LOOP(slot, type, erf)                                                                                \
    GELU_BACKWARD_LOOP(slot, type, tanh)                                                                               \
    GELU_BACKWARD_LOOP(slot, type, quick)                                                                              \
    GELU_BACKWARD_LOOP(slot, type, silu)                                                                               \
    GELU_BACKWARD_LOOP(slot, type, elu)
#define GELU_CONVERT(from, to)                                                                                         \
    static void convert_##from##_##to(size_t n, const gelu_##from *src, gelu_##to *dst) {                              \
        for (size_t i = 0; i < n; i++) dst[i] = narrow_##to(widen_##from(src[i]));                                     \
    }
#include "kernels/kernel_list.inc"

/* The table's entries, in the order of gelu_act. */
#define ELEMENTWISE_ENTRY(slot)                                                                                        \
    .slot = {slot##_identity, slot##_relu, slot##_erf, slot##_tanh, slot##_quick, slot##_silu, slot##_elu},
