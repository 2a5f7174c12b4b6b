/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* AVX2 with FMA and F16C. */
#include "base/compiler.h"
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#include "kernels/simd/avx2.h"
#define ISA_NAME avx2
#include "kernels/table.inc.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
