/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the parts of the .npy code share. */
#ifndef GELU_IO_NPY_INTERNAL_H
#define GELU_IO_NPY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gelu_io.h"
#include "io/error.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_NBYTES 6

/* A header of plain numbers with 64 dimensions takes under 2 kB; more than this is an attack or a structured type. */
#define NPY_MAX_HEADER 65536
/* Magic, version and a 4-byte length, and then the header: what must be at hand to parse any file. */
#define NPY_MAX_PREFIX (12 + NPY_MAX_HEADER)

struct npy_layout {
    gelu_tensor tensor; /* data stays NULL */
    size_t data_offset;
    char kind;              /* as NumPy has it: 'f', 'V'; of what is read as f64: 'b', 'i', 'u' */
    unsigned element_bytes; /* in the file */
    bool swapped;           /* the other byte order than this machine's */
    bool fortran;           /* and that differs from C order for this shape */
};

static inline bool npy_is_whole(const struct npy_layout *layout) { return layout->kind != 'f' && layout->kind != 'V'; }

/* Parses the start of a file of file_nbytes bytes. prefix holds all of it, or its first NPY_MAX_PREFIX
 * bytes. Checks that the file has exactly the size that the header asks for. */
gelu_status gelu_npy_parse(const struct io_context *context, const uint8_t *prefix, uint64_t file_nbytes,
                           const gelu_npy_options *options, struct npy_layout *out);

/* The element type and byte order that a descr string such as "<f4" names; GELU_ERR_DTYPE with a reason in words. */
gelu_status gelu_npy_parse_descr(const struct io_context *context, uint64_t offset, const char *descr, size_t length,
                                 const gelu_npy_options *options, struct npy_layout *out);

/* Elements first .. first+count-1 (in range) in row-major and native byte order, from data in the file's order;
 * bool and whole numbers as f64. */
void gelu_npy_gather(const struct npy_layout *layout, const uint8_t *data, size_t first, size_t count, uint8_t *dst);

#endif
