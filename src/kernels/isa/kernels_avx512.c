/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* AVX-512: F, BW, DQ, VL, with FMA and F16C. */
#include "base/compiler.h"
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))),              \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include "kernels/simd/avx512.h"
#define ISA_NAME avx512
#include "kernels/table.inc.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
