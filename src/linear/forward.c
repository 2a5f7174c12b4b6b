/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "linear/linear.h"

/* The matrices of one call. */
struct forward {
    struct alias_matrix x, y, residual, preact, value, weight, workspace;
};

static gelu_status check_epilogue(const gelu_linear *linear, const gelu_epilogue *e) {
    if (!gelu_linear_known_act(e->act)) return GELU_ERR_ARGUMENT;
    if ((e->fast != 0 && e->fast != 1) || (e->saturate != 0 && e->saturate != 1)) return GELU_ERR_ARGUMENT;
    return e->fast && linear->real == GELU_F64 ? GELU_ERR_UNSUPPORTED : GELU_OK;
}

static gelu_status check_matrices(const struct forward *f) {
    if ((uintptr_t)f->workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    gelu_status status = gelu_linear_check_matrix(f->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(f->y);
    if (status == GELU_OK && f->residual.p) status = gelu_linear_check_matrix(f->residual);
    if (status == GELU_OK && f->preact.p) status = gelu_linear_check_matrix(f->preact);
    if (status == GELU_OK && f->value.p) status = gelu_linear_check_matrix(f->value);
    if (status != GELU_OK) return status;
    struct alias_matrix residual = f->residual;
    if (alias_same(f->y, residual)) residual.p = NULL;
    if (f->residual.p && (alias_overlap(f->preact, f->residual) || alias_overlap(f->workspace, f->residual)))
        return GELU_ERR_ALIAS;
    return gelu_linear_check_alias(3, (struct alias_matrix[]){f->y, f->preact, f->workspace}, 4,
                                   (struct alias_matrix[]){f->x, residual, f->value, f->weight});
}

static void run_forward(const gelu_linear *linear, size_t rows, struct linear_matrix x, const gelu_epilogue *e,
                        struct linear_matrix y, struct product_space space) {
    atomic_size_t overflows = 0;
    const struct linear_output output = {
        .linear = linear,
        .act = e->act,
        .fast = e->fast,
        .saturate = e->saturate,
        .preact = {linear->real, e->preact, e->ldp},
        .value = {linear->real, (void *)e->value, e->ldv},
        .residual = {y.dtype, (void *)e->residual, e->ldr},
        .y = y,
        .overflows = e->overflows ? &overflows : NULL,
    };
    fpenv host = fpenv_enter();
    gelu_linear_apply(rows, x, &output, space);
    fpenv_leave(host);
    if (e->overflows) *e->overflows = overflows;
}

gelu_status gelu_linear_forward(const gelu_linear *linear, size_t rows, gelu_dtype xtype, const void *x, size_t ldx,
                                const gelu_epilogue *epilogue, gelu_dtype ytype, void *y, size_t ldy, void *workspace) {
    if (!linear) return GELU_ERR_ARGUMENT;
    gelu_epilogue e = {0};
    if (epilogue) e = *epilogue;
    gelu_status status = check_epilogue(linear, &e);
    if (status != GELU_OK) return status;
    gelu_dtype real = linear->real;
    if (gelu_linear_check_input(linear->compute, real, xtype) != GELU_OK ||
        gelu_linear_check_dtype(real, ytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    size_t in = linear->in, out = linear->out, y_nbytes = gelu_dtype_nbytes(ytype), nbytes;
    size_t threads = gelu_product_threads(workspace);
    if (!gelu_linear_forward_nbytes(linear, rows, threads, &nbytes)) return GELU_ERR_OVERFLOW;
    const struct forward f = {
        .x = alias_matrix(x, rows, in, ldx, gelu_dtype_nbytes(xtype)),
        .y = alias_matrix(y, rows, out, ldy, y_nbytes),
        .residual = alias_matrix(e.residual, rows, out, e.ldr, y_nbytes),
        .preact = alias_matrix(e.preact, rows, out, e.ldp, gelu_dtype_nbytes(real)),
        .value = alias_matrix(e.value, rows, out, e.ldv, gelu_dtype_nbytes(real)),
        .weight = gelu_linear_view_weights(linear),
        .workspace = alias_matrix(workspace, 1, nbytes, nbytes, 1),
    };
    status = check_matrices(&f);
    if (status != GELU_OK) return status;
    if (e.overflows) *e.overflows = 0;
    if (rows == 0 || out == 0) return GELU_OK;
    void *own = workspace ? NULL : gelu_memory_new(nbytes);
    if (!workspace && !own) return GELU_ERR_MEMORY;
    run_forward(linear, rows, (struct linear_matrix){xtype, (void *)x, ldx}, &e, (struct linear_matrix){ytype, y, ldy},
                (struct product_space){workspace ? workspace : own, threads});
    gelu_memory_free(own);
    return GELU_OK;
}
