/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "npy_output.h"

#include "interrupt.h"

gelu_status cli_npy_begin(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape,
                          gelu_npy_writer **writer, gelu_error *err) {
    cli_output_opening(path);
    gelu_status status = gelu_npy_writer_open(path, dtype, ndim, shape, writer, err);
    cli_output_opened(status == GELU_OK ? gelu_npy_writer_temporary(*writer) : NULL);
    return status;
}

gelu_status cli_npy_end(gelu_npy_writer *writer, gelu_status status, gelu_error *err) {
    cli_output_closing();
    if (status == GELU_OK)
        status = gelu_npy_writer_commit(writer, err);
    else
        gelu_npy_writer_abort(writer);
    cli_output_closed();
    return status;
}
