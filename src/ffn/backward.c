/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "ffn/ffn.h"

/* The arguments of one call. */
struct backward {
    const gelu_ffn *ffn;
    gelu_grad_mode mode;
    struct alias_matrix x, dy, dx;
    gelu_dtype xtype, dytype;
    gelu_ffn_trace saved;
    bool recompute;
    gelu_ffn_grads grads;
};

static gelu_status check_outputs(const struct backward *b, struct alias_matrix workspace) {
    const gelu_ffn *ffn = b->ffn;
    const gelu_ffn_grads *g = &b->grads;
    size_t element = gelu_dtype_nbytes(ffn->real), d_ff = ffn->d_ff, d_model = ffn->d_model;
    size_t fc1 = ffn->order == GELU_SEPARATE ? 1 : 2;
    const struct alias_matrix outputs[] = {
        b->dx,
        workspace,
        alias_matrix(g->dfc1_weight, fc1 * d_ff, d_model, d_model, element),
        alias_matrix(g->dfc1_bias, fc1, d_ff, d_ff, element),
        alias_matrix(g->dup_weight, d_ff, d_model, d_model, element),
        alias_matrix(g->dup_bias, 1, d_ff, d_ff, element),
        alias_matrix(g->dfc2_weight, d_ff, d_model, d_model, element),
        alias_matrix(g->dfc2_bias, 1, d_model, d_model, element),
    };
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    for (int i = 2; i < OUTPUTS; i++)
        if (outputs[i].p && !alias_fits(outputs[i])) return GELU_ERR_OVERFLOW;
    struct alias_matrix inputs[9] = {b->x, b->dy};
    const void *saved[] = {b->saved.h, b->saved.a, b->saved.gate, b->saved.up};
    for (int i = 0; i < 4; i++) {
        inputs[2 + i] = alias_matrix(saved[i], b->x.rows, d_ff, d_ff, element);
        if (saved[i] && !alias_fits(inputs[2 + i])) return GELU_ERR_OVERFLOW;
    }
    const gelu_linear *layers[] = {ffn->fc1, ffn->up, ffn->fc2};
    for (int i = 0; i < 3; i++) inputs[6 + i] = gelu_linear_view_weights(layers[i]);
    return gelu_linear_check_alias(OUTPUTS, outputs, 9, inputs);
}

static gelu_status check_backward(const struct backward *b, struct alias_matrix workspace) {
    const gelu_ffn *ffn = b->ffn;
    const gelu_ffn_grads *g = &b->grads;
    if (b->mode != GELU_GRAD_SET && b->mode != GELU_GRAD_ADD) return GELU_ERR_ARGUMENT;
    bool has_up = ffn->gated && ffn->order == GELU_SEPARATE;
    if (!has_up && (g->dup_weight || g->dup_bias)) return GELU_ERR_ARGUMENT;
    if (!ffn->gated && (b->saved.gate || b->saved.up)) return GELU_ERR_ARGUMENT;
    if ((uintptr_t)workspace.p % ALLOC_ALIGNMENT != 0) return GELU_ERR_ARGUMENT;
    if (gelu_linear_check_dtype(ffn->real, b->xtype) != GELU_OK ||
        gelu_linear_check_dtype(ffn->real, b->dytype) != GELU_OK)
        return GELU_ERR_DTYPE;
    gelu_status status = gelu_linear_check_matrix(b->x);
    if (status == GELU_OK) status = gelu_linear_check_matrix(b->dy);
    if (status == GELU_OK && b->dx.p) status = gelu_linear_check_matrix(b->dx);
    return status == GELU_OK ? check_outputs(b, workspace) : status;
}

/* ---- Elementwise parts, a piece per task ---- */

enum { PIECE = 8192 };

struct pieces {
    const gelu_ffn *ffn;
    size_t n;
    const struct ffn_buffers *b;
    void *a, *h; /* where to put what b does not hold, before dfc1 is known; else NULL */
};

static void *piece_at(const struct pieces *p, void *array, size_t piece) {
    return linear_at(array, p->ffn->real, piece * PIECE);
}

static size_t pieces(const struct pieces *p) { return p->n / PIECE + (p->n % PIECE > 0); }

