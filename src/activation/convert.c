/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alias.h"
#include "base/compiler.h"
#include "dispatch/dispatch.h"

#define CASE(from, to, slot)                                                                                           \
    case 8 * (from) + (to): gelu_dispatch()->slot(n, src, dst); break;

gelu_status gelu_convert(size_t n, gelu_dtype from, const void *src, gelu_dtype to, void *dst) {
    size_t from_nbytes = gelu_dtype_nbytes(from), to_nbytes = gelu_dtype_nbytes(to), nbytes;
    if (from_nbytes == 0 || to_nbytes == 0) return GELU_ERR_DTYPE;
    if (n == 0) return GELU_OK;
    if (!src || !dst) return GELU_ERR_ARGUMENT;
    if (!size_mul(n, from_nbytes > to_nbytes ? from_nbytes : to_nbytes, &nbytes)) return GELU_ERR_OVERFLOW;
    struct alias_matrix in = alias_matrix(src, 1, n, n, from_nbytes), out = alias_matrix(dst, 1, n, n, to_nbytes);
    if (alias_overlap(in, out) && !alias_same(in, out)) return GELU_ERR_ALIAS;
    switch (8 * (int)from + (int)to) {
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
    /* The same type: IDENTITY, for a NaN becomes quiet here as everywhere. */
    case 9 * GELU_F32: gelu_dispatch()->forward_f32[GELU_IDENTITY](n, src, dst); break;
    case 9 * GELU_F64: gelu_dispatch()->forward_f64[GELU_IDENTITY](n, src, dst); break;
    case 9 * GELU_F16: gelu_dispatch()->forward_f16[GELU_IDENTITY](n, src, dst); break;
    case 9 * GELU_BF16: gelu_dispatch()->forward_bf16[GELU_IDENTITY](n, src, dst); break;
    }
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
