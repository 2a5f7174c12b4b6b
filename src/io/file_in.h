/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* A regular file that is read. */
#ifndef GELU_IO_FILE_IN_H
#define GELU_IO_FILE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "io/error.h"

/* Opens it and tells its size. *fd is -1 when it could not be opened, and else the caller's to close, whatever is
 * returned. Anything but a regular file is GELU_ERR_IO. */
gelu_status gelu_file_in_open(const struct io_context *context, const char *path, int *fd, uint64_t *nbytes);
/* All nbytes from offset on; GELU_ERR_TRUNCATED when the file has become shorter. */
gelu_status gelu_file_in_read(const struct io_context *context, int fd, uint64_t offset, void *dst, size_t nbytes);
/* Files up to this size are copied, so that nobody can shorten them while they are in use; longer ones are mapped, and
 * a read behind the end of a file that has become shorter is then SIGBUS. */
#define FILE_IN_COPIED ((size_t)16 << 20)

/* The first nbytes of a file, read only; NULL for none. */
struct file_bytes {
    const uint8_t *p;
    size_t nbytes;
    bool mapped;
};

gelu_status gelu_file_in_load(const struct io_context *context, int fd, size_t nbytes, struct file_bytes *out);
void gelu_file_in_unload(struct file_bytes *bytes);

#endif
