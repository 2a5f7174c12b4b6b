/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "bench.h"

#define UNARY(function)                                                                                                \
    static void call_##function(gelu_act act, size_t n, const void *x, const void *dy, void *y) {                      \
        (void)dy;                                                                                                      \
        gelu_##function(act, n, x, y);                                                                                 \
    }
#define BACKWARD(function)                                                                                             \
    static void call_##function(gelu_act act, size_t n, const void *x, const void *dy, void *y) {                      \
        gelu_##function(act, n, x, dy, y);                                                                             \
    }

UNARY(forward_f32)
UNARY(forward_f64)
UNARY(forward_f16)
UNARY(forward_bf16)
UNARY(grad_f32)
UNARY(grad_f64)
UNARY(grad_f16)
UNARY(grad_bf16)
UNARY(grad2_f32)
UNARY(grad2_f64)
BACKWARD(backward_f32)
BACKWARD(backward_f64)
BACKWARD(backward_f16)
BACKWARD(backward_bf16)
UNARY(fast_forward_f32)
BACKWARD(fast_backward_f32)

#define ALL_TYPES(op)                                                                                                  \
    { NULL, call_##op##_f32, call_##op##_f64, call_##op##_f16, call_##op##_bf16 }

/* One row makes an operation known to `gelu bench`. */
static const bench_op operations[] = {
    {"forward", false, true, ALL_TYPES(forward)},
    {"grad", false, false, ALL_TYPES(grad)},
    {"grad2", false, false, {[GELU_F32] = call_grad2_f32, [GELU_F64] = call_grad2_f64}},
    {"backward", true, false, ALL_TYPES(backward)},
    {"fast", false, false, {[GELU_F32] = call_fast_forward_f32}},
    {"fast-backward", true, false, {[GELU_F32] = call_fast_backward_f32}},
};

const bench_op *bench_op_at(size_t i) { return i < sizeof operations / sizeof operations[0] ? &operations[i] : NULL; }

const bench_type *bench_type_at(size_t i) {
    static const bench_type types[] = {
        {"f32", GELU_F32, GELU_F32},    {"f64", GELU_F64, GELU_F64},     {"f16", GELU_F16, GELU_F16},
        {"bf16", GELU_BF16, GELU_BF16}, {"f32-f16", GELU_F32, GELU_F16}, {"f32-bf16", GELU_F32, GELU_BF16},
    };
    return i < sizeof types / sizeof types[0] ? &types[i] : NULL;
}

bool bench_op_takes(const bench_op *op, const bench_type *type) {
    return type->in == type->out ? op->call[type->in] != NULL : op->narrows;
}
