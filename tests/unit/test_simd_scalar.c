/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary in plain C. */
#include "unit/vocabulary.h"
#include "kernels/simd/scalar.h"
#include "unit/vocabulary.inc.h"

int main(void) { return vocabulary_run(); }
