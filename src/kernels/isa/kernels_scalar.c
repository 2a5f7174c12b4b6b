/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Plain C: one lane, no instruction beyond the target's own. */
#include "base/compiler.h"
#include "kernels/simd/scalar.h"
#define ISA_NAME scalar
#include "kernels/table.inc.h"
