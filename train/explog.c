/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>

#include "arith.h"

/* ELU'(x) is e^x for x < 0, and 1 at 0. */
void train_exp(size_t n, double *e) {
    for (size_t i = 0; i < n; i++) e[i] = -fabs(e[i]);
    gelu_grad_f64(GELU_ELU, n, e, e);
}

/* Halley's iteration for e^y = s: each round cubes the error, which begins below 0.06. libm's log differs in its last bit
 * from machine to machine. */
void train_log(size_t n, const double *s, double *y, double *room) {
    enum { ROUNDS = 3 };
    for (size_t i = 0; i < n; i++) {
        int exponent;
        double part = frexp(s[i], &exponent); /* in [0.5, 1) */
        y[i] = 0.6931471805599453 * (exponent - 1 + (2 * part - 1));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++) room[i] = y[i];
        train_exp(n, room);
        for (size_t i = 0; i < n; i++) {
            double ratio = s[i] * room[i];
            y[i] += 2 * (ratio - 1) / (ratio + 1);
        }
    }
}
