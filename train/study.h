/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the files about experiments share. */
#ifndef GELU_TRAIN_STUDY_H
#define GELU_TRAIN_STUDY_H

#include "experiments.h"

gelu_status train_study_check(const train_study *study);
size_t train_study_curves(const train_study *study);
/* The plan of run i: the seeds of the first curve, then those of the second, ... */
train_plan train_study_plan(const train_study *study, size_t i);
/* On the monotonic clock. */
double train_seconds(void);

/* Room for all curves of the study, and each run's points: run i has train_study_points of them, from i times that on. */
size_t train_study_points(const train_study *study);
/* The medians over the seeds of each curve. */
gelu_status train_curves_create(const train_study *study, const train_epoch *points, train_result *out);

#endif