/* a = act(h); gated: a = act(gate), h = a * up. */
static void restore_piece(void *context, size_t i) {
    const struct pieces *p = context;
    const gelu_ffn *ffn = p->ffn;
    size_t n = linear_min(p->n - i * PIECE, PIECE);
    void *a = piece_at(p, p->b->a, i);
    if (p->a)
        gelu_linear_activate(ffn->fc1, ffn->act, ffn->fast, n, piece_at(p, ffn->gated ? p->b->gate : p->b->h, i), a);
    if (p->h) gelu_linear_multiply(ffn->real, n, a, piece_at(p, p->b->up, i), piece_at(p, p->b->h, i));
}

/* From dfc1, the gradient of what fc2 takes, to the gradients of what fc1 and up give. */
static void hidden_grad_piece(void *context, size_t i) {
    const struct pieces *p = context;
    const gelu_ffn *ffn = p->ffn;
    const struct gelu_kernels *kernels = ffn->fc1->kernels;
    size_t n = linear_min(p->n - i * PIECE, PIECE);
    void *d = piece_at(p, p->b->dfc1, i), *x = piece_at(p, ffn->gated ? p->b->gate : p->b->h, i);
    if (ffn->gated) {
        gelu_linear_multiply(ffn->real, n, d, piece_at(p, p->b->a, i), piece_at(p, p->b->dup, i));
        gelu_linear_multiply(ffn->real, n, d, piece_at(p, p->b->up, i), d);
    }
    if (ffn->real == GELU_F64)
        kernels->backward_f64[ffn->act](n, x, d, d);
    else
        (ffn->fast ? kernels->fast_backward_f32 : kernels->backward_f32)[ffn->act](n, x, d, d);
}

/* ---- One block of rows ---- */

/* The gradient of the gate's (fc1's) or up's weights, and of its bias. */
struct weight_grads {
    struct linear_matrix weight;
    void *bias;
};

static struct weight_grads first_grads(const struct backward *b, bool of_up) {
    const gelu_ffn *ffn = b->ffn;
    const gelu_ffn_grads *g = &b->grads;
    bool out_in = ffn->fc1->layout == GELU_OUT_IN, both = ffn->order != GELU_SEPARATE;
    void *weight = of_up && !both ? g->dup_weight : g->dfc1_weight, *bias = of_up && !both ? g->dup_bias : g->dfc1_bias;
    if (both && of_up == (ffn->order == GELU_GATE_FIRST)) {
        if (weight) weight = linear_at(weight, ffn->real, out_in ? ffn->d_ff * ffn->d_model : ffn->d_ff);
        if (bias) bias = linear_at(bias, ffn->real, ffn->d_ff);
    }
    if (of_up && !both) out_in = ffn->up->layout == GELU_OUT_IN;
    return (struct weight_grads){{ffn->real, weight, out_in ? ffn->d_model : both ? 2 * ffn->d_ff : ffn->d_ff}, bias};
}

/* The buffers for the block, with the rows that were saved, and the rest computed. */
static struct ffn_buffers hidden_results(const struct backward *b, size_t first, size_t rows, struct linear_matrix x,
                                         const struct ffn_buffers *buffers) {
    const gelu_ffn *ffn = b->ffn;
    struct ffn_buffers results = *buffers;
    if (b->recompute) {
        gelu_ffn_hidden(ffn, rows, x, buffers);
        return results;
    }
    size_t skip = first * ffn->d_ff;
    struct pieces p = {.ffn = ffn, .n = rows * ffn->d_ff, .b = &results};
    if (b->saved.h) results.h = linear_at(b->saved.h, ffn->real, skip);
    if (b->saved.a) results.a = linear_at(b->saved.a, ffn->real, skip);
    if (b->saved.gate) results.gate = linear_at(b->saved.gate, ffn->real, skip);
    if (b->saved.up) results.up = linear_at(b->saved.up, ffn->real, skip);
    if (!b->saved.a) p.a = results.a;
    if (!b->saved.h) p.h = results.h;
    if (p.a || p.h) gelu_parallel_for(pieces(&p), restore_piece, &p);
    return results;
}

