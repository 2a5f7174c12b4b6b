/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Exact decimal arithmetic on floating-point values. All in integers: neither the locale, nor the rounding mode, nor
 * the C library's ideas of printf and strtod can change a digit. */
#ifndef GELU_TEXT_DECIMAL_H
#define GELU_TEXT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gelu.h"

/* A floating-point format, as far as its bits matter. */
struct float_format {
    int bits, fraction_bits;
    int min_exponent; /* of the last fraction bit of a subnormal */
};

/* NULL for an unknown type. */
const struct float_format *gelu_float_format_of(gelu_dtype dtype);

enum float_class { FLOAT_FINITE, FLOAT_INF, FLOAT_NAN };

/* |value| = mantissa * 2^exponent. */
struct float_parts {
    enum float_class kind;
    bool negative;
    uint64_t mantissa;
    int exponent;
    bool narrow_below; /* the next value below is nearer than the one above: a power of two */
};

uint64_t gelu_float_load(gelu_dtype dtype, const void *value);
void gelu_float_store(gelu_dtype dtype, uint64_t bits, void *value);
struct float_parts gelu_float_split(const struct float_format *format, uint64_t bits);

/* Digits enough for every double, and for a point midway between two. */
#define DECIMAL_MAX_DIGITS 800

/* 0.d1d2d3... * 10^point with d1 != 0 and no zeros at the end; count is 0 for zero. */
struct decimal {
    int count, point;
    bool more; /* the number is greater than these digits by less than one of the last place */
    char digits[DECIMAL_MAX_DIGITS];
};

/* mantissa * 2^exponent exactly, for -1100 <= exponent <= 1100. */
void gelu_decimal_from_binary(uint64_t mantissa, int exponent, struct decimal *out);
/* The sign of a - b. */
int gelu_decimal_compare(const struct decimal *a, const struct decimal *b);
/* Keeps places digits after the point (they may be negative), rounding to nearest even. */
void gelu_decimal_round_places(struct decimal *d, int places);
/* Keeps count digits, rounding to nearest even; the value may become 10^k. */
void gelu_decimal_round_digits(struct decimal *d, int count);

/* The digits that repr in Python and NumPy shows: the fewest that read back as the same value of this type, and of
 * those the nearest. parts is finite. */
void gelu_decimal_shortest(const struct float_parts *parts, struct decimal *out);

#endif
