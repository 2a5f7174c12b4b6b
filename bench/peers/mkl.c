/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <mkl_service.h>
#include <mkl_vml.h>

#include "peers.h"

static void multiply(size_t n, const float *x, float *y) {
    for (size_t i = 0; i < n; i++) y[i] *= x[i];
}

enum { CHUNK = 4096 }; /* so that the second pass finds the first one's results in the cache */

#define LOOP(name, mode)                                                                                               \
    static void name(size_t n, const float *x, const float *dy, float *y) {                                            \
        (void)dy;                                                                                                      \
        for (size_t i = 0; i < n; i += CHUNK) {                                                                        \
            size_t count = n - i < CHUNK ? n - i : CHUNK;                                                              \
            vmsCdfNorm((MKL_INT)count, x + i, y + i, mode);                                                            \
            multiply(count, x + i, y + i);                                                                             \
        }                                                                                                              \
    }
LOOP(high_accuracy, VML_HA)
LOOP(low_accuracy, VML_LA)

void peers_of_mkl(peer_list *list) {
    mkl_set_num_threads(1);
    peer_add(list, "Intel VML, x CdfNorm, HA", GELU_ERF, false, high_accuracy);
    peer_add(list, "Intel VML, x CdfNorm, LA", GELU_ERF, false, low_accuracy);
}
