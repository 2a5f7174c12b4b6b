/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "dispatch/cpu_features.h"
#if defined(__x86_64__)
#include <cpuid.h>

/* Which register states the operating system saves: a feature without its state faults at the first use. */
static unsigned saved_states(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

struct cpu_features gelu_cpu_features(void) {
    enum { YMM = 0x6, ZMM = 0xe6, TILES = 0x60000, AMX = 1 << 24 | 1 << 22 /* -TILE, -BF16 */, BF16 = 1 << 5 };
    struct cpu_features features = {.avx2 = false};
    unsigned eax, ebx, ecx, edx, extended;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return features;
    bool basic = (ecx & bit_OSXSAVE) && (ecx & bit_AVX) && (ecx & bit_FMA) && (ecx & bit_F16C);
    if (!basic || !__get_cpuid_count(7, 0, &eax, &extended, &ecx, &edx)) return features;
    unsigned states = saved_states(), wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    features.avx2 = (extended & bit_AVX2) && (states & YMM) == YMM;
    features.avx512 = features.avx2 && (extended & wanted) == wanted && (states & ZMM) == ZMM;
    features.amx = features.avx512 && (edx & AMX) == AMX && (states & TILES) == TILES;
    features.avx512_bf16 = features.avx512 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & BF16);
    return features;
}

bool gelu_cpu_permit_tiles(void) {
#if defined(__linux__)
    enum { ARCH_PRCTL = 158, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    long result; /* not by syscall(), which changes errno */
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)ARCH_PRCTL), "D"((long)REQUEST_PERMISSION), "S"((long)TILE_DATA)
                     : "rcx", "r11", "memory");
    return result == 0;
#else
    return false;
#endif
}
#endif
