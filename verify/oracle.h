/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The exact results, by MPFR: f, f' and f'' of every activation, rounded once to any of the formats. Slow and sure; it
 * shares no code with the library. One oracle per thread. */
#ifndef GELU_VERIFY_ORACLE_H
#define GELU_VERIFY_ORACLE_H

#include "gelu.h"

typedef struct oracle oracle;

oracle *oracle_new(void); /* NULL: no memory */
void oracle_free(oracle *o);

/* The bits of the order-th derivative (0, 1, 2) at x, rounded once to nearest even with gradual underflow. x is any
 * number or infinity (there the limit); for a NaN, some quiet NaN. */
uint64_t oracle_round(oracle *o, gelu_act act, int order, double x, gelu_dtype out);

typedef struct {
    double ulps;     /* in spacings of the exact value's binade in the format, at least the smallest subnormal */
    double absolute; /* the error itself */
} oracle_error;

/* How far a result is from the exact value of the last oracle_round, in its format. */
oracle_error oracle_measure(oracle *o, uint64_t got);

#endif
