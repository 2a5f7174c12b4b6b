/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "dispatch/dispatch.h"
#include "ffn/ffn.h"

/* The arguments of one call. */
struct backward {
    const gelu_ffn *ffn;
    gelu_grad_mode mode;
    struct alias_matrix x, dy, dx;
    gelu_dtype xtype, dytype;
    gelu_ffn_grads grads;
};

static gelu_status check_backward(const struct backward *b, struct alias_matrix workspace) {
    const gelu_ffn *ffn = b->ffn;
    const gelu_ffn_grads *g = &b->grads;
    if (b->mode != GELU_GRAD_SET && b->mode != GELU_GRAD_ADD) return GELU_ERR_ARGUMENT;
    if (!ffn->gated && (g->dup_weight || g->dup_bias)) return GELU_ERR_ARGUMENT;
    if ((uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    if (gelu_linear_check_dtype(ffn->real, b->xtype) != GELU_OK ||
        gelu_linear_check_dtype(ffn->real, b->dytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(b->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(b->dy);
    if (status == GELU_OK && b->dx.p) status = gelu_linear_check_matrix(b->dx);
    if (status != GELU_OK) return status;
    /* Gradients are no larger than the layer's own copies of the weights. */
    size_t weights = ffn->d_model * ffn->d_ff, nbytes = gelu_dtype_nbytes(ffn->real);
    const struct alias_matrix outputs[] = {
        b->dx,
        alias_matrix(g->dfc1_weight, 1, weights, weights, nbytes),
        alias_matrix(g->dfc1_bias, 1, ffn->d_ff, ffn->d_ff, nbytes),
        alias_matrix(g->dup_weight, 1, weights, weights, nbytes),
        alias_matrix(g->dup_bias, 1, ffn->d_ff, ffn->d_ff, nbytes),
        alias_matrix(g->dfc2_weight, 1, weights, weights, nbytes),
        alias_matrix(g->dfc2_bias, 1, ffn->d_model, ffn->d_model, nbytes),
        workspace,
    };
    return gelu_linear_check_alias(sizeof outputs / sizeof *outputs, outputs, 2, (struct alias_matrix[]){b->x, b->dy});
}

/* dx = dy * f'(x) */
static void activation_grad(const gelu_ffn *ffn, size_t n, const void *x, const void *dy, void *dx) {
    if (ffn->real == GELU_F64)
        gelu_dispatch()->backward_f64[ffn->act](n, x, dy, dx);
    else
        gelu_dispatch()->backward_f32[ffn->act](n, x, dy, dx);
}

/* From buffers->d_hidden, the gradient of what fc2 takes, to the gradients of what fc1 and up give: left in d_hidden
 * and, where gated, dh. */
static void hidden_grad(const gelu_ffn *ffn, size_t rows, const struct ffn_buffers *buffers) {
    size_t n = rows * ffn->d_ff;
    if (!ffn->gated) {
        activation_grad(ffn, n, buffers->h, buffers->d_hidden, buffers->d_hidden);
        return;
    }
    gelu_linear_multiply(ffn->real, n, buffers->d_hidden, buffers->a, buffers->dh);
    gelu_linear_multiply(ffn->real, n, buffers->d_hidden, buffers->up, buffers->d_hidden);
    activation_grad(ffn, n, buffers->gate, buffers->d_hidden, buffers->d_hidden);
}

/* One block of rows, from row first on. */
static void backward_rows(const struct backward *b, size_t first, size_t rows, const struct ffn_buffers *buffers) {
    const gelu_ffn *ffn = b->ffn;
    const gelu_ffn_grads *g = &b->grads;
    size_t d_model = ffn->d_model, d_ff = ffn->d_ff;
    struct linear_rows x = gelu_linear_load(ffn->real, rows, d_model, b->xtype,
                                            linear_at(b->x.p, b->xtype, first * b->x.ld), b->x.ld, buffers->x);
    struct linear_rows dy = gelu_linear_load(ffn->real, rows, d_model, b->dytype,
                                             linear_at(b->dy.p, b->dytype, first * b->dy.ld), b->dy.ld, buffers->dy);
    gelu_ffn_hidden(ffn, rows, x, buffers);
    struct linear_rows hidden = {ffn->gated ? buffers->h : buffers->a, d_ff};
    gelu_linear_weight_grad(ffn->fc2, rows, hidden, dy, g->dfc2_weight, g->dfc2_bias);
    struct linear_rows dfc1 =
        gelu_linear_open(ffn->real, GELU_GRAD_SET, rows, d_ff, ffn->real, buffers->d_hidden, d_ff, NULL);
    struct linear_rows dup = {buffers->dh, d_ff};
    gelu_linear_input_grad(ffn->fc2, rows, dy, dfc1);
    hidden_grad(ffn, rows, buffers);
    gelu_linear_weight_grad(ffn->fc1, rows, x, dfc1, g->dfc1_weight, g->dfc1_bias);
    if (ffn->gated) gelu_linear_weight_grad(ffn->up, rows, x, dup, g->dup_weight, g->dup_bias);
    if (!b->dx.p) return;
    void *dst = linear_at(b->dx.p, b->xtype, first * b->dx.ld);
    struct linear_rows dx = gelu_linear_open(ffn->real, b->mode, rows, d_model, b->xtype, dst, b->dx.ld, buffers->y);
    gelu_linear_input_grad(ffn->fc1, rows, dfc1, dx);
    if (ffn->gated) gelu_linear_input_grad(ffn->up, rows, dup, dx);
    gelu_linear_close(ffn->real, rows, d_model, dx, b->xtype, dst, b->dx.ld);
}

static void run_backward(const struct backward *b, size_t rows, const struct ffn_buffers *buffers) {
    const gelu_ffn_grads *g = &b->grads;
    fpenv host = fpenv_enter();
    gelu_linear_begin_weight_grad(b->ffn->fc1, b->mode, g->dfc1_weight, g->dfc1_bias);
    if (b->ffn->gated) gelu_linear_begin_weight_grad(b->ffn->up, b->mode, g->dup_weight, g->dup_bias);
    gelu_linear_begin_weight_grad(b->ffn->fc2, b->mode, g->dfc2_weight, g->dfc2_bias);
    for (size_t first = 0; first < b->x.rows; first += rows) {
        rows = linear_min(b->x.rows - first, rows);
        backward_rows(b, first, rows, buffers);
    }
    fpenv_leave(host);
}

gelu_status gelu_ffn_backward(const gelu_ffn *ffn, gelu_grad_mode mode, size_t rows, gelu_dtype xtype, const void *x,
                              size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy, const gelu_ffn_grads *grads,
                              void *workspace) {
    if (!ffn || !grads) return GELU_ERR_ARGUMENT;
    size_t block = gelu_ffn_rows(rows, FFN_BACKWARD), workspace_nbytes;
    struct backward b = {
        .ffn = ffn,
        .mode = mode,
        .x = alias_matrix(x, rows, ffn->d_model, ldx, gelu_dtype_nbytes(xtype)),
        .dy = alias_matrix(dy, rows, ffn->d_model, lddy, gelu_dtype_nbytes(dytype)),
        .dx = alias_matrix(grads->dx, rows, ffn->d_model, grads->lddx, gelu_dtype_nbytes(xtype)),
        .xtype = xtype,
        .dytype = dytype,
        .grads = *grads,
    };
    struct ffn_buffers buffers;
    if (!gelu_ffn_layout(ffn, block, FFN_BACKWARD, workspace, &buffers, &workspace_nbytes)) return GELU_ERR_OVERFLOW;
    gelu_status status = check_backward(&b, alias_matrix(workspace, 1, workspace_nbytes, workspace_nbytes, 1));
    if (status != GELU_OK || (ffn->d_model == 0 && ffn->d_ff == 0)) return status;
    void *own = NULL;
    if (!workspace) {
        own = alloc_aligned(workspace_nbytes);
        if (!own) return GELU_ERR_MEMORY;
        (void)gelu_ffn_layout(ffn, block, FFN_BACKWARD, own, &buffers, &workspace_nbytes);
    }
    run_backward(&b, block, &buffers);
    alloc_free(own);
    return GELU_OK;
}
