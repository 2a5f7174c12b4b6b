/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A file that appears when it is complete: written under a temporary name beside it, then renamed. A signal that ends the
 * program removes the temporary file. One at a time, unless signals are held (interrupt.h). */
#ifndef GELU_CLI_OUTPUT_FILE_H
#define GELU_CLI_OUTPUT_FILE_H

#include <stdio.h>

typedef struct {
    const char *path; /* must outlive the struct */
    char *temporary;
    FILE *stream; /* to write to */
} output_file;

/* Exit codes; what went wrong is reported, by path. An existing path must be a regular file. */
int output_file_open(const char *path, output_file *out);
int output_file_commit(output_file *out); /* path stays as it was when this fails */
void output_file_abort(output_file *out);
/* Before long work: whether path can be written. */
int output_file_check(const char *path);

#endif
