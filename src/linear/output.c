/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The forward product, and its epilogue on one panel of acc while that is in the cache. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "linear/linear.h"
#include "linear/product_bf16.h"

/* In pieces: a call of memcpy takes longer than a row of a part. */
static void copy_row(size_t nbytes, const unsigned char *src, unsigned char *dst) {
    enum { PIECE = 16 };
    size_t i = 0;
    for (; nbytes - i >= PIECE; i += PIECE) memcpy(dst + i, src + i, PIECE);
    if (i < nbytes) memcpy(dst + i, src + i, nbytes - i);
}

/* Rows of one type, without a call for each where tiles are made of it. */
static void copy_rows(const gelu_linear *linear, gelu_dtype dtype, size_t rows, size_t cols, const void *src,
                      size_t ldsrc, void *dst, size_t lddst) {
    size_t element = gelu_dtype_nbytes(dtype);
    if (dtype == GELU_F64)
        linear->kernels->copy_f64(cols, rows, src, ldsrc, dst, lddst);
    else if (dtype == GELU_F32)
        linear->kernels->copy_f32(cols, rows, src, ldsrc, dst, lddst);
    else
        for (size_t i = 0; i < rows; i++)
            copy_row(cols * element, (const unsigned char *)src + i * ldsrc * element,
                     (unsigned char *)dst + i * lddst * element);
}

/* The part's rows of a matrix, from its first column on. */
static void *row_of(const struct linear_matrix *m, const struct product_part *part, size_t i) {
    return linear_at(m->p, m->dtype, (part->row + i) * m->ld + part->col);
}

/* panel, contiguous and of the matrix's type, into the matrix. */
static void store(const gelu_linear *linear, const struct linear_matrix *m, const struct product_part *part,
                  const void *panel) {
    copy_rows(linear, m->dtype, part->rows, part->cols, panel, part->width, row_of(m, part, 0), m->ld);
}

void gelu_linear_multiply(gelu_dtype real, size_t n, const void *a, const void *b, void *out) {
    if (real == GELU_F64) {
        const double *p = a, *q = b;
        double *r = out;
        for (size_t i = 0; i < n; i++) r[i] = p[i] * q[i];
    } else {
        const float *p = a, *q = b;
        float *r = out;
        for (size_t i = 0; i < n; i++) r[i] = p[i] * q[i];
    }
}

static void add(gelu_dtype real, size_t n, void *a, const void *b) {
    if (real == GELU_F64) {
        double *p = a;
        const double *q = b;
        for (size_t i = 0; i < n; i++) p[i] = p[i] + q[i];
    } else {
        float *p = a;
        const float *q = b;
        for (size_t i = 0; i < n; i++) p[i] = p[i] + q[i];
    }
}

void gelu_linear_activate(const gelu_linear *linear, gelu_act act, bool fast, size_t n, const void *x, void *y) {
    const struct gelu_kernels *kernels = linear->kernels;
    if (linear->real == GELU_F64)
        kernels->forward_f64[act](n, x, y);
    else
        (fast ? kernels->fast_forward_f32 : kernels->forward_f32)[act](n, x, y);
}

/* t is finite where an output is infinite: it became so by rounding to 16 bits. */
static void check_overflow(const struct linear_output *o, const struct product_part *part, const float *t,
                           uint16_t *narrow) {
    const uint16_t infinity = o->y.dtype == GELU_F16 ? 0x7c00 : 0x7f80;
    size_t count = 0;
    for (size_t i = 0; i < part->rows; i++)
        for (size_t j = 0; j < part->cols; j++) {
            size_t at = i * part->width + j;
            if ((narrow[at] & 0x7fff) != infinity || !isfinite(t[at])) continue;
            count++;
            /* The largest finite number comes just before infinity. */
            if (o->saturate) narrow[at]--;
        }
    if (o->overflows && count > 0) atomic_fetch_add_explicit(o->overflows, count, memory_order_relaxed);
}

