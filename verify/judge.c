/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "format.h"
#include "judge.h"
#include "places.h"
#include "results.h"

bool sweep_is_exact(const sweep_target *target) { return target->order < 2 && target->in != GELU_F64; }

double sweep_bound(const sweep_target *target) {
    if (sweep_is_exact(target)) return 0.5;
    return target->in == GELU_F64 && target->order > 0 ? 2 : 1;
}

/* The bound on the absolute error within 2^-10 of a root. */
static double root_bound(gelu_dtype dtype) { return dtype == GELU_F64 ? 0x1p-63 : 0x1p-34; }

bool judge_same_question(const sweep_target *a, const sweep_target *b) {
    return a->act == b->act && a->order == b->order && a->in == b->in && a->out == b->out &&
           !a->backward == !b->backward;
}

static verdict demand_quiet_nan(const number_format *out, uint64_t want, uint64_t got) {
    bool good = format_is_quiet_nan(out, got);
    return (verdict){.want = want, .good = good, .ulps = good ? 0 : (double)INFINITY};
}

static verdict judge_nan(const sweep_target *target, uint64_t x, uint64_t got) {
    const number_format *out = format_of(target->out);
    uint64_t want = format_convert_nan(format_of(target->in), x, out);
    if (target->order > 0) return demand_quiet_nan(out, want, got);
    return (verdict){.want = want, .good = got == want, .ulps = got == want ? 0 : (double)INFINITY};
}

static verdict judge_exact(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t got) {
    double value = r->value[target->order];
    reference_rounded exact = reference_round(value, r->margin[target->order], target->out);
    verdict v = {.want = exact.bits, .undecided = !exact.decided};
    if (v.undecided)
        v.want = oracle_round(o, target->act, target->order, format_decode(format_of(target->in), x), target->out);
    v.good = got == v.want;
    if (v.undecided)
        v.ulps = oracle_measure(o, got).ulps;
    else
        v.ulps = v.good ? exact.ulps : reference_ulps(value, target->out, got);
    return v;
}

/* dy f'(x) in double, where it is exact. RELU selects. */
static inline double product_with(gelu_act act, double x, double dy, uint64_t slope) {
    if (act == GELU_RELU) return x > 0 ? dy : 0;
    return format_widen(GELU_F32, slope) * dy;
}

/* dy times the f' that the oracle or the reference rounds to f32, rounded once. */
static verdict judge_backward(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t dy,
                              uint64_t got) {
    const number_format *in = format_of(target->in);
    double number = format_widen(target->in, x);
    reference_rounded slope = reference_round(r->value[1], r->margin[1], GELU_F32);
    if (!slope.decided) slope.bits = oracle_round(o, target->act, 1, number, GELU_F32);
    double product = product_with(target->act, number, format_widen(target->in, dy), slope.bits);
    if (isnan(product)) return demand_quiet_nan(in, in->infinity | UINT64_C(1) << (in->precision - 2), got);
    reference_rounded exact = reference_round(product, 0, target->out);
    verdict v = {.want = exact.bits, .good = got == exact.bits, .undecided = !slope.decided};
    v.ulps = v.good ? exact.ulps : reference_ulps(product, target->out, got);
    return v;
}

static verdict judge_bounded(oracle *o, const sweep_target *target, uint64_t x, uint64_t got) {
    const number_format *out = format_of(target->out);
    double number = format_decode(format_of(target->in), x);
    verdict v = {.want = oracle_round(o, target->act, target->order, number, target->out)};
    oracle_error error = oracle_measure(o, got);
    if (places_near_root(target->act, target->order, number)) {
        v.near_root = error.absolute / root_bound(target->out);
        v.good = v.near_root <= 1;
        return v;
    }
    bool special = number == 0 || isinf(number); /* the table of special values leaves no room */
    v.ulps = error.ulps;
    v.good = special ? error.absolute == 0 || got == v.want : error.ulps <= sweep_bound(target);
    /* Zeros and limits of f and f' have a sign; of f'' either will do. */
    if (target->order < 2) v.good = v.good && !((got ^ v.want) & out->sign) && (!special || got == v.want);
    return v;
}

