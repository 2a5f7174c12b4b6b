/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Files of a folder that appear together, with the folder if it is not there. Exit codes; what went wrong is reported. */
#ifndef GELU_CLI_OUTPUT_FOLDER_H
#define GELU_CLI_OUTPUT_FOLDER_H

#include <stddef.h>

enum { OUTPUT_MAX_PARTS = 8 };

typedef struct {
    const char *name;
    char *bytes;
    size_t nbytes;
} output_part;

/* Before long work: whether folder/name can be written, which leaves all as it was. */
int output_folder_check(const char *folder, const char *name);
/* The same, but the folder is there afterwards. */
int output_folder_make(const char *folder, const char *name);
/* Writes all parts, up to OUTPUT_MAX_PARTS. On an error, and when a signal ends the program, all is as it was. */
int output_folder_write(const char *folder, size_t n, const output_part *parts);

#endif
