/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_CLI_COMPARE_REPORT_H
#define GELU_CLI_COMPARE_REPORT_H

#include "compare_measure.h"
#include "figure.h"

/* The command line as it was, for the report. */
typedef struct {
    int argc;
    char **argv;
} compare_command;

/* NULL: out of memory. */
figure *compare_figure_learning(const compare_curves *curves);
figure *compare_figure_dead(const compare_curves *curves);
figure *compare_figure_gradient(const compare_curves *curves);

/* A page with the claims, pictures and settings, and claims.csv, learning.csv, dead.csv and gradient.csv. */
int compare_report(const char *folder, const compare_run *run, size_t n, const compare_claim *claims,
                   const compare_command *command);

/* `gelu compare --experiment`; folder NULL: no report. */
typedef struct {
    const char *name, *folder;
    const char *checkpoints; /* NULL: none */
    const train_data *data;
    bool full, csv;
    uint64_t seeds, epochs;       /* 0: those of the study */
    const double *rate, *dropout; /* NULL: those of the study */
    size_t threads;
} compare_experiment_request;
int compare_experiment(const compare_experiment_request *request, const compare_command *command);

#endif
