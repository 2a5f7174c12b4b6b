/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998) as torch.Generator runs it. */
#include "base/compiler.h"
#include "random/random.h"

enum { STATE_SIZE = 624, SHIFT_SIZE = 397 };

void gelu_manual_seed(gelu_rng *rng, uint64_t seed) {
    rng->state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < STATE_SIZE; i++)
        rng->state[i] = 1812433253u * (rng->state[i - 1] ^ rng->state[i - 1] >> 30) + i;
    rng->index = STATE_SIZE;
    rng->has_normal = 0;
    rng->normal = 0;
}

static void refill(uint32_t *state) {
    for (size_t i = 0; i < STATE_SIZE; i++) {
        uint32_t y = (state[i] & 0x80000000) | (state[(i + 1) % STATE_SIZE] & 0x7fffffff);
        state[i] = state[(i + SHIFT_SIZE) % STATE_SIZE] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
    }
}

uint32_t gelu_random_u32(gelu_rng *rng) {
    if (rng->index >= STATE_SIZE) {
        refill(rng->state);
        rng->index = 0;
    }
    uint32_t y = rng->state[rng->index++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}

float gelu_random_unit_f32(gelu_rng *rng) { return (float)(gelu_random_u32(rng) & 0xffffff) * 0x1p-24f; }

double gelu_random_unit_f64(gelu_rng *rng) {
    uint64_t high = gelu_random_u32(rng);
    uint64_t bits = high << 32 | gelu_random_u32(rng);
    return (double)(bits & 0x1fffffffffffff) * 0x1p-53;
}
