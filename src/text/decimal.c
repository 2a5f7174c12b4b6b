/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "base/compiler.h"
#include "text/decimal.h"

#define LIMB 1000000000u /* nine digits */
#define LIMB_DIGITS 9
/* 2^-1100 has 1100 digits after the point, 2^(64+1100) has 351 before it. */
#define FRACTION_LIMBS 123
#define INTEGER_LIMBS 40

static const struct float_format formats[] = {
    [GELU_F32] = {32, 23, -149}, [GELU_F64] = {64, 52, -1074}, [GELU_F16] = {16, 10, -24}, [GELU_BF16] = {16, 7, -133}};

const struct float_format *gelu_float_format_of(gelu_dtype dtype) {
    return gelu_dtype_nbytes(dtype) ? &formats[dtype] : NULL;
}

uint64_t gelu_float_load(gelu_dtype dtype, const void *value) {
    uint64_t bits = 0;
    memcpy(&bits, value, gelu_dtype_nbytes(dtype)); /* little-endian, as the whole library is */
    return bits;
}

void gelu_float_store(gelu_dtype dtype, uint64_t bits, void *value) { memcpy(value, &bits, gelu_dtype_nbytes(dtype)); }

struct float_parts gelu_float_split(const struct float_format *format, uint64_t bits) {
    int exponent_bits = format->bits - 1 - format->fraction_bits;
    uint64_t hidden = (uint64_t)1 << format->fraction_bits, fraction = bits & (hidden - 1);
    int field = (int)(bits >> format->fraction_bits) & ((1 << exponent_bits) - 1);
    struct float_parts parts = {FLOAT_FINITE, bits >> (format->bits - 1) & 1, fraction, format->min_exponent, false};
    if (field == (1 << exponent_bits) - 1) {
        parts.kind = fraction ? FLOAT_NAN : FLOAT_INF;
    } else if (field > 0) {
        parts.mantissa |= hidden;
        parts.exponent += field - 1;
        parts.narrow_below = fraction == 0 && field > 1;
    }
    return parts;
}

/* A fixed-point number in limbs of nine digits, most significant first; limb[INTEGER_LIMBS] follows the point. */
struct fixed {
    uint32_t limb[INTEGER_LIMBS + FRACTION_LIMBS];
    int first, last; /* all nonzero limbs lie in first..last */
};

static void fixed_times_power(struct fixed *x, int power) {
    while (power > 0) {
        int step = power < 29 ? power : 29;
        uint64_t carry = 0;
        for (int i = x->last; i >= x->first || carry; i--) {
            uint64_t t = ((uint64_t)x->limb[i] << step) + carry;
            x->limb[i] = (uint32_t)(t % LIMB);
            carry = t / LIMB;
            if (i < x->first) x->first = i;
        }
        power -= step;
    }
}

static void fixed_over_power(struct fixed *x, int power) {
    while (power > 0) {
        int step = power < 29 ? power : 29;
        uint64_t rest = 0;
        for (int i = x->first; i <= x->last || rest; i++) {
            uint64_t t = rest * LIMB + x->limb[i];
            x->limb[i] = (uint32_t)(t >> step);
            rest = t & (((uint64_t)1 << step) - 1);
            if (i > x->last) x->last = i;
        }
        while (x->first < x->last && x->limb[x->first] == 0) x->first++;
        power -= step;
    }
}

static void decimal_trim(struct decimal *d) {
    while (d->count > 0 && d->digits[d->count - 1] == '0') d->count--;
    if (d->count == 0) d->point = 0;
}

void gelu_decimal_from_binary(uint64_t mantissa, int exponent, struct decimal *out) {
    struct fixed x;
    memset(&x, 0, sizeof x);
    x.last = INTEGER_LIMBS - 1;
    x.first = INTEGER_LIMBS - 3;
    for (int i = x.last; i >= x.first; i--) {
        x.limb[i] = (uint32_t)(mantissa % LIMB);
        mantissa /= LIMB;
    }
    fixed_times_power(&x, exponent);
    fixed_over_power(&x, -exponent);
    out->count = 0;
    out->more = false;
    out->point = (INTEGER_LIMBS - x.first) * LIMB_DIGITS;
    for (int i = x.first; i <= x.last; i++) {
        char nine[LIMB_DIGITS];
        uint32_t t = x.limb[i];
        for (int k = LIMB_DIGITS - 1; k >= 0; k--, t /= 10) nine[k] = (char)('0' + t % 10);
        for (int k = 0; k < LIMB_DIGITS; k++) {
            if (out->count == 0 && nine[k] == '0')
                out->point--;
            else if (out->count < DECIMAL_MAX_DIGITS)
                out->digits[out->count++] = nine[k];
        }
    }
    decimal_trim(out);
}

int gelu_decimal_compare(const struct decimal *a, const struct decimal *b) {
    if (a->count == 0 || b->count == 0) return (a->count > 0 || a->more) - (b->count > 0 || b->more);
    if (a->point != b->point) return a->point < b->point ? -1 : 1;
    int common = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, (size_t)common);
    if (order) return order < 0 ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    return a->more - b->more;
}

/* One more in the last of the count digits. */
static void increment(struct decimal *d) {
    int i = d->count - 1;
    while (i >= 0 && d->digits[i] == '9') i--;
    d->count = i + 1;
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    d->digits[0] = '1';
    d->count = 1;
    d->point++;
}

void gelu_decimal_round_digits(struct decimal *d, int count) {
    if (d->count <= count) return;
    if (count < 0) {
        d->count = d->point = 0;
        return;
    }
    char next = d->digits[count];
    bool half = next == '5' && d->count == count + 1 && !d->more;
    bool odd = count > 0 && (d->digits[count - 1] - '0') % 2 == 1;
    bool up = half ? odd : next >= '5';
    d->count = count;
    if (up) increment(d);
    d->more = false;
    decimal_trim(d);
}

void gelu_decimal_round_places(struct decimal *d, int places) {
    if (d->count > 0) gelu_decimal_round_digits(d, d->point + places < -1 ? -1 : d->point + places);
}

/* Whether d lies where reading rounds to the value between low and high. */
static bool reads_back(const struct decimal *d, const struct decimal *low, const struct decimal *high, bool ends) {
    int below = gelu_decimal_compare(d, low), above = gelu_decimal_compare(d, high);
    return (below > 0 || (ends && below == 0)) && (above < 0 || (ends && above == 0));
}

void gelu_decimal_shortest(const struct float_parts *parts, struct decimal *out) {
    struct decimal exact, low, high;
    uint64_t m = parts->mantissa;
    int e = parts->exponent;
    bool even = m % 2 == 0;
    gelu_decimal_from_binary(m, e, &exact);
    if (m == 0) {
        *out = exact;
        return;
    }
    if (parts->narrow_below)
        gelu_decimal_from_binary(4 * m - 1, e - 2, &low);
    else
        gelu_decimal_from_binary(2 * m - 1, e - 1, &low);
    gelu_decimal_from_binary(2 * m + 1, e - 1, &high);
    for (int count = 1;; count++) {
        *out = exact;
        gelu_decimal_round_digits(out, count);
        if (exact.count <= count || reads_back(out, &low, &high, even)) return;
        /* Below a power of two the values lie closer: the decimal just above may read back where the nearest, which
         * is just below, does not. */
        *out = exact;
        out->count = count;
        increment(out);
        decimal_trim(out);
        if (reads_back(out, &low, &high, even)) return;
    }
}
