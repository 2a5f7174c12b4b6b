/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the commands share that read .npy files. */
#ifndef GELU_CLI_NPY_INPUT_H
#define GELU_CLI_NPY_INPUT_H

#include "gelu_io.h"

enum { CLI_BLOCK = 4096 };        /* elements that are read at a time */
enum { CLI_SHAPE_LENGTH = 1500 }; /* GELU_MAX_NDIM numbers of 64 bits */

/* The exit code; a mistake is reported, with a hint at --bf16 where that would help. *out is NULL then. */
int cli_npy_open(const char *path, const gelu_npy_options *options, gelu_npy **out);
/* Elements first .. first+count-1, at most CLI_BLOCK of them. The exit code; a mistake is reported for path. */
int cli_npy_doubles(const char *path, const gelu_npy *npy, size_t first, size_t count, double *dst);
/* "(2, 3)", "(3,)", "()" into text of CLI_SHAPE_LENGTH bytes, which is returned. */
const char *cli_shape(size_t ndim, const size_t *shape, char *text);
/* The same for the place of element i among these dimensions. */
const char *cli_place(size_t ndim, const size_t *shape, size_t i, char *text);

#endif