static void backward_rows(const struct backward *b, size_t first, size_t rows, const struct ffn_buffers *buffers) {
    const gelu_ffn *ffn = b->ffn;
    gelu_grad_mode mode = first == 0 ? b->mode : GELU_GRAD_ADD;
    size_t d_model = ffn->d_model, d_ff = ffn->d_ff;
    const struct linear_matrix x = {b->xtype, linear_at(b->x.p, b->xtype, first * b->x.ld), b->x.ld};
    const struct linear_matrix dy = {b->dytype, linear_at(b->dy.p, b->dytype, first * b->dy.ld), b->dy.ld};
    const struct linear_matrix none = {0}, dfc1 = {ffn->real, buffers->dfc1, d_ff},
                               dup = {ffn->real, buffers->dup, d_ff};
    const struct ffn_buffers r = hidden_results(b, first, rows, x, buffers);
    const struct linear_matrix hidden = {ffn->real, ffn->gated ? r.h : r.a, d_ff};
    const struct linear_matrix dfc2 = {ffn->real, b->grads.dfc2_weight,
                                       ffn->fc2->layout == GELU_OUT_IN ? d_ff : d_model};
    gelu_linear_weight_grad(ffn->fc2, mode, rows, hidden, dy, dfc2, b->grads.dfc2_bias, r.product);
    gelu_linear_input_grad(ffn->fc2, rows, dy, none, dfc1, r.product);
    struct pieces p = {.ffn = ffn, .n = rows * d_ff, .b = &r};
    gelu_parallel_for(pieces(&p), hidden_grad_piece, &p);
    struct weight_grads to = first_grads(b, false);
    gelu_linear_weight_grad(ffn->fc1, mode, rows, x, dfc1, to.weight, to.bias, r.product);
    if (ffn->gated) {
        to = first_grads(b, true);
        gelu_linear_weight_grad(ffn->up, mode, rows, x, dup, to.weight, to.bias, r.product);
    }
    if (!b->dx.p) return;
    const struct linear_matrix dx = {b->xtype, linear_at(b->dx.p, b->xtype, first * b->dx.ld), b->dx.ld};
    const struct linear_matrix from = b->mode == GELU_GRAD_ADD ? dx : none, sum = {ffn->real, buffers->dx, d_model};
    gelu_linear_input_grad(ffn->fc1, rows, dfc1, from, ffn->gated ? sum : dx, r.product);
    if (ffn->gated) gelu_linear_input_grad(ffn->up, rows, dup, sum, dx, r.product);
}

static void run_backward(const struct backward *b, size_t rows, const struct ffn_buffers *buffers) {
    fpenv host = fpenv_enter();
    /* Once without any rows, too: what is set becomes +0. */
    for (size_t first = 0; first == 0 || first < b->x.rows; first += rows) {
        rows = linear_min(b->x.rows - first, rows);
        backward_rows(b, first, rows, buffers);
        if (rows == 0) break;
    }
    fpenv_leave(host);
}

gelu_status gelu_ffn_backward(const gelu_ffn *ffn, gelu_grad_mode mode, size_t rows, gelu_dtype xtype, const void *x,
                              size_t ldx, gelu_dtype dytype, const void *dy, size_t lddy, const gelu_ffn_trace *saved,
                              const gelu_ffn_grads *grads, void *workspace) {
    if (!ffn || !grads) return GELU_ERR_ARGUMENT;
    if (ffn->hidden != ffn->real) return GELU_ERR_UNSUPPORTED; /* bf16 compute */
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
    if (saved) b.saved = *saved;
    b.recompute = ffn->gated ? !b.saved.gate || !b.saved.up : !b.saved.h;
    size_t block = gelu_ffn_rows(rows, FFN_BACKWARD), threads = gelu_product_threads(workspace), nbytes;
    struct ffn_buffers buffers;
    if (!gelu_ffn_layout(ffn, block, FFN_BACKWARD, threads, workspace, &buffers, &nbytes)) return GELU_ERR_OVERFLOW;
    gelu_status status = check_backward(&b, alias_matrix(workspace, 1, nbytes, nbytes, 1));
    if (status != GELU_OK || (ffn->d_model == 0 && ffn->d_ff == 0)) return status;
    /* Without inputs all rows are one row, whose gradients are zeros (or NaN): more of them add nothing, and without
     * elements there may be ever so many. */
    if (ffn->d_model == 0 && b.recompute) b.x.rows = linear_min(rows, 1);
    void *own = NULL;
    if (!workspace) {
        own = gelu_memory_new(nbytes);
        if (!own) return GELU_ERR_MEMORY;
        (void)gelu_ffn_layout(ffn, block, FFN_BACKWARD, threads, own, &buffers, &nbytes);
    }
    run_backward(&b, block, &buffers);
    gelu_memory_free(own);
    return GELU_OK;
}
