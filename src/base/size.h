/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Size arithmetic that cannot wrap unseen. */
#ifndef GELU_BASE_SIZE_H
#define GELU_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* false when the exact result does not fit; *out is then unspecified. */
static inline bool size_mul(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool size_add(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

/* Elements from the first to one past the last of a (rows, cols) matrix with leading dimension ld: what its storage
 * must hold, and how far an access can reach. */
static inline bool size_matrix_extent(size_t rows, size_t cols, size_t ld, size_t *out) {
    if (rows == 0 || cols == 0) {
        *out = 0;
        return true;
    }
    return size_mul(rows - 1, ld, out) && size_add(*out, cols, out);
}

#endif
