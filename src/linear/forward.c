/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "linear/linear.h"

/* The arguments of one call. */
struct forward {
    const gelu_linear *linear;
    struct alias_matrix x, y, residual, preact;
    gelu_dtype xtype, ytype;
    gelu_act act;
};

static gelu_status check_forward(const struct forward *f, struct alias_matrix workspace) {
    gelu_dtype real = f->linear->real;
    if (!gelu_linear_known_act(f->act) || (uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    if (gelu_linear_check_dtype(real, f->xtype) != GELU_OK || gelu_linear_check_dtype(real, f->ytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(f->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(f->y);
    if (status == GELU_OK && f->residual.p) status = gelu_linear_check_matrix(f->residual);
    if (status == GELU_OK && f->preact.p) status = gelu_linear_check_matrix(f->preact);
    if (status != GELU_OK) return status;
    struct alias_matrix residual = f->residual;
    if (alias_same(f->y, residual)) residual.p = NULL;
    return gelu_linear_check_alias(3, (struct alias_matrix[]){f->y, f->preact, workspace}, 2,
                                   (struct alias_matrix[]){f->x, residual});
}

/* f(acc), rounded once to the type of y. */
static void activate(const struct forward *f, size_t n, const void *acc, void *y) {
    const struct gelu_kernels *kernels = gelu_dispatch();
    switch (f->ytype) {
    case GELU_F64: kernels->forward_f64[f->act](n, acc, y); break;
    case GELU_F32: kernels->forward_f32[f->act](n, acc, y); break;
    case GELU_F16: kernels->forward_f32_f16[f->act](n, acc, y); break;
    case GELU_BF16: kernels->forward_f32_bf16[f->act](n, acc, y); break;
    }
}

/* y = f(acc) + residual, for which acc and residual (as real) are overwritten. */
static void activate_and_add(const struct forward *f, size_t n, void *acc, const void *residual, void *y) {
    const struct gelu_kernels *kernels = gelu_dispatch();
    if (f->linear->real == GELU_F64) {
        double *t = acc;
        const double *r = residual;
        kernels->forward_f64[f->act](n, t, t);
        for (size_t i = 0; i < n; i++) t[i] = t[i] + r[i];
    } else {
        float *t = acc;
        const float *r = residual;
        kernels->forward_f32[f->act](n, t, t);
        for (size_t i = 0; i < n; i++) t[i] = t[i] + r[i];
    }
    (void)gelu_convert(n, f->linear->real, acc, f->ytype, y);
}

/* acc holds rows of the result from row first on. */
static void store(const struct forward *f, size_t first, size_t rows, void *acc, void *residual_buffer) {
    gelu_dtype real = f->linear->real;
    size_t out = f->linear->out;
    for (size_t m = 0; m < rows; m++) {
        void *row = linear_at(acc, real, m * out);
        void *y = linear_at(f->y.p, f->ytype, (first + m) * f->y.ld);
        if (f->preact.p)
            memcpy(linear_at(f->preact.p, real, (first + m) * f->preact.ld), row, out * gelu_dtype_nbytes(real));
        if (f->residual.p) {
            const void *residual = linear_at(f->residual.p, f->ytype, (first + m) * f->residual.ld);
            residual = gelu_linear_load(real, 1, out, f->ytype, residual, out, residual_buffer).p;
            activate_and_add(f, out, row, residual, y);
        } else {
            activate(f, out, row, y);
        }
    }
}

static void run_forward(const struct forward *f, void *acc) {
    gelu_dtype real = f->linear->real;
    size_t in = f->linear->in, out = f->linear->out, rows = linear_min(f->x.rows, LINEAR_FORWARD_ROWS);
    void *residual_buffer = linear_at(acc, real, rows * out);
    void *x_buffer = linear_at(acc, real, (rows + 1) * out);
    fpenv host = fpenv_enter();
    for (size_t first = 0; first < f->x.rows; first += rows) {
        rows = linear_min(f->x.rows - first, rows);
        const void *x = linear_at(f->x.p, f->xtype, first * f->x.ld);
        gelu_linear_apply(f->linear, rows, gelu_linear_load(real, rows, in, f->xtype, x, f->x.ld, x_buffer),
                          (struct linear_rows){acc, out});
        store(f, first, rows, acc, residual_buffer);
    }
    fpenv_leave(host);
}

gelu_status gelu_linear_forward(const gelu_linear *linear, size_t rows, gelu_dtype xtype, const void *x, size_t ldx,
                                const gelu_epilogue *epilogue, gelu_dtype ytype, void *y, size_t ldy, void *workspace) {
    if (!linear) return GELU_ERR_ARGUMENT;
    gelu_epilogue e = {0};
    if (epilogue) e = *epilogue;
    size_t in = linear->in, out = linear->out, y_nbytes = gelu_dtype_nbytes(ytype);
    struct forward f = {
        .linear = linear,
        .x = alias_matrix(x, rows, in, ldx, gelu_dtype_nbytes(xtype)),
        .y = alias_matrix(y, rows, out, ldy, y_nbytes),
        .residual = alias_matrix(e.residual, rows, out, e.ldr, y_nbytes),
        .preact = alias_matrix(e.preact, rows, out, e.ldp, gelu_dtype_nbytes(linear->real)),
        .xtype = xtype,
        .ytype = ytype,
        .act = e.act,
    };
    size_t nbytes, ignored;
    gelu_status status = gelu_linear_workspace(linear, rows, &nbytes, &ignored);
    if (status == GELU_OK) status = check_forward(&f, alias_matrix(workspace, 1, nbytes, nbytes, 1));
    if (status != GELU_OK || rows == 0 || out == 0) return status;
    void *own = workspace ? NULL : alloc_aligned(nbytes);
    if (!workspace && !own) return GELU_ERR_MEMORY;
    run_forward(&f, workspace ? workspace : own);
    alloc_free(own);
    return GELU_OK;
}
