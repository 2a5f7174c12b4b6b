/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>

#include "layer.h"

/* Twelve chains: as many as the product of latency and units needs on any processor of interest, and as few as the 16
 * registers of AVX2 hold beside two operands. */
enum { CHAINS = 12, STEPS = 1 << 14 };
#define EACH_CHAIN(step)                                                                                               \
    step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7) step(8) step(9) step(10) step(11)
#define BEGIN_CHAIN(i) vector sum##i = VECTOR_OF(0.5f);
#define STEP_CHAIN(i)                                                                                                  \
    sum##i = VECTOR_FMA(sum##i, factor, term);                                                                         \
    OPAQUE(sum##i);

/* Seconds of CHAINS * STEPS vector operations. The compiler must not look into the chains. */
#define LOOP                                                                                                           \
    {                                                                                                                  \
        EACH_CHAIN(BEGIN_CHAIN)                                                                                        \
        vector factor = VECTOR_OF(0.75f), term = VECTOR_OF(0.25f);                                                     \
        OPAQUE(factor);                                                                                                \
        OPAQUE(term);                                                                                                  \
        double started = bench_seconds();                                                                              \
        for (int i = 0; i < STEPS; i++) {                                                                              \
            EACH_CHAIN(STEP_CHAIN)                                                                                     \
        }                                                                                                              \
        return bench_seconds() - started;                                                                              \
    }

typedef double fma_loop(void);

#if defined(__x86_64__)
#include <immintrin.h>

#define OPAQUE(x) __asm__ volatile("" : "+v"(x))
#define VECTOR_OF(x) _mm512_set1_ps(x)
#define VECTOR_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
__attribute__((target("avx512f"))) static double loop_avx512(void) {
    typedef __m512 vector;
    LOOP
}
#undef OPAQUE
#undef VECTOR_OF
#undef VECTOR_FMA

#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#define VECTOR_OF(x) _mm256_set1_ps(x)
#define VECTOR_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
__attribute__((target("avx2,fma"))) static double loop_avx2(void) {
    typedef __m256 vector;
    LOOP
}
#undef VECTOR_OF
#undef VECTOR_FMA

#define FMA_TARGET __attribute__((target("fma")))
#define HAVE_FMA __builtin_cpu_supports("fma")
#elif defined(__aarch64__)
#include <arm_neon.h>

#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#define VECTOR_OF(x) vdupq_n_f32(x)
#define VECTOR_FMA(a, b, c) vfmaq_f32(c, a, b)
static double loop_neon(void) {
    typedef float32x4_t vector;
    LOOP
}
#undef VECTOR_OF
#undef VECTOR_FMA

#define FMA_TARGET
#define HAVE_FMA 1
#endif

#ifdef HAVE_FMA
#define VECTOR_OF(x) (x)
#define VECTOR_FMA(a, b, c) __builtin_fmaf(a, b, c)
FMA_TARGET static double loop_scalar(void) {
    typedef float vector;
    LOOP
}
#endif

static struct {
    const char *isa;
    fma_loop *loop;
    int lanes;
    double gflops; /* the most seen */
} peaks[] = {
#if defined(__x86_64__)
    {"avx512", loop_avx512, 16, 0},
    {"avx2", loop_avx2, 8, 0},
#elif defined(__aarch64__)
    {"neon", loop_neon, 4, 0},
#endif
#ifdef HAVE_FMA
    {"scalar", loop_scalar, 1, 0},
#endif
    {"", NULL, 0, 0}};

/* avx512_bf16 has the floats of avx512. */
static int find(const char *isa) {
    int i = 0;
    while (peaks[i].loop && strncmp(peaks[i].isa, isa, strlen(peaks[i].isa))) i++;
    return i;
}

void bench_peak_sample(const char *isa, unsigned threads) {
#ifdef HAVE_FMA
    int i = find(isa);
    if (!peaks[i].loop || !HAVE_FMA) return;
    double flops = 2.0 * CHAINS * STEPS * peaks[i].lanes, rate = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : rate)
#endif
    {
#ifdef _OPENMP
#pragma omp barrier
#endif
        rate += 1e-9 * flops / peaks[i].loop();
    }
    if (rate > peaks[i].gflops) peaks[i].gflops = rate;
#endif
    (void)threads;
}

double bench_peak_gflops(const char *isa) { return peaks[find(isa)].gflops; }
