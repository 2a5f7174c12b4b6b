/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "format.h"
#include "judge.h"
#include "places.h"

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
    verdict v = {0};
    if (reference_round(r, target->order, target->out, &v.want)) {
        v.ulps = reference_ulps(r, target->order, target->out, got);
    } else {
        v.want = oracle_round(o, target->act, target->order, format_decode(format_of(target->in), x), target->out);
        v.ulps = oracle_measure(o, got).ulps;
        v.undecided = true;
    }
    v.good = got == v.want;
    return v;
}

/* dy times the f' that the oracle or the reference rounds to f32: exact in double, then rounded once. RELU selects. */
static verdict judge_backward(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t dy,
                              uint64_t got) {
    const number_format *in = format_of(target->in);
    double number = format_widen(target->in, x), factor = format_widen(target->in, dy), product;
    uint64_t slope;
    verdict v = {0};
    if (target->act == GELU_RELU) {
        product = number > 0 ? factor : 0;
    } else {
        v.undecided = !reference_round(r, 1, GELU_F32, &slope);
        if (v.undecided) slope = oracle_round(o, target->act, 1, number, GELU_F32);
        product = format_widen(GELU_F32, slope) * factor;
    }
    if (isnan(product)) return demand_quiet_nan(in, in->infinity | UINT64_C(1) << (in->precision - 2), got);
    reference exact = {.value = {product}};
    reference_round(&exact, 0, target->out, &v.want);
    v.good = got == v.want;
    bool overflows = (v.want & (in->sign - 1)) == in->infinity; /* no distance to measure */
    if (!v.good || !overflows) v.ulps = reference_ulps(&exact, 0, target->out, got);
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

verdict judge(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t dy, uint64_t got) {
    if (format_is_nan(format_of(target->in), x)) return judge_nan(target, x, got);
    if (target->backward) return judge_backward(o, target, r, x, dy, got);
    if (sweep_is_exact(target)) return judge_exact(o, target, r, x, got);
    return judge_bounded(o, target, x, got);
}
