/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>

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

/* Linear's epilogue rounds once to the type of y. Without input features, what it starts from is the bias. */
static void forward_f32_to(gelu_dtype out, gelu_act act, size_t n, const void *x, void *y) {
    const gelu_weights weights = {.dtype = GELU_F32, .layout = GELU_OUT_IN, .bias = x};
    const gelu_epilogue epilogue = {.act = act};
    gelu_linear *linear;
    gelu_status status = gelu_linear_view(0, n, &weights, GELU_COMPUTE_F32, &linear);
    if (status == GELU_OK) status = gelu_linear_forward(linear, 1, GELU_F32, NULL, 0, &epilogue, out, y, n, NULL);
    gelu_linear_free(linear);
    if (status != GELU_OK) memset(y, 0xff, n * gelu_dtype_nbytes(out)); /* no memory: nothing may pass unseen */
}

static void forward_f32_f16(gelu_act act, size_t n, const void *x, void *y) { forward_f32_to(GELU_F16, act, n, x, y); }

static void forward_f32_bf16(gelu_act act, size_t n, const void *x, void *y) {
    forward_f32_to(GELU_BF16, act, n, x, y);
}

sweep_kernel sweep_library_narrowing(gelu_dtype out) {
    return out == GELU_F16 ? forward_f32_f16 : out == GELU_BF16 ? forward_f32_bf16 : NULL;
}

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

bool sweep_isa_is_own(const char *isa) { return strcmp(isa, "avx512_bf16") != 0 && strcmp(isa, "amx") != 0; }
