/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <immintrin.h>
#include <sleef.h>
#include <string.h>

#include "peers.h"

#if defined(__AVX512F__)
#define ISA "AVX-512"
#define V(name) _mm512_##name
#define FUNCTION(name, accuracy) Sleef_##name##f16_##accuracy##avx512f
typedef __m512 vector;
#elif defined(__AVX2__) && defined(__FMA__)
#define ISA "AVX2"
#define V(name) _mm256_##name
#define FUNCTION(name, accuracy) Sleef_##name##f8_##accuracy##avx2
typedef __m256 vector;
#else
#define ISA "SSE2"
#define V(name) _mm_##name
#define FUNCTION(name, accuracy) Sleef_##name##f4_##accuracy##sse2
typedef __m128 vector;
#endif

#define ALL(value) V(set1_ps)(value)
#define MUL(a, b) V(mul_ps)(a, b)
#define ADD(a, b) V(add_ps)(a, b)

static inline vector erf_form(vector x) {
    vector t = FUNCTION(erf, u10)(MUL(x, ALL(0.70710678f)));
    return MUL(MUL(x, ALL(0.5f)), ADD(ALL(1), t));
}

static inline vector erfc_form(vector x) {
    return MUL(MUL(x, ALL(0.5f)), FUNCTION(erfc, u15)(MUL(x, ALL(-0.70710678f))));
}

static inline vector logistic_form(vector x, vector minus_u) {
    return V(div_ps)(x, ADD(ALL(1), FUNCTION(exp, u10)(minus_u)));
}

static inline vector tanh_by_exp(vector x) {
    vector cube = MUL(MUL(x, x), x);
    return logistic_form(x, MUL(ALL(-1.5957691f), ADD(x, MUL(ALL(0.044715f), cube))));
}

static inline vector silu_form(vector x) { return logistic_form(x, MUL(x, ALL(-1))); }

#define LOOP(form)                                                                                                     \
    static void loop_##form(size_t n, const float *x, const float *dy, float *y) {                                     \
        enum { LANES = sizeof(vector) / sizeof(float) };                                                               \
        size_t i = 0;                                                                                                  \
        (void)dy;                                                                                                      \
        for (; i + LANES <= n; i += LANES) V(storeu_ps)(y + i, form(V(loadu_ps)(x + i)));                              \
        float rest[LANES] = {0};                                                                                       \
        memcpy(rest, x + i, (n - i) * sizeof *x);                                                                      \
        V(storeu_ps)(rest, form(V(loadu_ps)(rest)));                                                                   \
        memcpy(y + i, rest, (n - i) * sizeof *y);                                                                      \
    }
LOOP(erf_form)
LOOP(erfc_form)
LOOP(tanh_by_exp)
LOOP(silu_form)

void peers_of_sleef(peer_list *list) {
    peer_add(list, "SLEEF, erf form, " ISA, GELU_ERF, false, loop_erf_form);
    peer_add(list, "SLEEF, erfc form, " ISA, GELU_ERF, false, loop_erfc_form);
    peer_add(list, "SLEEF, by exp, " ISA, GELU_TANH, false, loop_tanh_by_exp);
    peer_add(list, "SLEEF, " ISA, GELU_SILU, false, loop_silu_form);
}
