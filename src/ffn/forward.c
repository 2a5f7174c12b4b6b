/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "ffn/ffn.h"

/* The arguments of one call. */
struct forward {
    const gelu_ffn *ffn;
    struct alias_matrix x, y;
    gelu_dtype xtype, ytype;
    gelu_ffn_trace trace;
};

static gelu_status check_forward(const struct forward *f, struct alias_matrix workspace) {
    const gelu_ffn *ffn = f->ffn;
    const gelu_ffn_trace *t = &f->trace;
    if (!ffn->gated && (t->gate || t->up)) return GELU_ERR_ARGUMENT;
    if ((uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    if (gelu_linear_check_input(ffn->fc1->compute, ffn->real, f->xtype) != GELU_OK ||
        gelu_linear_check_dtype(ffn->real, f->ytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(f->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(f->y);
    if (status != GELU_OK) return status;
    struct alias_matrix outputs[6] = {f->y, workspace};
    const void *traces[] = {t->h, t->a, t->gate, t->up};
    for (int i = 0; i < 4; i++) {
        outputs[2 + i] = alias_matrix(traces[i], f->x.rows, ffn->d_ff, ffn->d_ff, gelu_dtype_nbytes(ffn->real));
        if (traces[i] && !alias_fits(outputs[2 + i])) return GELU_ERR_OVERFLOW;
    }
    return gelu_linear_check_alias(6, outputs, 4,
                                   (struct alias_matrix[]){f->x, gelu_linear_view_weights(ffn->fc1),
                                                           gelu_linear_view_weights(ffn->up),
                                                           gelu_linear_view_weights(ffn->fc2)});
}

/* The rows of a trace array where the caller wants one, else the buffer. */
static void *traced(const struct forward *f, void *trace, size_t first, void *buffer) {
    return trace ? linear_at(trace, f->ffn->real, first * f->ffn->d_ff) : buffer;
}

static void run_forward(const struct forward *f, size_t rows, const struct ffn_buffers *buffers) {
    const gelu_ffn *ffn = f->ffn;
    const gelu_ffn_trace *t = &f->trace;
    atomic_size_t overflows = 0;
    fpenv host = fpenv_enter();
    for (size_t first = 0; first < f->x.rows; first += rows) {
        rows = linear_min(f->x.rows - first, rows);
        struct ffn_buffers b = *buffers;
        b.h = traced(f, t->h, first, b.h);
        b.a = traced(f, t->a, first, b.a);
        b.gate = traced(f, t->gate, first, b.gate);
        b.up = traced(f, t->up, first, b.up);
        const struct linear_matrix x = {f->xtype, linear_at(f->x.p, f->xtype, first * f->x.ld), f->x.ld};
        bool narrow = ffn->hidden != ffn->real;
        const struct linear_matrix hidden = {ffn->hidden, narrow ? b.hidden : ffn->gated ? b.h : b.a, ffn->d_ff};
        const struct linear_output y = {
            .linear = ffn->fc2,
            .saturate = ffn->saturate,
            .y = {f->ytype, linear_at(f->y.p, f->ytype, first * f->y.ld), f->y.ld},
            .overflows = t->overflows ? &overflows : NULL,
        };
        gelu_ffn_hidden(ffn, rows, x, &b);
        void *trace = ffn->gated ? t->h : t->a;
        if (narrow && trace)
            (void)gelu_convert(rows * ffn->d_ff, ffn->hidden, b.hidden, ffn->real, traced(f, trace, first, NULL));
        gelu_linear_apply(rows, hidden, &y, b.product);
    }
    fpenv_leave(host);
    if (t->overflows) *t->overflows = overflows;
}

gelu_status gelu_ffn_forward(const gelu_ffn *ffn, size_t rows, gelu_dtype xtype, const void *x, size_t ldx,
                             const gelu_ffn_trace *trace, gelu_dtype ytype, void *y, size_t ldy, void *workspace) {
    if (!ffn) return GELU_ERR_ARGUMENT;
    struct forward f = {
        .ffn = ffn,
        .x = alias_matrix(x, rows, ffn->d_model, ldx, gelu_dtype_nbytes(xtype)),
        .y = alias_matrix(y, rows, ffn->d_model, ldy, gelu_dtype_nbytes(ytype)),
        .xtype = xtype,
        .ytype = ytype,
    };
    if (trace) f.trace = *trace;
    size_t block = gelu_ffn_rows(rows, FFN_FORWARD), threads = gelu_product_threads(workspace), nbytes;
    struct ffn_buffers buffers;
    if (!gelu_ffn_layout(ffn, block, FFN_FORWARD, threads, workspace, &buffers, &nbytes)) return GELU_ERR_OVERFLOW;
    gelu_status status = check_forward(&f, alias_matrix(workspace, 1, nbytes, nbytes, 1));
    if (status != GELU_OK) return status;
    if (f.trace.overflows) *f.trace.overflows = 0;
    bool traces = f.trace.h || f.trace.a || f.trace.gate || f.trace.up;
    bool nothing = ffn->d_model == 0 && (ffn->d_ff == 0 || !traces); /* however many rows there are */
    if (rows == 0 || nothing) return GELU_OK;
    void *own = NULL;
    if (!workspace) {
        own = gelu_memory_new(nbytes);
        if (!own) return GELU_ERR_MEMORY;
        (void)gelu_ffn_layout(ffn, block, FFN_FORWARD, threads, own, &buffers, &nbytes);
    }
    run_forward(&f, block, &buffers);
    gelu_memory_free(own);
    return GELU_OK;
}
