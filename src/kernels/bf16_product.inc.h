/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* bf16 compute without AMX: the product of kernels.h, tile by tile. Parameter: a vector vocabulary. Rows of x are packed
 * into panels of at most BF16_ROWS rows, whose heights differ by one at most, so that no row is padded. */

static size_t bf16_row_panels(size_t rows) { return rows / BF16_ROWS + (rows % BF16_ROWS != 0); }

static void bf16_pack_rows(size_t rows, size_t depth, const gelu_bf16 *x, size_t ldx, void *packed) {
    uint32_t *out = packed; /* bits of floats */
    size_t panels = bf16_row_panels(rows), padded = bf16_blocks(depth) * BF16_BLOCK;
    for (size_t p = 0, first = 0, end; p < panels; p++, first = end) {
        end = first + (rows - first) / (panels - p);
        for (size_t k = 0; k < padded; k++)
            for (size_t m = first; m < end; m++) *out++ = k < depth ? (uint32_t)x[m * ldx + k] << 16 : 0;
    }
}

/* Where the sums of a tile start: from the bias (+0 without one), or from what c holds. */
static void bf16_open_tile(size_t height, size_t width, const float *bias, const float *c, size_t ldc, float *tile) {
    memset(tile, 0, height * BF16_PANEL * sizeof *tile);
    for (size_t m = 0; m < height; m++, tile += BF16_PANEL)
        if (c)
            memcpy(tile, c + m * ldc, width * sizeof *tile);
        else if (bias)
            memcpy(tile, bias, width * sizeof *tile);
}

static void bf16_close_tile(size_t height, size_t width, const float *tile, float *c, size_t ldc) {
    for (size_t m = 0; m < height; m++) memcpy(c + m * ldc, tile + m * BF16_PANEL, width * sizeof *tile);
}

/* blocks of k from `block` on, for a panel of columns and all rows. */
static void bf16_panel(size_t rows, size_t width, size_t depth_blocks, size_t block, const float *x, const gelu_bf16 *w,
                       uintptr_t ahead, const float *bias, float *c, size_t ldc) {
    _Alignas(64) float tile[BF16_ROWS * BF16_PANEL];
    size_t panels = bf16_row_panels(rows), blocks = bf16_min(depth_blocks - block, BF16_SLAB);
    size_t lines = rows > 0 ? bf16_lines(panels) : 0;
    w += block * BF16_BLOCK * BF16_PANEL;
    for (size_t p = 0, first = 0, height; p < panels; p++, first += height) {
        height = (rows - first) / (panels - p);
        float *to = c + first * ldc;
        const float *from = block > 0 ? to : NULL, *x_slab = x + (first * depth_blocks + block * height) * BF16_BLOCK;
        bf16_open_tile(height, width, bias, from, ldc, tile);
        bf16_tile_of(height, blocks, x_slab, w, tile, ahead + p * lines * blocks * 64, lines);
        if (fpenv_flush_in_doubt()) {
            bf16_open_tile(height, width, bias, from, ldc, tile);
            bf16_tile_exact(height, blocks, x_slab, w, tile);
        }
        bf16_close_tile(height, width, tile, to, ldc);
    }
}

static void bf16_product(size_t rows, size_t cols, size_t depth, const void *x, const gelu_bf16 *w, const float *bias,
                         float *c, size_t ldc) {
    size_t blocks = bf16_blocks(depth);
    fpenv host = fpenv_enter_flush();
    /* Without any k there is one visit all the same: it stores the bias. */
    for (size_t block = 0; block == 0 || block < blocks; block += BF16_SLAB)
        for (size_t n = 0; n < cols; n += BF16_PANEL)
            bf16_panel(rows, bf16_min(cols - n, BF16_PANEL), blocks, block, x, w + n * blocks * BF16_BLOCK,
                       (uintptr_t)w + bf16_next(n, cols, block, blocks) * sizeof *w, bias ? bias + n : NULL, c + n,
                       ldc);
    fpenv_leave(host);
}
