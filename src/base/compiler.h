/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the arithmetic needs from the compiler, demanded before any of it is compiled. Every file that computes includes
 * this first: a build without our flags must give the same bits or none. */
#ifndef GELU_BASE_COMPILER_H
#define GELU_BASE_COMPILER_H

#include <float.h>
#include <stdint.h>

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#error "libgelu needs C11 or later: -std=c11"
#endif
#if !defined(__GNUC__)
#error "libgelu needs gcc or clang"
#endif
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "libgelu is correctly rounded and cannot be built with -ffast-math, -Ofast or -ffinite-math-only"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "libgelu is correctly rounded and cannot be built with -funsafe-math-optimizations or a part of -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "libgelu needs FLT_EVAL_METHOD 0 (x87 arithmetic rounds twice)"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libgelu supports little-endian machines only"
#endif
#if defined(__arm__) && !defined(__aarch64__)
#error "libgelu does not support 32-bit ARM: its NEON flushes subnormals"
#endif

/* gcc fuses a*b+c by default and ignores STDC FP_CONTRACT; clang has a pragma of its own. */
#if defined(__clang__)
#pragma clang fp contract(off) reassociate(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif

/* clang fuses across its own pragma when -ffp-contract=fast is given. It cannot look through an assembler statement: a
 * product that passes one is rounded before it is added. */
#if defined(__clang__) && defined(__x86_64__)
#define GELU_KEEP_ROUNDED(product) __asm__("" : "+x"(product))
#elif defined(__clang__) && defined(__aarch64__)
#define GELU_KEEP_ROUNDED(product) __asm__("" : "+w"(product))
#else
#define GELU_KEEP_ROUNDED(product) (void)0
#endif

/* Before a loop of at most 16 rounds, known at compile time, whose arrays must become registers. */
#if defined(__clang__)
#define GELU_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GELU_UNROLL _Pragma("GCC unroll 16")
#endif

#define GELU_INLINE static inline __attribute__((always_inline))
/* For what is long and called from many places, and for loops that need all registers: a function of its own. */
#define GELU_SHARED static __attribute__((noinline))

/* How many bits are set. Without an instruction for it the builtin would be a call to the compiler's library. */
GELU_INLINE unsigned gelu_count_bits(uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return (unsigned)__builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    return (unsigned)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

#endif
