/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the feed-forward layer needs of Linear: the arithmetic without the checks. "real" is the type that a layer
 * computes in, f32 or f64; the code that handles it through void pointers is written once for both. */
#ifndef GELU_LINEAR_LINEAR_H
#define GELU_LINEAR_LINEAR_H

#include <stdbool.h>
#include <stdint.h>
#include "base/alias.h"
#include "gelu.h"

struct gelu_linear {
    size_t in, out;
    gelu_dtype real;
    gelu_layout layout;
    void *weight; /* of real, contiguous, as layout says: (n, k) lies at n * out_stride + k * in_stride */
    size_t out_stride, in_stride;
    void *bias; /* (out) of real, or NULL */
};

/* Rows that are worked on at a time. Gradients need a multiple of the product's block of 256, so that cutting a sum
 * over rows into calls does not change its blocks. */
enum { LINEAR_FORWARD_ROWS = 32, LINEAR_BACKWARD_ROWS = 256 };

/* Element i. Not by pointer arithmetic, which C does not define for the NULL that an empty matrix may have. */
static inline void *linear_at(const void *p, gelu_dtype dtype, size_t i) {
    return (void *)((uintptr_t)p + i * gelu_dtype_nbytes(dtype));
}

static inline size_t linear_min(size_t a, size_t b) { return a < b ? a : b; }

/* An argument that is a matrix, with its checks: NULL, ld, size. */
gelu_status gelu_linear_check_matrix(struct alias_matrix m);
/* Whether some output overlaps an input or another output. */
gelu_status gelu_linear_check_alias(size_t n_outputs, const struct alias_matrix *outputs, size_t n_inputs,
                                    const struct alias_matrix *inputs);
/* f64 mixes with nothing; unknown types go with nothing. */
gelu_status gelu_linear_check_dtype(gelu_dtype real, gelu_dtype dtype);
bool gelu_linear_known_act(gelu_act act);

/* What follows computes, in the environment of fpenv_enter, on matrices of real unless a dtype is given. */

struct linear_rows {
    void *p;
    size_t ld;
};

/* The rows as real: where they are if they have that type, else converted into buffer. */
struct linear_rows gelu_linear_load(gelu_dtype real, size_t rows, size_t cols, gelu_dtype dtype, const void *src,
                                    size_t ld, void *buffer);
/* Where a gradient of dst accumulates: dst itself or buffer, holding +0 (SET) or the old values (ADD). */
struct linear_rows gelu_linear_open(gelu_dtype real, gelu_grad_mode mode, size_t rows, size_t cols, gelu_dtype dtype,
                                    void *dst, size_t ld, void *buffer);
/* Where a result of type dtype is computed: dst itself or buffer. */
struct linear_rows gelu_linear_target(gelu_dtype real, size_t cols, gelu_dtype dtype, void *dst, size_t ld,
                                      void *buffer);
/* Convert into dst what was computed elsewhere. */
void gelu_linear_close(gelu_dtype real, size_t rows, size_t cols, struct linear_rows from, gelu_dtype dtype, void *dst,
                       size_t ld);

/* out[i] = a[i] * b[i]; in place. */
void gelu_linear_multiply(gelu_dtype real, size_t n, const void *a, const void *b, void *out);

/* acc (rows, out) = x W^T + b */
void gelu_linear_apply(const gelu_linear *linear, size_t rows, struct linear_rows x, struct linear_rows acc);
/* dx (rows, in) += dy W */
void gelu_linear_input_grad(const gelu_linear *linear, size_t rows, struct linear_rows dy, struct linear_rows dx);
/* +0 into dw and db if mode is SET; then dw += dy^T x, in the layer's layout, and db += sum dy. Each may be NULL. */
void gelu_linear_begin_weight_grad(const gelu_linear *linear, gelu_grad_mode mode, void *dw, void *db);
void gelu_linear_weight_grad(const gelu_linear *linear, size_t rows, struct linear_rows x, struct linear_rows dy,
                             void *dw, void *db);

#endif
