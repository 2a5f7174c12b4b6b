/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Activations of matrices with leading dimensions, and gated products. */
#include "base/alias.h"
#include "base/compiler.h"
#include "dispatch/dispatch.h"

/* An input; ld 0 is one row for all. */
static gelu_status check_input(struct alias_matrix m) {
    if (!m.p) return GELU_ERR_ARGUMENT;
    if (m.ld != 0 && m.ld < m.cols) return GELU_ERR_SHAPE;
    return alias_fits(m) ? GELU_OK : GELU_ERR_OVERFLOW;
}

static gelu_status check_output(struct alias_matrix m) {
    if (m.ld < m.cols) return m.p ? GELU_ERR_SHAPE : GELU_ERR_ARGUMENT;
    return check_input(m);
}

/* Every output against every input, which it may equal, and against the other outputs, which it may not. */
static gelu_status check_matrices(const struct alias_matrix *in, int ins, const struct alias_matrix *out, int outs) {
    gelu_status status = GELU_OK;
    for (int i = 0; i < ins && status == GELU_OK; i++) status = check_input(in[i]);
    for (int i = 0; i < outs && status == GELU_OK; i++) status = check_output(out[i]);
    if (status != GELU_OK) return status;
    for (int i = 0; i < outs; i++) {
        for (int j = 0; j < ins; j++)
            if (alias_overlap(out[i], in[j]) && !alias_same(out[i], in[j])) return GELU_ERR_ALIAS;
        for (int j = 0; j < i; j++)
            if (alias_overlap(out[i], out[j])) return GELU_ERR_ALIAS;
    }
    return GELU_OK;
}

static gelu_status check_call(gelu_act act, gelu_dtype dtype) {
    if (act < GELU_IDENTITY || act > GELU_ELU) return GELU_ERR_ARGUMENT;
    return gelu_dtype_nbytes(dtype) == 0 ? GELU_ERR_DTYPE : GELU_OK;
}

static const void *row_of(struct alias_matrix m, size_t row) {
    return (const char *)m.p + row * m.ld * m.element_nbytes;
}

/* The outputs come in as alias_matrix too, whose pointer is to const. */
static void *output_row(struct alias_matrix m, size_t row) { return (void *)(uintptr_t)row_of(m, row); }

#define CALL_KERNEL(operation, ...)                                                                                    \
    switch (dtype) {                                                                                                   \
    case GELU_F32: gelu_dispatch()->operation##_f32[act](__VA_ARGS__); break;                                          \
    case GELU_F64: gelu_dispatch()->operation##_f64[act](__VA_ARGS__); break;                                          \
    case GELU_F16: gelu_dispatch()->operation##_f16[act](__VA_ARGS__); break;                                          \
    case GELU_BF16: gelu_dispatch()->operation##_bf16[act](__VA_ARGS__); break;                                        \
    }

static void forward_row(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) {
    CALL_KERNEL(forward, n, x, y)
}

static void grad_row(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *dydx) {
    CALL_KERNEL(grad, n, x, dydx)
}

static void backward_row(gelu_act act, gelu_dtype dtype, size_t n, const void *x, const void *dy, void *dx) {
    CALL_KERNEL(backward, n, x, dy, dx)
}

typedef void unary_row(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y);

static gelu_status unary_2d(unary_row *compute, gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x,
                            size_t ldx, void *y, size_t ldy) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t element = gelu_dtype_nbytes(dtype);
    struct alias_matrix in = alias_matrix(x, rows, cols, ldx, element), out = alias_matrix(y, rows, cols, ldy, element);
    status = check_matrices(&in, 1, &out, 1);
    if (status != GELU_OK) return status;
    for (size_t i = 0; i < rows; i++) compute(act, dtype, cols, row_of(in, i), output_row(out, i));
    return GELU_OK;
}

gelu_status gelu_forward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                            void *y, size_t ldy) {
    return unary_2d(forward_row, act, dtype, rows, cols, x, ldx, y, ldy);
}

gelu_status gelu_grad_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                         void *dydx, size_t ldd) {
    return unary_2d(grad_row, act, dtype, rows, cols, x, ldx, dydx, ldd);
}

