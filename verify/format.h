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

extern const number_format format_table[GELU_BF16 + 1];

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
uint64_t format_assemble(const number_format *format, bool negative, uint64_t n, int q);

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

/* The NaN in another format (or its own): quiet, with its sign and the payload bits that fit. */
uint64_t format_convert_nan(const number_format *from, uint64_t bits, const number_format *to);

#endif
