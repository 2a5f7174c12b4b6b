/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdlib.h>

#include <mpfr.h>

#include "format.h"
#include "oracle.h"

enum {
    FIRST_PRECISION = 128,
    STAND_IN_PRECISION = 256,
    STAND_IN_DISTANCE = 150,
    MEASURED_BITS = 90, /* an error in ULP of f64 is known to 2^-37 */
    N_TEMPORARIES = 8,
    /* Every step below rounds to nearest, so errs by at most 2^-p relative. The worst step is exp or erfc of an
     * argument that is itself off by 2^-p: |x| < far keeps arguments below 2^11 (x^2 / 2 below 2^10), an argument has
     * at most eight roundings, and the result multiplies at most four such values: 2^(3 + 11 + 2), with some room. */
    GUARD = 20
};

struct oracle {
    mpfr_t value, low, high, error;
    mpfr_t t[N_TEMPORARIES];
    const number_format *format;
    uint64_t bits;
};

/* From `near` on, 1 - f(x)/x and 1 - f'(x) are below 2^-90 (ELU: e^-near < 2^-90 at -near). From -far on down, f, f'
 * and f'' are below 2^-1080, and beyond far on the other side f'' is. */
static const struct {
    double near, far;
} limits[] = {[GELU_ERF] = {12, 40},
              [GELU_TANH] = {10, 24},
              [GELU_QUICK] = {40, 460},
              [GELU_SILU] = {70, 780},
              [GELU_ELU] = {70, 780}};

oracle *oracle_new(void) {
    oracle *o = malloc(sizeof *o);
    if (!o) return NULL;
    mpfr_inits2(STAND_IN_PRECISION, o->value, o->low, o->high, o->error, (mpfr_ptr)0);
    for (int i = 0; i < N_TEMPORARIES; i++) mpfr_init2(o->t[i], FIRST_PRECISION);
    o->format = format_of(GELU_F32);
    o->bits = 0;
    return o;
}

