/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Activations of matrices with leading dimensions, and gated products. */
#include "activation/split.h"
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

/* One call on matrices, to be done part of a row by part of a row. */
struct call {
    void (*compute)(const struct call *call, size_t row, size_t col, size_t n);
    size_t longest; /* n at most */
    gelu_act act;
    gelu_dtype dtype;
    struct alias_matrix in[3], out[2]; /* NULL where a call has fewer */
};

static const void *element(struct alias_matrix m, size_t row, size_t col) {
    return (const char *)m.p + (row * m.ld + col) * m.element_nbytes;
}

/* The outputs come in as alias_matrix too, whose pointer is to const. */
static void *output(struct alias_matrix m, size_t row, size_t col) { return (void *)(uintptr_t)element(m, row, col); }

static void piece(const void *context, size_t first, size_t n) {
    const struct call *call = context;
    size_t cols = call->in[0].cols, row = first / cols, col = first % cols;
    while (n > 0) {
        size_t part = cols - col;
        if (part > call->longest) part = call->longest;
        if (part > n) part = n;
        call->compute(call, row, col, part);
        n -= part;
        col += part;
        if (col < cols) continue;
        col = 0;
        row++;
    }
}

/* Rows that follow one another without gaps, in all matrices, are one long row. */
static void join_rows(struct call *call) {
    struct alias_matrix *all[] = {&call->in[0], &call->in[1], &call->in[2], &call->out[0], &call->out[1]};
    enum { COUNT = sizeof all / sizeof *all };
    for (int i = 0; i < COUNT; i++)
        if (all[i]->p && all[i]->ld != all[i]->cols) return;
    for (int i = 0; i < COUNT; i++) {
        size_t n = all[i]->rows * all[i]->cols;
        *all[i] = alias_matrix(all[i]->p, 1, n, n, all[i]->element_nbytes);
    }
}

static gelu_status run(struct call *call, int ins, int outs) {
    gelu_status status = check_matrices(call->in, ins, call->out, outs);
    if (status != GELU_OK) return status;
    join_rows(call);
    split(call->out[0], piece, call);
    return GELU_OK;
}

#define CALL_KERNEL(operation, ...)                                                                                    \
    switch (dtype) {                                                                                                   \
    case GELU_F32: gelu_dispatch()->operation##_f32[act](__VA_ARGS__); break;                                          \
    case GELU_F64: gelu_dispatch()->operation##_f64[act](__VA_ARGS__); break;                                          \
    case GELU_F16: gelu_dispatch()->operation##_f16[act](__VA_ARGS__); break;                                          \
    case GELU_BF16: gelu_dispatch()->operation##_bf16[act](__VA_ARGS__); break;                                        \
    }

static void forward(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *y) { CALL_KERNEL(forward, n, x, y) }

static void grad(gelu_act act, gelu_dtype dtype, size_t n, const void *x, void *dydx) { CALL_KERNEL(grad, n, x, dydx) }

static void backward(gelu_act act, gelu_dtype dtype, size_t n, const void *x, const void *dy, void *dx) {
    CALL_KERNEL(backward, n, x, dy, dx)
}

static void forward_part(const struct call *c, size_t row, size_t col, size_t n) {
    forward(c->act, c->dtype, n, element(c->in[0], row, col), output(c->out[0], row, col));
}

static void grad_part(const struct call *c, size_t row, size_t col, size_t n) {
    grad(c->act, c->dtype, n, element(c->in[0], row, col), output(c->out[0], row, col));
}

static void backward_part(const struct call *c, size_t row, size_t col, size_t n) {
    backward(c->act, c->dtype, n, element(c->in[0], row, col), element(c->in[1], row, col),
             output(c->out[0], row, col));
}

gelu_status gelu_forward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                            void *y, size_t ldy) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t size = gelu_dtype_nbytes(dtype);
    struct call call = {forward_part,
                        SIZE_MAX,
                        act,
                        dtype,
                        {alias_matrix(x, rows, cols, ldx, size)},
                        {alias_matrix(y, rows, cols, ldy, size)}};
    return run(&call, 1, 1);
}

gelu_status gelu_grad_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                         void *dydx, size_t ldd) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t size = gelu_dtype_nbytes(dtype);
    struct call call = {grad_part,
                        SIZE_MAX,
                        act,
                        dtype,
                        {alias_matrix(x, rows, cols, ldx, size)},
                        {alias_matrix(dydx, rows, cols, ldd, size)}};
    return run(&call, 1, 1);
}

