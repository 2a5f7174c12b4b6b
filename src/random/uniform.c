/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include "base/compiler.h"
#include "base/size.h"
#include "kernels/simd/fma.h"
#include "random/random.h"

void gelu_rand_f32(gelu_rng *rng, size_t n, float *out) {
    for (size_t i = 0; i < n; i++) out[i] = gelu_random_unit_f32(rng);
}

void gelu_uniform_f32(gelu_rng *rng, float from, float to, size_t n, float *out) {
    float width = to - from;
    for (size_t i = 0; i < n; i++) out[i] = fma_f32(gelu_random_unit_f32(rng), width, from);
}

/* The bound in double by the steps of torch.nn.init.kaiming_uniform_ with a = sqrt(5): nearly 1/sqrt(in_features), but
 * not always the same float. */
static float weight_bound(size_t in_features) {
    double slope = sqrt(5.0);
    double gain = sqrt(2.0 / (1.0 + slope * slope));
    return (float)(sqrt(3.0) * (gain / sqrt((double)in_features)));
}

gelu_status gelu_linear_init_f32(gelu_rng *rng, size_t in_features, size_t out_features, float *weight, float *bias) {
    size_t count, nbytes;
    if (!size_mul(out_features, sizeof(float), &nbytes) || !size_mul(in_features, nbytes, &nbytes))
        return GELU_ERR_OVERFLOW;
    count = nbytes / sizeof(float);
    if (!rng || (!weight && count > 0)) return GELU_ERR_ARGUMENT;
    if (count > 0) gelu_uniform_f32(rng, -weight_bound(in_features), weight_bound(in_features), count, weight);
    if (bias) {
        float bound = in_features > 0 ? (float)(1 / sqrt((double)in_features)) : 0;
        gelu_uniform_f32(rng, -bound, bound, out_features, bias);
    }
    return GELU_OK;
}
