/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "sweep.h"

#define UNARY(operation, dtype)                                                                                        \
    static void operation##_##dtype(gelu_act act, size_t n, const void *x, void *y) {                                  \
        gelu_##operation##_##dtype(act, n, x, y);                                                                      \
    }
UNARY(forward, f32)
UNARY(forward, f64)
UNARY(forward, f16)
UNARY(forward, bf16)
UNARY(grad, f32)
UNARY(grad, f64)
UNARY(grad, f16)
UNARY(grad, bf16)
UNARY(grad2, f32)
UNARY(grad2, f64)

#define BACKWARD(dtype)                                                                                                \
    static void backward_##dtype(gelu_act act, size_t n, const void *x, const void *dy, void *dx) {                    \
        gelu_backward_##dtype(act, n, x, dy, dx);                                                                      \
    }
BACKWARD(f32)
BACKWARD(f16)
BACKWARD(bf16)

sweep_kernel sweep_library_kernel(int order, gelu_dtype dtype) {
    static const sweep_kernel kernels[3][GELU_BF16 + 1] = {
        {[GELU_F32] = forward_f32, [GELU_F64] = forward_f64, [GELU_F16] = forward_f16, [GELU_BF16] = forward_bf16},
        {[GELU_F32] = grad_f32, [GELU_F64] = grad_f64, [GELU_F16] = grad_f16, [GELU_BF16] = grad_bf16},
        {[GELU_F32] = grad2_f32, [GELU_F64] = grad2_f64},
    };
    return order < 0 || order > 2 ? NULL : kernels[order][dtype];
}

sweep_backward_kernel sweep_library_backward(gelu_dtype dtype) {
    static const sweep_backward_kernel kernels[GELU_BF16 + 1] = {
        [GELU_F32] = backward_f32, [GELU_F16] = backward_f16, [GELU_BF16] = backward_bf16};
    return kernels[dtype];
}
