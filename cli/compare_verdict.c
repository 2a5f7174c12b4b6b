/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "compare.h"

#include <math.h>
#include <stdio.h>

const gelu_act compare_acts[COMPARE_ACTS] = {GELU_RELU, GELU_ERF, GELU_TANH, GELU_QUICK, GELU_SILU};

const char *compare_verdict_name(compare_verdict verdict) {
    switch (verdict) {
    case COMPARE_HOLDS: return "holds";
    case COMPARE_FAILS: return "does not hold";
    default: return "depends";
    }
}

compare_row *compare_add_row(compare_claim *claim, const char *key) {
    if (claim->n_rows < COMPARE_MAX_ROWS) claim->n_rows++;
    compare_row *row = &claim->rows[claim->n_rows - 1];
    row->key = key;
    return row;
}

#define BECAUSE(claim, ...) snprintf((claim)->because, sizeof(claim)->because, __VA_ARGS__)

void compare_judge_smooth(compare_claim *claim, const double *coarse, const double *fine, double times) {
    claim->rule =
        "holds if GELU's largest jump of slope shrinks with the step of the grid (to at most 1.1 / the factor) "
        "and ReLU's does not shrink at all; depends if neither jumps; else does not hold";
    double gelu = fine[COMPARE_GELU] / coarse[COMPARE_GELU], relu = fine[COMPARE_RELU] / coarse[COMPARE_RELU];
    bool smooth = gelu <= 1.1 / times, jumps = relu >= 1;
    claim->verdict = !smooth ? COMPARE_FAILS : jumps ? COMPARE_HOLDS : COMPARE_DEPENDS;
    BECAUSE(claim, "on a grid %g times finer GELU's largest jump is %.3g of what it was, ReLU's %.3g", times, gelu,
            relu);
}

void compare_judge_stochastic(compare_claim *claim, const double *errors) {
    claim->rule = "holds if GELU is within 4 standard errors of the mean at every x; else does not hold";
    claim->verdict = errors[COMPARE_GELU] <= 4 ? COMPARE_HOLDS : COMPARE_FAILS;
    BECAUSE(claim, "GELU is at most %.3g standard errors off, ReLU %.3g", errors[COMPARE_GELU], errors[COMPARE_RELU]);
}

static bool is_normal(const double shape[2]) { return fabs(shape[0]) <= 0.5 && fabs(shape[1]) <= 1; }

void compare_judge_normal(compare_claim *claim, const double initial[2], const double trained[2]) {
    claim->rule = "holds if in every hidden layer |skewness| <= 0.5 and |excess kurtosis| <= 1, at initialisation and "
                  "after training; depends if only at one of the two; else does not hold";
    int count = is_normal(initial) + is_normal(trained);
    claim->verdict = count == 2 ? COMPARE_HOLDS : count == 1 ? COMPARE_DEPENDS : COMPARE_FAILS;
    BECAUSE(claim, "GELU's worst layer: skewness %.2f, excess kurtosis %.2f at initialisation; %.2f, %.2f trained",
            initial[0], initial[1], trained[0], trained[1]);
}

void compare_judge_sparse(compare_claim *claim, const double *zeros, const double *near) {
    claim->rule = "holds if GELU has at least 0.9 times ReLU's share of exact zeros; depends if it has that of values "
                  "below 1 % of their layer's largest; else does not hold";
    bool exact = zeros[COMPARE_GELU] >= 0.9 * zeros[COMPARE_RELU];
    bool close = near[COMPARE_GELU] >= 0.9 * near[COMPARE_RELU];
    claim->verdict = exact ? COMPARE_HOLDS : close ? COMPARE_DEPENDS : COMPARE_FAILS;
    BECAUSE(claim, "exact zeros: GELU %.2f %%, ReLU %.2f %%; near zero: GELU %.2f %%, ReLU %.2f %%",
            zeros[COMPARE_GELU], zeros[COMPARE_RELU], near[COMPARE_GELU], near[COMPARE_RELU]);
}

static compare_verdict cost_verdict(double alone, double block) {
    return block > 1.1 ? COMPARE_FAILS : alone > 1.1 ? COMPARE_DEPENDS : COMPARE_HOLDS;
}

