/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* AArch64 NEON, which every such processor has. */
#include "base/compiler.h"
#if defined(__aarch64__)
#include "kernels/simd/neon.h"
#define ISA_NAME neon
#include "kernels/table.inc.h"
#endif
