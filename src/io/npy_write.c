/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/file_out.h"
#include "io/npy_internal.h"
#include "io/shape.h"

#define BUFFER_NBYTES 65536
/* The fixed words and 64 dimensions of up to 20 digits, padded to 64. */
#define MAX_WRITTEN_HEADER 2048
#define ALIGN 64
/* NumPy leaves room for the growing dimension to reach this many digits, so that a header can be changed in place. */
#define GROWTH_DIGITS 21

struct gelu_npy_writer {
    struct file_out file;
    char *path; /* as the caller named it, for messages */
    size_t element_nbytes, missing;
    size_t buffered;
    gelu_error failure; /* of the first write that failed; every later call repeats it */
    unsigned char buffer[BUFFER_NBYTES];
};

static const char *descr_of(gelu_dtype dtype) {
    switch (dtype) {
    case GELU_F16: return "<f2";
    case GELU_F32: return "<f4";
    case GELU_F64: return "<f8";
    case GELU_BF16: return "<V2";
    }
    return NULL;
}

/* The same bytes as np.save writes. */
static size_t make_header(gelu_dtype dtype, size_t ndim, const size_t *shape, char header[MAX_WRITTEN_HEADER]) {
    const size_t start = 10, room = MAX_WRITTEN_HEADER;
    char digits[24];
    memcpy(header, NPY_MAGIC "\1", NPY_MAGIC_NBYTES + 2);
    size_t used = start + (size_t)snprintf(header + start, room - start,
                                           "{'descr': '%s', 'fortran_order': False, 'shape': (", descr_of(dtype));
    for (size_t i = 0; i < ndim; i++)
        used += (size_t)snprintf(header + used, room - used, i ? ", %zu" : "%zu", shape[i]);
    used += (size_t)snprintf(header + used, room - used, ndim == 1 ? ",), }" : "), }");
    size_t growth = ndim > 0 ? GROWTH_DIGITS - (size_t)snprintf(digits, sizeof digits, "%zu", shape[0]) : 0;
    size_t total = used + growth + 1;
    total += ALIGN - total % ALIGN;
    memset(header + used, ' ', total - 1 - used);
    header[total - 1] = '\n';
    header[8] = (char)((total - start) & 0xff);
    header[9] = (char)((total - start) >> 8);
    return total;
}

static gelu_status check_shape(const struct io_context *context, gelu_dtype dtype, size_t ndim, const size_t *shape,
                               size_t *count) {
    size_t nbytes;
    if (gelu_dtype_nbytes(dtype) == 0)
        return gelu_io_fail(context, GELU_ERR_DTYPE, 0, "unknown element type %d", (int)dtype);
    if (ndim > GELU_MAX_NDIM)
        return gelu_io_fail(context, GELU_ERR_SHAPE, 0, "%zu dimensions are more than %d", ndim, GELU_MAX_NDIM);
    if (!io_shape_nbytes(ndim, shape, gelu_dtype_nbytes(dtype), count, &nbytes))
        return gelu_io_fail(context, GELU_ERR_OVERFLOW, 0, "size overflow in shape");
    return GELU_OK;
}

static void free_writer(gelu_npy_writer *writer) {
    free(writer->path);
    free(writer);
}

gelu_status gelu_npy_writer_open(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape,
                                 gelu_npy_writer **out, gelu_error *err) {
    struct io_context context = {path ? path : "(no name)", err};
    size_t count = 0;
    gelu_io_error_clear(err);
    if (out) *out = NULL;
    if (!out || !path || (!shape && ndim > 0)) return gelu_io_fail_null(&context);
    gelu_status status = check_shape(&context, dtype, ndim, shape, &count);
    if (status) return status;
    gelu_npy_writer *writer = calloc(1, sizeof *writer);
    size_t path_nbytes = strlen(path) + 1;
    if (writer) writer->path = malloc(path_nbytes);
    if (!writer || !writer->path) {
        free(writer);
        return gelu_io_fail_memory(&context);
    }
    memcpy(writer->path, path, path_nbytes);
    int reason = gelu_file_out_open(&writer->file, path);
    if (reason) {
        free_writer(writer);
        return gelu_io_fail_errno(&context, reason, "cannot create");
    }
    writer->element_nbytes = gelu_dtype_nbytes(dtype);
    writer->missing = count;
    writer->buffered = make_header(dtype, ndim, shape, (char *)writer->buffer);
    *out = writer;
    return GELU_OK;
}

