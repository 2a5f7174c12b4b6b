/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "activation/split.h"
#include "base/alias.h"
#include "base/compiler.h"
#include "dispatch/dispatch.h"

struct call {
    const struct gelu_kernels *kernels;
    gelu_dtype from, to;
    const unsigned char *src;
    unsigned char *dst;
};

#define CASE(from, to, slot)                                                                                           \
    case 8 * (from) + (to): c->kernels->slot(n, src, dst); break;
/* The same type: IDENTITY, for a NaN becomes quiet here as everywhere. */
#define CASE_SAME(type, slot)                                                                                          \
    case 9 * (type): c->kernels->slot[GELU_IDENTITY](n, src, dst); break;

static void piece(const void *context, size_t first, size_t n) {
    const struct call *c = context;
    const void *src = c->src + first * gelu_dtype_nbytes(c->from);
    void *dst = c->dst + first * gelu_dtype_nbytes(c->to);
    switch (8 * (int)c->from + (int)c->to) {
        CASE(GELU_F32, GELU_F64, convert_f32_f64)
        CASE(GELU_F32, GELU_F16, convert_f32_f16)
        CASE(GELU_F32, GELU_BF16, convert_f32_bf16)
        CASE(GELU_F64, GELU_F32, convert_f64_f32)
        CASE(GELU_F64, GELU_F16, convert_f64_f16)
        CASE(GELU_F64, GELU_BF16, convert_f64_bf16)
        CASE(GELU_F16, GELU_F32, convert_f16_f32)
        CASE(GELU_F16, GELU_F64, convert_f16_f64)
        CASE(GELU_F16, GELU_BF16, convert_f16_bf16)
        CASE(GELU_BF16, GELU_F32, convert_bf16_f32)
        CASE(GELU_BF16, GELU_F64, convert_bf16_f64)
        CASE(GELU_BF16, GELU_F16, convert_bf16_f16)
        CASE_SAME(GELU_F32, forward_f32)
        CASE_SAME(GELU_F64, forward_f64)
        CASE_SAME(GELU_F16, forward_f16)
        CASE_SAME(GELU_BF16, forward_bf16)
    }
}

gelu_status gelu_convert(size_t n, gelu_dtype from, const void *src, gelu_dtype to, void *dst) {
    size_t from_nbytes = gelu_dtype_nbytes(from), to_nbytes = gelu_dtype_nbytes(to), nbytes;
    if (from_nbytes == 0 || to_nbytes == 0) return GELU_ERR_DTYPE;
    if (n == 0) return GELU_OK;
    if (!src || !dst) return GELU_ERR_ARGUMENT;
    if (!size_mul(n, from_nbytes > to_nbytes ? from_nbytes : to_nbytes, &nbytes)) return GELU_ERR_OVERFLOW;
    struct alias_matrix in = alias_matrix(src, 1, n, n, from_nbytes), out = alias_matrix(dst, 1, n, n, to_nbytes);
    if (alias_overlap(in, out) && !alias_same(in, out)) return GELU_ERR_ALIAS;
    struct call call = {gelu_dispatch(), from, to, src, dst};
    split(out, piece, &call);
    return GELU_OK;
}

float gelu_f16_to_f32(uint16_t x) {
    float y;
    gelu_dispatch()->convert_f16_f32(1, &x, &y);
    return y;
}

float gelu_bf16_to_f32(uint16_t x) {
    float y;
    gelu_dispatch()->convert_bf16_f32(1, &x, &y);
    return y;
}

uint16_t gelu_f16_from_f32(float x) {
    uint16_t y;
    gelu_dispatch()->convert_f32_f16(1, &x, &y);
    return y;
}

uint16_t gelu_bf16_from_f32(float x) {
    uint16_t y;
    gelu_dispatch()->convert_f32_bf16(1, &x, &y);
    return y;
}
