/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear in bf16 compute in thousands of shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#define SHAPES_COMPUTE GELU_COMPUTE_BF16
enum { SCALAR_EVERY = 20 };
#include "unit/linear_shapes.inc.h"

int main(void) { return shapes_run(); }
