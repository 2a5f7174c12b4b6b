/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The elementwise functions by number, so that a test can visit every one of them. */
#ifndef GELU_TESTS_ACT_OPS_H
#define GELU_TESTS_ACT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gelu.h"
#include "unit/sanitized.h"

#define DTYPE_FIRST GELU_F32
#define DTYPE_LAST GELU_BF16

enum { ACT_COUNT = GELU_ELU + 1 };
enum op { OP_FORWARD, OP_GRAD, OP_GRAD2, OP_COUNT };

static inline const char *op_name(enum op op) {
    static const char *const names[] = {"forward", "grad", "grad2"};
    return names[op];
}

static inline bool op_exists(enum op op, gelu_dtype dtype) {
    return op != OP_GRAD2 || dtype == GELU_F32 || dtype == GELU_F64;
}

static inline void run_forward(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) {
    switch (dtype) {
    case GELU_F32: gelu_forward_f32(act, n, x, y); break;
    case GELU_F64: gelu_forward_f64(act, n, x, y); break;
    case GELU_F16: gelu_forward_f16(act, n, x, y); break;
    case GELU_BF16: gelu_forward_bf16(act, n, x, y); break;
    }
}

static inline void run_grad(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) {
    switch (dtype) {
    case GELU_F32: gelu_grad_f32(act, n, x, y); break;
    case GELU_F64: gelu_grad_f64(act, n, x, y); break;
    case GELU_F16: gelu_grad_f16(act, n, x, y); break;
    case GELU_BF16: gelu_grad_bf16(act, n, x, y); break;
    }
}

static inline void run_op(enum op op, gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) {
    if (op == OP_FORWARD)
        run_forward(act, dtype, n, x, y);
    else if (op == OP_GRAD)
        run_grad(act, dtype, n, x, y);
    else if (dtype == GELU_F32)
        gelu_grad2_f32(act, n, x, y);
    else if (dtype == GELU_F64)
        gelu_grad2_f64(act, n, x, y);
    else
        abort();
}

static inline void run_backward(gelu_act act, gelu_dtype dtype, size_t n, const void *x, const void *dy, void *dx) {
    switch (dtype) {
    case GELU_F32: gelu_backward_f32(act, n, x, dy, dx); break;
    case GELU_F64: gelu_backward_f64(act, n, x, dy, dx); break;
    case GELU_F16: gelu_backward_f16(act, n, x, dy, dx); break;
    case GELU_BF16: gelu_backward_bf16(act, n, x, dy, dx); break;
    }
}

static inline uint32_t bits_of_f32(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float f32_of_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double f64_of_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Element i of an array as its bit pattern. */
static inline uint64_t element_bits(gelu_dtype dtype, const void *p, size_t i) {
    if (dtype == GELU_F64) return ((const uint64_t *)p)[i];
    return dtype == GELU_F32 ? ((const uint32_t *)p)[i] : ((const uint16_t *)p)[i];
}

static inline void set_element_bits(gelu_dtype dtype, void *p, size_t i, uint64_t bits) {
    if (dtype == GELU_F64)
        ((uint64_t *)p)[i] = bits;
    else if (dtype == GELU_F32)
        ((uint32_t *)p)[i] = (uint32_t)bits;
    else
        ((uint16_t *)p)[i] = (uint16_t)bits;
}

/* How a type splits its bits. */
struct format {
    int nbits, mantissa_bits, bias;
    uint64_t sign, infinity, quiet; /* bit patterns */
};

static inline struct format format_of(gelu_dtype dtype) {
    switch (dtype) {
    case GELU_F64: return (struct format){64, 52, 1023, 1ull << 63, 0x7ffull << 52, 1ull << 51};
    case GELU_F16: return (struct format){16, 10, 15, 0x8000, 0x7c00, 0x0200};
    case GELU_BF16: return (struct format){16, 7, 127, 0x8000, 0x7f80, 0x0040};
    default: return (struct format){32, 23, 127, 0x80000000u, 0x7f800000, 0x00400000};
    }
}

static inline bool is_nan_bits(gelu_dtype dtype, uint64_t bits) {
    struct format f = format_of(dtype);
    return (bits & ~f.sign) > f.infinity;
}

/* splitmix64 */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Finite values of both signs: mostly of size 2^-10 to 2^4, now and then a zero, a subnormal or something large. */
static inline uint64_t random_element(gelu_dtype dtype, uint64_t *state) {
    struct format f = format_of(dtype);
    uint64_t r = random_bits(state);
    uint64_t exponent = (uint64_t)(f.bias - 10) + r % 14;
    if (r % 37 == 1) exponent = 0;
    if (r % 41 == 1) exponent = (uint64_t)f.bias + 9;
    uint64_t mantissa = random_bits(state) & ((1ull << f.mantissa_bits) - 1);
    uint64_t sign = (r >> 40 & 1) ? f.sign : 0;
    if (r % 97 == 1) return sign;
    return sign | exponent << f.mantissa_bits | mantissa;
}

static inline void fill_random(gelu_dtype dtype, size_t n, uint64_t seed, void *out) {
    for (size_t i = 0; i < n; i++) set_element_bits(dtype, out, i, random_element(dtype, &seed));
}

#endif
