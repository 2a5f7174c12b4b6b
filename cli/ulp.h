/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Distances in units of the last place, of values that are held as double, which is exact for every type here. */
#ifndef GELU_CLI_ULP_H
#define GELU_CLI_ULP_H

#include <stdbool.h>
#include <stdint.h>

#include "gelu.h"

/* value rounded once to dtype. */
double cli_round_to(gelu_dtype dtype, double value);
/* Whether dtype has this value; NaN is in every type. */
bool cli_is_in(gelu_dtype dtype, double value);
/* How many values of dtype lie between a and b, which are values of it; +0 and -0 are one. UINT64_MAX when just one of
 * them is a NaN, 0 when both are. */
uint64_t cli_ulp_distance(gelu_dtype dtype, double a, double b);
/* The spacing of dtype at a finite value. */
double cli_ulp(gelu_dtype dtype, double value);

#endif
