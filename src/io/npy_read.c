/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/npy_internal.h"

struct gelu_npy {
    struct npy_layout layout;
    const uint8_t *data; /* the first element, in the file's order */
    void *map;           /* NULL when nothing is mapped */
    size_t map_nbytes;
};

void gelu_tensor_free(gelu_tensor *tensor) {
    if (!tensor) return;
    free(tensor->data);
    memset(tensor, 0, sizeof *tensor);
}

static gelu_status fail_argument(const struct npy_context *context) {
    return gelu_npy_fail(context, GELU_ERR_ARGUMENT, 0, "a NULL pointer");
}

/* The handle for a parsed file; bytes is the whole file. */
static gelu_status new_handle(const struct npy_context *context, const struct npy_layout *layout, const uint8_t *bytes,
                              gelu_npy **out) {
    gelu_npy *npy = calloc(1, sizeof *npy);
    if (!npy) return gelu_npy_fail(context, GELU_ERR_MEMORY, 0, "out of memory");
    size_t nbytes = gelu_dtype_nbytes(layout->tensor.dtype);
    npy->layout = *layout;
    if (layout->tensor.count > 0) {
        npy->data = bytes + layout->data_offset;
        if (!layout->swapped && !layout->fortran && (uintptr_t)npy->data % nbytes == 0)
            npy->layout.tensor.data = (void *)(uintptr_t)npy->data;
    }
    *out = npy;
    return GELU_OK;
}

gelu_status gelu_npy_open_memory(const char *name, const void *bytes, size_t nbytes, const gelu_npy_options *options,
                                 gelu_npy **out, gelu_error *err) {
    struct npy_context context = {name ? name : "(memory)", err};
    struct npy_layout layout;
    gelu_npy_error_clear(err);
    if (!out) return fail_argument(&context);
    *out = NULL;
    if (!bytes && nbytes > 0) return fail_argument(&context);
    gelu_status status = gelu_npy_parse(&context, bytes, nbytes, options, &layout);
    return status ? status : new_handle(&context, &layout, bytes, out);
}

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "not a regular file";
}

/* Opens a regular file for reading and tells its size. */
static gelu_status open_regular(const struct npy_context *context, const char *path, int *fd, uint64_t *nbytes) {
    struct stat st;
    /* Without O_NONBLOCK the open of a pipe would wait for a writer. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) return gelu_npy_fail_errno(context, errno, "cannot open");
    if (fstat(*fd, &st) != 0) return gelu_npy_fail_errno(context, errno, "cannot examine");
    if (!S_ISREG(st.st_mode))
        return gelu_npy_fail(context, GELU_ERR_IO, 0, "cannot read: it is %s, not a regular file", kind_of(st.st_mode));
    *nbytes = (uint64_t)st.st_size;
    return GELU_OK;
}

static gelu_status read_prefix(const struct npy_context *context, int fd, uint8_t *prefix, size_t wanted) {
    for (size_t have = 0; have < wanted;) {
        ssize_t got = pread(fd, prefix + have, wanted - have, (off_t)have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gelu_npy_fail_errno(context, errno, "cannot read");
        if (got == 0) return gelu_npy_fail(context, GELU_ERR_TRUNCATED, have, "truncated while it was read");
        have += (size_t)got;
    }
    return GELU_OK;
}

static gelu_status parse_file(const struct npy_context *context, int fd, uint64_t file_nbytes,
                              const gelu_npy_options *options, struct npy_layout *layout) {
    uint8_t *prefix = malloc(NPY_MAX_PREFIX);
    if (!prefix) return gelu_npy_fail(context, GELU_ERR_MEMORY, 0, "out of memory");
    size_t some = file_nbytes < NPY_MAX_PREFIX ? (size_t)file_nbytes : NPY_MAX_PREFIX;
    gelu_status status = read_prefix(context, fd, prefix, some);
    if (!status) status = gelu_npy_parse(context, prefix, file_nbytes, options, layout);
    free(prefix);
    return status;
}

static gelu_status map_file(const struct npy_context *context, int fd, const struct npy_layout *layout,
                            uint64_t file_nbytes, gelu_npy **out) {
    /* The data fits in memory as gelu_npy_parse has checked; the prefix before it is small. */
    size_t nbytes = layout->tensor.count > 0 ? (size_t)file_nbytes : 0;
    void *map = nbytes > 0 ? mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (map == MAP_FAILED) return gelu_npy_fail_errno(context, errno, "cannot map");
    gelu_status status = new_handle(context, layout, map, out);
    if (status) {
        if (map) munmap(map, nbytes);
        return status;
    }
    (*out)->map = map;
    (*out)->map_nbytes = nbytes;
    return GELU_OK;
}

gelu_status gelu_npy_open(const char *path, const gelu_npy_options *options, gelu_npy **out, gelu_error *err) {
    struct npy_context context = {path ? path : "(no name)", err};
    struct npy_layout layout;
    uint64_t file_nbytes = 0;
    int fd;
    gelu_npy_error_clear(err);
    if (!out) return fail_argument(&context);
    *out = NULL;
    if (!path) return fail_argument(&context);
    gelu_status status = open_regular(&context, path, &fd, &file_nbytes);
    if (!status) status = parse_file(&context, fd, file_nbytes, options, &layout);
    if (!status) status = map_file(&context, fd, &layout, file_nbytes, out);
    if (fd >= 0) close(fd);
    return status;
}

void gelu_npy_close(gelu_npy *npy) {
    if (!npy) return;
    if (npy->map) munmap(npy->map, npy->map_nbytes);
    free(npy);
}

const gelu_tensor *gelu_npy_info(const gelu_npy *npy) { return npy ? &npy->layout.tensor : NULL; }

gelu_status gelu_npy_read_range(const gelu_npy *npy, size_t first, size_t count, void *dst) {
    if (!npy || (!dst && count > 0)) return GELU_ERR_ARGUMENT;
    size_t all = npy->layout.tensor.count;
    if (first > all || count > all - first) return GELU_ERR_SHAPE;
    gelu_npy_gather(&npy->layout, npy->data, first, count, dst);
    return GELU_OK;
}

gelu_status gelu_npy_read(const char *path, const gelu_npy_options *options, gelu_tensor *out, gelu_error *err) {
    struct npy_context context = {path ? path : "(no name)", err};
    gelu_npy *npy;
    gelu_npy_error_clear(err);
    if (!out) return fail_argument(&context);
    memset(out, 0, sizeof *out);
    gelu_status status = gelu_npy_open(path, options, &npy, err);
    if (status) return status;
    gelu_tensor tensor = *gelu_npy_info(npy);
    tensor.data = NULL;
    if (tensor.count > 0) {
        tensor.data = malloc(tensor.count * gelu_dtype_nbytes(tensor.dtype));
        if (!tensor.data) {
            gelu_npy_close(npy);
            return gelu_npy_fail(&context, GELU_ERR_MEMORY, 0, "out of memory for %zu elements", tensor.count);
        }
        gelu_npy_gather(&npy->layout, npy->data, 0, tensor.count, tensor.data);
    }
    gelu_npy_close(npy);
    *out = tensor;
    return GELU_OK;
}