static void finish(const void *context, const struct product_part *part) {
    const struct linear_output *o = context;
    const struct gelu_kernels *kernels = o->linear->kernels;
    gelu_dtype real = o->linear->real, type = o->y.dtype;
    size_t n = part->rows * part->width;
    void *t = part->acc, *narrow = part->scratch;
    if (o->preact.p) store(o->linear, &o->preact, part, t);
    /* Straight from the exact activation to 16 bits, where nothing lies in between. */
    bool direct = type != real && !o->fast && !o->value.p && !o->residual.p && !o->activated.p;
    if (direct) {
        (type == GELU_F16 ? kernels->forward_f32_f16 : kernels->forward_f32_bf16)[o->act](n, t, narrow);
    } else {
        if (o->act != GELU_IDENTITY) gelu_linear_activate(o->linear, o->act, o->fast, n, t, t);
        if (o->activated.p) store(o->linear, &o->activated, part, t);
        for (size_t i = 0; o->value.p && i < part->rows; i++)
            gelu_linear_multiply(real, part->cols, linear_at(t, real, i * part->width), row_of(&o->value, part, i),
                                 linear_at(t, real, i * part->width));
        for (size_t i = 0; o->residual.p && i < part->rows; i++) {
            const void *residual = row_of(&o->residual, part, i);
            if (o->residual.dtype != real) {
                (void)gelu_convert(part->cols, o->residual.dtype, residual, real, part->scratch);
                residual = part->scratch;
            }
            add(real, part->cols, linear_at(t, real, i * part->width), residual);
        }
        if (type != real) (void)gelu_convert(n, real, t, type, narrow);
    }
    if (type != real && (o->saturate || o->overflows)) check_overflow(o, part, t, narrow);
    store(o->linear, &o->y, part, type == real ? t : narrow);
}

/* acc is y. */
static bool is_bare(const struct linear_output *o) {
    return o->act == GELU_IDENTITY && o->y.dtype == o->linear->real && !o->preact.p && !o->activated.p && !o->value.p &&
           !o->residual.p;
}

static void apply_bf16(size_t rows, struct linear_matrix x, const struct linear_output *output,
                       struct product_space space) {
    const gelu_linear *linear = output->linear;
    const struct product_bf16 product = {
        .kernels = linear->kernels,
        .rows = rows,
        .cols = linear->out,
        .depth = linear->in,
        .x = x.p,
        .ldx = x.ld,
        .w = linear->weight,
        .bias = linear->bias,
        .finish = finish,
        .context = output,
    };
    gelu_product_bf16_run(&product, space);
}

void gelu_linear_apply(size_t rows, struct linear_matrix x, const struct linear_output *output,
                       struct product_space space) {
    const gelu_linear *linear = output->linear;
    if (linear->compute == GELU_COMPUTE_BF16) {
        apply_bf16(rows, x, output, space);
        return;
    }
    const struct product product = {
        .kernels = linear->kernels,
        .real = linear->real,
        .rows = rows,
        .cols = linear->out,
        .depth = linear->in,
        .a = {PRODUCT_STRIDED, x.dtype, x.p, x.ld, 1},
        .b = linear->weight,
        .from = {linear->bias, 0},
        .to = {output->y.dtype == linear->real ? output->y.p : NULL, output->y.ld},
        .bare = is_bare(output),
        .finish = finish,
        .context = output,
    };
    gelu_product_run(&product, space);
}

bool gelu_linear_forward_nbytes(const gelu_linear *linear, size_t rows, size_t threads, size_t *nbytes) {
    if (linear->compute == GELU_COMPUTE_BF16)
        return gelu_product_bf16_workspace(rows, linear->out, linear->in, linear->panels != NULL, threads, nbytes);
    return gelu_product_workspace(linear->kernels, linear->real, rows, linear->out, linear->in, threads, nbytes);
}
