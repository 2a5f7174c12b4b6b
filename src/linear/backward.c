/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "linear/linear.h"

/* The arguments of one call. */
struct backward {
    const gelu_linear *linear;
    gelu_grad_mode mode;
    struct alias_matrix x, dy, dx, dw, db;
    gelu_dtype xtype, dytype;
};

static gelu_status check_backward(const struct backward *b, struct alias_matrix workspace) {
    if (b->mode != GELU_GRAD_SET && b->mode != GELU_GRAD_ADD) return GELU_ERR_ARGUMENT;
    if ((uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    gelu_dtype real = b->linear->real;
    if (gelu_linear_check_dtype(real, b->xtype) != GELU_OK || gelu_linear_check_dtype(real, b->dytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(b->dy);
    if (status == GELU_OK && (b->x.p || b->dw.p)) status = gelu_linear_check_matrix(b->x);
    if (status == GELU_OK && b->dx.p) status = gelu_linear_check_matrix(b->dx);
    if (status != GELU_OK) return status;
    if ((b->dw.p && !alias_fits(b->dw)) || (b->db.p && !alias_fits(b->db))) return GELU_ERR_OVERFLOW;
    return gelu_linear_check_alias(4, (struct alias_matrix[]){b->dx, b->dw, b->db, workspace}, 3,
                                   (struct alias_matrix[]){b->x, b->dy, gelu_linear_view_weights(b->linear)});
}

static void run_backward(const struct backward *b, struct product_space space) {
    const gelu_linear *linear = b->linear;
    const struct linear_matrix x = {b->xtype, (void *)b->x.p, b->x.ld}, dx = {b->xtype, (void *)b->dx.p, b->dx.ld};
    const struct linear_matrix dy = {b->dytype, (void *)b->dy.p, b->dy.ld};
    const struct linear_matrix dw = {linear->real, (void *)b->dw.p,
                                     linear->layout == GELU_OUT_IN ? linear->in : linear->out};
    const struct linear_matrix none = {0};
    fpenv host = fpenv_enter();
    gelu_linear_weight_grad(linear, b->mode, b->dy.rows, x, dy, dw, (void *)b->db.p, space);
    if (dx.p) gelu_linear_input_grad(linear, b->dy.rows, dy, b->mode == GELU_GRAD_ADD ? dx : none, dx, space);
    fpenv_leave(host);
}

gelu_status gelu_linear_backward(const gelu_linear *linear, gelu_grad_mode mode, size_t rows, gelu_dtype xtype,
                                 const void *x, size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy, void *dx,
                                 size_t lddx, void *dw, void *db, void *workspace) {
    if (!linear) return GELU_ERR_ARGUMENT;
    if (linear->compute == GELU_COMPUTE_BF16) return GELU_ERR_UNSUPPORTED;
    size_t in = linear->in, out = linear->out, nbytes = gelu_dtype_nbytes(linear->real);
    struct backward b = {
        .linear = linear,
        .mode = mode,
        .x = alias_matrix(x, rows, in, ldx, gelu_dtype_nbytes(xtype)),
        .dy = alias_matrix(dy, rows, out, lddy, gelu_dtype_nbytes(dytype)),
        .dx = alias_matrix(dx, rows, in, lddx, gelu_dtype_nbytes(xtype)),
        .dw = alias_matrix(dw, 1, in * out, in * out, nbytes),
        .db = alias_matrix(db, 1, out, out, nbytes),
        .xtype = xtype,
        .dytype = dytype,
    };
    size_t workspace_nbytes, threads = gelu_product_threads(workspace);
    if (!gelu_linear_backward_nbytes(linear, rows, threads, &workspace_nbytes)) return GELU_ERR_OVERFLOW;
    gelu_status status = check_backward(&b, alias_matrix(workspace, 1, workspace_nbytes, workspace_nbytes, 1));
    bool nothing = out == 0 && (in == 0 || !dx); /* however many rows there are */
    if (status != GELU_OK || nothing) return status;
    void *own = workspace ? NULL : gelu_memory_new(workspace_nbytes);
    if (!workspace && !own) return GELU_ERR_MEMORY;
    run_backward(&b, (struct product_space){workspace ? workspace : own, threads});
    gelu_memory_free(own);
    return GELU_OK;
}
