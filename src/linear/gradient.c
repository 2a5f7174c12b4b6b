/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The products of the backward pass. The weights are packed a block at a time as the product meets them, whichever way
 * they lie: nothing is kept for it, and it costs a few reads per weight and call. One row of dy meets packed weights as
 * they are. */
#include <string.h>
#include "base/compiler.h"
#include "base/parallel.h"
#include "linear/linear.h"

/* What a gradient starts from, +0 where there is none, and where it goes. */
struct gradient {
    const struct gelu_kernels *kernels;
    gelu_dtype real;
    struct linear_matrix from, to;
};

/* Rows of one matrix into another, whose types may differ. */
static void convert_rows(const struct gradient *g, const struct product_part *part, struct linear_matrix from,
                         struct linear_matrix to) {
    if (from.dtype == to.dtype)
        (g->real == GELU_F64 ? g->kernels->copy_f64 : g->kernels->copy_f32)(part->cols, part->rows, from.p, from.ld,
                                                                            to.p, to.ld);
    else
        for (size_t i = 0; i < part->rows; i++)
            (void)gelu_convert(part->cols, from.dtype, linear_at(from.p, from.dtype, i * from.ld), to.dtype,
                               linear_at(to.p, to.dtype, i * to.ld));
}

/* The part's own corner of a matrix. */
static struct linear_matrix part_of(struct linear_matrix m, const struct product_part *part) {
    m.p = linear_at(m.p, m.dtype, part->row * m.ld + part->col);
    return m;
}

static void start(const void *context, const struct product_part *part) {
    const struct gradient *g = context;
    memset(part->acc, 0, part->rows * part->width * gelu_dtype_nbytes(g->real));
    const struct linear_matrix acc = {g->real, part->acc, part->width};
    if (g->from.p) convert_rows(g, part, part_of(g->from, part), acc);
}

static void finish(const void *context, const struct product_part *part) {
    const struct gradient *g = context;
    const struct linear_matrix acc = {g->real, part->acc, part->width};
    convert_rows(g, part, acc, part_of(g->to, part));
}

static void run(const gelu_linear *linear, size_t rows, size_t cols, size_t depth, struct product_factor a,
                struct product_factor b, struct gradient gradient, struct product_space space) {
    gelu_dtype real = linear->real;
    const struct product product = {
        .kernels = linear->kernels,
        .real = real,
        .rows = rows,
        .cols = cols,
        .depth = depth,
        .a = a,
        .b = b,
        .from = {gradient.from.dtype == real ? gradient.from.p : NULL, gradient.from.ld},
        .to = {gradient.to.dtype == real ? gradient.to.p : NULL, gradient.to.ld},
        .bare = gradient.to.dtype == real,
        .start = gradient.from.p ? start : NULL,
        .finish = finish,
        .context = &gradient,
    };
    gelu_product_run(&product, space);
}

/* (rows, cols) as a factor whose sum runs over columns, and over rows. */
static struct product_factor along_rows(struct linear_matrix m) {
    return (struct product_factor){PRODUCT_STRIDED, m.dtype, m.p, m.ld, 1};
}
static struct product_factor along_cols(struct linear_matrix m) {
    return (struct product_factor){PRODUCT_STRIDED, m.dtype, m.p, 1, m.ld};
}

void gelu_linear_input_grad(const gelu_linear *linear, size_t rows, struct linear_matrix dy, struct linear_matrix from,
                            struct linear_matrix to, struct product_space space) {
    struct product_factor turned = linear->weight;
    if (turned.form == PRODUCT_PANELS) {
        turned.form = PRODUCT_TURNED;
    } else {
        turned.stride = linear->weight.depth_stride;
        turned.depth_stride = linear->weight.stride;
    }
    run(linear, rows, linear->in, linear->out, along_rows(dy), turned,
        (struct gradient){linear->kernels, linear->real, from, to}, space);
}

/* dw of one row: rows of it, each a number times a vector, in the order of memory. Tiles would have a single k. */
struct outer {
    struct gradient gradient;
    const void *a, *b; /* (rows) and (cols), of real */
    size_t rows, cols, pieces;
};

static void outer_piece(void *context, size_t index) {
    const struct outer *o = context;
    const struct gradient *g = &o->gradient;
    size_t end = linear_begin(o->rows, o->pieces, index + 1);
    for (size_t i = linear_begin(o->rows, o->pieces, index); i < end; i++) {
        const void *a = linear_at(o->a, g->real, i), *from = linear_at(g->from.p, g->real, i * g->from.ld);
        (g->real == GELU_F64 ? g->kernels->scaled_f64 : g->kernels->scaled_f32)(
            o->cols, a, o->b, g->from.p ? from : NULL, linear_at(g->to.p, g->real, i * g->to.ld));
    }
}

static void run_outer(size_t rows, size_t cols, const void *a, const void *b, struct gradient gradient,
                      struct product_space space) {
    size_t threads = linear_min(space.threads, gelu_parallel_threads());
    struct outer outer = {gradient, a, b, rows, cols, gelu_product_workers(rows, cols, 1, threads)};
    gelu_parallel_for(outer.pieces, outer_piece, &outer);
}

void gelu_linear_weight_grad(const gelu_linear *linear, gelu_grad_mode mode, size_t rows, struct linear_matrix x,
                             struct linear_matrix dy, struct linear_matrix dw, void *db, struct product_space space) {
    size_t in = linear->in, out = linear->out;
    struct gradient g = {.kernels = linear->kernels, .real = linear->real, .to = dw};
    if (mode == GELU_GRAD_ADD) g.from = dw;
    bool out_in = linear->layout == GELU_OUT_IN;
    if (dw.p && rows == 1 && x.dtype == linear->real && dy.dtype == linear->real)
        run_outer(out_in ? out : in, out_in ? in : out, out_in ? dy.p : x.p, out_in ? x.p : dy.p, g, space);
    else if (dw.p && out_in)
        run(linear, out, in, rows, along_cols(dy), along_cols(x), g, space);
    else if (dw.p)
        run(linear, in, out, rows, along_cols(x), along_cols(dy), g, space);
    if (!db) return;
    /* fma(1, dy, s) is s + dy. */
    const struct product_factor ones = {.form = PRODUCT_ONES};
    g.to = (struct linear_matrix){linear->real, db, out};
    if (mode == GELU_GRAD_ADD) g.from = g.to;
    run(linear, 1, out, rows, ones, along_cols(dy), g, space);
}

bool gelu_linear_backward_nbytes(const gelu_linear *linear, size_t rows, size_t threads, size_t *nbytes) {
    bool out_in = linear->layout == GELU_OUT_IN;
    size_t dx, dw, db;
    *nbytes = 0;
    if (linear->compute == GELU_COMPUTE_BF16) return true; /* there is no backward pass */
    if (!gelu_product_workspace(linear->kernels, linear->real, rows, linear->in, linear->out, threads, &dx) ||
        !gelu_product_workspace(linear->kernels, linear->real, out_in ? linear->out : linear->in,
                                out_in ? linear->in : linear->out, rows, threads, &dw) ||
        !gelu_product_workspace(linear->kernels, linear->real, 1, linear->out, rows, threads, &db))
        return false;
    *nbytes = dx > dw ? dx : dw;
    if (db > *nbytes) *nbytes = db;
    return true;
}
