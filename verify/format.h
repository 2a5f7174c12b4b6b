/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The four number formats as the proof sees them: integers in an IEEE layout, whatever the compiler thinks of them. */
#ifndef GELU_VERIFY_FORMAT_H
#define GELU_VERIFY_FORMAT_H

#include <stdbool.h>
#include <string.h>

#include "gelu.h"

typedef struct {
    int width;        /* bits */
    int precision;    /* bits of the significand, the implicit one included */
    int min_exponent; /* the smallest subnormal is 2^min_exponent */
    uint64_t infinity, sign;
} number_format;

/* Here, so that a loop for one format has its numbers as constants. */
static const number_format format_table[] = {
    [GELU_F32] = {32, 24, -149, UINT64_C(0x7f800000), UINT64_C(1) << 31},
    [GELU_F64] = {64, 53, -1074, UINT64_C(0x7ff) << 52, UINT64_C(1) << 63},
    [GELU_F16] = {16, 11, -24, UINT64_C(0x7c00), UINT64_C(1) << 15},
    [GELU_BF16] = {16, 8, -133, UINT64_C(0x7f80), UINT64_C(1) << 15},
};

static inline const number_format *format_of(gelu_dtype dtype) { return &format_table[dtype]; }

/* The exact value. */
double format_decode(const number_format *format, uint64_t bits);
/* The same, at once for f32. */
static inline double format_widen(gelu_dtype dtype, uint64_t bits) {
    if (dtype != GELU_F32) return format_decode(format_of(dtype), bits);
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

/* n * 2^q, where n < 2^precision or n = 2^precision, n rounded to the quantum 2^q of its binade; overflows to
 * infinity. */
static inline uint64_t format_assemble(const number_format *format, bool negative, uint64_t n, int q) {
    uint64_t sign = negative ? format->sign : 0;
    if (q > format->min_exponent + (1 << (format->width - format->precision))) return sign | format->infinity;
    /* The implicit bit of n adds one to the exponent field, a carry into 2^precision another one. */
    uint64_t magnitude = ((uint64_t)(q - format->min_exponent) << (format->precision - 1)) + n;
    return sign | (magnitude < format->infinity ? magnitude : format->infinity);
}

/* The exponent of the quantum: the spacing of the binade that holds values v, 2^(e-1) <= |v| < 2^e. */
static inline int format_quantum(const number_format *format, long e) {
    return e - format->precision > format->min_exponent ? (int)(e - format->precision) : format->min_exponent;
}

static inline bool format_is_nan(const number_format *format, uint64_t bits) {
    return (bits & (format->sign - 1)) > format->infinity;
}

/* Whether the bits are a quiet NaN: the top bit of the stored significand is set. */
static inline bool format_is_quiet_nan(const number_format *format, uint64_t bits) {
    return format_is_nan(format, bits) && (bits >> (format->precision - 2) & 1);
}

/* Element i of an array of the type. */
static inline uint64_t format_load(gelu_dtype dtype, const void *array, size_t i) {
    if (dtype == GELU_F64) return ((const uint64_t *)array)[i];
    if (dtype == GELU_F32) return ((const uint32_t *)array)[i];
    return ((const uint16_t *)array)[i];
}

/* The NaN in another format (or its own): quiet, with its sign and the payload bits that fit. */
uint64_t format_convert_nan(const number_format *from, uint64_t bits, const number_format *to);

#endif
