/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear in f32 (f64 for f64) compute in thousands of shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#define SHAPES_COMPUTE GELU_COMPUTE_F32
enum { SCALAR_EVERY = 40 };
#include "unit/linear_shapes.inc.h"

int main(void) { return shapes_run(); }
