/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "ffn/ffn.h"

/* The arguments of one call. */
struct forward {
    const gelu_ffn *ffn;
    struct alias_matrix x, y, h, a, gate, up;
    gelu_dtype xtype, ytype;
};

static gelu_status check_forward(const struct forward *f, struct alias_matrix workspace) {
    if (!f->ffn->gated && (f->gate.p || f->up.p)) return GELU_ERR_ARGUMENT;
    if ((uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    gelu_dtype real = f->ffn->real;
    if (gelu_linear_check_dtype(real, f->xtype) != GELU_OK || gelu_linear_check_dtype(real, f->ytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(f->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(f->y);
    if (status != GELU_OK) return status;
    const struct alias_matrix outputs[] = {f->y, f->h, f->a, f->gate, f->up, workspace};
    for (int i = 1; i <= 4; i++)
        if (outputs[i].p && !alias_fits(outputs[i])) return GELU_ERR_OVERFLOW;
    return gelu_linear_check_alias(sizeof outputs / sizeof *outputs, outputs, 1, &f->x);
}

/* The rows of a trace array where the caller wants one, else the buffer. */
static void *traced(const struct forward *f, struct alias_matrix trace, size_t first, void *buffer) {
    return trace.p ? linear_at(trace.p, f->ffn->real, first * f->ffn->d_ff) : buffer;
}

static void run_forward(const struct forward *f, size_t rows, const struct ffn_buffers *buffers) {
    const gelu_ffn *ffn = f->ffn;
    fpenv host = fpenv_enter();
    for (size_t first = 0; first < f->x.rows; first += rows) {
        rows = linear_min(f->x.rows - first, rows);
        struct ffn_buffers b = *buffers;
        b.h = traced(f, f->h, first, b.h);
        b.a = traced(f, f->a, first, b.a);
        b.gate = traced(f, f->gate, first, b.gate);
        b.up = traced(f, f->up, first, b.up);
        const void *x = linear_at(f->x.p, f->xtype, first * f->x.ld);
        void *y = linear_at(f->y.p, f->ytype, first * f->y.ld);
        gelu_ffn_hidden(ffn, rows, gelu_linear_load(ffn->real, rows, ffn->d_model, f->xtype, x, f->x.ld, b.x), &b);
        struct linear_rows acc = gelu_linear_target(ffn->real, ffn->d_model, f->ytype, y, f->y.ld, b.y);
        gelu_linear_apply(ffn->fc2, rows, (struct linear_rows){ffn->gated ? b.h : b.a, ffn->d_ff}, acc);
        gelu_linear_close(ffn->real, rows, ffn->d_model, acc, f->ytype, y, f->y.ld);
    }
    fpenv_leave(host);
}

gelu_status gelu_ffn_forward(const gelu_ffn *ffn, size_t rows, gelu_dtype xtype, const void *x, size_t ldx,
                             const gelu_ffn_trace *trace, gelu_dtype ytype, void *y, size_t ldy, void *workspace) {
    if (!ffn) return GELU_ERR_ARGUMENT;
    gelu_ffn_trace t = {0};
    if (trace) t = *trace;
    size_t nbytes = gelu_dtype_nbytes(ffn->real), block = gelu_ffn_rows(rows, FFN_FORWARD), workspace_nbytes;
    struct forward f = {
        .ffn = ffn,
        .x = alias_matrix(x, rows, ffn->d_model, ldx, gelu_dtype_nbytes(xtype)),
        .y = alias_matrix(y, rows, ffn->d_model, ldy, gelu_dtype_nbytes(ytype)),
        .h = alias_matrix(t.h, rows, ffn->d_ff, ffn->d_ff, nbytes),
        .a = alias_matrix(t.a, rows, ffn->d_ff, ffn->d_ff, nbytes),
        .gate = alias_matrix(t.gate, rows, ffn->d_ff, ffn->d_ff, nbytes),
        .up = alias_matrix(t.up, rows, ffn->d_ff, ffn->d_ff, nbytes),
        .xtype = xtype,
        .ytype = ytype,
    };
    struct ffn_buffers buffers;
    if (!gelu_ffn_layout(ffn, block, FFN_FORWARD, workspace, &buffers, &workspace_nbytes)) return GELU_ERR_OVERFLOW;
    gelu_status status = check_forward(&f, alias_matrix(workspace, 1, workspace_nbytes, workspace_nbytes, 1));
    bool nothing = rows == 0 || (ffn->d_model == 0 && (ffn->d_ff == 0 || !trace)); /* however many rows there are */
    if (status != GELU_OK || nothing) return status;
    void *own = NULL;
    if (!workspace) {
        own = alloc_aligned(workspace_nbytes);
        if (!own) return GELU_ERR_MEMORY;
        (void)gelu_ffn_layout(ffn, block, FFN_FORWARD, own, &buffers, &workspace_nbytes);
    }
    run_forward(&f, block, &buffers);
    alloc_free(own);
    return GELU_OK;
}