gelu_status gelu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                             const void *dy, size_t lddy, void *dx, size_t lddx) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t element = gelu_dtype_nbytes(dtype);
    struct alias_matrix in[] = {alias_matrix(x, rows, cols, ldx, element), alias_matrix(dy, rows, cols, lddy, element)};
    struct alias_matrix out = alias_matrix(dx, rows, cols, lddx, element);
    status = check_matrices(in, 2, &out, 1);
    if (status != GELU_OK) return status;
    for (size_t i = 0; i < rows; i++)
        backward_row(act, dtype, cols, row_of(in[0], i), row_of(in[1], i), output_row(out, i));
    return GELU_OK;
}

/* Gated products work on pieces of a row that stay in the cache. A piece of any type but f64 is widened to f32. */
enum { PIECE = 512 };

typedef union {
    float f32[PIECE];
    double f64[PIECE];
} piece;

static void load(gelu_dtype dtype, struct alias_matrix m, size_t row, size_t col, size_t n, piece *to) {
    const char *from = (const char *)row_of(m, row) + col * m.element_nbytes;
    gelu_convert(n, dtype, from, dtype == GELU_F64 ? GELU_F64 : GELU_F32, to);
}

static void store(gelu_dtype dtype, struct alias_matrix m, size_t row, size_t col, size_t n, const piece *from) {
    char *to = (char *)output_row(m, row) + col * m.element_nbytes;
    gelu_convert(n, dtype == GELU_F64 ? GELU_F64 : GELU_F32, from, dtype, to);
}

static void multiply(gelu_dtype dtype, size_t n, const piece *a, piece *b) {
    if (dtype == GELU_F64)
        for (size_t i = 0; i < n; i++) b->f64[i] *= a->f64[i];
    else
        for (size_t i = 0; i < n; i++) b->f32[i] *= a->f32[i];
}

gelu_status gelu_glu_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate, size_t ldgate,
                        const void *value, size_t ldvalue, void *y, size_t ldy) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t element = gelu_dtype_nbytes(dtype);
    struct alias_matrix in[] = {alias_matrix(gate, rows, cols, ldgate, element),
                                alias_matrix(value, rows, cols, ldvalue, element)};
    struct alias_matrix out = alias_matrix(y, rows, cols, ldy, element);
    status = check_matrices(in, 2, &out, 1);
    if (status != GELU_OK) return status;
    gelu_dtype inner = dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += PIECE) {
            size_t n = cols - j < PIECE ? cols - j : PIECE;
            piece g, v;
            load(dtype, in[0], i, j, n, &g);
            load(dtype, in[1], i, j, n, &v);
            forward_row(act, inner, n, &g, &g);
            multiply(dtype, n, &g, &v);
            store(dtype, out, i, j, n, &v);
        }
    return GELU_OK;
}

gelu_status gelu_glu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate,
                                 size_t ldgate, const void *value, size_t ldvalue, const void *dy, size_t lddy,
                                 void *dgate, size_t lddgate, void *dvalue, size_t lddvalue) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t element = gelu_dtype_nbytes(dtype);
    struct alias_matrix in[] = {alias_matrix(gate, rows, cols, ldgate, element),
                                alias_matrix(value, rows, cols, ldvalue, element),
                                alias_matrix(dy, rows, cols, lddy, element)};
    struct alias_matrix to_gate = alias_matrix(dgate, rows, cols, lddgate, element);
    struct alias_matrix to_value = alias_matrix(dvalue, rows, cols, lddvalue, element);
    struct alias_matrix out[2];
    int outs = 0;
    if (dgate) out[outs++] = to_gate;
    if (dvalue) out[outs++] = to_value;
    status = check_matrices(in, 3, out, outs);
    if (status != GELU_OK) return status;
    gelu_dtype inner = dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j += PIECE) {
            size_t n = cols - j < PIECE ? cols - j : PIECE;
            piece g, v, d, a;
            load(dtype, in[0], i, j, n, &g);
            load(dtype, in[1], i, j, n, &v);
            load(dtype, in[2], i, j, n, &d);
            if (dgate) {
                multiply(dtype, n, &d, &v);
                backward_row(act, inner, n, &g, &v, &v);
                store(dtype, to_gate, i, j, n, &v);
            }
            if (dvalue) {
                forward_row(act, inner, n, &g, &a);
                multiply(dtype, n, &d, &a);
                store(dtype, to_value, i, j, n, &a);
            }
        }
    return GELU_OK;
}
