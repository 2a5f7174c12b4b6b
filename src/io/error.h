/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Where whatever reads or writes a file reports trouble. */
#ifndef GELU_IO_ERROR_H
#define GELU_IO_ERROR_H

#include "gelu_io.h"

struct io_context {
    const char *name; /* stands for the file in messages */
    gelu_error *err;  /* may be NULL */
};

/* Fills err, when there is one, and returns status. */
gelu_status gelu_io_fail(const struct io_context *context, gelu_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Like gelu_io_fail, but GELU_ERR_IO with the system's reason for error_number after what was tried. */
gelu_status gelu_io_fail_errno(const struct io_context *context, int error_number, const char *what);
/* Like gelu_io_fail, but the message begins with "at byte OFFSET: ". */
gelu_status gelu_io_fail_at(const struct io_context *context, gelu_status status, uint64_t offset, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));
gelu_status gelu_io_fail_memory(const struct io_context *context);
gelu_status gelu_io_fail_null(const struct io_context *context);
void gelu_io_error_clear(gelu_error *err);

#endif
