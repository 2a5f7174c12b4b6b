/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The canonical product on whole matrices: for i < rows and j < cols, acc[i][j] += the sum over k < depth of
 * a[i][k] * b[j][k] by the rule of gelu.h, from whatever acc starts with, to whatever is made of it: in blocks that stay
 * in the caches, on several threads. Neither changes a bit. */
#ifndef GELU_LINEAR_PRODUCT_H
#define GELU_LINEAR_PRODUCT_H

#include <stdbool.h>
#include "kernels/kernels.h"

/* How a factor, (count, depth), lies in memory. */
enum product_form {
    PRODUCT_STRIDED, /* (i, k) at i * stride + k * depth_stride, of which one is 1 */
    PRODUCT_PANELS,  /* packed for the tiles, b only: (i, k) in panel i / width, at k * width + i % width */
    PRODUCT_TURNED,  /* such panels with i and k exchanged, b only */
    PRODUCT_ONES     /* every element is 1, a only */
};

struct product_factor {
    enum product_form form;
    gelu_dtype dtype;
    const void *p;
    size_t stride, depth_stride;
};

/* A panel of acc, contiguous rows of `width`, of which `cols` count, and what it is a part of. */
struct product_part {
    size_t row, rows, col, cols, width;
    void *acc;
    void *scratch; /* as large as the panel */
};

/* A matrix of real that tiles load from or store to themselves, except where a panel reaches beyond its columns. */
struct product_end {
    void *p; /* or NULL */
    size_t stride;
};

struct product {
    const struct gelu_kernels *kernels;
    gelu_dtype real;
    size_t rows, cols, depth;
    struct product_factor a, b;
    /* What acc starts from. With stride 0, one row for all, which goes on up to a whole panel. NULL: start, or else +0. */
    struct product_end from;
    struct product_end to; /* where results go, if that is of real; by finish, unless they are what acc has become */
    bool bare;
    /* Otherwise, or for the last panel: fills acc, padding included; takes it, some whole rows in a call. */
    void (*start)(const void *context, const struct product_part *part);
    void (*finish)(const void *context, const struct product_part *part);
    const void *context;
};

/* Where the products of a call work, aligned to 64 bytes: room for as many threads as `threads` says, however many are
 * set by the time that they run. */
struct product_space {
    void *p;
    size_t threads;
};

/* For how many threads a call sizes that, to be asked once: as many as are set, in memory of its own. A caller's
 * workspace may be older than the setting: it has room for as many as there are processors. */
size_t gelu_product_threads(const void *workspace);

/* How many of so many threads a product of this size is worth. */
size_t gelu_product_workers(size_t rows, size_t cols, size_t depth, size_t threads);

/* Columns of a panel. */
size_t gelu_product_width(const struct gelu_kernels *kernels, gelu_dtype real);
/* Bytes of workspace that a product of this size needs for up to so many threads, whatever its factors: no less for
 * more. false when that does not fit. */
bool gelu_product_workspace(const struct gelu_kernels *kernels, gelu_dtype real, size_t rows, size_t cols, size_t depth,
                            size_t threads, size_t *nbytes);
/* The environment is the caller's own; start and finish run in that of fpenv_enter,
 * on several threads. */
void gelu_product_run(const struct product *product, struct product_space space);

/* Pack rows first to first + count - 1 of a factor, at `start` and `depth` behind it in the sum (depth at most
 * PRODUCT_BLOCK), as real: (i, k) at k * width + i, and 0 up to width. scratch: PRODUCT_BLOCK * width reals. */
void gelu_product_pack(const struct product *product, const struct product_factor *factor, size_t first, size_t count,
                       size_t start, size_t depth, size_t width, void *dst, void *scratch);

#endif
