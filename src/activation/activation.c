/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The elementwise calls: one jump through the kernel table each. */
#include <assert.h>
#include "base/compiler.h"
#include "dispatch/dispatch.h"

#define KNOWN(act) ((act) >= GELU_IDENTITY && (act) <= GELU_ELU)

#define UNARY(operation, type, storage)                                                                                \
    void gelu_##operation##_##type(gelu_act act, size_t n, const storage *x, storage *y) {                             \
        assert(KNOWN(act) && (n == 0 || (x && y)));                                                                    \
        gelu_dispatch()->operation##_##type[act](n, x, y);                                                             \
    }

#define BACKWARD(operation, type, storage)                                                                             \
    void gelu_##operation##_##type(gelu_act act, size_t n, const storage *x, const storage *dy, storage *dx) {         \
        assert(KNOWN(act) && (n == 0 || (x && dy && dx)));                                                             \
        gelu_dispatch()->operation##_##type[act](n, x, dy, dx);                                                        \
    }

UNARY(forward, f32, float)
UNARY(forward, f64, double)
UNARY(forward, f16, uint16_t)
UNARY(forward, bf16, uint16_t)
UNARY(grad, f32, float)
UNARY(grad, f64, double)
UNARY(grad, f16, uint16_t)
UNARY(grad, bf16, uint16_t)
UNARY(grad2, f32, float)
UNARY(grad2, f64, double)
BACKWARD(backward, f32, float)
BACKWARD(backward, f64, double)
BACKWARD(backward, f16, uint16_t)
BACKWARD(backward, bf16, uint16_t)
UNARY(fast_forward, f32, float)
BACKWARD(fast_backward, f32, float)
