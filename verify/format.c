/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "format.h"

const number_format format_table[] = {
    [GELU_F32] = {32, 24, -149, UINT64_C(0x7f800000), UINT64_C(1) << 31},
    [GELU_F64] = {64, 53, -1074, UINT64_C(0x7ff) << 52, UINT64_C(1) << 63},
    [GELU_F16] = {16, 11, -24, UINT64_C(0x7c00), UINT64_C(1) << 15},
    [GELU_BF16] = {16, 8, -133, UINT64_C(0x7f80), UINT64_C(1) << 15},
};

double format_decode(const number_format *format, uint64_t bits) {
    uint64_t magnitude = bits & (format->sign - 1);
    int stored = format->precision - 1;
    uint64_t fraction = magnitude & ((UINT64_C(1) << stored) - 1);
    int exponent = (int)(magnitude >> stored);
    double value;
    if (magnitude >= format->infinity)
        value = magnitude == format->infinity ? (double)INFINITY : (double)NAN;
    else if (exponent == 0)
        value = ldexp((double)fraction, format->min_exponent);
    else
        value = ldexp((double)(fraction | UINT64_C(1) << stored), exponent - 1 + format->min_exponent);
    return bits & format->sign ? -value : value;
}

uint64_t format_assemble(const number_format *format, bool negative, uint64_t n, int q) {
    uint64_t sign = negative ? format->sign : 0;
    if (q > format->min_exponent + (1 << (format->width - format->precision))) return sign | format->infinity;
    /* The implicit bit of n adds one to the exponent field, a carry into 2^precision another one. */
    uint64_t magnitude = ((uint64_t)(q - format->min_exponent) << (format->precision - 1)) + n;
    return sign | (magnitude < format->infinity ? magnitude : format->infinity);
}

uint64_t format_convert_nan(const number_format *from, uint64_t bits, const number_format *to) {
    int shift = from->precision - to->precision;
    uint64_t payload = bits & ((UINT64_C(1) << (from->precision - 1)) - 1);
    payload = shift >= 0 ? payload >> shift : payload << -shift;
    uint64_t quiet = UINT64_C(1) << (to->precision - 2);
    return (bits & from->sign ? to->sign : 0) | to->infinity | quiet | payload;
}
