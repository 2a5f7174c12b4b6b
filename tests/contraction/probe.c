/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Prints how this compiler, with these options, rounds a*b+c: "fused" or "apart". pragma.sh compiles it with and without
 * WITH_OUR_HEADER. */
#ifdef WITH_OUR_HEADER
#include "base/compiler.h"
#endif
#include <stdio.h>

static double expression(double a, double b, double c) { return a * b + c; }

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#else
#pragma GCC target("fma")
#endif
#endif

__attribute__((noinline)) static double inlined(double a, double b, double c) { return expression(a, b, c) * 1; }
__attribute__((noinline)) static double statements(double a, double b, double c) {
    double product = a * b;
    return product + c;
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif

int main(void) {
    volatile double a = 1 + 0x1p-30, b = 1 - 0x1p-30, c = -1; /* a*b = 1 - 2^-60 */
    int fused = expression(a, b, c) != 0 || inlined(a, b, c) != 0 || statements(a, b, c) != 0;
    puts(fused ? "fused" : "apart");
    return 0;
}
