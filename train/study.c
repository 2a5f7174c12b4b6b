/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "study.h"

static const char *const names[] = {
    [TRAIN_MNIST] = "mnist", [TRAIN_AUTOENCODER] = "autoencoder", [TRAIN_NOISE] = "noise"};

const char *train_experiment_name(train_experiment experiment) {
    return experiment >= TRAIN_MNIST && experiment <= TRAIN_NOISE ? names[experiment] : "?";
}

gelu_status train_experiment_from_name(const char *name, train_experiment *out) {
    for (int i = TRAIN_MNIST; name && i <= TRAIN_NOISE; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (train_experiment)i;
            return GELU_OK;
        }
    return GELU_ERR_NAME;
}

/* ---- Settings ---- */

static void set_widths(train_study *s, size_t hidden, const size_t *widths, size_t outputs) {
    s->layers = hidden + 1;
    s->widths[0] = s->data->train.features;
    memcpy(s->widths + 1, widths, hidden * sizeof *widths);
    s->widths[hidden + 1] = outputs;
}

static void set_classifier(train_study *s, bool full) {
    static const size_t widths[] = {128, 128, 128, 128, 128, 128, 128, 128};
    set_widths(s, 8, widths, s->data->train.classes);
    s->rates[s->n_rates++] = 1e-3;
    if (full && s->experiment == TRAIN_MNIST) {
        s->rates[s->n_rates++] = 1e-4;
        s->rates[s->n_rates++] = 1e-5;
    }
    s->dropouts[s->n_dropouts++] = 0;
    if (s->experiment == TRAIN_MNIST) s->dropouts[s->n_dropouts++] = 0.5;
    s->batch = full ? 128 : 64;
    s->epochs = full ? 50 : 20;
    enum { NOISES = 13 };
    if (s->experiment == TRAIN_NOISE)
        for (int i = 0; i < NOISES; i++) s->noises[s->n_noises++] = 0.25 * i;
}

static void set_autoencoder(train_study *s, bool full) {
    static const size_t paper[] = {1000, 500, 250, 30, 250, 500, 1000}, small[] = {128, 64, 32, 10, 32, 64, 128};
    set_widths(s, 7, full ? paper : small, s->data->train.features);
    s->rates[s->n_rates++] = 1e-3;
    s->rates[s->n_rates++] = full ? 1e-4 : 1e-2;
    s->dropouts[s->n_dropouts++] = 0;
    s->batch = 64;
    s->epochs = full ? 500 : 30;
}

train_study train_study_of(train_experiment experiment, const train_data *data, bool full) {
    static const gelu_act acts[] = {GELU_ERF, GELU_TANH, GELU_QUICK, GELU_RELU, GELU_ELU, GELU_SILU};
    train_study study = {.experiment = experiment, .data = data, .seeds = 5, .samples = data->train.count};
    memcpy(study.acts, acts, sizeof acts);
    study.n_acts = sizeof acts / sizeof *acts;
    if (experiment == TRAIN_AUTOENCODER)
        set_autoencoder(&study, full);
    else
        set_classifier(&study, full);
    /* The paper chooses by 5,000 of MNIST's 60,000 samples; nothing is chosen here, but they are not trained on. */
    if (full && experiment != TRAIN_AUTOENCODER && study.samples == 60000) study.samples = 55000;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    study.threads = processors > 0 ? (size_t)processors : 1;
    return study;
}

gelu_status train_study_check(const train_study *s) {
    if (s->experiment < TRAIN_MNIST || s->experiment > TRAIN_NOISE || !s->data || s->seeds < 1 || s->threads < 1 ||
        s->n_acts < 1 || s->n_acts > TRAIN_MAX_CHOICES || s->n_rates < 1 || s->n_rates > TRAIN_MAX_CHOICES ||
        s->n_dropouts < 1 || s->n_dropouts > TRAIN_MAX_CHOICES || s->n_noises > TRAIN_MAX_NOISE || s->epochs < 1 ||
        (s->experiment == TRAIN_NOISE && s->n_noises < 1))
        return GELU_ERR_ARGUMENT;
    return s->samples < 1 || s->samples > s->data->train.count ? GELU_ERR_SHAPE : GELU_OK;
}

