/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The vector vocabulary for AVX-512. */
#include "unit/vocabulary.h"
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))),              \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#include "kernels/simd/avx512.h"
#include "unit/vocabulary.inc.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

int main(void) { return gelu_isa_select("avx512") == GELU_OK ? vocabulary_run() : skip("AVX-512"); }
#else
int main(void) { return skip("AVX-512"); }
#endif
