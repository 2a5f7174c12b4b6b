/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What the feed-forward layer needs of Linear: the arithmetic without the checks. "real" is the type that a layer
 * computes in, f32 or f64; the code that handles it through void pointers is written once for both. */
#ifndef GELU_LINEAR_LINEAR_H
#define GELU_LINEAR_LINEAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/alias.h"
#include "gelu.h"
#include "linear/product.h"

struct gelu_linear {
    size_t in, out;
    gelu_dtype real;
    gelu_compute compute;
    gelu_layout layout;
    const struct gelu_kernels *kernels; /* those that panels were packed for */
    struct product_factor weight;       /* (out, in): panels, or a view of the caller's memory */
    void *panels;                       /* owned; NULL for a view */
    void *bias;                         /* (out) of real, up to a whole panel with +0; or NULL */
};

/* Element i. Not by pointer arithmetic, which C does not define for the NULL that an empty matrix may have. */
static inline void *linear_at(const void *p, gelu_dtype dtype, size_t i) {
    return (void *)((uintptr_t)p + i * gelu_dtype_nbytes(dtype));
}

static inline size_t linear_min(size_t a, size_t b) { return a < b ? a : b; }

/* Where piece `index` of n begins, pieces being as equal as can be, the first ones one longer. */
static inline size_t linear_begin(size_t n, size_t pieces, size_t index) {
    return n / pieces * index + linear_min(index, n % pieces);
}

/* An argument that is a matrix, with its checks: NULL, ld, size. */
gelu_status gelu_linear_check_matrix(struct alias_matrix m);
/* The weights that a call reads in the caller's memory; an absent matrix where the layer, or NULL, has its own. */
struct alias_matrix gelu_linear_view_weights(const gelu_linear *linear);
/* Whether some output overlaps an input or another output. */
gelu_status gelu_linear_check_alias(size_t n_outputs, const struct alias_matrix *outputs, size_t n_inputs,
                                    const struct alias_matrix *inputs);
/* f64 mixes with nothing; unknown types go with nothing. */
gelu_status gelu_linear_check_dtype(gelu_dtype real, gelu_dtype dtype);
/* The same for weights and for x, which are bf16 in bf16 compute. */
gelu_status gelu_linear_check_input(gelu_compute compute, gelu_dtype real, gelu_dtype dtype);
bool gelu_linear_known_act(gelu_act act);

/* What follows computes, in the environment of fpenv_enter, in a space of what the functions at the end say. */

/* A matrix of a call: p NULL for none. */
struct linear_matrix {
    gelu_dtype dtype;
    void *p;
    size_t ld;
};

/* From acc to y, as gelu_epilogue says; preact, activated (what the activation gives) and value are of real. */
struct linear_output {
    const gelu_linear *linear;
    gelu_act act;
    bool fast, saturate;
    struct linear_matrix preact, activated, value, residual, y;
    atomic_size_t *overflows; /* NULL, or incremented */
};

/* y[i] = act(x[i]), in place or not, and out[i] = a[i] * b[i], in place. */
void gelu_linear_activate(const gelu_linear *linear, gelu_act act, bool fast, size_t n, const void *x, void *y);
void gelu_linear_multiply(gelu_dtype real, size_t n, const void *a, const void *b, void *out);

/* output->y (rows, out) = epilogue(x W^T + b), x (rows, in). */
void gelu_linear_apply(size_t rows, struct linear_matrix x, const struct linear_output *output,
                       struct product_space space);
/* to (rows, in) = from + dy W, where acc starts from `from`, or +0 if there is none. */
void gelu_linear_input_grad(const gelu_linear *linear, size_t rows, struct linear_matrix dy, struct linear_matrix from,
                            struct linear_matrix to, struct product_space space);
/* dw = or += dy^T x, in the layer's layout, with dw.ld; db = or += sum dy. Each may be NULL. */
void gelu_linear_weight_grad(const gelu_linear *linear, gelu_grad_mode mode, size_t rows, struct linear_matrix x,
                             struct linear_matrix dy, struct linear_matrix dw, void *db, struct product_space space);
/* Bytes for the one and for the other two, for up to so many threads. false when they do not fit. */
bool gelu_linear_forward_nbytes(const gelu_linear *linear, size_t rows, size_t threads, size_t *nbytes);
bool gelu_linear_backward_nbytes(const gelu_linear *linear, size_t rows, size_t threads, size_t *nbytes);

#endif
