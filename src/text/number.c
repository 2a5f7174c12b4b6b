/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "text/text.h"

size_t gelu_text_shortest(char out[40], const struct float_parts *parts) {
    struct decimal exact, value;
    if (parts->kind != FLOAT_FINITE) return gelu_text_nonfinite(out, parts);
    gelu_decimal_from_binary(parts->mantissa, parts->exponent, &exact);
    gelu_decimal_shortest(parts, &value);
    /* 0.d1d2... * 10^point: the exact value decides, as the shortest digits may round up to 1e-4. */
    if (exact.count > 0 && (exact.point < -3 || exact.point > 16))
        return gelu_text_exponent(out, parts->negative, &value, value.count > 1 ? (size_t)value.count - 1 : 0, false,
                                  2);
    size_t places = value.count > value.point ? (size_t)(value.count - value.point) : 1;
    return gelu_text_fixed(out, parts->negative, &value, places, true);
}

size_t gelu_format_shortest(gelu_dtype dtype, const void *value, char buffer[40]) {
    const struct float_format *format = gelu_float_format_of(dtype);
    size_t length = 0;
    if (format && value) {
        struct float_parts parts = gelu_float_split(format, gelu_float_load(dtype, value));
        length = gelu_text_shortest(buffer, &parts);
    }
    buffer[length] = '\0';
    return length;
}
