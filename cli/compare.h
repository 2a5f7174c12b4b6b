/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* `gelu compare`: what is said of GELU against ReLU, measured. A claim has rows of figures, one for each activation, and a
 * verdict that a stated rule makes of them. */
#ifndef GELU_CLI_COMPARE_H
#define GELU_CLI_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gelu.h"

enum { COMPARE_RELU, COMPARE_GELU, COMPARE_TANH, COMPARE_QUICK, COMPARE_SILU, COMPARE_ACTS };
extern const gelu_act compare_acts[COMPARE_ACTS];

typedef enum { COMPARE_HOLDS, COMPARE_FAILS, COMPARE_DEPENDS } compare_verdict;
/* "holds", "does not hold", "depends". */
const char *compare_verdict_name(compare_verdict verdict);

typedef struct {
    const char *key;             /* for CSV: [a-z0-9_]+ */
    char measure[120];           /* what it is, with its unit */
    double values[COMPARE_ACTS]; /* NaN: cannot be said */
} compare_row;

enum { COMPARE_MAX_ROWS = 24 };

typedef struct {
    const char *key, *claim;
    const char *rule; /* when it holds, when not */
    compare_verdict verdict;
    char because[200]; /* the figures that decided */
    size_t n_rows;
    compare_row rows[COMPARE_MAX_ROWS];
} compare_claim;

/* The next row; the last one again when there are too many. */
compare_row *compare_add_row(compare_claim *claim, const char *key);

/* ---- Rules: each fills rule, verdict and because ---- */

/* The largest jump of f' between neighbours on a grid, and on one that is times finer, of each activation. */
void compare_judge_smooth(compare_claim *claim, const double *coarse, const double *fine, double times);
/* How far f(x) is from the mean of x 1[N <= x], in standard errors, at the worst x. */
void compare_judge_stochastic(compare_claim *claim, const double *errors);
/* Skewness and excess kurtosis of the layer where each is largest, at initialisation and after training. */
void compare_judge_normal(compare_claim *claim, const double initial[2], const double trained[2]);
/* Shares of exact zeros and of values near zero, in %. */
void compare_judge_sparse(compare_claim *claim, const double *zeros, const double *near);
/* Time, as a multiple of ReLU's, alone and in a feed-forward block: the lowest and the highest of several passes. */
void compare_judge_cost(compare_claim *claim, const double alone[2], const double block[2]);
/* Shares of dead units, in %, at each learning rate; NaN where training diverged. */
void compare_judge_dead(compare_claim *claim, size_t rates, const double *rate, const double *relu, const double *gelu);
/* Norms of the gradient in the first hidden layer as a multiple of those in the last, at each depth, before and after
 * training. */
void compare_judge_gradient(compare_claim *claim, size_t n, const double *relu, const double *gelu);
/* Medians over the seeds, epoch by epoch, and at the end the share of test errors in %. */
void compare_judge_convergence(compare_claim *claim, size_t epochs, const double *relu_loss, const double *gelu_loss,
                               double relu_error, double gelu_error);

#endif
