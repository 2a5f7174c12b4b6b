/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A text file that is complete or not there, with numbers that do not depend on the locale. */
#ifndef GELU_TRAIN_CSV_H
#define GELU_TRAIN_CSV_H

#include <stdbool.h>
#include <stdio.h>
#include "gelu_io.h"

struct train_csv {
    FILE *file;
    const char *path; /* must outlive the struct */
    char *temporary;  /* NULL when path is written directly, being no regular file */
    gelu_error *err;
};

gelu_status train_csv_open(const char *path, struct train_csv *csv, gelu_error *err);
/* A comma, unless it is the line's first field, and the shortest decimal of the number. */
void train_csv_number(struct train_csv *csv, bool first, double value);
/* Closes and renames; on failure nothing is left behind, and path is as it was. */
gelu_status train_csv_commit(struct train_csv *csv);

#endif
