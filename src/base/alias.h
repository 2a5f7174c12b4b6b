/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Whether matrices overlap: exact where both have the same distance between rows, so that interleaved matrices (the
 * halves of one packed tensor) count as disjoint; by the range of addresses otherwise. */
#ifndef GELU_BASE_ALIAS_H
#define GELU_BASE_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/size.h"

/* p may be NULL: an absent matrix overlaps nothing. ld is 0 where one row serves all rows. */
struct alias_matrix {
    const void *p;
    size_t rows, cols, ld, element_nbytes;
};

static inline struct alias_matrix alias_matrix(const void *p, size_t rows, size_t cols, size_t ld,
                                               size_t element_nbytes) {
    return (struct alias_matrix){p, rows, cols, ld, element_nbytes};
}

/* Whether the matrix spans at most SIZE_MAX bytes; what follows here takes only such. */
static inline bool alias_fits(struct alias_matrix m) {
    size_t extent;
    return size_matrix_extent(m.rows, m.cols, m.ld, &extent) && size_mul(extent, m.element_nbytes, &extent);
}

/* The same elements at the same places: what "in place" allows. */
static inline bool alias_same(struct alias_matrix a, struct alias_matrix b) {
    return a.p == b.p && a.rows == b.rows && a.cols == b.cols && a.element_nbytes == b.element_nbytes &&
           (a.rows <= 1 || a.ld == b.ld);
}

static inline bool alias_overlap(struct alias_matrix a, struct alias_matrix b) {
    if (!a.p || !b.p || a.rows == 0 || a.cols == 0 || b.rows == 0 || b.cols == 0) return false;
    if ((uintptr_t)a.p > (uintptr_t)b.p) {
        struct alias_matrix lower = b;
        b = a;
        a = lower;
    }
    size_t distance = (size_t)((uintptr_t)b.p - (uintptr_t)a.p);
    size_t a_rows = a.ld == 0 ? 1 : a.rows, b_rows = b.ld == 0 ? 1 : b.rows;
    size_t a_width = a.cols * a.element_nbytes, b_width = b.cols * b.element_nbytes;
    if (distance < a_width) return true;
    if (a_rows == 1) return false;
    size_t stride = a.ld * a.element_nbytes;
    if (b_rows > 1 && b.ld * b.element_nbytes != stride) return distance < (a_rows - 1) * stride + a_width;
    /* Row i of a and row j of b meet where (i - j) * stride lies between distance - a_width and distance + b_width,
     * both excluded. Try the smallest such i - j; it is positive, since distance >= a_width. */
    size_t k = (distance - a_width) / stride + 1;
    return k < a_rows && (k * stride < distance || k * stride - distance < b_width);
}

#endif
