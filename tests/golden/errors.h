/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Errors of a Linear's output, and how they compare with another program's. Include after cmocka.h. */
#ifndef GELU_TESTS_ERRORS_H
#define GELU_TESTS_ERRORS_H

#include <math.h>
#include <stddef.h>

static inline double max_error(size_t n, const float *got, const double *want) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)got[i] - want[i]));
    return worst;
}

/* Geometric mean of ratios. */
struct error_ratio {
    double log_sum, worst;
    int count;
};

/* Nobody wrong on either side counts as equal; wrong where they are not counts as infinitely worse. */
static inline void error_ratio_add(struct error_ratio *r, double ours, double theirs) {
    double ratio = ours == theirs ? 1 : ours / theirs;
    r->log_sum += log(ratio);
    r->worst = fmax(r->worst, ratio);
    r->count++;
}

static inline double error_ratio_mean(const struct error_ratio *r) { return exp(r->log_sum / r->count); }

/* Every output of y = x W^T + b, given exactly that x, within
 *   (min(K, 256) + ceil(K / 256) + 1) * 2^-24 * (sum |x w| + |b|)
 * of the exact sum, W (out, in). Where want is not NULL it is that sum. */
static inline void assert_linear_bound(const char *name, size_t rows, size_t in, size_t out, const float *x,
                                       const float *w, const float *b, const float *y, const double *want) {
    double factor = ((double)(in < 256 ? in : 256) + ceil((double)in / 256) + 1) * 0x1p-24;
    for (size_t m = 0; m < rows; m++)
        for (size_t n = 0; n < out; n++) {
            double sum = b[n], magnitude = fabs((double)b[n]);
            for (size_t k = 0; k < in; k++) {
                double term = (double)x[m * in + k] * (double)w[n * in + k];
                sum += term;
                magnitude += fabs(term);
            }
            double error = fabs((double)y[m * out + n] - (want ? want[m * out + n] : sum));
            if (!(error <= factor * magnitude))
                fail_msg("%s (%zu, %zu): error %g, bound %g", name, m, n, error, factor * magnitude);
        }
}

#endif
