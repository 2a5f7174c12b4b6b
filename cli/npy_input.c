/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "npy_input.h"

#include "cli.h"

/* Whether --bf16 is all that a file of a refused type lacks. */
static bool is_raw_bf16(const char *path) {
    const gelu_npy_options options = {.v2_is_bf16 = 1};
    gelu_npy *npy;
    gelu_error err;
    gelu_status status = gelu_npy_open(path, &options, &npy, &err);
    gelu_npy_close(npy);
    return status == GELU_OK;
}

int cli_npy_open(const char *path, const gelu_npy_options *options, gelu_npy **out) {
    gelu_error err = {0};
    gelu_status status = gelu_npy_open(path, options, out, &err);
    if (status == GELU_OK) return CLI_OK;
    bool hint = status == GELU_ERR_DTYPE && is_raw_bf16(path);
    return cli_fail("%s%s", err.message, hint ? "; try --bf16" : "");
}

int cli_npy_doubles(const char *path, const gelu_npy *npy, size_t first, size_t count, double *dst) {
    double raw[CLI_BLOCK];
    gelu_dtype dtype = gelu_npy_info(npy)->dtype;
    gelu_status status = gelu_npy_read_range(npy, first, count, raw);
    if (status == GELU_OK) status = gelu_convert(count, dtype, raw, GELU_F64, dst);
    return status == GELU_OK ? CLI_OK : cli_fail("%s: %s", path, gelu_status_string(status));
}

const char *cli_shape(size_t ndim, const size_t *shape, char *text) {
    size_t used = (size_t)snprintf(text, CLI_SHAPE_LENGTH, "(");
    for (size_t d = 0; d < ndim; d++)
        used += (size_t)snprintf(text + used, CLI_SHAPE_LENGTH - used, "%s%zu", d ? ", " : "", shape[d]);
    snprintf(text + used, CLI_SHAPE_LENGTH - used, "%s)", ndim == 1 ? "," : "");
    return text;
}

const char *cli_place(size_t ndim, const size_t *shape, size_t i, char *text) {
    size_t index[GELU_MAX_NDIM];
    for (size_t d = ndim; d-- > 0; i /= shape[d]) index[d] = i % shape[d];
    return cli_shape(ndim, index, text);
}
