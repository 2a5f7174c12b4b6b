/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The idx format of MNIST: two zero bytes, a type, the number of dimensions, each dimension as a big-endian 32-bit number,
 * the elements. Only unsigned bytes (type 8). */
#ifndef GELU_TRAIN_IDX_H
#define GELU_TRAIN_IDX_H

#include "gelu_io.h"

typedef struct {
    size_t count, features; /* the first dimension, and the product of the others */
    unsigned char *bytes;   /* (count, features); free it */
} train_idx;

/* path as it is or, where that is not there, with .gz; a file of so many dimensions. GELU_ERR_MISSING, GELU_ERR_IO,
 * GELU_ERR_MAGIC, GELU_ERR_TRUNCATED, GELU_ERR_TRAILING, GELU_ERR_OVERFLOW, GELU_ERR_MEMORY. */
gelu_status train_idx_read(const char *path, unsigned ndim, train_idx *out, gelu_error *err);
/* The same of nbytes in memory; name stands for the file in messages. */
gelu_status train_idx_read_memory(const char *name, const void *bytes, size_t nbytes, unsigned ndim, train_idx *out,
                                  gelu_error *err);

#endif
