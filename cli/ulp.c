/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "ulp.h"

#include <math.h>
#include <string.h>

double cli_round_to(gelu_dtype dtype, double value) {
    uint16_t half;
    float single;
    switch (dtype) {
    case GELU_F32: return (float)value;
    case GELU_F16:
    case GELU_BF16:
        gelu_convert(1, GELU_F64, &value, dtype, &half);
        gelu_convert(1, dtype, &half, GELU_F32, &single);
        return single;
    default: return value;
    }
}

bool cli_is_in(gelu_dtype dtype, double value) { return isnan(value) || cli_round_to(dtype, value) == value; }

/* Neighbours in dtype are neighbours here, from -infinity to +infinity. */
static int64_t rank(gelu_dtype dtype, double value) {
    uint64_t bits = 0;
    double magnitude = fabs(value);
    float single = (float)magnitude;
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    switch (dtype) {
    case GELU_F32: bits = word; break;
    case GELU_BF16: bits = word >> 16; break;
    case GELU_F16: bits = gelu_f16_from_f32(single); break;
    default: memcpy(&bits, &magnitude, sizeof bits);
    }
    return signbit(value) ? -(int64_t)bits : (int64_t)bits;
}

uint64_t cli_ulp_distance(gelu_dtype dtype, double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    int64_t first = rank(dtype, a), second = rank(dtype, b);
    return first < second ? (uint64_t)second - (uint64_t)first : (uint64_t)first - (uint64_t)second;
}

double cli_ulp(gelu_dtype dtype, double value) {
    int digits = 53, least = -1074; /* of the significand; the exponent of the smallest subnormal */
    switch (dtype) {
    case GELU_F32: digits = 24, least = -149; break;
    case GELU_BF16: digits = 8, least = -133; break;
    case GELU_F16: digits = 11, least = -24; break;
    default: break;
    }
    int exponent = least;
    if (value != 0) frexp(value, &exponent);
    return ldexp(1, exponent - digits > least ? exponent - digits : least);
}