static gelu_status fail_write(gelu_npy_writer *writer, int reason) {
    struct io_context context = {writer->path, &writer->failure};
    return gelu_io_fail_errno(&context, reason, "cannot write");
}

static gelu_status flush(gelu_npy_writer *writer) {
    int reason = gelu_file_out_write(&writer->file, writer->buffer, writer->buffered);
    writer->buffered = 0;
    return reason ? fail_write(writer, reason) : GELU_OK;
}

static gelu_status put(gelu_npy_writer *writer, const void *data, size_t nbytes) {
    if (nbytes > BUFFER_NBYTES - writer->buffered && flush(writer)) return writer->failure.status;
    if (nbytes >= BUFFER_NBYTES) {
        int reason = gelu_file_out_write(&writer->file, data, nbytes);
        return reason ? fail_write(writer, reason) : GELU_OK;
    }
    memcpy(writer->buffer + writer->buffered, data, nbytes);
    writer->buffered += nbytes;
    return GELU_OK;
}

/* Hands the writer's own failure to the caller. */
static gelu_status report(const gelu_npy_writer *writer, gelu_error *err) {
    if (err) *err = writer->failure;
    return writer->failure.status;
}

gelu_status gelu_npy_writer_write(gelu_npy_writer *writer, size_t count, const void *data, gelu_error *err) {
    struct io_context context = {writer ? writer->path : "(no writer)", err};
    gelu_io_error_clear(err);
    if (!writer || (!data && count > 0)) return gelu_io_fail_null(&context);
    if (writer->failure.status) return report(writer, err);
    if (count > writer->missing)
        return gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "%zu elements given where only %zu are left to write", count,
                            writer->missing);
    if (count > 0 && put(writer, data, count * writer->element_nbytes)) return report(writer, err);
    writer->missing -= count;
    return GELU_OK;
}

gelu_status gelu_npy_writer_commit(gelu_npy_writer *writer, gelu_error *err) {
    struct io_context context = {writer ? writer->path : "(no writer)", err};
    gelu_io_error_clear(err);
    if (!writer) return gelu_io_fail_null(&context);
    gelu_status status = GELU_OK;
    if (writer->failure.status || (writer->missing == 0 && flush(writer)))
        status = report(writer, err);
    else if (writer->missing > 0)
        status = gelu_io_fail(&context, GELU_ERR_SHAPE, 0, "%zu elements are missing", writer->missing);
    if (status) {
        gelu_npy_writer_abort(writer);
        return status;
    }
    int reason = gelu_file_out_commit(&writer->file);
    if (reason) status = gelu_io_fail_errno(&context, reason, "cannot finish writing");
    free_writer(writer);
    return status;
}

void gelu_npy_writer_abort(gelu_npy_writer *writer) {
    if (!writer) return;
    gelu_file_out_abort(&writer->file);
    free_writer(writer);
}

const char *gelu_npy_writer_temporary(const gelu_npy_writer *writer) { return writer ? writer->file.temporary : NULL; }

gelu_status gelu_npy_write(const char *path, gelu_dtype dtype, size_t ndim, const size_t *shape, const void *data,
                           gelu_error *err) {
    gelu_npy_writer *writer;
    gelu_status status = gelu_npy_writer_open(path, dtype, ndim, shape, &writer, err);
    if (status) return status;
    status = gelu_npy_writer_write(writer, writer->missing, data, err);
    if (!status) return gelu_npy_writer_commit(writer, err);
    gelu_npy_writer_abort(writer);
    return status;
}