void compare_judge_cost(compare_claim *claim, const double alone[2], const double block[2]) {
    claim->rule = "holds if exact GELU takes at most 1.1 times as long as ReLU, alone and in a feed-forward block; "
                  "depends if in the block only, or if the passes differ too much to tell (in what they say, or in "
                  "the block by more than a factor of 1.5); else does not hold";
    compare_verdict low = cost_verdict(alone[0], block[0]), high = cost_verdict(alone[1], block[1]);
    bool noisy = low != high || !(block[0] > 0 && block[1] <= 1.5 * block[0]);
    claim->verdict = noisy ? COMPARE_DEPENDS : low;
    BECAUSE(claim, "%s%.2f to %.2f times ReLU's time alone, %.2f to %.2f times in the block, pass by pass",
            noisy ? "too noisy to tell: " : "", alone[0], alone[1], block[0], block[1]);
}

/* The lowest rate with dead units, and how many there. */
static void name_first(size_t rates, const double *rate, const double *dead, const char *who, char text[64]) {
    for (size_t i = 0; i < rates; i++)
        if (dead[i] > 0) {
            snprintf(text, 64, "%s has %.1f %% at rate %g", who, dead[i], rate[i]);
            return;
        }
    snprintf(text, 64, "%s has none", who);
}

void compare_judge_dead(compare_claim *claim, size_t rates, const double *rate, const double *relu,
                        const double *gelu) {
    claim->rule =
        "holds if no unit of GELU's is dead at any rate and some of ReLU's are; depends if neither has any, or "
        "GELU has fewer wherever either has some; else does not hold. Training that diverges does not count";
    bool relu_has = false, gelu_has = false, fewer = true;
    for (size_t i = 0; i < rates; i++) {
        if (isnan(relu[i]) || isnan(gelu[i])) continue;
        relu_has |= relu[i] > 0;
        gelu_has |= gelu[i] > 0;
        if (gelu[i] > 0 && gelu[i] >= relu[i]) fewer = false;
    }
    claim->verdict = !gelu_has && relu_has ? COMPARE_HOLDS : !gelu_has || fewer ? COMPARE_DEPENDS : COMPARE_FAILS;
    char first[2][64];
    name_first(rates, rate, gelu, "GELU", first[0]);
    name_first(rates, rate, relu, "ReLU", first[1]);
    BECAUSE(claim, "of the lowest rates with dead units: %s; %s", first[0], first[1]);
}

/* How far a norm is from being the same in all layers; what vanished altogether is farther than anything. */
static double drift(double ratio) { return ratio > 0 && isfinite(ratio) ? fabs(log10(ratio)) : 1e3; }

void compare_judge_gradient(compare_claim *claim, size_t n, const double *relu, const double *gelu) {
    claim->rule =
        "a gradient is steadier when the ratio of its norms in the first and the last hidden layer is nearer to 1 "
        "(on a logarithmic scale); holds if GELU's is in at least 0.9 of all cases, does not hold if in at most "
        "0.1, else depends";
    size_t steadier = 0;
    double most_gelu = 0, most_relu = 0;
    for (size_t i = 0; i < n; i++) {
        steadier += drift(gelu[i]) < drift(relu[i]);
        most_gelu = fmax(most_gelu, drift(gelu[i]));
        most_relu = fmax(most_relu, drift(relu[i]));
    }
    double share = n ? (double)steadier / (double)n : 0;
    claim->verdict = share >= 0.9 ? COMPARE_HOLDS : share <= 0.1 ? COMPARE_FAILS : COMPARE_DEPENDS;
    BECAUSE(claim, "GELU's is steadier in %zu of %zu cases; at worst a factor of 10^%.1f, ReLU's 10^%.1f", steadier, n,
            most_gelu, most_relu);
}

void compare_judge_convergence(compare_claim *claim, size_t epochs, const double *relu_loss, const double *gelu_loss,
                               double relu_error, double gelu_error) {
    claim->rule =
        "holds if GELU's median training loss is below ReLU's in at least 0.9 of the epochs and its median test "
        "error at the end is no larger; does not hold if the loss is below in at most 0.1 of the epochs and the "
        "test error is no smaller; else depends";
    size_t below = 0;
    for (size_t i = 0; i < epochs; i++) below += gelu_loss[i] < relu_loss[i];
    double share = epochs ? (double)below / (double)epochs : 0;
    bool better = share >= 0.9 && gelu_error <= relu_error, worse = share <= 0.1 && gelu_error >= relu_error;
    claim->verdict = better ? COMPARE_HOLDS : worse ? COMPARE_FAILS : COMPARE_DEPENDS;
    BECAUSE(claim, "loss below ReLU's in %zu of %zu epochs; test error at the end: GELU %.2f %%, ReLU %.2f %%", below,
            epochs, gelu_error, relu_error);
}
