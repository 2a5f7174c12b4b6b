/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The product of bf16 compute on whole matrices, like gelu_product_run. */
#ifndef GELU_LINEAR_PRODUCT_BF16_H
#define GELU_LINEAR_PRODUCT_BF16_H

#include "linear/product.h"

struct product_bf16 {
    const struct gelu_kernels *kernels;
    size_t rows, cols, depth;
    const uint16_t *x; /* (rows, depth) */
    size_t ldx;
    struct product_factor w; /* (cols, depth) of bf16: PRODUCT_PANELS as bf16_layout.h says, or PRODUCT_STRIDED */
    const float *bias;       /* up to a whole panel; or NULL */
    void (*finish)(const void *context, const struct product_part *part);
    const void *context;
};

/* As gelu_product_workspace. */
bool gelu_product_bf16_workspace(size_t rows, size_t cols, size_t depth, bool packed, size_t threads, size_t *nbytes);
/* The environment is that of fpenv_enter; finish runs in it, on several threads. */
void gelu_product_bf16_run(const struct product_bf16 *product, struct product_space space);

#endif
