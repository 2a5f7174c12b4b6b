/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_CLI_PLOT_H
#define GELU_CLI_PLOT_H

#include "bench.h"

/* Before long work: whether gnuplot is there and path can be written beside. Returns an exit code, the error reported. */
int plot_check(const char *path);
/* Draws the rows; path appears when it is complete. */
int plot_write(const char *path, size_t n, const bench_row *rows);

#endif
