/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "arith.h"

#define REAL float
#define ROOT sqrtf
#define ARITH train_arith_f32
#include "arith.inc.h"
