/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The floating-point environment that the contract asks for: round to nearest even, subnormals kept, no traps. What the
 * host had, sticky flags included, comes back afterwards.
 *
 * fpenv_enter_flush is the environment of bf16 compute as near as the machine has it: operands that are subnormal read as
 * zero, tiny results become zero, which the rule decides after rounding. fpenv_flush_in_doubt says whether some result
 * since then, or since the last such question, may differ from the rule's; it never says so where FPENV_FLUSH_DOUBT is
 * 0. */
#ifndef GELU_BASE_FPENV_H
#define GELU_BASE_FPENV_H

#include <stdbool.h>
#include <stdint.h>
#include "base/compiler.h"

/* Keeps loads and stores, and with them the arithmetic in between, on their side of a change of the control word. */
#define FPENV_BARRIER() __asm__ volatile("" ::: "memory")

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>

typedef struct {
    uint32_t mxcsr;
} fpenv;

/* The thread's environment, for another thread to take over by fpenv_leave. */
GELU_INLINE fpenv fpenv_get(void) { return (fpenv){_mm_getcsr()}; }

GELU_INLINE fpenv fpenv_enter(void) {
    fpenv host = fpenv_get();
    FPENV_BARRIER();
    _mm_setcsr(0x1f80);
    FPENV_BARRIER();
    return host;
}

GELU_INLINE fpenv fpenv_enter_flush(void) {
    fpenv host = fpenv_get();
    FPENV_BARRIER();
    _mm_setcsr(0x9fc0); /* FTZ, which looks at the rounded result, and DAZ */
    FPENV_BARRIER();
    return host;
}

enum { FPENV_FLUSH_DOUBT = 0 };
GELU_INLINE bool fpenv_flush_in_doubt(void) { return false; }

GELU_INLINE void fpenv_leave(fpenv host) {
    FPENV_BARRIER();
    _mm_setcsr(host.mxcsr);
    FPENV_BARRIER();
}

#elif defined(__aarch64__)

typedef struct {
    uint64_t fpcr, fpsr;
} fpenv;

GELU_INLINE fpenv fpenv_get(void) {
    fpenv host;
    __asm__ volatile("mrs %0, fpcr" : "=r"(host.fpcr)::"memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(host.fpsr)::"memory");
    return host;
}

GELU_INLINE fpenv fpenv_enter(void) {
    fpenv host = fpenv_get();
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return host;
}

/* FZ looks at the result before rounding, so it loses some of those that round to FLT_MIN. It raises UFC for each result
 * that it makes zero. */
GELU_INLINE fpenv fpenv_enter_flush(void) {
    fpenv host = fpenv_enter();
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)1 << 24) : "memory");
    __asm__ volatile("msr fpsr, %0" ::"r"((uint64_t)0) : "memory");
    return host;
}

enum { FPENV_FLUSH_DOUBT = 1 };
GELU_INLINE bool fpenv_flush_in_doubt(void) {
    uint64_t fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr)::"memory");
    if (!(fpsr & 8)) return false;
    __asm__ volatile("msr fpsr, %0" ::"r"((uint64_t)0) : "memory");
    return true;
}

GELU_INLINE void fpenv_leave(fpenv host) {
    __asm__ volatile("msr fpcr, %0" ::"r"(host.fpcr) : "memory");
    __asm__ volatile("msr fpsr, %0" ::"r"(host.fpsr) : "memory");
}

#else /* WebAssembly has one environment, and it is this one */

typedef struct {
    char none;
} fpenv;

GELU_INLINE fpenv fpenv_get(void) { return (fpenv){0}; }
GELU_INLINE fpenv fpenv_enter(void) { return fpenv_get(); }
GELU_INLINE fpenv fpenv_enter_flush(void) { return fpenv_get(); }
enum { FPENV_FLUSH_DOUBT = 1 };
GELU_INLINE bool fpenv_flush_in_doubt(void) { return true; } /* it flushes nothing */
GELU_INLINE void fpenv_leave(fpenv host) { (void)host; }

#endif
#endif
