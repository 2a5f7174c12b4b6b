/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Large elementwise work, over threads. Each element depends on itself alone, so no split changes a bit. */
#ifndef GELU_ACTIVATION_SPLIT_H
#define GELU_ACTIVATION_SPLIT_H

#include "base/alias.h"
#include "base/compiler.h"

/* Fewest elements for a thread of its own. Measured with two threads on an AVX-512 core: a parallel region costs 2 us
 * while OpenMP's threads still look for work, 5 to 15 us when they have to be woken. Twice as many elements as this take
 * 5 us at the speed of the second-level cache, 22 us by fast f32 ERF and 47 us by the exact one. */
enum { SPLIT_LEAST = 1 << 15 };

/* Does n elements from the first-th on, counted row by row. */
typedef void split_piece(const void *context, size_t first, size_t n);

void gelu_split_large(struct alias_matrix out, split_piece *piece, const void *context);

/* Calls piece on all elements of out, in one piece or in several at once; a piece begins at a row or a cache line. */
GELU_INLINE void split(struct alias_matrix out, split_piece *piece, const void *context) {
    size_t n = out.rows * out.cols;
    if (n == 0) return; /* its pointers may be NULL, to which not even 0 may be added */
    if (n < 2 * SPLIT_LEAST)
        piece(context, 0, n);
    else
        gelu_split_large(out, piece, context);
}

#endif
