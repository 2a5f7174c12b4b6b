/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Whether one result is what the contract demands. */
#ifndef GELU_VERIFY_JUDGE_H
#define GELU_VERIFY_JUDGE_H

#include "oracle.h"
#include "reference.h"
#include "sweep.h"

typedef struct {
    uint64_t want; /* the exact result; for some quiet NaN, one of them */
    bool good;
    bool undecided;   /* an exact result that only the oracle could settle */
    double ulps;      /* 0 near a root */
    double near_root; /* the absolute error there, as a share of the bound; else 0 */
} verdict;

/* x, dy (of backward) and got are bit patterns. r, of exact targets unless x is NaN, is reference_evaluate at x. */
verdict judge(oracle *o, const sweep_target *target, const reference *r, uint64_t x, uint64_t dy, uint64_t got);

/* Whether the same result is demanded of both. */
bool judge_same_question(const sweep_target *a, const sweep_target *b);

#endif
