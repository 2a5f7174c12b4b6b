/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "format.h"

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

uint64_t format_convert_nan(const number_format *from, uint64_t bits, const number_format *to) {
    int shift = from->precision - to->precision;
    uint64_t payload = bits & ((UINT64_C(1) << (from->precision - 1)) - 1);
    payload = shift >= 0 ? payload >> shift : payload << -shift;
    uint64_t quiet = UINT64_C(1) << (to->precision - 2);
    return (bits & from->sign ? to->sign : 0) | to->infinity | quiet | payload;
}
