/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* How bf16 compute lays out its operands. Weights are the same for every instruction set, and are what AMX's tiles load:
 * panels of 32 columns; in a panel, blocks of 32 k; in a block, two halves of 16 columns; in a half, 16 rows; in row j,
 * for each column, k = 2j and k = 2j + 1. Columns and k beyond the end are +0. */
#ifndef GELU_KERNELS_BF16_LAYOUT_H
#define GELU_KERNELS_BF16_LAYOUT_H

#include <stdbool.h>
#include "base/size.h"
#include "kernels/kernels.h"

/* Elements of a half: 16 rows of 16 pairs. */
enum { BF16_PANEL = 32, BF16_BLOCK = 32, BF16_HALF = 512 };

/* Blocks of k between two visits of an accumulator tile, so that what they need of both operands fits the L1 cache. */
enum { BF16_SLAB = 8 };

static inline size_t bf16_blocks(size_t depth) { return depth / BF16_BLOCK + (depth % BF16_BLOCK != 0); }
static inline size_t bf16_panels(size_t cols) { return cols / BF16_PANEL + (cols % BF16_PANEL != 0); }
static inline size_t bf16_min(size_t a, size_t b) { return a < b ? a : b; }

/* Bytes of packed weights, and of packed rows of x for any instruction set. */
static inline bool bf16_weights_nbytes(size_t cols, size_t depth, size_t *out) {
    return size_mul(bf16_panels(cols), BF16_PANEL * BF16_BLOCK * sizeof(gelu_bf16), out) &&
           size_mul(*out, bf16_blocks(depth), out);
}
static inline bool bf16_rows_nbytes(size_t rows, size_t depth, size_t *out) {
    return size_mul(bf16_panels(rows), BF16_PANEL * BF16_BLOCK * sizeof(float), out) &&
           size_mul(*out, bf16_blocks(depth), out);
}

/* w (n, k) lies at w[n * col_stride + k * k_stride]. */
static inline void bf16_pack_weights(size_t cols, size_t depth, const gelu_bf16 *w, size_t col_stride, size_t k_stride,
                                     gelu_bf16 *packed) {
    for (size_t panel = 0; panel < cols; panel += BF16_PANEL)
        for (size_t block = 0; block < depth; block += BF16_BLOCK)
            for (size_t half = panel; half < panel + BF16_PANEL; half += BF16_PANEL / 2)
                for (size_t pair = block; pair < block + BF16_BLOCK; pair += 2)
                    for (size_t n = half; n < half + BF16_PANEL / 2; n++)
                        for (size_t k = pair; k < pair + 2; k++)
                            *packed++ = n < cols && k < depth ? w[n * col_stride + k * k_stride] : 0;
}

/* Where the slab after this one begins, in elements of w: the next panel's, or after the last one the first panel's next
 * slab, or what follows. That may lie beyond the end, where a prefetch does no harm. */
static inline size_t bf16_next(size_t n, size_t cols, size_t first, size_t blocks) {
    size_t panel = n / BF16_PANEL + 1;
    if (n + BF16_PANEL < cols) return (panel * blocks + first) * BF16_PANEL * BF16_BLOCK;
    if (first + BF16_SLAB < blocks) return (first + BF16_SLAB) * BF16_PANEL * BF16_BLOCK;
    return panel * blocks * BF16_PANEL * BF16_BLOCK;
}

/* Cache lines of it to prefetch with each block, if as many tiles as that work on a slab. */
static inline size_t bf16_lines(size_t tiles) {
    return (BF16_PANEL * BF16_BLOCK * sizeof(gelu_bf16) / 64 + tiles - 1) / tiles;
}

#endif
