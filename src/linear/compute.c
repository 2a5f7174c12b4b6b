/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The arithmetic of Linear on whole matrices: types on the way in and out, and the three products. */
#include <string.h>
#include "base/compiler.h"
#include "dispatch/dispatch.h"
#include "linear/linear.h"

struct linear_rows gelu_linear_target(gelu_dtype real, size_t cols, gelu_dtype dtype, void *dst, size_t ld,
                                      void *buffer) {
    return dtype == real ? (struct linear_rows){dst, ld} : (struct linear_rows){buffer, cols};
}

static void convert_rows(size_t rows, size_t cols, gelu_dtype from, const void *src, size_t ldsrc, gelu_dtype to,
                         void *dst, size_t lddst) {
    for (size_t m = 0; m < rows; m++)
        (void)gelu_convert(cols, from, linear_at(src, from, m * ldsrc), to, linear_at(dst, to, m * lddst));
}

struct linear_rows gelu_linear_load(gelu_dtype real, size_t rows, size_t cols, gelu_dtype dtype, const void *src,
                                    size_t ld, void *buffer) {
    if (dtype == real) return (struct linear_rows){(void *)src, ld};
    convert_rows(rows, cols, dtype, src, ld, real, buffer, cols);
    return (struct linear_rows){buffer, cols};
}

struct linear_rows gelu_linear_open(gelu_dtype real, gelu_grad_mode mode, size_t rows, size_t cols, gelu_dtype dtype,
                                    void *dst, size_t ld, void *buffer) {
    if (mode == GELU_GRAD_ADD) return gelu_linear_load(real, rows, cols, dtype, dst, ld, buffer);
    struct linear_rows acc = gelu_linear_target(real, cols, dtype, dst, ld, buffer);
    for (size_t m = 0; cols > 0 && m < rows; m++)
        memset(linear_at(acc.p, real, m * acc.ld), 0, cols * gelu_dtype_nbytes(real));
    return acc;
}

void gelu_linear_close(gelu_dtype real, size_t rows, size_t cols, struct linear_rows from, gelu_dtype dtype, void *dst,
                       size_t ld) {
    if (dtype != real) convert_rows(rows, cols, real, from.p, from.ld, dtype, dst, ld);
}

void gelu_linear_multiply(gelu_dtype real, size_t n, const void *a, const void *b, void *out) {
    if (real == GELU_F64) {
        const double *p = a, *q = b;
        double *r = out;
        for (size_t i = 0; i < n; i++) r[i] = p[i] * q[i];
    } else {
        const float *p = a, *q = b;
        float *r = out;
        for (size_t i = 0; i < n; i++) r[i] = p[i] * q[i];
    }
}

/* c (rows, cols) += sum over k < depth of a[m*a_row + k*a_col] * b[n*b_row + k*b_col], as kernels.h says. */
static void product(gelu_dtype real, size_t rows, size_t cols, size_t depth, const void *a, size_t a_row, size_t a_col,
                    const void *b, size_t b_row, size_t b_col, void *c, size_t ldc) {
    const struct gelu_kernels *kernels = gelu_dispatch();
    if (real == GELU_F64)
        kernels->product_f64(rows, cols, depth, a, a_row, a_col, b, b_row, b_col, c, ldc);
    else
        kernels->product_f32(rows, cols, depth, a, a_row, a_col, b, b_row, b_col, c, ldc);
}

void gelu_linear_apply(const gelu_linear *linear, size_t rows, struct linear_rows x, struct linear_rows acc) {
    size_t in = linear->in, out = linear->out, row_nbytes = out * gelu_dtype_nbytes(linear->real);
    for (size_t m = 0; out > 0 && m < rows; m++) {
        void *row = linear_at(acc.p, linear->real, m * acc.ld);
        if (linear->bias)
            memcpy(row, linear->bias, row_nbytes);
        else
            memset(row, 0, row_nbytes);
    }
    product(linear->real, rows, out, in, x.p, x.ld, 1, linear->weight, linear->out_stride, linear->in_stride, acc.p,
            acc.ld);
}

void gelu_linear_input_grad(const gelu_linear *linear, size_t rows, struct linear_rows dy, struct linear_rows dx) {
    size_t in = linear->in, out = linear->out;
    product(linear->real, rows, in, out, dy.p, dy.ld, 1, linear->weight, linear->in_stride, linear->out_stride, dx.p,
            dx.ld);
}

void gelu_linear_begin_weight_grad(const gelu_linear *linear, gelu_grad_mode mode, void *dw, void *db) {
    size_t nbytes = gelu_dtype_nbytes(linear->real);
    if (mode == GELU_GRAD_ADD) return;
    if (dw) memset(dw, 0, linear->in * linear->out * nbytes);
    if (db) memset(db, 0, linear->out * nbytes);
}

void gelu_linear_weight_grad(const gelu_linear *linear, size_t rows, struct linear_rows x, struct linear_rows dy,
                             void *dw, void *db) {
    static const float one_f32 = 1;
    static const double one_f64 = 1;
    const void *one = linear->real == GELU_F64 ? (const void *)&one_f64 : &one_f32;
    size_t in = linear->in, out = linear->out;
    if (dw && linear->layout == GELU_OUT_IN)
        product(linear->real, out, in, rows, dy.p, 1, dy.ld, x.p, 1, x.ld, dw, in);
    else if (dw)
        product(linear->real, in, out, rows, x.p, 1, x.ld, dy.p, 1, dy.ld, dw, out);
    /* fma(1, dy, s) is s + dy. */
    if (db) product(linear->real, 1, out, rows, one, 0, 0, dy.p, 1, dy.ld, db, out);
}
