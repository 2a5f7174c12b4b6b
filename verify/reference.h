/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The exact results again, by long double and its libm: fast enough for all 2^32 inputs, and honest about the few that
 * it cannot decide. Those are for the oracle. */
#ifndef GELU_VERIFY_REFERENCE_H
#define GELU_VERIFY_REFERENCE_H

#include <stdbool.h>

#include "gelu.h"

/* f(x) in [0] and f'(x) in [1]. The exact result lies within margin of value. A margin of 0: value rounds as the exact
 * result does, in f32, f16 and bf16; an infinite one: ask the oracle. */
typedef struct {
    long double value[2];
    double margin[2];
} reference;

/* x is any number or infinity, no NaN. */
void reference_evaluate(gelu_act act, float x, reference *r);

/* The bits of f (order 0) or f' (order 1), rounded once to f32, f16 or bf16. False: too close to call. */
bool reference_round(const reference *r, int order, gelu_dtype out, uint64_t *bits);

/* The distance of a result from value, in ULP of the format. */
double reference_ulps(const reference *r, int order, gelu_dtype out, uint64_t got);

#endif
