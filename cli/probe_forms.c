/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <string.h>

#include "probe.h"
#include "ulp.h"

static float one_plus_f32(gelu_act act, float x) {
    if (act == GELU_ERF) return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
    return 0.5F * x * (1.0F + tanhf(0.79788456080286536F * (x + 0.044715F * x * x * x)));
}

static double one_plus_f64(gelu_act act, double x) {
    if (act == GELU_ERF) return 0.5 * x * (1.0 + erf(x * 0.70710678118654752));
    return 0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

/* ggml leaves the table of tanh at 10 and -10; that of quick has no ends. */
static float from_table(gelu_act act, float x) {
    if (act == GELU_TANH && fabsf(x) >= 10) return x > 0 ? x : 0;
    float entry = gelu_f16_to_f32(gelu_f16_from_f32(x)), y;
    if (act == GELU_TANH)
        y = 0.5F * entry * (1.0F + tanhf(0.79788456080286536F * entry * (1.0F + 0.044715F * entry * entry)));
    else
        y = entry * (1.0F / (1.0F + expf(-1.702F * entry)));
    return gelu_f16_to_f32(gelu_f16_from_f32(y));
}

static void exact(gelu_act act, gelu_dtype work, size_t n, const double *x, double *y) {
    if (work == GELU_F64) {
        gelu_forward_f64(act, n, x, y);
        return;
    }
    float single[CLI_BLOCK] = {0};
    for (size_t i = 0; i < n; i++) single[i] = (float)x[i];
    gelu_forward_f32(act, n, single, single);
    for (size_t i = 0; i < n; i++) y[i] = single[i];
}

static bool is_half(gelu_dtype dtype) { return dtype == GELU_F16 || dtype == GELU_BF16; }

static double half_epsilon(gelu_dtype dtype) { return 0.5 * cli_ulp(dtype, 1); }

static bool has_formula(const probe_case *of) { return of->act == GELU_ERF || of->act == GELU_TANH; }

static bool is_tried(const probe_case *of, probe_how how) {
    if (how != PROBE_EXACT && probe_is_loose(of)) return false;
    if (how == PROBE_ONE_PLUS) return has_formula(of);
    /* What a table gives is in f16, so rounding it to that changes nothing. */
    bool rounds = of->first_type || (of->rounded == GELU_BF16 && !of->each_step);
    if (how == PROBE_TABLE) return (of->act == GELU_TANH || of->act == GELU_QUICK) && rounds;
    return true;
}

/* What this way makes of the gates and values, before it is rounded to the type of the result. */
static void predict(const probe_case *of, probe_how how, gelu_dtype work, size_t n, const double *gate,
                    const double *value, double *out) {
    if (how == PROBE_EXACT) /* from f64, so that a result of 16 bits is rounded but once */
        exact(of->act, is_half(of->rounded) && (!value || of->each_step) ? GELU_F64 : work, n, gate, out);
    for (size_t i = 0; i < n; i++) {
        if (how == PROBE_ONE_PLUS)
            out[i] = work == GELU_F32 ? one_plus_f32(of->act, (float)gate[i]) : one_plus_f64(of->act, gate[i]);
        if (how == PROBE_TABLE) out[i] = from_table(of->act, (float)gate[i]);
        if (of->each_step) out[i] = cli_round_to(of->rounded, out[i]);
        if (value) out[i] = cli_round_to(work, out[i] * value[i]);
    }
}

static void measure(probe_distance *to, gelu_dtype dtype, double predicted, double out) {
    uint64_t ulp = cli_ulp_distance(dtype, predicted, out);
    double absolute = predicted == out ? 0 : fabs(predicted - out);
    if (ulp == UINT64_MAX || absolute > to->absolute) to->absolute = ulp == UINT64_MAX ? INFINITY : absolute;
    if (ulp > to->ulp) to->ulp = ulp;
    if (ulp > 0) to->mismatches++;
}

/* How far a result may be from the exact one, which is not rounded yet: by the roundings of the last steps, and by what
 * the function's own error adds to them, whether it keeps its relative accuracy or not. */
static void judge_exact(probe_case *to, gelu_dtype work, double gate, double value, double exact_out, double out) {
    if (exact_out == out) return;
    bool half = is_half(to->rounded);
    double ulp = fmax(cli_ulp(to->rounded, cli_round_to(to->rounded, exact_out)), cli_ulp(to->rounded, out));
    double last = (half ? 0.5 : 2) * ulp, rough = 0, fine = 0;
    if (to->each_step) last += 2 * ulp;
    if (probe_is_loose(to)) last += gate * gate * ulp + (has_formula(to) ? fabs(gate) * half_epsilon(to->rounded) : 0);
    double quantum = half_epsilon(work);
    if (to->act != GELU_IDENTITY && to->act != GELU_RELU) {
        /* erf in f32 is off by up to 8 times half an epsilon where implementations are coarse. */
        rough = 4 * quantum * fabs(gate) * fabs(value);
        if (to->act == GELU_ELU) rough += 2 * quantum * fabs(value); /* e^x - 1 cancels */
        /* A rounded argument of the exponential function costs ULPs in proportion to x^2. */
        fine = (16 + 4 * gate * gate) * cli_ulp(work, exact_out);
    }
    double difference = fabs(exact_out - out);
    if (!(difference <= last + rough)) to->beyond++;
    if (!(difference <= (half ? last : 0) + fmax(fine, half ? 0 : last))) to->inaccurate++;
}

static void judge_table(probe_case *to, double gate, double value, double predicted, double out) {
    if (predicted == out) return;
    double allowed = fabs(value) * (cli_ulp(GELU_F16, predicted / value) + 0x1p-23 * fabs(gate));
    if (is_half(to->rounded)) allowed += cli_ulp(to->rounded, out);
    if (!(fabs(predicted - out) <= allowed)) to->beyond_table++;
}

/* How far out / (gate value / 2) may be from where it was before it was rounded, in units of the lattice. */
static double blur(const probe_case *of, gelu_dtype work, double steps, double scale, double out, bool gated) {
    double quantum = half_epsilon(work);
    double relative = 0x1p-51; /* of the quotients here */
    if (of->rounded != work) relative += quantum;
    if (gated) relative += of->each_step ? half_epsilon(of->rounded) : 2 * quantum;
    return 1.01 * (0.5 * cli_ulp(of->rounded, out) / fabs(scale) + fabs(steps) * relative);
}

static void judge_lattice(probe_case *to, gelu_dtype work, double gate, double value, double exact_out, double out,
                          bool gated) {
    double scale = 0.5 * gate * half_epsilon(work) * value;
    if (!(gate < 0) || scale == 0 || !isfinite(out)) return;
    double steps = out / scale, width = blur(to, work, steps, scale, out, gated);
    double exact_steps = exact_out / scale, exact_width = blur(to, work, exact_steps, scale, exact_out, gated);
    if (!(width < 0.25) || !(exact_width < 0.25)) return;
    if (fabs(steps - nearbyint(steps)) > width) {
        to->off_lattice++;
    } else if (fabs(exact_steps - nearbyint(exact_steps)) > exact_width) {
        to->evidence -= log2(fmin(1, 2 * width + 0x1p-8));
    }
}

void probe_add(probe_case *to, gelu_dtype work, size_t n, const double *gate, const double *value, const double *out) {
    double exact_out[CLI_BLOCK], predicted[PROBE_N_HOWS][CLI_BLOCK];
    for (probe_how how = 0; how < PROBE_N_HOWS; how++) {
        to->distance[how].tried = is_tried(to, how);
        if (!to->distance[how].tried) continue;
        predict(to, how, work, n, gate, value, predicted[how]);
        if (how == PROBE_EXACT) memcpy(exact_out, predicted[how], n * sizeof exact_out[0]);
        for (size_t i = 0; i < n; i++) {
            predicted[how][i] = cli_round_to(to->rounded, predicted[how][i]);
            measure(&to->distance[how], to->rounded, predicted[how][i], out[i]);
        }
    }
    to->n += n;
    for (size_t i = 0; i < n; i++) {
        double factor = value ? value[i] : 1;
        to->tail += gate[i] < -2;
        to->middle += gate[i] >= -4 && gate[i] <= -1;
        judge_exact(to, work, gate[i], factor, exact_out[i], out[i]);
        if (to->distance[PROBE_TABLE].tried) judge_table(to, gate[i], factor, predicted[PROBE_TABLE][i], out[i]);
        if (to->distance[PROBE_ONE_PLUS].tried)
            judge_lattice(to, work, gate[i], factor, predicted[PROBE_EXACT][i], out[i], value != NULL);
    }
}