gelu_status gelu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *x, size_t ldx,
                             const void *dy, size_t lddy, void *dx, size_t lddx) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t size = gelu_dtype_nbytes(dtype);
    struct call call = {backward_part,
                        SIZE_MAX,
                        act,
                        dtype,
                        {alias_matrix(x, rows, cols, ldx, size), alias_matrix(dy, rows, cols, lddy, size)},
                        {alias_matrix(dx, rows, cols, lddx, size)}};
    return run(&call, 2, 1);
}

/* Gated products work on parts of a row that stay in the cache. A part of any type but f64 is widened to f32. */
enum { PART = 512 };

typedef union {
    float f32[PART];
    double f64[PART];
} part;

static void load(gelu_dtype dtype, struct alias_matrix m, size_t row, size_t col, size_t n, part *to) {
    gelu_convert(n, dtype, element(m, row, col), dtype == GELU_F64 ? GELU_F64 : GELU_F32, to);
}

static void store(gelu_dtype dtype, struct alias_matrix m, size_t row, size_t col, size_t n, const part *from) {
    gelu_convert(n, dtype == GELU_F64 ? GELU_F64 : GELU_F32, from, dtype, output(m, row, col));
}

static void multiply(gelu_dtype dtype, size_t n, const part *a, part *b) {
    if (dtype == GELU_F64)
        for (size_t i = 0; i < n; i++) b->f64[i] *= a->f64[i];
    else
        for (size_t i = 0; i < n; i++) b->f32[i] *= a->f32[i];
}

static void glu_part(const struct call *c, size_t row, size_t col, size_t n) {
    gelu_dtype inner = c->dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    part g, v;
    load(c->dtype, c->in[0], row, col, n, &g);
    load(c->dtype, c->in[1], row, col, n, &v);
    forward(c->act, inner, n, &g, &g);
    multiply(c->dtype, n, &g, &v);
    store(c->dtype, c->out[0], row, col, n, &v);
}

gelu_status gelu_glu_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate, size_t ldgate,
                        const void *value, size_t ldvalue, void *y, size_t ldy) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t size = gelu_dtype_nbytes(dtype);
    struct call call = {glu_part,
                        PART,
                        act,
                        dtype,
                        {alias_matrix(gate, rows, cols, ldgate, size), alias_matrix(value, rows, cols, ldvalue, size)},
                        {alias_matrix(y, rows, cols, ldy, size)}};
    return run(&call, 2, 1);
}

static void glu_backward_part(const struct call *c, const struct alias_matrix *dgate, const struct alias_matrix *dvalue,
                              size_t row, size_t col, size_t n) {
    gelu_dtype inner = c->dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    part g, v, d, a;
    load(c->dtype, c->in[0], row, col, n, &g);
    load(c->dtype, c->in[1], row, col, n, &v);
    load(c->dtype, c->in[2], row, col, n, &d);
    if (dgate) {
        multiply(c->dtype, n, &d, &v);
        backward(c->act, inner, n, &g, &v, &v);
        store(c->dtype, *dgate, row, col, n, &v);
    }
    if (dvalue) {
        forward(c->act, inner, n, &g, &a);
        multiply(c->dtype, n, &d, &a);
        store(c->dtype, *dvalue, row, col, n, &a);
    }
}

static void glu_backward_both(const struct call *c, size_t row, size_t col, size_t n) {
    glu_backward_part(c, &c->out[0], &c->out[1], row, col, n);
}

static void glu_backward_gate(const struct call *c, size_t row, size_t col, size_t n) {
    glu_backward_part(c, &c->out[0], NULL, row, col, n);
}

static void glu_backward_value(const struct call *c, size_t row, size_t col, size_t n) {
    glu_backward_part(c, NULL, &c->out[0], row, col, n);
}

gelu_status gelu_glu_backward_2d(gelu_act act, gelu_dtype dtype, size_t rows, size_t cols, const void *gate,
                                 size_t ldgate, const void *value, size_t ldvalue, const void *dy, size_t lddy,
                                 void *dgate, size_t lddgate, void *dvalue, size_t lddvalue) {
    gelu_status status = check_call(act, dtype);
    if (status != GELU_OK || rows == 0 || cols == 0) return status;
    size_t size = gelu_dtype_nbytes(dtype);
    struct call call = {glu_backward_both,
                        PART,
                        act,
                        dtype,
                        {alias_matrix(gate, rows, cols, ldgate, size), alias_matrix(value, rows, cols, ldvalue, size),
                         alias_matrix(dy, rows, cols, lddy, size)},
                        {{0}}};
    int outs = 0;
    if (dgate) call.out[outs++] = alias_matrix(dgate, rows, cols, lddgate, size);
    if (dvalue) call.out[outs++] = alias_matrix(dvalue, rows, cols, lddvalue, size);
    if (!dvalue) call.compute = glu_backward_gate;
    if (!dgate) call.compute = glu_backward_value;
    return run(&call, 3, outs);
}
