/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <math.h>
#include "base/alias.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "gelu.h"

struct norm {
    size_t rows, cols;
    const float *x, *weight, *bias; /* weight and bias may be NULL */
    size_t ldx, ldy;
    double eps, weight_offset;
    bool centred;
    float *y;
};

enum { LANES = 8 };

/* The order is part of what the header promises, so it may depend on nothing. */
static double combine(const double s[LANES]) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double mean_of(size_t n, const float *x) {
    double s[LANES] = {0};
    for (size_t i = 0; i < n; i++) s[i % LANES] += (double)x[i];
    return combine(s) / (double)n;
}

static double mean_square(size_t n, const float *x, double centre) {
    double s[LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        double d = (double)x[i] - centre, square = d * d;
        GELU_KEEP_ROUNDED(square);
        s[i % LANES] += square;
    }
    return combine(s) / (double)n;
}

static void norm_row(const struct norm *c, const float *x, float *y) {
    double centre = c->centred ? mean_of(c->cols, x) : 0;
    double spread = sqrt(mean_square(c->cols, x, centre) + c->eps);
    for (size_t i = 0; i < c->cols; i++) {
        double t = ((double)x[i] - centre) / spread;
        if (c->weight) t *= c->weight_offset + (double)c->weight[i];
        GELU_KEEP_ROUNDED(t);
        if (c->bias) t += (double)c->bias[i];
        y[i] = (float)t;
    }
}

static gelu_status check(const struct norm *c) {
    struct alias_matrix x = alias_matrix(c->x, c->rows, c->cols, c->ldx, sizeof(float));
    struct alias_matrix y = alias_matrix(c->y, c->rows, c->cols, c->ldy, sizeof(float));
    if (!(c->eps >= 0) || (c->rows > 0 && c->cols > 0 && (!c->x || !c->y))) return GELU_ERR_ARGUMENT;
    if (c->ldx < c->cols || c->ldy < c->cols) return GELU_ERR_SHAPE;
    if (!alias_fits(x) || !alias_fits(y)) return GELU_ERR_OVERFLOW;
    if (alias_overlap(y, x) && !alias_same(y, x)) return GELU_ERR_ALIAS;
    const float *const parameters[] = {c->weight, c->bias};
    for (int i = 0; i < 2; i++)
        if (alias_overlap(y, alias_matrix(parameters[i], 1, c->cols, c->cols, sizeof(float)))) return GELU_ERR_ALIAS;
    return GELU_OK;
}

static gelu_status run(const struct norm *c) {
    gelu_status status = check(c);
    if (status != GELU_OK || c->cols == 0) return status;
    fpenv host = fpenv_enter();
    for (size_t row = 0; row < c->rows; row++) norm_row(c, c->x + row * c->ldx, c->y + row * c->ldy);
    fpenv_leave(host);
    return GELU_OK;
}

gelu_status gelu_layer_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                                const float *bias, double eps, float *y, size_t ldy) {
    return run(&(struct norm){rows, cols, x, weight, bias, ldx, ldy, eps, 0, true, y});
}

gelu_status gelu_rms_norm_f32(size_t rows, size_t cols, const float *x, size_t ldx, const float *weight,
                              double weight_offset, double eps, float *y, size_t ldy) {
    return run(&(struct norm){rows, cols, x, weight, NULL, ldx, ldy, eps, weight_offset, false, y});
}
