/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/file_in.h"
#include "io/npy_internal.h"

struct gelu_npy {
    struct npy_layout layout;
    const uint8_t *data;    /* the first element, in the file's order */
    struct file_bytes file; /* holds nothing when the bytes are the caller's */
};

void gelu_tensor_free(gelu_tensor *tensor) {
    if (!tensor) return;
    free(tensor->data);
    memset(tensor, 0, sizeof *tensor);
}

/* The handle for a parsed file; bytes is the whole file. */
static gelu_status new_handle(const struct io_context *context, const struct npy_layout *layout, const uint8_t *bytes,
                              gelu_npy **out) {
    gelu_npy *npy = calloc(1, sizeof *npy);
    if (!npy) return gelu_io_fail_memory(context);
    size_t nbytes = gelu_dtype_nbytes(layout->tensor.dtype);
    npy->layout = *layout;
    if (layout->tensor.count > 0) {
        npy->data = bytes + layout->data_offset;
        if (!layout->swapped && !layout->fortran && !npy_is_whole(layout) && (uintptr_t)npy->data % nbytes == 0)
            npy->layout.tensor.data = (void *)(uintptr_t)npy->data;
    }
    *out = npy;
    return GELU_OK;
}

gelu_status gelu_npy_open_memory(const char *name, const void *bytes, size_t nbytes, const gelu_npy_options *options,
                                 gelu_npy **out, gelu_error *err) {
    struct io_context context = {name ? name : "(memory)", err};
    struct npy_layout layout;
    gelu_io_error_clear(err);
    if (!out) return gelu_io_fail_null(&context);
    *out = NULL;
    if (!bytes && nbytes > 0) return gelu_io_fail_null(&context);
    gelu_status status = gelu_npy_parse(&context, bytes, nbytes, options, &layout);
    return status ? status : new_handle(&context, &layout, bytes, out);
}

static gelu_status parse_file(const struct io_context *context, int fd, uint64_t file_nbytes,
                              const gelu_npy_options *options, struct npy_layout *layout) {
    uint8_t *prefix = malloc(NPY_MAX_PREFIX);
    if (!prefix) return gelu_io_fail_memory(context);
    size_t some = file_nbytes < NPY_MAX_PREFIX ? (size_t)file_nbytes : NPY_MAX_PREFIX;
    gelu_status status = gelu_file_in_read(context, fd, 0, prefix, some);
    if (!status) status = gelu_npy_parse(context, prefix, file_nbytes, options, layout);
    free(prefix);
    return status;
}

static gelu_status load_file(const struct io_context *context, int fd, const struct npy_layout *layout,
                             uint64_t file_nbytes, gelu_npy **out) {
    /* The data fits in memory as gelu_npy_parse has checked; the prefix before it is small. */
    size_t nbytes = layout->tensor.count > 0 ? (size_t)file_nbytes : 0;
    struct file_bytes bytes;
    gelu_status status = gelu_file_in_load(context, fd, nbytes, &bytes);
    if (!status) status = new_handle(context, layout, bytes.p, out);
    if (status)
        gelu_file_in_unload(&bytes);
    else
        (*out)->file = bytes;
    return status;
}

gelu_status gelu_npy_open(const char *path, const gelu_npy_options *options, gelu_npy **out, gelu_error *err) {
    struct io_context context = {path ? path : "(no name)", err};
    struct npy_layout layout;
    uint64_t file_nbytes = 0;
    int fd;
    gelu_io_error_clear(err);
    if (!out) return gelu_io_fail_null(&context);
    *out = NULL;
    if (!path) return gelu_io_fail_null(&context);
    gelu_status status = gelu_file_in_open(&context, path, &fd, &file_nbytes);
    if (!status) status = parse_file(&context, fd, file_nbytes, options, &layout);
    if (!status) status = load_file(&context, fd, &layout, file_nbytes, out);
    if (fd >= 0) close(fd);
    return status;
}

void gelu_npy_close(gelu_npy *npy) {
    if (!npy) return;
    gelu_file_in_unload(&npy->file);
    free(npy);
}

const gelu_tensor *gelu_npy_info(const gelu_npy *npy) { return npy ? &npy->layout.tensor : NULL; }

int gelu_npy_is_u8(const gelu_npy *npy) { return npy && npy->layout.kind == 'u' && npy->layout.element_bytes == 1; }

gelu_status gelu_npy_read_range(const gelu_npy *npy, size_t first, size_t count, void *dst) {
    if (!npy || (!dst && count > 0)) return GELU_ERR_ARGUMENT;
    size_t all = npy->layout.tensor.count;
    if (first > all || count > all - first) return GELU_ERR_SHAPE;
    gelu_npy_gather(&npy->layout, npy->data, first, count, dst);
    return GELU_OK;
}

gelu_status gelu_npy_read(const char *path, const gelu_npy_options *options, gelu_tensor *out, gelu_error *err) {
    struct io_context context = {path ? path : "(no name)", err};
    gelu_npy *npy;
    gelu_io_error_clear(err);
    if (!out) return gelu_io_fail_null(&context);
    memset(out, 0, sizeof *out);
    gelu_status status = gelu_npy_open(path, options, &npy, err);
    if (status) return status;
    gelu_tensor tensor = *gelu_npy_info(npy);
    tensor.data = NULL;
    if (tensor.count > 0) {
        tensor.data = malloc(tensor.count * gelu_dtype_nbytes(tensor.dtype));
        if (!tensor.data) {
            gelu_npy_close(npy);
            return gelu_io_fail(&context, GELU_ERR_MEMORY, 0, "out of memory for %zu elements", tensor.count);
        }
        gelu_npy_gather(&npy->layout, npy->data, 0, tensor.count, tensor.data);
    }
    gelu_npy_close(npy);
    *out = tensor;
    return GELU_OK;
}
