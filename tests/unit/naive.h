/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Linear as the header states it, one output at a time with libm's fma, on values held exactly in double whatever their
 * type. Also matrices with gaps between their rows that must stay as they are. Include after cmocka.h. */
#ifndef GELU_TESTS_NAIVE_H
#define GELU_TESTS_NAIVE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "dispatch/dispatch.h"
#include "gelu.h"

static uint64_t naive_seed = 0x2545f4914f6cdd1d;
static inline uint64_t naive_random(void) {
    naive_seed ^= naive_seed << 13;
    naive_seed ^= naive_seed >> 7;
    return naive_seed ^= naive_seed << 17;
}
static inline size_t naive_below(size_t n) { return (size_t)(naive_random() >> 16) % n; }

/* A matrix with its own memory, of which every byte outside the elements is 0xAA. */
struct matrix {
    gelu_dtype dtype;
    size_t rows, cols, ld;
    unsigned char *p;
};

static inline size_t matrix_nbytes(const struct matrix *m) {
    return (m->rows * m->ld + 1) * gelu_dtype_nbytes(m->dtype);
}

static inline struct matrix matrix_new(gelu_dtype dtype, size_t rows, size_t cols, size_t ld) {
    struct matrix m = {dtype, rows, cols, ld, NULL};
    m.p = malloc(matrix_nbytes(&m));
    assert_non_null(m.p);
    memset(m.p, 0xaa, matrix_nbytes(&m));
    return m;
}

static inline void *matrix_at(const struct matrix *m, size_t i, size_t j) {
    return m->p + (i * m->ld + j) * gelu_dtype_nbytes(m->dtype);
}

static inline double naive_get(gelu_dtype dtype, const void *p) {
    double value;
    assert_int_equal(gelu_convert(1, dtype, p, GELU_F64, &value), GELU_OK);
    return value;
}

/* value is exact in real, and rounded once to dtype. */
static inline void naive_set(gelu_dtype real, double value, gelu_dtype dtype, void *p) {
    float narrow = (float)value;
    assert_int_equal(gelu_convert(1, real, real == GELU_F64 ? (void *)&value : &narrow, dtype, p), GELU_OK);
}

static inline double matrix_get(const struct matrix *m, size_t i, size_t j) {
    return naive_get(m->dtype, matrix_at(m, i, j));
}

/* Mostly numbers around 1; now and then zeros, subnormal, huge, infinite and NaN ones. */
static inline double naive_value(void) {
    double x = ldexp((double)(naive_random() >> 11), -53) * 2 - 1;
    size_t kind = naive_below(20000); /* a NaN is so rare because it hides the rest of its row */
    if (kind == 0) return copysign(INFINITY, x);
    if (kind == 1) return NAN;
    if (kind < 300) return copysign(0, x);
    if (kind < 1000) return ldexp(x, -130);
    if (kind < 1200) return ldexp(x, 15);
    return ldexp(x, (int)naive_below(8) - 4);
}

static inline void matrix_fill(struct matrix *m) {
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->cols; j++) naive_set(GELU_F64, naive_value(), m->dtype, matrix_at(m, i, j));
}

static inline struct matrix matrix_random(gelu_dtype dtype, size_t rows, size_t cols) {
    struct matrix m = matrix_new(dtype, rows, cols, cols + naive_below(4));
    matrix_fill(&m);
    return m;
}

static inline struct matrix matrix_copy(const struct matrix *m) {
    struct matrix copy = matrix_new(m->dtype, m->rows, m->cols, m->ld);
    memcpy(copy.p, m->p, matrix_nbytes(m));
    return copy;
}

/* The same bytes everywhere, gaps included; elements that are NaN in both are equal. */
static inline void matrix_assert_equal(const struct matrix *got, const struct matrix *want, const char *what) {
    size_t nbytes = gelu_dtype_nbytes(want->dtype);
    for (size_t i = 0; i <= want->rows; i++)
        for (size_t j = 0; j < (i < want->rows ? want->ld : 1); j++) {
            const void *g = matrix_at(got, i, j), *w = matrix_at(want, i, j);
            if (memcmp(g, w, nbytes) == 0) continue;
            double x = naive_get(want->dtype, g), y = naive_get(want->dtype, w);
            if (i == want->rows || j >= want->cols) fail_msg("%s: the gap at (%zu, %zu) was written", what, i, j);
            if (!isnan(x) || !isnan(y)) fail_msg("%s (%zu, %zu): got %a, want %a", what, i, j, x, y);
        }
}

/* acc + sum over k < depth of a[k*a_step] * b[k*b_step], by blocks of 256. */
static inline double naive_sum(gelu_dtype real, size_t depth, const double *a, size_t a_step, const double *b,
                               size_t b_step, double acc) {
    for (size_t start = 0; start < depth; start += 256) {
        double s = 0;
        for (size_t k = start; k < depth && k < start + 256; k++) {
            double p = a[k * a_step], q = b[k * b_step];
            s = real == GELU_F64 ? fma(p, q, s) : (double)fmaf((float)p, (float)q, (float)s);
        }
        acc = real == GELU_F64 ? acc + s : (double)((float)acc + (float)s);
    }
    return acc;
}

