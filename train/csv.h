/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_TRAIN_CSV_H
#define GELU_TRAIN_CSV_H

#include <stdio.h>

/* A comma and the shortest decimal of the number, which does not depend on the locale. */
void train_csv_number(FILE *stream, double value);

#endif
