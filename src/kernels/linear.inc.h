/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The canonical product of kernels.h, in plain loops. Include once per type.
 *
 * PRODUCT       name of the function to define
 * REAL          float or double
 * FMA(a, b, c)  a * b + c, rounded once
 *
 * Columns lie side by side, each a chain of its own, so that the compiler can turn them into lanes; sums over k never
 * split. A column's result does not depend on the width, since each follows the rule alone. */

#define PRODUCT_JOIN_(a, b) a##b
#define PRODUCT_JOIN(a, b) PRODUCT_JOIN_(a, b)
#define PRODUCT_TILE PRODUCT_JOIN(PRODUCT, _tile)

#ifndef GELU_PRODUCT_SIZES
#define GELU_PRODUCT_SIZES
enum { PRODUCT_BLOCK = 256, PRODUCT_COLUMNS = 8 };
#endif

/* One row of up to PRODUCT_COLUMNS columns. Inlined with constants where that lets the compiler vectorise. */
GELU_INLINE void PRODUCT_TILE(size_t cols, size_t depth, const REAL *a, size_t a_col, const REAL *b, size_t b_row,
                              size_t b_col, REAL *c) {
    for (size_t start = 0; start < depth; start += PRODUCT_BLOCK) {
        size_t length = depth - start < PRODUCT_BLOCK ? depth - start : PRODUCT_BLOCK;
        REAL s[PRODUCT_COLUMNS] = {0};
        for (size_t k = start; k < start + length; k++)
            for (size_t n = 0; n < cols; n++) s[n] = FMA(a[k * a_col], b[n * b_row + k * b_col], s[n]);
        for (size_t n = 0; n < cols; n++) c[n] = c[n] + s[n];
    }
}

static void PRODUCT(size_t rows, size_t cols, size_t depth, const REAL *a, size_t a_row, size_t a_col, const REAL *b,
                    size_t b_row, size_t b_col, REAL *c, size_t ldc) {
    if (depth == 0) return; /* a and b may be NULL */
    /* All rows of a tile before the next one: its part of b stays in the cache. */
    for (size_t n = 0; n < cols; n += PRODUCT_COLUMNS) {
        size_t width = cols - n < PRODUCT_COLUMNS ? cols - n : PRODUCT_COLUMNS;
        const REAL *tile = b + n * b_row;
        for (size_t m = 0; m < rows; m++) {
            const REAL *row = a + m * a_row;
            REAL *out = c + m * ldc + n;
            if (width < PRODUCT_COLUMNS)
                PRODUCT_TILE(width, depth, row, a_col, tile, b_row, b_col, out);
            else if (b_row == 1)
                PRODUCT_TILE(PRODUCT_COLUMNS, depth, row, a_col, tile, 1, b_col, out);
            else
                PRODUCT_TILE(PRODUCT_COLUMNS, depth, row, a_col, tile, b_row, b_col, out);
        }
    }
}

#undef PRODUCT_JOIN_
#undef PRODUCT_JOIN
#undef PRODUCT_TILE
#undef PRODUCT
#undef REAL
#undef FMA
