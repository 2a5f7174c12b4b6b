/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The size of an array whose shape came from outside. */
#ifndef GELU_IO_SHAPE_H
#define GELU_IO_SHAPE_H

#include <stdint.h>
#include "base/size.h"

/* Elements and bytes; false when they do not fit. As in NumPy, the dimensions other than the zero ones must not overflow
 * either, so that every stride fits. */
static inline bool io_shape_nbytes(size_t ndim, const size_t *shape, size_t element_nbytes, size_t *count,
                                   size_t *nbytes) {
    size_t nonzero = element_nbytes;
    *count = 1;
    for (size_t i = 0; i < ndim; i++) {
        if (shape[i] != 0 && !size_mul(nonzero, shape[i], &nonzero)) return false;
        *count = shape[i] == 0 || *count == 0 ? 0 : *count * shape[i];
    }
    *nbytes = *count == 0 ? 0 : nonzero;
    return nonzero <= PTRDIFF_MAX;
}

#endif
