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
    enum { YMM = 0x6, ZMM = 0xe6 };
    struct cpu_features features = {false, false};
    unsigned eax, ebx, ecx, edx, extended;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return features;
    bool basic = (ecx & bit_OSXSAVE) && (ecx & bit_AVX) && (ecx & bit_FMA) && (ecx & bit_F16C);
    if (!basic || !__get_cpuid_count(7, 0, &eax, &extended, &ecx, &edx)) return features;
    unsigned states = saved_states(), wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    features.avx2 = (extended & bit_AVX2) && (states & YMM) == YMM;
    features.avx512 = features.avx2 && (extended & wanted) == wanted && (states & ZMM) == ZMM;
    return features;
}
#endif
