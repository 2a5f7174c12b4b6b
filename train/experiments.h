/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The experiments of "Gaussian Error Linear Units" (arXiv 1606.08415) on any data: a deep classifier, a deep autoencoder,
 * and the classifier under input noise. Each combination of activation, learning rate and dropout is trained with
 * several seeds, and what comes out are medians. The results depend on the study alone, never on threads or machine. */
#ifndef GELU_TRAIN_EXPERIMENTS_H
#define GELU_TRAIN_EXPERIMENTS_H

#include <stdio.h>

#include "train.h"

typedef enum {
    TRAIN_MNIST = 1,   /* 8 hidden layers of 128; training and test loss against epoch */
    TRAIN_AUTOENCODER, /* reconstruction error against epoch */
    TRAIN_NOISE        /* the classifier: test loss and error against the strength of uniform noise on the input */
} train_experiment;

/* "mnist", "autoencoder", "noise"; "?" for an unknown one. */
const char *train_experiment_name(train_experiment experiment);
/* GELU_ERR_NAME for anything else. */
gelu_status train_experiment_from_name(const char *name, train_experiment *out);

enum { TRAIN_MAX_CHOICES = 8, TRAIN_MAX_NOISE = 32 };

/* What is trained; train_study_of fills it in, and whatever is changed afterwards counts. */
typedef struct {
    train_experiment experiment;
    const train_data *data;
    size_t n_acts, n_rates, n_dropouts, n_noises;
    gelu_act acts[TRAIN_MAX_CHOICES];
    double rates[TRAIN_MAX_CHOICES];    /* of Adam */
    double dropouts[TRAIN_MAX_CHOICES]; /* 0: none */
    double noises[TRAIN_MAX_NOISE];     /* a: uniform on [-a, a], added to each value of each test sample */
    size_t layers, widths[TRAIN_MAX_LAYERS + 1];
    size_t batch, epochs;
    size_t seeds;   /* 1, 2, ..., seeds */
    size_t samples; /* of the training set, from its first one on */
    size_t threads; /* runs at a time */
    const char
        *folder; /* must exist: a checkpoint and a CSV of each run, from which a later call goes on; NULL: none */
} train_study;

/* full: the paper's settings (all its learning rates, its epochs, five seeds; 55,000 samples where there are 60,000);
 * else smaller ones, which for the digits take seconds. threads: as many as the machine has processors. data must
 * outlive the study. */
train_study train_study_of(train_experiment experiment, const train_data *data, bool full);
/* How many networks that trains. */
size_t train_study_runs(const train_study *study);
/* Roughly how many seconds the study takes here, from a few steps of each activation's network; at most a few seconds,
 * and about 1 % of a short study. */
gelu_status train_study_estimate(const train_study *study, double *seconds);

/* Over the seeds: element-wise, so that low and high bound every seed's curve. For TRAIN_NOISE only test_loss and
 * test_error count. */
typedef struct {
    gelu_act act;
    double rate, dropout;
    size_t points;                    /* epochs, or noises */
    double *at;                       /* (points): 1, 2, ... epochs; or the noise's strength */
    train_epoch *median, *low, *high; /* (points) */
} train_curve;

typedef struct {
    train_experiment experiment;
    bool finished; /* false: it was stopped, and there are no curves */
    size_t count;
    train_curve *curves; /* dropout by dropout, rate by rate, activation by activation */
    double seconds;
} train_result;

/* Where the study stands, from one thread at a time. false stops it: with a folder, all can go on later. */
typedef struct {
    bool (*tick)(void *context, uint64_t done, uint64_t total, const char *text); /* samples; "erf, seed 2, ..." */
    void *context;
} train_progress;

/* progress NULL: nobody watches. GELU_ERR_ARGUMENT, GELU_ERR_SHAPE (a study that does not fit its data), GELU_ERR_MEMORY,
 * and what train_load, train_save and train_write_csv return;
 * *out is then zeroed, and err has the reason. Free it with train_result_free. Not while another thread computes with
 * the library: its number of threads is 1 meanwhile. */
gelu_status train_study_run(const train_study *study, const train_progress *progress, train_result *out,
                            gelu_error *err);
void train_result_free(train_result *result); /* zeroes it; NULL is fine */

/* The curve of this activation and dropout whose last median training loss (TRAIN_NOISE: first test loss) is lowest:
 * with the learning rate that suits it best. NULL when there is none. */
const train_curve *train_best(const train_result *result, gelu_act act, double dropout);

/* curves as CSV: act, rate, dropout, at, and median, low and high of each figure. */
void train_result_print_csv(const train_result *result, FILE *stream);

#endif
