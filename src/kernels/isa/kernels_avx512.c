/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* AVX-512: F, BW, DQ, VL, with FMA and F16C. And two tables more, which have AVX512_BF16 and AMX for bf16 products. */
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
#include "kernels/bf16_pairs.inc.h"
#define ISA_NAME avx512_bf16
#define BF16_KERNEL pairs
#include "kernels/table_entries.inc.h"
#include "kernels/bf16_amx.inc.h"
#define ISA_NAME amx
#define BF16_KERNEL amx
#include "kernels/table_entries.inc.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
