/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The loops of training over numbers of one type, each in one fixed order of IEEE operations. */
#ifndef GELU_TRAIN_ARITH_H
#define GELU_TRAIN_ARITH_H

#include "train.h"

/* What a step of Adam needs besides arrays, computed once a step. */
struct train_moments {
    double step_size;  /* rate / (1 - beta1^t) */
    double correction; /* sqrt(1 - beta2^t) */
    double kept;       /* what decoupled weight decay leaves of a weight: 1 - rate * decay, or 1 */
    double decay;      /* what is added to the gradient for each unit of weight, or 0 */
    double beta1, beta2, eps;
};

struct train_arith {
    void (*sgd)(const train_optimiser *how, bool first_step, size_t n, const void *grad, void *velocity, void *value);
    void (*adam)(const struct train_moments *how, size_t n, const void *grad, void *first, void *second, void *value);
    /* y *= m */
    void (*multiply)(size_t n, const void *m, void *y);
    /* Each 1 / (1 - share) where the generator's number is at least share, else 0. */
    void (*draw_mask)(gelu_rng *rng, double share, size_t n, void *mask);
    /* Scales each row of (rows, cols) to length 1; a row of zeros stays. */
    void (*unit_rows)(size_t rows, size_t cols, void *w);
    double (*norm)(size_t n, const void *values);
    /* largest[j] = max(largest[j], |v[i][j]|) */
    void (*largest)(size_t rows, size_t cols, const void *v, double *largest);
    /* The sums of train_loss_sum; grad, when not NULL, takes d (sum / rows) / d y. room is (rows, cols + 4). */
    double (*cross_entropy)(size_t rows, size_t cols, const void *y, const uint32_t *label, double *room, void *grad,
                            size_t *wrong);
    double (*squares)(size_t rows, size_t cols, const void *y, const void *target, void *grad);
};

extern const struct train_arith train_arith_f32, train_arith_f64;

/* e[i] = exp(-fabs(e[i])) and y[i] = log(s[i]), s[i] >= 1; room (n). The same bits on every machine. */
void train_exp(size_t n, double *e);
void train_log(size_t n, const double *s, double *y, double *room);

#endif
