/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What `gelu compare` measures, claim by claim. Exit codes; what goes wrong is reported. */
#ifndef GELU_CLI_COMPARE_MEASURE_H
#define GELU_CLI_COMPARE_MEASURE_H

#include "cli.h"
#include "compare.h"
#include "data.h"

typedef enum { COMPARE_QUICK_RUN, COMPARE_DEFAULT_RUN, COMPARE_FULL_RUN } compare_effort;

enum { COMPARE_MAX_EPOCHS = 64, COMPARE_MAX_RATES = 8, COMPARE_MAX_DEPTHS = 8, COMPARE_MAX_DEPTH = 64 };

/* What the pictures need beyond the rows. */
typedef struct {
    size_t epochs;
    double train_loss[COMPARE_ACTS][COMPARE_MAX_EPOCHS], test_error[COMPARE_ACTS][COMPARE_MAX_EPOCHS]; /* medians; % */
    size_t rates;
    double rate[COMPARE_MAX_RATES];
    double dead[COMPARE_ACTS][COMPARE_MAX_RATES], idle[COMPARE_ACTS][COMPARE_MAX_RATES]; /* % */
    size_t depth;                                                                        /* of the deepest network */
    double norm[2][COMPARE_ACTS][COMPARE_MAX_DEPTH]; /* per layer; at initialisation, trained */
} compare_curves;

typedef struct {
    compare_effort effort;
    uint64_t seed;
    size_t threads;
    const train_data *data;
    compare_curves curves;
    cli_progress bar;
    double done, part; /* of all the work, of the part that is under way */
} compare_run;

/* Share, 0 to 1, of the part that is under way. */
void compare_show_progress(compare_run *run, double share);

int compare_smoothness(compare_run *run, compare_claim *claim);
int compare_stochastic(compare_run *run, compare_claim *claim);
int compare_cost(compare_run *run, compare_claim *claim);
/* Of networks that are trained for it, in this order: dead units, gradients, preactivations, sparsity. */
enum { COMPARE_TRAINED = 4 };
int compare_trained(compare_run *run, compare_claim claims[COMPARE_TRAINED]);
int compare_convergence(compare_run *run, compare_claim *claim);

/* What compare_trained does, in epochs of a network of 8 hidden layers. */
double compare_trained_work(const compare_run *run);
double compare_cost_seconds(compare_effort effort);
/* About how many seconds all claims take here; takes a small part of that, at most a second or so. */
int compare_estimate(const compare_run *run, double *seconds);

#endif
