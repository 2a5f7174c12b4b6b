/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Text to a floating-point value, rounded once to the type. Decimal text is compared exactly with the values of the
 * type, whose bit patterns ascend with them; hexadecimal text is rounded in integers. */

#include <string.h>
#include "gelu_io.h"
#include "text/decimal.h"

/* Exponents beyond this are zero or infinity in every type, and sums of them still fit an int. */
#define EXPONENT_LIMIT 100000000

static uint64_t infinity_bits(const struct float_format *format) {
    uint64_t fields = ((uint64_t)1 << (format->bits - 1)) - 1;
    return fields - (((uint64_t)1 << format->fraction_bits) - 1);
}

/* 2^exponent; 0 when it is too small for a normal number, infinity when it is too large. */
static uint64_t power_of_two_bits(const struct float_format *format, int exponent) {
    uint64_t infinity = infinity_bits(format);
    int top = (int)(infinity >> format->fraction_bits),
        field = exponent - format->min_exponent - format->fraction_bits + 1;
    return field < 1 ? 0 : field >= top ? infinity : (uint64_t)field << format->fraction_bits;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool same_word(const char *text, const char *word) {
    for (; *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *word) return false;
    return *text == '\0';
}

/* The optional exponent, after marker or its capital, up to the end of the text. */
static bool parse_exponent(const char *text, char marker, int *exponent) {
    *exponent = 0;
    if (*text == '\0') return true;
    if (*text != marker && *text != marker - 'a' + 'A') return false;
    bool negative = *++text == '-';
    if (*text == '-' || *text == '+') text++;
    if (!is_digit(*text)) return false;
    for (; is_digit(*text); text++)
        if (*exponent < EXPONENT_LIMIT) *exponent = *exponent * 10 + (*text - '0');
    if (negative) *exponent = -*exponent;
    return *text == '\0';
}

static void add_clamped(int *sum, int step) {
    if (*sum > -EXPONENT_LIMIT && *sum < EXPONENT_LIMIT) *sum += step;
}

static bool parse_decimal(const char *text, struct decimal *out) {
    bool any = false, after_point = false;
    int exponent;
    out->count = out->point = 0;
    out->more = false;
    for (; is_digit(*text) || (*text == '.' && !after_point); text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        any = true;
        bool leading = out->count == 0 && *text == '0';
        if (!leading && out->count < DECIMAL_MAX_DIGITS)
            out->digits[out->count++] = *text;
        else if (!leading && *text != '0')
            out->more = true;
        if (!after_point && !leading) add_clamped(&out->point, 1);
        if (after_point && leading) add_clamped(&out->point, -1);
    }
    if (!any || !parse_exponent(text, 'e', &exponent)) return false;
    while (out->count > 0 && out->digits[out->count - 1] == '0') out->count--;
    out->point += exponent;
    return true;
}

/* The bits of the value of this type nearest to d, ties to even. */
static uint64_t nearest(const struct float_format *format, const struct decimal *d) {
    struct decimal at;
    if (d->count == 0 || d->point < -400) return 0;
    if (d->point > 400) return infinity_bits(format);
    /* 10^(point-1) <= d < 10^point, and log2(10) is 3.3219 with an error that these 800 powers do not add up to 1. */
    uint64_t low = power_of_two_bits(format, (d->point - 1) * 33219 / 10000 - 2);
    uint64_t high = power_of_two_bits(format, d->point * 33219 / 10000 + 2);
    if (low == infinity_bits(format)) return low;
    if (high == 0) high = (uint64_t)1 << format->fraction_bits;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        struct float_parts parts = gelu_float_split(format, middle);
        gelu_decimal_from_binary(parts.mantissa, parts.exponent, &at);
        if (gelu_decimal_compare(&at, d) <= 0)
            low = middle;
        else
            high = middle;
    }
    struct float_parts parts = gelu_float_split(format, low);
    gelu_decimal_from_binary(2 * parts.mantissa + 1, parts.exponent - 1, &at);
    int order = gelu_decimal_compare(d, &at);
    return low + (order > 0 || (order == 0 && low % 2 == 1));
}

/* mantissa * 2^exponent, and a little more if sticky, to the nearest value; mantissa has its top bit set. */
static uint64_t round_binary(const struct float_format *format, uint64_t mantissa, int exponent, bool sticky) {
    uint64_t infinity = infinity_bits(format);
    int top_field = (int)(infinity >> format->fraction_bits);
    int drop = 63 - format->fraction_bits; /* to a normal number's mantissa */
    if (exponent + drop < format->min_exponent) drop = format->min_exponent - exponent;
    if (drop > 64) return 0;
    if (exponent + drop - format->min_exponent >= top_field - 1) return infinity;
    uint64_t kept = drop == 64 ? 0 : mantissa >> drop;
    uint64_t rest = drop == 64 ? mantissa : mantissa << (64 - drop), half = (uint64_t)1 << 63;
    bool up = rest > half || (rest == half && (sticky || kept % 2 == 1));
    /* kept has the hidden bit when the number is normal, and then its field is one more than this says. */
    return ((uint64_t)(exponent + drop - format->min_exponent) << format->fraction_bits) + kept + up;
}

static bool parse_hex(const struct float_format *format, const char *text, uint64_t *bits) {
    uint64_t mantissa = 0;
    int point = 0, exponent;
    bool any = false, after_point = false, sticky = false;
    for (; hex_digit(*text) >= 0 || (*text == '.' && !after_point); text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        any = true;
        int digit = hex_digit(*text);
        if (mantissa >> 60 == 0) {
            mantissa = mantissa << 4 | (uint64_t)digit;
            if (after_point) add_clamped(&point, -4);
        } else {
            sticky = sticky || digit != 0;
            if (!after_point) add_clamped(&point, 4);
        }
    }
    if (!any || !parse_exponent(text, 'p', &exponent)) return false;
    *bits = 0;
    if (mantissa == 0) return true;
    exponent += point;
    for (; mantissa >> 63 == 0; exponent--) mantissa <<= 1;
    *bits = round_binary(format, mantissa, exponent, sticky);
    return true;
}

gelu_status gelu_parse_value(gelu_dtype dtype, const char *text, void *value) {
    const struct float_format *format = gelu_float_format_of(dtype);
    struct decimal decimal;
    uint64_t bits;
    if (!format || !text || !value) return GELU_ERR_ARGUMENT;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (same_word(text, "inf") || same_word(text, "infinity")) {
        bits = infinity_bits(format);
    } else if (same_word(text, "nan")) {
        bits = infinity_bits(format) | (uint64_t)1 << (format->fraction_bits - 1);
    } else if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        if (!parse_hex(format, text + 2, &bits)) return GELU_ERR_ARGUMENT;
    } else {
        if (!parse_decimal(text, &decimal)) return GELU_ERR_ARGUMENT;
        bits = nearest(format, &decimal);
    }
    gelu_float_store(dtype, bits | (uint64_t)negative << (format->bits - 1), value);
    return GELU_OK;
}