/* The elements, row by row, exactly. */
static inline double *naive_values(const struct matrix *m) {
    double *values = malloc((m->rows * m->cols + 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->cols; j++) values[i * m->cols + j] = matrix_get(m, i, j);
    return values;
}

/* f(x), rounded to real. */
static inline double naive_act(gelu_dtype real, gelu_act act, double x) {
    float narrow = (float)x;
    if (real == GELU_F64) {
        gelu_forward_f64(act, 1, &x, &x);
        return x;
    }
    gelu_forward_f32(act, 1, &narrow, &narrow);
    return narrow;
}

/* dy * f'(x), as gelu_backward rounds it. */
static inline double naive_act_grad(gelu_dtype real, gelu_act act, double x, double dy) {
    float x32 = (float)x, dy32 = (float)dy;
    if (real == GELU_F64) {
        gelu_backward_f64(act, 1, &x, &dy, &dy);
        return dy;
    }
    gelu_backward_f32(act, 1, &x32, &dy32, &dy32);
    return dy32;
}

/* A layer, its weights as they were given and as exact values, (out, in). */
struct layer {
    gelu_dtype real;
    size_t in, out;
    struct matrix weight, bias;
    gelu_weights weights;
    double *w, *b; /* b: zeros without a bias */
};

static inline struct layer layer_new(gelu_dtype dtype, gelu_layout layout, size_t in, size_t out, bool with_bias) {
    bool out_in = layout == GELU_OUT_IN;
    struct layer l = {.real = dtype == GELU_F64 ? GELU_F64 : GELU_F32, .in = in, .out = out};
    l.weight = matrix_random(dtype, out_in ? out : in, out_in ? in : out);
    l.bias = matrix_random(dtype, 1, out);
    /* ld 0 says contiguous */
    size_t ld = l.weight.ld == l.weight.cols && naive_below(2) ? 0 : l.weight.ld;
    l.weights = (gelu_weights){dtype, layout, l.weight.p, ld, with_bias ? l.bias.p : NULL};
    l.w = malloc((in * out + 1) * sizeof *l.w);
    l.b = calloc(out + 1, sizeof *l.b);
    assert_true(l.w && l.b);
    for (size_t n = 0; n < out; n++) {
        for (size_t k = 0; k < in; k++) l.w[n * in + k] = matrix_get(&l.weight, out_in ? n : k, out_in ? k : n);
        if (with_bias) l.b[n] = matrix_get(&l.bias, 0, n);
    }
    return l;
}

static inline void layer_free(struct layer *l) {
    free(l->weight.p);
    free(l->bias.p);
    free(l->w);
    free(l->b);
}

/* acc (rows, out) = x W^T + b */
static inline double *layer_apply(const struct layer *l, size_t rows, const double *x) {
    double *acc = malloc((rows * l->out + 1) * sizeof *acc);
    assert_non_null(acc);
    for (size_t m = 0; m < rows; m++)
        for (size_t n = 0; n < l->out; n++)
            acc[m * l->out + n] = naive_sum(l->real, l->in, x + m * l->in, 1, l->w + n * l->in, 1, l->b[n]);
    return acc;
}

/* dx (rows, in) += dy W */
static inline void layer_input_grad(const struct layer *l, size_t rows, const double *dy, double *dx) {
    for (size_t m = 0; m < rows; m++)
        for (size_t k = 0; k < l->in; k++)
            dx[m * l->in + k] = naive_sum(l->real, l->out, dy + m * l->out, 1, l->w + k, l->in, dx[m * l->in + k]);
}

/* The gradients that dw (contiguous, in the layer's layout) and db must become; add: from their old values. */
static inline void layer_weight_grad(const struct layer *l, size_t rows, const double *x, const double *dy, bool add,
                                     struct matrix *dw, struct matrix *db) {
    const double one = 1;
    for (size_t n = 0; n < l->out; n++) {
        for (size_t k = 0; k < l->in; k++) {
            void *p = matrix_at(dw, l->weights.layout == GELU_OUT_IN ? n : k, l->weights.layout == GELU_OUT_IN ? k : n);
            double acc = add ? naive_get(l->real, p) : 0;
            naive_set(l->real, naive_sum(l->real, rows, dy + n, l->out, x + k, l->in, acc), l->real, p);
        }
        void *p = matrix_at(db, 0, n);
        double acc = add ? naive_get(l->real, p) : 0;
        naive_set(l->real, naive_sum(l->real, rows, dy + n, l->out, &one, 0, acc), l->real, p);
    }
}

#endif
