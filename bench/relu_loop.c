/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The yardstick: what any activation has to do, load and store, and next to nothing else. Plain stores: a loop as a
 * good compiler makes it, not one tuned for a size. */

#include "bench.h"

/* forward(v) is ReLU of a vector; backward(v, w) is w where v > 0, else 0. */
#define LOOPS(name, target_isa, vector, load, store, forward, backward)                                                \
    target_isa static void forward_##name(size_t nbytes, const void *x, const void *dy, void *y) {                     \
        const char *from = x;                                                                                          \
        char *to = y;                                                                                                  \
        (void)dy;                                                                                                      \
        for (size_t i = 0; i < nbytes; i += BENCH_STEP) UNROLLED(FORWARD_STEP, vector, load, store, forward)           \
    }                                                                                                                  \
    target_isa static void backward_##name(size_t nbytes, const void *x, const void *dy, void *y) {                    \
        const char *from = x, *upstream = dy;                                                                          \
        char *to = y;                                                                                                  \
        for (size_t i = 0; i < nbytes; i += BENCH_STEP) UNROLLED(BACKWARD_STEP, vector, load, store, backward)         \
    }

/* Four vectors at a time, one after the other when they are short. */
#define UNROLLED(step, vector, load, store, f)                                                                         \
    for (size_t k = 0; k < BENCH_STEP; k += 4 * sizeof(vector)) {                                                      \
        step(0, vector, load, store, f) step(1, vector, load, store, f) step(2, vector, load, store, f)                \
            step(3, vector, load, store, f)                                                                            \
    }
#define FORWARD_STEP(j, vector, load, store, f)                                                                        \
    {                                                                                                                  \
        vector v = load((const void *)(from + i + k + j * sizeof(vector)));                                            \
        store((void *)(to + i + k + j * sizeof(vector)), f(v));                                                        \
    }
#define BACKWARD_STEP(j, vector, load, store, f)                                                                       \
    {                                                                                                                  \
        vector v = load((const void *)(from + i + k + j * sizeof(vector)));                                            \
        vector w = load((const void *)(upstream + i + k + j * sizeof(vector)));                                        \
        store((void *)(to + i + k + j * sizeof(vector)), f(v, w));                                                     \
    }

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX2 __attribute__((target("avx2")))
#define SSE2

#define F32_512(v) _mm512_max_ps(v, _mm512_setzero_ps())
#define F64_512(v) _mm512_max_pd(v, _mm512_setzero_pd())
#define I16_512(v) _mm512_max_epi16(v, _mm512_setzero_si512())
#define DF32_512(v, w) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ), w)
#define DF64_512(v, w) _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ), w)
#define DI16_512(v, w) _mm512_maskz_mov_epi16(_mm512_cmpgt_epi16_mask(v, _mm512_setzero_si512()), w)
LOOPS(f32_avx512, AVX512, __m512, _mm512_load_ps, _mm512_store_ps, F32_512, DF32_512)
LOOPS(f64_avx512, AVX512, __m512d, _mm512_load_pd, _mm512_store_pd, F64_512, DF64_512)
LOOPS(i16_avx512, AVX512, __m512i, _mm512_load_si512, _mm512_store_si512, I16_512, DI16_512)

#define F32_256(v) _mm256_max_ps(v, _mm256_setzero_ps())
#define F64_256(v) _mm256_max_pd(v, _mm256_setzero_pd())
#define I16_256(v) _mm256_max_epi16(v, _mm256_setzero_si256())
#define DF32_256(v, w) _mm256_and_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_GT_OQ), w)
#define DF64_256(v, w) _mm256_and_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_GT_OQ), w)
#define DI16_256(v, w) _mm256_and_si256(_mm256_cmpgt_epi16(v, _mm256_setzero_si256()), w)
LOOPS(f32_avx2, AVX2, __m256, _mm256_load_ps, _mm256_store_ps, F32_256, DF32_256)
LOOPS(f64_avx2, AVX2, __m256d, _mm256_load_pd, _mm256_store_pd, F64_256, DF64_256)
LOOPS(i16_avx2, AVX2, __m256i, _mm256_load_si256, _mm256_store_si256, I16_256, DI16_256)

