/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#ifndef GELU_CLI_COMPARE_PRINT_H
#define GELU_CLI_COMPARE_PRINT_H

#include <stdio.h>

#include "compare.h"

/* Head, then claim by claim as they come. */
void compare_print_head(FILE *stream);
void compare_print_claim(const compare_claim *claim, FILE *stream);
void compare_print_csv_head(FILE *stream);
void compare_print_csv(const compare_claim *claim, FILE *stream);
/* A figure as the table has it: four digits, or a dash for NaN. */
const char *compare_figure_text(double value, char text[24]);

/* On standard error, after what: about how long all will take; only where that is more than a minute, unless always. */
void compare_say_how_long(const char *what, double seconds, bool always);

#endif