void oracle_free(oracle *o) {
    if (!o) return;
    mpfr_clears(o->value, o->low, o->high, o->error, (mpfr_ptr)0);
    for (int i = 0; i < N_TEMPORARIES; i++) mpfr_clear(o->t[i]);
    free(o);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

static uint64_t encode(const number_format *format, mpfr_srcptr v, mpfr_ptr scaled) {
    bool negative = mpfr_signbit(v);
    if (mpfr_inf_p(v)) return format_assemble(format, negative, 0, 1 << 20);
    if (mpfr_zero_p(v)) return format_assemble(format, negative, 0, format->min_exponent);
    int q = format_quantum(format, mpfr_get_exp(v));
    mpfr_set_prec(scaled, mpfr_get_prec(v));
    mpfr_mul_2si(scaled, v, -(long)q, MPFR_RNDN); /* exact */
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    return format_assemble(format, negative, mpfr_get_ui(scaled, MPFR_RNDN), q);
}

/* ---- The places where no evaluation is needed ---- */

/* value = a * (1 + sign * 2^-STAND_IN_DISTANCE). A stand-in: a has at most 53 bits, so it is a rounding boundary itself
 * or further than 2^-55 (relative) from every one; the exact value lies on the same side of a, closer than 2^-60. Both
 * round alike in every format. */
static void stand_in(oracle *o, double a, int sign) {
    mpfr_set_d(o->value, a, MPFR_RNDN);
    if (sign == 0 || !mpfr_regular_p(o->value)) return;
    mpfr_mul_2si(o->error, o->value, -STAND_IN_DISTANCE, MPFR_RNDN);
    (sign > 0 ? mpfr_add : mpfr_sub)(o->value, o->value, o->error, MPFR_RNDN);
}

/* A magnitude below 2^-1080, where even f64 rounds to zero. */
static void vanishing(oracle *o, int sign) { mpfr_set_si_2exp(o->value, sign, -2000, MPFR_RNDN); }

static bool piecewise_linear(oracle *o, gelu_act act, int order, double x) {
    if (act == GELU_IDENTITY || (act == GELU_ELU && x >= 0)) {
        mpfr_set_d(o->value, order == 0 ? x : order == 1 ? 1 : 0, MPFR_RNDN);
        return true;
    }
    if (act != GELU_RELU) return false;
    double value = x < 0 ? 0 : x; /* -0 stays */
    mpfr_set_d(o->value, order == 0 ? value : order == 1 ? x > 0 : 0, MPFR_RNDN);
    return true;
}

/* |x| < 2^-64: f = x/2 + c x^2 + ..., c = f''(0)/2 between 0.25 and 0.43, so f lies above x/2 on both sides of 0, by
 * less than 2^-63 relative; f' = 1/2 + 2c x + ... likewise. ELU: x < 0, x + x^2/2 + ... and 1 + x + .... */
static bool tiny(oracle *o, gelu_act act, int order, double x) {
    if (!(fabs(x) < 0x1p-64)) return false;
    int sign = (x > 0) - (x < 0);
    if (act == GELU_ELU)
        stand_in(o, order == 0 ? x : 1, -1);
    else if (order == 0) {
        stand_in(o, x, sign);
        mpfr_div_2ui(o->value, o->value, 1, MPFR_RNDN);
    } else if (order == 1)
        stand_in(o, 0.5, sign);
    else
        return false; /* f''(0) is a number like any other */
    return true;
}

/* f(x) approaches x from below, f' 1 from above and f'' (an even function) 0 from below as x grows; -0 on the left. */
static bool saturated(oracle *o, gelu_act act, int order, double x) {
    double near = limits[act].near, far = limits[act].far;
    if (act == GELU_ELU) {
        if (order == 0 && x <= -near)
            stand_in(o, -1, -1);
        else if (order > 0 && x <= -far)
            vanishing(o, 1);
        else
            return false;
        return true;
    }
    if (order < 2 && x >= near)
        stand_in(o, order == 0 ? x : 1, order == 0 ? -1 : 1);
    else if (x <= -far || (order == 2 && x >= far))
        vanishing(o, -1);
    else
        return false;
    return true;
}

/* ---- Evaluation: each returns the number of low bits that may be wrong ---- */

/* value = sum of n terms. Each is off by 2^(GUARD - p) relative, and the sum by that of the largest magnitude, times n
 * (at most 3); cancellation makes it larger relative to the sum. */
static long add_terms(oracle *o, int n, mpfr_ptr *terms) {
    long largest = mpfr_get_emin();
    for (int i = 0; i < n; i++)
        if (!mpfr_zero_p(terms[i]) && mpfr_get_exp(terms[i]) > largest) largest = mpfr_get_exp(terms[i]);
    mpfr_set(o->value, terms[0], MPFR_RNDN);
    for (int i = 1; i < n; i++) mpfr_add(o->value, o->value, terms[i], MPFR_RNDN);
    if (mpfr_zero_p(o->value)) return mpfr_get_prec(o->value);
    return GUARD + 4 + largest - mpfr_get_exp(o->value);
}

/* t[0] = phi(x). */
static void normal_density(oracle *o, double x) {
    mpfr_ptr phi = o->t[0], root = o->t[1];
    mpfr_set_d(phi, x, MPFR_RNDN);
    mpfr_sqr(phi, phi, MPFR_RNDN); /* exact: 106 bits */
    mpfr_div_si(phi, phi, -2, MPFR_RNDN);
    mpfr_exp(phi, phi, MPFR_RNDN);
    mpfr_const_pi(root, MPFR_RNDN);
    mpfr_mul_2ui(root, root, 1, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    mpfr_div(phi, phi, root, MPFR_RNDN);
}

static long eval_erf(oracle *o, int order, double x) {
    mpfr_ptr phi = o->t[0], cdf = o->t[2], root = o->t[1];
    if (order == 2) {
        normal_density(o, x);
        mpfr_set_d(cdf, x, MPFR_RNDN);
        mpfr_sqr(cdf, cdf, MPFR_RNDN);
        mpfr_ui_sub(cdf, 2, cdf, MPFR_RNDN); /* x^2 is exact, so this is right to 2^-p even near sqrt 2 */
        mpfr_mul(o->value, phi, cdf, MPFR_RNDN);
        return GUARD;
    }
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_set_d(cdf, -x, MPFR_RNDN);
    mpfr_div(cdf, cdf, root, MPFR_RNDN);
    mpfr_erfc(cdf, cdf, MPFR_RNDN); /* no cancellation on either side; condition 2 z^2 = x^2 < 2^11 */
    mpfr_div_2ui(cdf, cdf, 1, MPFR_RNDN);
    if (order == 0) {
        mpfr_mul_d(o->value, cdf, x, MPFR_RNDN);
        return GUARD;
    }
    normal_density(o, x);
    mpfr_mul_d(phi, phi, x, MPFR_RNDN);
    return add_terms(o, 2, (mpfr_ptr[]){cdf, phi});
}

/* t[0] = U(x), t[1] = U'(x), t[2] = U''(x) of f = x sigma(U). */
static void logistic_argument(oracle *o, gelu_act act, double x) {
    mpfr_ptr u = o->t[0], du = o->t[1], ddu = o->t[2], k = o->t[3], square = o->t[4];
    mpfr_set_zero(ddu, 1);
    mpfr_set_ui(du, 1, MPFR_RNDN);
    if (act == GELU_QUICK) {
        mpfr_set_ui(du, 851, MPFR_RNDN); /* 1.702 */
        mpfr_div_ui(du, du, 500, MPFR_RNDN);
    }
    if (act != GELU_TANH) {
        mpfr_mul_d(u, du, x, MPFR_RNDN);
        return;
    }
    mpfr_const_pi(k, MPFR_RNDN);
    mpfr_ui_div(k, 8, k, MPFR_RNDN);
    mpfr_sqrt(k, k, MPFR_RNDN); /* 2 sqrt(2/pi) */
    mpfr_set_d(square, x, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN);
    mpfr_mul_ui(square, square, 8943, MPFR_RNDN);
    mpfr_div_ui(square, square, 200000, MPFR_RNDN); /* 0.044715 x^2 */
    mpfr_add_ui(u, square, 1, MPFR_RNDN);
    mpfr_mul_d(u, u, x, MPFR_RNDN);
    mpfr_mul(u, u, k, MPFR_RNDN);
    mpfr_mul_ui(du, square, 3, MPFR_RNDN);
    mpfr_add_ui(du, du, 1, MPFR_RNDN);
    mpfr_mul(du, du, k, MPFR_RNDN);
    mpfr_mul_ui(ddu, k, 6 * 8943, MPFR_RNDN);
    mpfr_div_ui(ddu, ddu, 200000, MPFR_RNDN);
    mpfr_mul_d(ddu, ddu, x, MPFR_RNDN);
}

/* With E = e^-|U|: sigma is 1/(1+E) or E/(1+E), 1 - sigma the other one; neither is ever found by subtraction. */
static long eval_logistic(oracle *o, gelu_act act, int order, double x) {
    mpfr_ptr u = o->t[0], du = o->t[1], ddu = o->t[2], e = o->t[3], d = o->t[4], s = o->t[5], s1 = o->t[6], b = o->t[7];
    logistic_argument(o, act, x);
    mpfr_abs(u, u, MPFR_RNDN);
    mpfr_neg(u, u, MPFR_RNDN);
    mpfr_exp(e, u, MPFR_RNDN);
    mpfr_add_ui(d, e, 1, MPFR_RNDN);
    if (x < 0)
        mpfr_div(s, e, d, MPFR_RNDN);
    else
        mpfr_ui_div(s, 1, d, MPFR_RNDN);
    if (order == 0) {
        mpfr_mul_d(o->value, s, x, MPFR_RNDN);
        return GUARD;
    }
    mpfr_div(s1, e, d, MPFR_RNDN);
    mpfr_div(s1, s1, d, MPFR_RNDN); /* sigma (1 - sigma) */
    if (order == 1) {
        mpfr_mul(s1, s1, du, MPFR_RNDN);
        mpfr_mul_d(s1, s1, x, MPFR_RNDN);
        return add_terms(o, 2, (mpfr_ptr[]){s, s1});
    }
    /* f'' = s1 (2 U' - |x| (1 - E)/(1 + E) U'^2 + x U''): x (1 - 2 sigma) is never positive, 1 - E is -expm1(-|U|) */
    mpfr_expm1(b, u, MPFR_RNDN);
    mpfr_div(b, b, d, MPFR_RNDN);
    mpfr_mul_d(b, b, fabs(x), MPFR_RNDN);
    mpfr_mul(b, b, du, MPFR_RNDN);
    mpfr_mul(b, b, du, MPFR_RNDN);
    mpfr_mul_d(ddu, ddu, x, MPFR_RNDN);
    mpfr_mul_2ui(du, du, 1, MPFR_RNDN);
    long wrong = add_terms(o, 3, (mpfr_ptr[]){du, b, ddu});
    mpfr_mul(o->value, o->value, s1, MPFR_RNDN);
    return wrong + 1;
}

static long eval_elu(oracle *o, int order, double x) {
    mpfr_set_d(o->t[0], x, MPFR_RNDN);
    (order == 0 ? mpfr_expm1 : mpfr_exp)(o->value, o->t[0], MPFR_RNDN);
    return GUARD;
}

static long evaluate(oracle *o, gelu_act act, int order, double x, mpfr_prec_t precision) {
    mpfr_set_prec(o->value, precision);
    for (int i = 0; i < N_TEMPORARIES; i++) mpfr_set_prec(o->t[i], precision);
    if (act == GELU_ERF) return eval_erf(o, order, x);
    if (act == GELU_ELU) return eval_elu(o, order, x);
    return eval_logistic(o, act, order, x);
}

/* Ziv's strategy: more precision until both ends of the error interval round alike. It ends, because where the exact
 * value is a boundary, no evaluation is made. */
static void evaluate_until_decided(oracle *o, gelu_act act, int order, double x) {
    for (mpfr_prec_t precision = FIRST_PRECISION;; precision *= 2) {
        long wrong = evaluate(o, act, order, x, precision);
        if (precision - wrong < MEASURED_BITS) continue;
        mpfr_set_prec(o->low, precision);
        mpfr_set_prec(o->high, precision);
        mpfr_set_prec(o->error, precision);
        mpfr_mul_2si(o->error, o->value, wrong - precision, MPFR_RNDA);
        mpfr_sub(o->low, o->value, o->error, MPFR_RNDZ);
        mpfr_add(o->high, o->value, o->error, MPFR_RNDA);
        o->bits = encode(o->format, o->low, o->t[0]);
        if (o->bits == encode(o->format, o->high, o->t[0])) return;
    }
}

uint64_t oracle_round(oracle *o, gelu_act act, int order, double x, gelu_dtype out) {
    o->format = format_of(out);
    mpfr_set_prec(o->value, STAND_IN_PRECISION);
    mpfr_set_prec(o->error, STAND_IN_PRECISION);
    if (isnan(x)) {
        mpfr_set_nan(o->value);
        return o->bits = o->format->infinity | UINT64_C(1) << (o->format->precision - 2);
    }
    if (piecewise_linear(o, act, order, x) || tiny(o, act, order, x) || saturated(o, act, order, x))
        return o->bits = encode(o->format, o->value, o->t[0]);
    evaluate_until_decided(o, act, order, x);
    return o->bits;
}

oracle_error oracle_measure(oracle *o, uint64_t got) {
    double value = format_decode(o->format, got);
    if (!isfinite(value) || !mpfr_number_p(o->value)) {
        double error = got == o->bits ? 0 : (double)INFINITY;
        return (oracle_error){error, error};
    }
    int q = o->format->min_exponent;
    if (!mpfr_zero_p(o->value)) q = format_quantum(o->format, mpfr_get_exp(o->value));
    mpfr_set_prec(o->error, STAND_IN_PRECISION);
    mpfr_sub_d(o->error, o->value, value, MPFR_RNDN);
    mpfr_abs(o->error, o->error, MPFR_RNDN);
    oracle_error error = {.absolute = mpfr_get_d(o->error, MPFR_RNDU)}; /* up: just over a bound stays over it */
    mpfr_mul_2si(o->error, o->error, -(long)q, MPFR_RNDN);
    error.ulps = mpfr_get_d(o->error, MPFR_RNDU);
    return error;
}
