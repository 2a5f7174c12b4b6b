/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear in bf16 compute on AMX's kernel table, where the processor has AVX-512 but no tiles: those are emulated. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include "dispatch/cpu_features.h"
#include "unit/amx_emulator.h"
#define SHAPES_COMPUTE GELU_COMPUTE_BF16
#define SHAPES_EMULATED
enum { SCALAR_EVERY = 40 };
#include "unit/linear_shapes.inc.h"

static bool has_tiles(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & 1u << 24);
}

/* This and the next function come before the library's own. */
struct cpu_features gelu_cpu_features(void) {
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return (struct cpu_features){.avx2 = avx512, .avx512 = avx512, .amx = avx512 && !has_tiles()};
}

/* The library asks for permission whenever it selects the table, so in each test: cmocka has handlers of its own there. */
bool gelu_cpu_permit_tiles(void) {
    amx_emulate();
    return true;
}

int main(void) {
    enum { SKIPPED = 77 };
    if (!gelu_cpu_features().amx) {
        puts("skipped: the processor has tiles, or no AVX-512");
        return SKIPPED;
    }
    int failed = shapes_run();
    if (amx.products > 0) return failed;
    puts("no tile was used");
    return 1;
}
#else
int main(void) {
    puts("skipped: no x86-64 Linux");
    return 77;
}
#endif
