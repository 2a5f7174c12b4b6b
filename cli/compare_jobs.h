/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Networks that `gelu compare` trains and looks into: several at a time, each in one thread. */
#ifndef GELU_CLI_COMPARE_JOBS_H
#define GELU_CLI_COMPARE_JOBS_H

#include "compare_measure.h"
#include "train.h"

enum { COMPARE_WIDTH = 128, COMPARE_BATCH = 128 };

/* What a layer showed for the first samples of the training set. */
typedef struct {
    double norm;               /* of d loss / d preactivation */
    double mean, deviation;    /* of its preactivations, all units together */
    double skewness, kurtosis; /* the latter in excess of the normal distribution's */
    double zeros, near;        /* shares of its activations: exactly 0; below 1 % of the largest in the layer */
} compare_layer;

typedef struct {
    gelu_act act;
    size_t hidden; /* layers of COMPARE_WIDTH, up to COMPARE_MAX_DEPTH */
    double gain;   /* of the initial weights: times the paper's, whose rows have length 1 */
    double rate;   /* of Adam */
    size_t epochs; /* 0: as it begins, nothing more */
    uint64_t seed;
    bool counts_units; /* which takes two passes over the samples */
    /* results */
    gelu_status status;
    bool diverged;                  /* the loss is no longer finite */
    double loss;                    /* the last mean over the batches of an epoch */
    double dead_before, dead, idle; /* shares of hidden units */
    compare_layer before[COMPARE_MAX_DEPTH], after[COMPARE_MAX_DEPTH];
} compare_job;

/* Runs them all, run->threads at a time. An exit code; what went wrong is reported. */
int compare_run_jobs(compare_run *run, size_t n, compare_job *jobs);

#endif
