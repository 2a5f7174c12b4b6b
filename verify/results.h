/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What is kept of many verdicts. It does not depend on their order. */
#ifndef GELU_VERIFY_RESULTS_H
#define GELU_VERIFY_RESULTS_H

#include "sweep.h"

typedef struct {
    uint64_t want; /* the exact result; for some quiet NaN, one of them */
    bool good;
    bool undecided;   /* an exact result that only the oracle could settle */
    double ulps;      /* 0 near a root */
    double near_root; /* the absolute error there, as a share of the bound; else 0 */
} verdict;

/* x, dy and got are bit patterns. */
void results_record(sweep_result *result, const verdict *v, uint64_t x, uint64_t dy, uint64_t got);
void results_merge(sweep_result *into, const sweep_result *from);

/* Of equal distances the one with the smallest pattern stays. */
static inline void results_record_worst(sweep_result *result, double ulps, uint64_t x) {
    if (ulps > result->worst_ulp || (ulps > 0 && ulps == result->worst_ulp && x < result->worst_x)) {
        result->worst_ulp = ulps;
        result->worst_x = x;
    }
}

#endif