static verdict judge_one(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t dy,
                         uint64_t got) {
    if (format_is_nan(format_of(target->in), x)) return judge_nan(target, x, got);
    if (target->backward) return judge_backward(o, target, r, x, dy, got);
    if (sweep_is_exact(target)) return judge_exact(o, target, r, x, got);
    return judge_bounded(o, target, x, got);
}

/* ---- Many, most of which the reference alone finds good ---- */

/* Long runs of inputs have the same exact value: -0 far to the left, a slope of 1 far to the right. */
typedef struct {
    double value, margin;
    reference_rounded rounded;
} last_rounded;

static inline bool same_bits(double a, double b) {
    uint64_t p, q;
    memcpy(&p, &a, sizeof p);
    memcpy(&q, &b, sizeof q);
    return p == q;
}

static inline reference_rounded round_or_repeat(last_rounded *last, double value, double margin, gelu_dtype out) {
    if (!same_bits(value, last->value) || !same_bits(margin, last->margin))
        *last = (last_rounded){value, margin, reference_round(value, margin, out)};
    return last->rounded;
}

/* in, out, order and backward are constants where this is inlined, and it always is. */
__attribute__((always_inline)) static inline void judge_many(oracle *o, const sweep_target *target, gelu_dtype in,
                                                             gelu_dtype out, int order, bool backward, size_t n,
                                                             const reference *references, const uint64_t *x,
                                                             const void *dy, const void *got, sweep_result *result) {
    gelu_dtype rounding = backward ? GELU_F32 : out;
    last_rounded last = {.rounded = reference_round(0, 0, rounding)};
    uint64_t checked = 0;
    for (size_t i = 0; i < n; i++) {
        const reference *r = &references[i];
        uint64_t bits = format_load(out, got, i), factor = backward ? format_load(in, dy, i) : 0;
        reference_rounded exact = round_or_repeat(&last, r->value[order], r->margin[order], rounding);
        bool decided = exact.decided;
        if (backward) {
            double product = product_with(target->act, r->value[0], format_widen(in, factor), exact.bits);
            exact = reference_round(product, 0, out);
        }
        if (decided && exact.decided && exact.bits == bits) {
            checked++;
            results_record_worst(result, exact.ulps, x[i]);
        } else {
            verdict v = judge_one(o, target, r, x[i], factor, bits);
            results_record(result, &v, x[i], factor, bits);
        }
    }
    result->checked += checked;
}

static void judge_exact_many(oracle *o, const sweep_target *target, size_t n, const reference *references,
                             const uint64_t *x, const void *got, sweep_result *result) {
#define MANY(type, derivative)                                                                                         \
    if (target->out == type && target->order == derivative)                                                            \
    judge_many(o, target, target->in, type, derivative, false, n, references, x, NULL, got, result)
    MANY(GELU_F32, 0);
    MANY(GELU_F32, 1);
    MANY(GELU_F16, 0);
    MANY(GELU_F16, 1);
    MANY(GELU_BF16, 0);
    MANY(GELU_BF16, 1);
#undef MANY
}

void judge(oracle *o, const sweep_target *target, size_t n, const reference *references, const uint64_t *x,
           const void *dy, const void *got, sweep_result *result) {
    if (target->backward && target->in == GELU_F32)
        judge_many(o, target, GELU_F32, GELU_F32, 1, true, n, references, x, dy, got, result);
    else if (target->backward)
        judge_many(o, target, target->in, target->out, 1, true, n, references, x, dy, got, result);
    else if (sweep_is_exact(target))
        judge_exact_many(o, target, n, references, x, got, result);
    else
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = format_load(target->out, got, i);
            verdict v = judge_one(o, target, NULL, x[i], 0, bits);
            results_record(result, &v, x[i], 0, bits);
        }
}
