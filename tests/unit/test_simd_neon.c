/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary for AArch64 NEON. Elsewhere neon/vocabulary.sh builds this for an emulator. */
#include "unit/vocabulary.h"
#if defined(__aarch64__)
#include "kernels/simd/neon.h"
#include "unit/vocabulary.inc.h"

int main(void) { return vocabulary_run(); }
#else
int main(void) { return skip("NEON"); }
#endif
