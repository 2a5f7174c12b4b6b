/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <float.h>
#include <math.h>

#include "format.h"
#include "reference.h"

/* Errors, with u = 2^-64 for the x87 format (smaller elsewhere). expl and erfcl are taken to be right to 16 u, several
 * times what glibc claims. An argument of expl, below 2^7.4 in magnitude, has at most five roundings: 2^9.8 u. erfcl's
 * argument has two, and its condition is below x^2 = 225: 2^8.8 u. Everything after that has under ten roundings and no
 * cancellation but the one in f', which may cost 2^10 before the oracle is asked. So f is right to 2^-53 relative and
 * f' to 2^-43, and the margin is 2^-39: between 2^-16 and 2^-15 ULP of f32. test_oracle measures it. */
_Static_assert(LDBL_MANT_DIG >= 64, "the fast reference needs a long double of 64 bits or more");
static const double relative_margin = 0x1p-39, absolute_margin = 0x1p-165;
static const long double cancellation = 0x1p-10L;

static const long double sqrt_half = 0.707106781186547524400844362104849039L;
static const long double inverse_sqrt_2pi = 0.398942280401432677939946059934381868L;
static const long double two_sqrt_2_over_pi = 1.595769121605730711759784239737527474L;

static const float tiny = 0x1p-28f;

/* From high on, f(x) is within 2^-26 (relative) below x and f'(x) within 2^-26 of 1: with q = e^-U, or phi(x), the
 * distances are below q (1 + x U') and q (1 + x), at most erf 2^-44, tanh 2^-63, quick 2^-53, silu 2^-52. From low on
 * down, the same terms times |x| are below 2^-151, so f and f' round to -0. */
static const struct {
    float low, high;
} limits[] = {[GELU_ERF] = {-15, 8}, [GELU_TANH] = {-12, 8}, [GELU_QUICK] = {-70, 24}, [GELU_SILU] = {-120, 40}};
static const float elu_low = -110; /* e^x < 2^-158 */

static void settle(reference *r, int order, double value) {
    r->value[order] = value;
    r->margin[order] = 0;
}

static void estimate(reference *r, int order, long double value) {
    r->value[order] = (double)value; /* off by another 2^-53 */
    r->margin[order] = fabs(r->value[order]) * relative_margin + absolute_margin;
}

/* sum, computed from terms whose magnitudes add up to size. */
static void estimate_sum(reference *r, int order, long double sum, long double size) {
    estimate(r, order, sum);
    if (fabsl(sum) < size * cancellation) r->margin[order] = (double)INFINITY;
}

static void evaluate_erf(float x, reference *r) {
    long double wide = x;
    long double cdf = 0.5L * erfcl(-wide * sqrt_half);
    long double slope = wide * expl(wide * wide * -0.5L) * inverse_sqrt_2pi; /* the square is exact */
    estimate(r, 0, wide * cdf);
    estimate_sum(r, 1, cdf + slope, cdf + fabsl(slope));
}

/* f = x sigma(u), f' = sigma (1 + x (1 - sigma) u'), sigma and 1 - sigma both from e^-|u| without a difference. */
static void evaluate_logistic(float x, long double u, long double du, reference *r) {
    long double e = expl(-fabsl(u)), inverse = 1 / (1 + e);
    long double sigma = x < 0 ? e * inverse : inverse, rest = x < 0 ? inverse : e * inverse;
    long double slope = x * rest * du;
    estimate(r, 0, x * sigma);
    estimate_sum(r, 1, sigma * (1 + slope), sigma * (1 + fabsl(slope)));
}

static void evaluate_tanh(float x, reference *r) {
    long double wide = x, cubic = 0.044715L * (wide * wide);
    evaluate_logistic(x, two_sqrt_2_over_pi * (wide + wide * cubic), two_sqrt_2_over_pi * (1 + 3 * cubic), r);
}

/* Of x >= 0, or -0: the identity. */
static void evaluate_positive_elu(float x, reference *r) {
    settle(r, 0, x);
    settle(r, 1, 1);
}

static void evaluate_elu(float x, reference *r) {
    if (x >= 0) {
        evaluate_positive_elu(x, r);
    } else if (x > -tiny) { /* x + x^2/2 + ..., 1 + x + ...: less than 2^-28 from x (inwards) and 1, relative */
        settle(r, 0, x * (1 - 0x1p-41));
        settle(r, 1, 1);
    } else if (x <= elu_low) {
        settle(r, 0, -1);
        settle(r, 1, 0x1p-200);
    } else {
        bool steep = x < -1; /* there e^x - 1 does not cancel, and near 0 1 + (e^x - 1) does not */
        long double e = steep ? expl(x) : expm1l(x);
        estimate(r, 0, steep ? e - 1 : e);
        estimate(r, 1, steep ? e : 1 + e);
    }
}

static void evaluate_relu(float x, reference *r) {
    /* Written as a maximum, x < 0 ? 0 : x, clang 14 may lose the sign of -0 when it widens the result. */
    settle(r, 0, signbit(x) && x != 0 ? 0 : x);
    settle(r, 1, x > 0);
}

/* f = x/2 + c x^2 + ... with 0.25 <= c <= 0.43: above x/2 by less than 2^-28 of it. The factor puts half of an odd
 * subnormal on the right side of its tie. f' = 1/2 + 2c x + ... is within 2^-28 of 1/2, which rounds to itself. */
static void settle_tiny(float x, reference *r) {
    settle(r, 0, x * (0.5 + copysign(0x1p-41, x)));
    settle(r, 1, 0.5);
}

void reference_evaluate(gelu_act act, float x, reference *r) {
    if (act == GELU_IDENTITY) {
        evaluate_positive_elu(x, r);
    } else if (act == GELU_RELU) {
        evaluate_relu(x, r);
    } else if (act == GELU_ELU) {
        evaluate_elu(x, r);
    } else if (fabsf(x) < tiny) {
        settle_tiny(x, r);
    } else if (x >= limits[act].high) {
        settle(r, 0, x * (1 - 0x1p-41)); /* just below x, in case x is a tie of the output format */
        settle(r, 1, 1);
    } else if (x <= limits[act].low) {
        settle(r, 0, -0x1p-200);
        settle(r, 1, -0x1p-200);
    } else if (act == GELU_ERF) {
        evaluate_erf(x, r);
    } else if (act == GELU_TANH) {
        evaluate_tanh(x, r);
    } else {
        long double k = act == GELU_QUICK ? 1.702L : 1;
        evaluate_logistic(x, k * x, k, r);
    }
}

double reference_ulps(double value, gelu_dtype out, uint64_t got) {
    double rounded = format_widen(out, got), error = fabs(rounded - value);
    if (error <= DBL_MAX) return error * reference_scale(reference_quantum(format_of(out), value));
    return rounded == value ? 0 : (double)INFINITY; /* infinities and NaNs */
}
