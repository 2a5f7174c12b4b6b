/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Numbers as an unevaluated sum hi + lo of two doubles, abs(lo) <= ulp(hi)/2: about 104 bits. Parameter: the vector
 * vocabulary. Errors below are relative, for normal numbers (Joldes, Muller, Popescu, "Tight and rigorous error
 * bounds for basic building blocks of double-word arithmetic", 2017). */

typedef struct {
    v64 hi, lo;
} dd;

/* a * b, to be added to something: rounded first, whatever the compiler's options say. */
GELU_INLINE v64 v64_product(v64 a, v64 b) {
    v64 product = a * b;
    GELU_KEEP_ROUNDED(product);
    return product;
}

GELU_INLINE dd dd_make(v64 hi, v64 lo) { return (dd){hi, lo}; }
GELU_INLINE dd dd_constant(double hi, double lo) { return (dd){v64_set(hi), v64_set(lo)}; }
GELU_INLINE dd dd_negate(dd a) { return (dd){v64_negate(a.hi), v64_negate(a.lo)}; }
GELU_INLINE dd dd_select(m64 m, dd a, dd b) { return (dd){v64_select(m, a.hi, b.hi), v64_select(m, a.lo, b.lo)}; }

/* a + b exactly; abs(a) >= abs(b), or a = 0. */
GELU_INLINE dd dd_fast_two_sum(v64 a, v64 b) {
    v64 sum = a + b;
    return (dd){sum, b - (sum - a)};
}

/* a + b exactly. */
GELU_INLINE dd dd_two_sum(v64 a, v64 b) {
    v64 sum = a + b;
    v64 b_seen = sum - a;
    return (dd){sum, (a - (sum - b_seen)) + (b - b_seen)};
}

GELU_INLINE dd dd_two_product(v64 a, v64 b) {
    dd p;
    p.hi = v64_two_product(a, b, &p.lo);
    return p;
}

/* Error 3 * 2^-106 of abs(a) + abs(b): of the sum only when there is no cancellation. */
GELU_INLINE dd dd_add(dd a, dd b) {
    dd high = dd_two_sum(a.hi, b.hi), low = dd_two_sum(a.lo, b.lo);
    dd sum = dd_fast_two_sum(high.hi, high.lo + low.hi);
    return dd_fast_two_sum(sum.hi, sum.lo + low.lo);
}

GELU_INLINE dd dd_subtract(dd a, dd b) { return dd_add(a, dd_negate(b)); }

/* Error 2^-105. */
GELU_INLINE dd dd_add_v64(dd a, v64 b) {
    dd sum = dd_two_sum(a.hi, b);
    return dd_fast_two_sum(sum.hi, sum.lo + a.lo);
}

/* Error 2^-103. */
GELU_INLINE dd dd_multiply(dd a, dd b) {
    dd p = dd_two_product(a.hi, b.hi);
    return dd_fast_two_sum(p.hi, p.lo + (v64_product(a.hi, b.lo) + v64_product(a.lo, b.hi)));
}

/* Error 2^-104. */
GELU_INLINE dd dd_multiply_v64(dd a, v64 b) {
    dd p = dd_two_product(a.hi, b);
    return dd_fast_two_sum(p.hi, p.lo + v64_product(a.lo, b));
}

/* Exact when no part under- or overflows; scale is a power of two. */
GELU_INLINE dd dd_scale(dd a, v64 scale) { return (dd){a.hi * scale, a.lo * scale}; }

/* 1 / a: one Newton step from the rounded quotient. Error 2^-102. */
GELU_INLINE dd dd_reciprocal(dd a) {
    v64 first = v64_set(1) / a.hi;
    dd product = dd_two_product(first, a.hi);
    v64 rest = ((v64_set(1) - product.hi) - product.lo) - v64_product(first, a.lo);
    return dd_fast_two_sum(first, v64_product(first, rest));
}

/* value * 2^exponent, for results far below the range of a double. */
typedef struct {
    dd value;
    i64 exponent;
} scaled;

/* 2^n, -1022 <= n <= 1023. */
GELU_INLINE v64 v64_power_of_two(i64 n) { return v64_from_bits(i64_shift_left(n + i64_set(1023), 52)); }

/* The value itself, its exponent raised to at least the given one: for uses where anything so small acts alike. */
GELU_INLINE dd scaled_at_least(scaled a, int64_t exponent) {
    return dd_scale(a.value, v64_power_of_two(i64_max(a.exponent, i64_set(exponent))));
}
