/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the commands share that write .npy files: gelu_npy_writer, whose temporary file goes when a signal ends the
 * program. */
#ifndef GELU_CLI_NPY_OUTPUT_H
#define GELU_CLI_NPY_OUTPUT_H

#include "gelu_io.h"

gelu_status cli_npy_begin(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape,
                          gelu_npy_writer **writer, gelu_error *err);
/* Commits when status is GELU_OK, and aborts otherwise; the status of both. */
gelu_status cli_npy_end(gelu_npy_writer *writer, gelu_status status, gelu_error *err);

#endif
