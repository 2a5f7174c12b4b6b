/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "arith.h"

#define REAL double
#define ROOT sqrt
#define ARITH train_arith_f64
#include "arith.inc.h"
