/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Pictures, drawn by gnuplot. Exit codes; what went wrong is reported, gnuplot missing for the sake of option. */
#ifndef GELU_CLI_GNUPLOT_H
#define GELU_CLI_GNUPLOT_H

#include <stdio.h>

/* Before long work: whether gnuplot is there. */
int gnuplot_check(const char *option);
/* Runs the program, which writes a picture to its standard output; that follows what stream has. */
int gnuplot_run(const char *option, FILE *program, FILE *stream);
/* The same into a file; path appears when it is complete. */
int gnuplot_write(const char *option, FILE *program, const char *path);

#endif
