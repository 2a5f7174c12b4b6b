/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The elementwise calls: one jump through the kernel table each, or one for each thread. */
#include <assert.h>
#include "activation/split.h"
#include "base/compiler.h"
#include "dispatch/dispatch.h"

#define KNOWN(act) ((act) >= GELU_IDENTITY && (act) <= GELU_ELU)

struct call {
    const struct gelu_kernels *kernels;
    gelu_act act;
    const void *x, *dy;
    void *y;
};

#define UNARY(operation, type, storage)                                                                                \
    static void piece_##operation##_##type(const void *context, size_t first, size_t n) {                              \
        const struct call *c = context;                                                                                \
        c->kernels->operation##_##type[c->act](n, (const storage *)c->x + first, (storage *)c->y + first);             \
    }                                                                                                                  \
    void gelu_##operation##_##type(gelu_act act, size_t n, const storage *x, storage *y) {                             \
        assert(KNOWN(act) && (n == 0 || (x && y)));                                                                    \
        struct call call = {gelu_dispatch(), act, x, NULL, y};                                                         \
        split(alias_matrix(y, 1, n, n, sizeof *y), piece_##operation##_##type, &call);                                 \
    }

#define BACKWARD(operation, type, storage)                                                                             \
    static void piece_##operation##_##type(const void *context, size_t first, size_t n) {                              \
        const struct call *c = context;                                                                                \
        c->kernels->operation##_##type[c->act](n, (const storage *)c->x + first, (const storage *)c->dy + first,       \
                                               (storage *)c->y + first);                                               \
    }                                                                                                                  \
    void gelu_##operation##_##type(gelu_act act, size_t n, const storage *x, const storage *dy, storage *dx) {         \
        assert(KNOWN(act) && (n == 0 || (x && dy && dx)));                                                             \
        struct call call = {gelu_dispatch(), act, x, dy, dx};                                                          \
        split(alias_matrix(dx, 1, n, n, sizeof *dx), piece_##operation##_##type, &call);                               \
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
