/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The textbook formulas, as anybody writes them. */

#include <math.h>

#include "peers.h"

static void erf_form(size_t n, const float *restrict x, const float *dy, float *restrict y) {
    (void)dy;
    for (size_t i = 0; i < n; i++) y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

static void tanh_form(size_t n, const float *restrict x, const float *dy, float *restrict y) {
    (void)dy;
    for (size_t i = 0; i < n; i++)
        y[i] = 0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

static void quick_form(size_t n, const float *restrict x, const float *dy, float *restrict y) {
    (void)dy;
    for (size_t i = 0; i < n; i++) y[i] = x[i] / (1 + expf(-1.702f * x[i]));
}

static void silu_form(size_t n, const float *restrict x, const float *dy, float *restrict y) {
    (void)dy;
    for (size_t i = 0; i < n; i++) y[i] = x[i] / (1 + expf(-x[i]));
}

static void erf_backward(size_t n, const float *restrict x, const float *restrict dy, float *restrict dx) {
    for (size_t i = 0; i < n; i++) {
        float phi = 0.5f * (1 + erff(x[i] * 0.70710678f));
        dx[i] = dy[i] * (phi + x[i] * 0.39894228f * expf(-0.5f * x[i] * x[i]));
    }
}

#define JOIN(a, b) a##b
#define PEERS_OF(name) JOIN(peers_of_, name)
void PEERS_OF(PLAIN_NAME)(peer_list *list) {
    peer_add(list, PLAIN_TITLE, GELU_ERF, false, erf_form);
    peer_add(list, PLAIN_TITLE, GELU_TANH, false, tanh_form);
    peer_add(list, PLAIN_TITLE, GELU_QUICK, false, quick_form);
    peer_add(list, PLAIN_TITLE, GELU_SILU, false, silu_form);
    peer_add(list, PLAIN_TITLE, GELU_ERF, true, erf_backward);
}
