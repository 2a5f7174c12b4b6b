/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Claims about the functions themselves. */

#include <math.h>

#include "compare_measure.h"

/* ---- Smoothness ---- */

enum { COARSE = 10, FINE = 16, BLOCK = 1024 }; /* powers of two of the steps, points at a time */
static const double edge = 8;

typedef struct {
    double jump, steepest, at; /* of f', of |f'|, and where */
} slopes;

static slopes look(gelu_act act, int power) {
    double x[BLOCK], slope[BLOCK], before = NAN, step = ldexp(1, -power);
    slopes found = {0};
    size_t points = (size_t)(2 * edge / step) + 1;
    for (size_t first = 0; first < points; first += BLOCK) {
        size_t n = points - first < BLOCK ? points - first : BLOCK;
        for (size_t i = 0; i < n; i++) x[i] = (double)(first + i) * step - edge;
        gelu_grad_f64(act, n, x, slope);
        for (size_t i = 0; i < n; i++) {
            if (fabs(slope[i] - before) > found.jump) found.jump = fabs(slope[i] - before);
            if (fabs(slope[i]) > found.steepest) found.steepest = fabs(slope[i]), found.at = x[i];
            before = slope[i];
        }
    }
    return found;
}

int compare_smoothness(compare_run *run, compare_claim *claim) {
    claim->key = "smooth";
    claim->claim = "GELU is smooth: its slope has no jump, ReLU's has";
    double coarse[COMPARE_ACTS], fine[COMPARE_ACTS];
    compare_row *rows[4];
    static const char *const keys[] = {"jump_coarse", "jump_fine", "lipschitz", "steepest_at"};
    for (int r = 0; r < 4; r++) rows[r] = compare_add_row(claim, keys[r]);
    snprintf(rows[0]->measure, sizeof rows[0]->measure, "largest jump of f' on [-8, 8], step 2^-%d", COARSE);
    snprintf(rows[1]->measure, sizeof rows[1]->measure, "largest jump of f' on [-8, 8], step 2^-%d", FINE);
    snprintf(rows[2]->measure, sizeof rows[2]->measure, "Lipschitz constant: the largest |f'|");
    snprintf(rows[3]->measure, sizeof rows[3]->measure, "x where |f'| is that large first");
    for (int a = 0; a < COMPARE_ACTS; a++) {
        slopes seen = look(compare_acts[a], FINE);
        rows[0]->values[a] = coarse[a] = look(compare_acts[a], COARSE).jump;
        rows[1]->values[a] = fine[a] = seen.jump;
        rows[2]->values[a] = seen.steepest;
        rows[3]->values[a] = seen.at;
        compare_show_progress(run, (a + 1.0) / COMPARE_ACTS);
    }
    compare_judge_smooth(claim, coarse, fine, ldexp(1, FINE - COARSE));
    return CLI_OK;
}

/* ---- The stochastic reading ---- */

enum { DRAWS = 1 << 20, DRAWN_AT_A_TIME = 4096, PLACES = 8 };
static const double places[PLACES] = {-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2};

int compare_stochastic(compare_run *run, compare_claim *claim) {
    gelu_rng rng;
    float drawn[DRAWN_AT_A_TIME];
    size_t below[PLACES] = {0};
    claim->key = "stochastic";
    claim->claim = "GELU(x) is the mean of x * 1[N <= x], N standard normal";
    gelu_manual_seed(&rng, run->seed);
    for (size_t done = 0; done < DRAWS; done += DRAWN_AT_A_TIME) {
        gelu_randn_f32(&rng, DRAWN_AT_A_TIME, drawn);
        for (size_t i = 0; i < DRAWN_AT_A_TIME; i++)
            for (int p = 0; p < PLACES; p++) below[p] += drawn[i] <= places[p];
        compare_show_progress(run, (double)done / DRAWS);
    }
    compare_row *errors = compare_add_row(claim, "standard_errors"), *distance = compare_add_row(claim, "distance");
    snprintf(errors->measure, sizeof errors->measure, "standard errors off, at the worst of %d x; %d draws", PLACES,
             DRAWS);
    snprintf(distance->measure, sizeof distance->measure, "largest |f(x) - mean|");
    for (int a = 0; a < COMPARE_ACTS; a++)
        for (int p = 0; p < PLACES; p++) {
            double y, share = (double)below[p] / DRAWS, off;
            gelu_forward_f64(compare_acts[a], 1, &places[p], &y);
            off = fabs(y - places[p] * share);
            distance->values[a] = fmax(distance->values[a], off);
            errors->values[a] = fmax(errors->values[a], off / (fabs(places[p]) * sqrt(share * (1 - share) / DRAWS)));
        }
    compare_judge_stochastic(claim, errors->values);
    return CLI_OK;
}
