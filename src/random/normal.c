/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* torch.randn on a CPU with AVX2: Box-Muller, one at a time in double for short arrays, in blocks of 16 in f32 for
 * others. The f32 logarithm, sine and cosine are the Cephes library's (S. L. Moshier, Methods and Programs for
 * Mathematical Functions, 1989; logf, sinf and cosf), with a fused multiply-add wherever PyTorch's build has one. */
#include <math.h>
#include <string.h>
#include "base/compiler.h"
#include "kernels/simd/fma.h"
#include "random/random.h"

enum { BLOCK = 16, HALF = BLOCK / 2 };

static float horner(const float *coefficients, int count, float x) {
    float y = coefficients[0];
    for (int i = 1; i < count; i++) y = fma_f32(y, x, coefficients[i]);
    return y;
}

/* log(x), x in (0, 1] and normal: x = m * 2^e with sqrt(1/2) <= m < sqrt 2, log(m) = t - t^2/2 + t^3 P(t), t = m - 1;
 * log 2 in two parts. */
static float cephes_log(float x) {
    static const float P[] = {7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                              -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                              2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f};
    const float log2_high = 0.693359375f, log2_low = -2.12194440e-4f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    float e = (float)((int)(bits >> 23) - 126);
    bits = (bits & 0x7fffff) | 0x3f000000; /* [1/2, 1) */
    float m;
    memcpy(&m, &bits, sizeof m);
    float t = m - 1;
    if (m < 0.707106781186547524f) {
        t = t + m;
        e = e - 1;
    }
    float square = t * t;
    float y = horner(P, 9, t) * t;
    y = fma_f32(y, square, e * log2_low);
    y = fma_f32(-square, 0.5f, y);
    return fma_f32(e, log2_high, t + y);
}

/* sin(x) and cos(x), x in [0, 2 pi): reduced by multiples of pi/4 in three parts, to the nearest even multiple. */
static void cephes_sincos(float x, float *sine, float *cosine) {
    static const float C[] = {2.443315711809948E-5f, -1.388731625493765E-3f, 4.166664568298827E-2f};
    static const float S[] = {-1.9515295891E-4f, 8.3321608736E-3f, -1.6666654611E-1f};
    const float pi4_1 = -0.78515625f, pi4_2 = -2.4187564849853515625e-4f, pi4_3 = -3.77489497744594108e-8f;
    int octant = ((int)(x * 1.27323954473516f) + 1) & ~1;
    float multiple = (float)octant;
    x = fma_f32(multiple, pi4_1, x);
    x = fma_f32(multiple, pi4_2, x);
    x = fma_f32(multiple, pi4_3, x);
    float z = x * x;
    float c = horner(C, 3, z) * z;
    c = fma_f32(c, z, -(z * 0.5f)) + 1;
    float s = horner(S, 3, z) * z;
    s = fma_f32(s, x, x);
    int swapped = octant & 2;
    *sine = swapped ? c : s;
    *cosine = swapped ? s : c;
    if (octant & 4) *sine = -*sine;
    if (~(octant - 2) & 4) *cosine = -*cosine;
}

/* 16 uniform numbers to 16 normal ones; number j goes with number j + 8. */
static void normal_block(float *d) {
    for (int j = 0; j < HALF; j++) {
        float radius = sqrtf(-2 * cephes_log(1 - d[j])), sine, cosine;
        cephes_sincos(6.28318530717958647692f * d[j + HALF], &sine, &cosine);
        /* + 0: PyTorch's step to the mean, which turns -0 into +0 */
        d[j] = radius * cosine + 0.0f;
        d[j + HALF] = radius * sine + 0.0f;
    }
}

static double normal_f64(gelu_rng *rng) {
    if (rng->has_normal) {
        rng->has_normal = 0;
        return rng->normal;
    }
    double u1 = gelu_random_unit_f64(rng), u2 = gelu_random_unit_f64(rng);
    double radius = sqrt(-2 * log1p(-u2)), angle = 2 * 3.14159265358979323846 * u1;
    rng->normal = radius * sin(angle);
    rng->has_normal = 1;
    return radius * cos(angle);
}

void gelu_randn_f32(gelu_rng *rng, size_t n, float *out) {
    if (n < BLOCK) {
        for (size_t i = 0; i < n; i++) out[i] = (float)normal_f64(rng);
        return;
    }
    gelu_rand_f32(rng, n, out);
    for (size_t i = 0; i + BLOCK <= n; i += BLOCK) normal_block(out + i);
    if (n % BLOCK != 0) {
        gelu_rand_f32(rng, BLOCK, out + n - BLOCK);
        normal_block(out + n - BLOCK);
    }
}
