/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "peers.h"

const char *const range_names[N_RANGES] = {"x > 0", "[-1, 0)", "[-3, -1)", "[-6, -3)", "[-14, -6)"};

static const struct {
    float nearest, farthest; /* from 0 */
} ranges[N_RANGES] = {{0x1p-20f, 8}, {-0x1p-20f, -1}, {-1, -3}, {-3, -6}, {-6, -14}};

enum { BLOCK = 1 << 14 };

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double error_in_ulp(float got, double exact) {
    if (!isfinite(got)) return INFINITY;
    int exponent;
    frexp(exact, &exponent);
    if (exact == 0 || exponent < -125) exponent = -125; /* subnormals are as far apart as the least normal ones */
    return ldexp(fabs((double)got - exact), 24 - exponent);
}

static void measure_block(const peer_list *list, size_t n, const float *x, int range, double worst[][N_RANGES]) {
    static double wide[BLOCK], exact[BLOCK];
    static float y[BLOCK];
    for (size_t i = 0; i < n; i++) wide[i] = (double)x[i];
    for (gelu_act act = GELU_IDENTITY; act <= GELU_ELU; act++) {
        bool is_known = false;
        for (size_t p = 0; p < list->n; p++) {
            const peer *peer = &list->peer[p];
            if (peer->backward || peer->act != act) continue;
            if (!is_known) gelu_forward_f64(act, n, wide, exact);
            is_known = true;
            peer->call(n, x, NULL, y);
            for (size_t i = 0; i < n; i++) {
                double error = error_in_ulp(y[i], exact[i]);
                if (error > worst[p][range]) worst[p][range] = error;
            }
        }
    }
}

void measure_accuracy(const peer_list *list, unsigned stride, double worst[][N_RANGES]) {
    static float x[BLOCK];
    for (int range = 0; range < N_RANGES; range++) {
        uint32_t first = bits_of(ranges[range].nearest), last = bits_of(ranges[range].farthest);
        for (size_t p = 0; p < list->n; p++) worst[p][range] = 0;
        for (uint64_t bits = first; bits <= last;) {
            /* The last block repeats its last float: a peer must not be measured at another size. */
            for (size_t i = 0; i < BLOCK; i++, bits += stride) {
                uint32_t each = bits < last ? (uint32_t)bits : last;
                memcpy(&x[i], &each, sizeof each);
            }
            measure_block(list, BLOCK, x, range, worst);
        }
    }
}
