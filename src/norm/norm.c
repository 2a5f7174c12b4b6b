/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include "base/alias.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "gelu.h"

struct norm {
    gelu_dtype dtype; /* of all arrays: f32 or f64 */
    size_t rows, cols;
    const void *x, *weight, *bias; /* weight and bias may be NULL */
    size_t ldx, ldy;
    double eps, weight_offset;
    bool centred;
    void *y;
};

enum { LANES = 8 };

GELU_INLINE double at(gelu_dtype dtype, const void *x, size_t i) {
    return dtype == GELU_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* The order is part of what the header promises, so it may depend on nothing. */
static double combine(const double s[LANES]) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

GELU_INLINE double mean_of(gelu_dtype dtype, size_t n, const void *x) {
    double s[LANES] = {0};
    for (size_t i = 0; i < n; i++) s[i % LANES] += at(dtype, x, i);
    return combine(s) / (double)n;
}

GELU_INLINE double mean_square(gelu_dtype dtype, size_t n, const void *x, double centre) {
    double s[LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        double d = at(dtype, x, i) - centre, square = d * d;
        GELU_KEEP_ROUNDED(square);
        s[i % LANES] += square;
    }
    return combine(s) / (double)n;
}

GELU_INLINE void norm_row(const struct norm *c, gelu_dtype dtype, const void *x, void *y) {
    double centre = c->centred ? mean_of(dtype, c->cols, x) : 0;
    double spread = sqrt(mean_square(dtype, c->cols, x, centre) + c->eps);
    for (size_t i = 0; i < c->cols; i++) {
        double t = (at(dtype, x, i) - centre) / spread;
        if (c->weight) t *= c->weight_offset + at(dtype, c->weight, i);
        GELU_KEEP_ROUNDED(t);
        if (c->bias) t += at(dtype, c->bias, i);
        if (dtype == GELU_F64)
            ((double *)y)[i] = t;
        else
            ((float *)y)[i] = (float)t;
    }
}

static gelu_status check(const struct norm *c) {
    size_t nbytes = gelu_dtype_nbytes(c->dtype);
    struct alias_matrix x = alias_matrix(c->x, c->rows, c->cols, c->ldx, nbytes);
    struct alias_matrix y = alias_matrix(c->y, c->rows, c->cols, c->ldy, nbytes);
    if (!(c->eps >= 0) || (c->rows > 0 && c->cols > 0 && (!c->x || !c->y))) return GELU_ERR_ARGUMENT;
    if (c->ldx < c->cols || c->ldy < c->cols) return GELU_ERR_SHAPE;
    if (!alias_fits(x) || !alias_fits(y)) return GELU_ERR_OVERFLOW;
    if (alias_overlap(y, x) && !alias_same(y, x)) return GELU_ERR_ALIAS;
    const void *const parameters[] = {c->weight, c->bias};
    for (int i = 0; i < 2; i++)
        if (alias_overlap(y, alias_matrix(parameters[i], 1, c->cols, c->cols, nbytes))) return GELU_ERR_ALIAS;
    return GELU_OK;
}

static gelu_status run(const struct norm *c) {
    gelu_status status = check(c);
    if (status != GELU_OK || c->cols == 0) return status;
    fpenv host = fpenv_enter();
    for (size_t row = 0; row < c->rows; row++) {
        size_t from = row * c->ldx, to = row * c->ldy;
        if (c->dtype == GELU_F64)
            norm_row(c, GELU_F64, (const double *)c->x + from, (double *)c->y + to);
        else
            norm_row(c, GELU_F32, (const float *)c->x + from, (float *)c->y + to);
    }
    fpenv_leave(host);
    return GELU_OK;
}

gelu_status gelu_layer_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                                const float *bias, double eps, float *y, size_t ldy) {
    return run(&(struct norm){GELU_F32, rows, cols, x, weight, bias, ldx, ldy, eps, 0, true, y});
}

gelu_status gelu_layer_norm_f64(size_t rows, size_t cols, const double *x, size_t ldx, const double *weight,
                                const double *bias, double eps, double *y, size_t ldy) {
    return run(&(struct norm){GELU_F64, rows, cols, x, weight, bias, ldx, ldy, eps, 0, true, y});
}

gelu_status gelu_rms_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                              double weight_offset, double eps, float *y, size_t ldy) {
    return run(&(struct norm){GELU_F32, rows, cols, x, weight, NULL, ldx, ldy, eps, weight_offset, false, y});
}

gelu_status gelu_rms_norm_f64(size_t rows, size_t cols, const double *x, size_t ldx, const double *weight,
                              double weight_offset, double eps, double *y, size_t ldy) {
    return run(&(struct norm){GELU_F64, rows, cols, x, weight, NULL, ldx, ldy, eps, weight_offset, false, y});
}
