/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What a host program may do to us: a control word of its own, and memory that runs out. Include after cmocka.h, in one
 * file of a program. */
#ifndef GELU_TESTS_HOST_H
#define GELU_TESTS_HOST_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
/* Flush to zero and denormals are zero; each of the other three rounding modes; traps open; sticky flags set. */
static const uint32_t host_words[] = {0x1f80 | 0x8040,          0x1f80 | 0x2000,  0x1f80 | 0x4000,
                                      0x1f80 | 0x6000 | 0x8040, 0x1f80 & ~0x0680, 0x1f80 | 0x3f};
static inline uint32_t host_get(void) { return _mm_getcsr(); }
static inline void host_set(uint32_t word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
static const uint32_t host_words[] = {1u << 24, 1u << 22, 2u << 22, 3u << 22 | 1u << 24};
static inline uint32_t host_get(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word)::"memory");
    return (uint32_t)word;
}
static inline void host_set(uint32_t word) { __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)word) : "memory"); }
#else
static const uint32_t host_words[] = {0};
static inline uint32_t host_get(void) { return 0; }
static inline void host_set(uint32_t word) { (void)word; }
#endif

enum { HOST_WORDS = sizeof host_words / sizeof *host_words };

/* Allocations until one fails; negative: none does. The library allocates by aligned_alloc, and this one comes first.
 * Several threads may count; one that makes allocations fail is alone. */
static int host_allocations_left = -1;
static atomic_int host_allocations;

void *aligned_alloc(size_t alignment, size_t size) {
    void *p = NULL;
    host_allocations++;
    if (host_allocations_left == 0) return NULL;
    if (host_allocations_left > 0) host_allocations_left--;
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}

#endif
