/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_RANDOM_RANDOM_H
#define GELU_RANDOM_RANDOM_H

#include "gelu.h"

/* Uniform on [0, 1): the 24 low bits of one draw; the 53 low bits of two, the first of them the upper half. */
float gelu_random_unit_f32(gelu_rng *rng);
double gelu_random_unit_f64(gelu_rng *rng);

#endif