#define F32_128(v) _mm_max_ps(v, _mm_setzero_ps())
#define F64_128(v) _mm_max_pd(v, _mm_setzero_pd())
#define I16_128(v) _mm_max_epi16(v, _mm_setzero_si128())
#define DF32_128(v, w) _mm_and_ps(_mm_cmpgt_ps(v, _mm_setzero_ps()), w)
#define DF64_128(v, w) _mm_and_pd(_mm_cmpgt_pd(v, _mm_setzero_pd()), w)
#define DI16_128(v, w) _mm_and_si128(_mm_cmpgt_epi16(v, _mm_setzero_si128()), w)
LOOPS(f32_sse2, SSE2, __m128, _mm_load_ps, _mm_store_ps, F32_128, DF32_128)
LOOPS(f64_sse2, SSE2, __m128d, _mm_load_pd, _mm_store_pd, F64_128, DF64_128)
LOOPS(i16_sse2, SSE2, __m128i, _mm_load_si128, _mm_store_si128, I16_128, DI16_128)

/* The 16-bit types as integers: the sign bit decides, whichever type it is. */
#define TYPES(direction, isa)                                                                                          \
    { NULL, direction##_f32_##isa, direction##_f64_##isa, direction##_i16_##isa, direction##_i16_##isa }

bench_relu *bench_relu_loop(gelu_dtype dtype, bool backward, const char **isa) {
    static bench_relu *const avx512[2][BENCH_N_DTYPES] = {TYPES(forward, avx512), TYPES(backward, avx512)};
    static bench_relu *const avx2[2][BENCH_N_DTYPES] = {TYPES(forward, avx2), TYPES(backward, avx2)};
    static bench_relu *const sse2[2][BENCH_N_DTYPES] = {TYPES(forward, sse2), TYPES(backward, sse2)};
    if (__builtin_cpu_supports("avx512bw")) {
        *isa = "avx512";
        return avx512[backward][dtype];
    }
    if (__builtin_cpu_supports("avx2")) {
        *isa = "avx2";
        return avx2[backward][dtype];
    }
    *isa = "sse2";
    return sse2[backward][dtype];
}

#else

/* Elsewhere the compiler's vectors, as wide as it likes. */
#define GENERIC_LOOPS(name, type)                                                                                      \
    static void forward_##name(size_t nbytes, const void *x, const void *dy, void *y) {                                \
        const type *restrict from = x;                                                                                 \
        type *restrict to = y;                                                                                         \
        (void)dy;                                                                                                      \
        size_t n = (nbytes + BENCH_STEP - 1) / BENCH_STEP * (BENCH_STEP / sizeof(type));                               \
        for (size_t i = 0; i < n; i++) to[i] = from[i] > 0 ? from[i] : 0;                                              \
    }                                                                                                                  \
    static void backward_##name(size_t nbytes, const void *x, const void *dy, void *y) {                               \
        const type *restrict from = x, *restrict upstream = dy;                                                        \
        type *restrict to = y;                                                                                         \
        size_t n = (nbytes + BENCH_STEP - 1) / BENCH_STEP * (BENCH_STEP / sizeof(type));                               \
        for (size_t i = 0; i < n; i++) to[i] = from[i] > 0 ? upstream[i] : 0;                                          \
    }
GENERIC_LOOPS(f32, float)
GENERIC_LOOPS(f64, double)
GENERIC_LOOPS(i16, int16_t)

bench_relu *bench_relu_loop(gelu_dtype dtype, bool backward, const char **isa) {
    static bench_relu *const loops[2][BENCH_N_DTYPES] = {
        {NULL, forward_f32, forward_f64, forward_i16, forward_i16},
        {NULL, backward_f32, backward_f64, backward_i16, backward_i16}};
    *isa = "compiler";
    return loops[backward][dtype];
}
#endif
