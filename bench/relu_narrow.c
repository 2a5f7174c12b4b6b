/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The yardstick of the mixed forms: ReLU of f32, rounded to nearest even to a 16-bit type. */

#include "bench.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX2 __attribute__((target("avx2,f16c")))

AVX512 static __m256i bf16_avx512(__m512 v) {
    __m512i bits = _mm512_castps_si512(v);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

AVX2 static __m128i bf16_avx2(__m256 v) {
    __m256i bits = _mm256_castps_si256(v);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    __m256i short_pairs = _mm256_packus_epi32(_mm256_srli_epi32(rounded, 16), _mm256_setzero_si256());
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(short_pairs, 0x08));
}

#define F16_AVX512(v) _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F16_AVX2(v) _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* Compilers unroll the inner loop: BENCH_STEP bytes are few vectors. max gives its second operand for a NaN. */
#define LOOP(name, target_isa, vector, load, max, zero, narrow, half, store)                                           \
    target_isa static void name(size_t nbytes, const void *x, const void *dy, void *y) {                               \
        const char *from = x;                                                                                          \
        char *to = y;                                                                                                  \
        (void)dy;                                                                                                      \
        for (size_t i = 0; i < nbytes; i += BENCH_STEP)                                                                \
            for (size_t k = i; k < i + BENCH_STEP; k += sizeof(vector))                                                \
                store((half *)(void *)(to + k / 2), narrow(max(load((const void *)(from + k)), zero())));              \
    }
#define LOOP_512(name, narrow)                                                                                         \
    LOOP(name, AVX512, __m512, _mm512_load_ps, _mm512_max_ps, _mm512_setzero_ps, narrow, __m256i, _mm256_store_si256)
#define LOOP_256(name, narrow)                                                                                         \
    LOOP(name, AVX2, __m256, _mm256_load_ps, _mm256_max_ps, _mm256_setzero_ps, narrow, __m128i, _mm_store_si128)
LOOP_512(to_f16_avx512, F16_AVX512)
LOOP_512(to_bf16_avx512, bf16_avx512)
LOOP_256(to_f16_avx2, F16_AVX2)
LOOP_256(to_bf16_avx2, bf16_avx2)
#endif

/* Elsewhere the compiler's vectors, and the library's conversion. */
enum { COUNT = BENCH_STEP / sizeof(float) };

static void to_type(gelu_dtype type, size_t nbytes, const float *from, uint16_t *to) {
    float positive[COUNT];
    for (size_t i = 0; i * sizeof(float) < nbytes; i += COUNT) {
        for (size_t k = 0; k < COUNT; k++) positive[k] = from[i + k] > 0 ? from[i + k] : 0;
        (void)gelu_convert(COUNT, GELU_F32, positive, type, to + i);
    }
}

static void to_f16(size_t nbytes, const void *x, const void *dy, void *y) {
    (void)dy;
    to_type(GELU_F16, nbytes, x, y);
}

static void to_bf16(size_t nbytes, const void *x, const void *dy, void *y) {
    (void)dy;
    to_type(GELU_BF16, nbytes, x, y);
}

bench_relu *bench_relu_narrow(gelu_dtype out, const char **isa) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw")) {
        *isa = "avx512";
        return out == GELU_F16 ? to_f16_avx512 : to_bf16_avx512;
    }
    if (__builtin_cpu_supports("avx2")) { /* F16C is older */
        *isa = "avx2";
        return out == GELU_F16 ? to_f16_avx2 : to_bf16_avx2;
    }
#endif
    *isa = "compiler";
    return out == GELU_F16 ? to_f16 : to_bf16;
}
