/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Whether results are what the contract demands. */
#ifndef GELU_VERIFY_JUDGE_H
#define GELU_VERIFY_JUDGE_H

#include "oracle.h"
#include "reference.h"
#include "sweep.h"

/* n results, got, at the bit patterns x; dy (of backward) and got are arrays of the target's types. references, of exact
 * targets, are reference_evaluate's at each x; of a NaN, a NaN. */
void judge(oracle *o, const sweep_target *target, size_t n, const reference *references, const uint64_t *x,
           const void *dy, const void *got, sweep_result *result);

/* Whether the same result is demanded of both. */
bool judge_same_question(const sweep_target *a, const sweep_target *b);

#endif