size_t train_study_curves(const train_study *s) { return s->n_dropouts * s->n_rates * s->n_acts; }

size_t train_study_runs(const train_study *s) { return train_study_curves(s) * s->seeds; }

train_plan train_study_plan(const train_study *s, size_t run) {
    size_t curve = run / s->seeds;
    train_plan plan = {
        .net = {.dtype = GELU_F32,
                .layers = s->layers,
                .act = s->acts[curve % s->n_acts],
                .dropout = s->dropouts[curve / s->n_acts / s->n_rates],
                .init = TRAIN_INIT_UNIT_ROWS,
                .loss = s->experiment == TRAIN_AUTOENCODER ? TRAIN_MSE : TRAIN_CROSS_ENTROPY},
        .optimiser = train_adam(s->rates[curve / s->n_acts % s->n_rates]),
        .samples = s->samples,
        .batch = s->batch,
        .epochs = s->epochs,
        .seed = run % s->seeds + 1,
        /* Of the test as well: checkpoints hold what it has shown so far. */
        .data_hash = s->data->train.hash ^ 3 * s->data->test.hash,
    };
    memcpy(plan.net.widths, s->widths, (s->layers + 1) * sizeof *s->widths);
    return plan;
}

/* ---- Time ---- */

double train_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of one step: a few are enough, since their time does not depend on what they compute; of short trainings about 1 %. */
static gelu_status time_step(train_run *run, const train_set *set, double *seconds) {
    enum { WARM_UP = 3 };
    static const double enough = 0.1;
    const size_t most = WARM_UP + 1 + run->plan.epochs * (run->plan.samples / run->plan.batch) / 100;
    struct train_batch batch;
    double began = 0, spent = 0, sum;
    gelu_status status = train_batch_create(run->net, set, &batch);
    if (status != GELU_OK) return status;
    train_batch_fill(run->net, set, NULL, 0, &batch);
    for (size_t i = 0; status == GELU_OK && spent < enough && i < most; i++) {
        if (i == WARM_UP) began = train_seconds();
        status = train_forward(run->net, batch.rows, batch.x, run->plan.net.dropout > 0 ? &run->rng : NULL);
        if (status == GELU_OK) status = train_backward(run->net, batch.x, batch.target, &sum, NULL);
        train_step(run);
        if (i < WARM_UP) continue;
        spent = train_seconds() - began;
        *seconds = spent / (double)(i + 1 - WARM_UP);
    }
    train_batch_free(&batch);
    return status;
}

/* An epoch trains on all samples and then evaluates them and those of the test, which is a third of the work each. */
static gelu_status estimate_run(const train_study *s, size_t index, double *seconds) {
    train_plan plan = train_study_plan(s, index);
    train_run *run;
    double step = 0;
    gelu_status status = train_run_create(&plan, &run);
    if (status != GELU_OK) return status;
    status = time_step(run, &s->data->train, &step);
    train_run_free(run);
    double samples = (double)s->samples + ((double)s->samples + (double)s->data->test.count) / 3;
    *seconds = step * samples / (double)s->batch * (double)s->epochs;
    return status;
}

gelu_status train_study_estimate(const train_study *study, double *seconds) {
    gelu_status status = train_study_check(study);
    size_t threads = gelu_num_threads(), runs = train_study_runs(study);
    double total = 0;
    if (status == GELU_OK) status = gelu_set_num_threads(1);
    for (size_t i = 0; status == GELU_OK && i < runs; i += study->seeds) {
        size_t curve = i / study->seeds;
        if (curve / study->n_acts % study->n_rates != 0) continue; /* the rate does not matter */
        double each = 0;
        status = estimate_run(study, i, &each);
        total += each * (double)(study->n_rates * study->seeds);
    }
    (void)gelu_set_num_threads(threads);
    if (status == GELU_OK) *seconds = total / (double)(study->threads < runs ? study->threads : runs);
    return status;
}
