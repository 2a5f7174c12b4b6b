/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* bf16 compute without AMX: the product of kernels.h, tile by tile. Parameter: a vector vocabulary. Rows of x are packed
 * into panels of at most as many rows as a tile has, whose heights differ by one at most, so that no row is padded. */

/* How tiles are computed. */
struct bf16_way {
    size_t rows;                                    /* of a tile, at most */
    size_t words;                                   /* that a block of a row is packed into: 32 bits, moved as floats */
    void (*pack)(const gelu_bf16 *x, float *words); /* such a block */
    /* acc (height, BF16_PANEL), rows ld apart, += blocks of packed x times blocks of a panel. Meanwhile `lines` cache lines
     * per block come nearer from `ahead` on. */
    void (*tile)(size_t height, size_t blocks, const void *x, const gelu_bf16 *w, float *acc, size_t ld,
                 uintptr_t ahead, size_t lines);
    /* Where enough rows share a panel, its blocks are brought into another form first, of the same size: NULL, or both. */
    void (*prepare)(size_t blocks, const gelu_bf16 *w, gelu_bf16 *prepared);
    void (*prepared_tile)(size_t height, size_t blocks, const void *x, const gelu_bf16 *prepared, float *acc, size_t ld,
                          uintptr_t ahead, size_t lines);
    /* The same in any environment, rows BF16_PANEL apart, for where the other leaves doubt; NULL: it never does. */
    void (*exact)(size_t height, size_t blocks, const void *x, const gelu_bf16 *w, float *acc);
};

enum { BF16_MOST_ROWS = 16, BF16_PREPARE_PANELS = 4 };

GELU_INLINE size_t bf16_row_panels(const struct bf16_way *way, size_t rows) {
    return rows / way->rows + (rows % way->rows != 0);
}

/* A panel's rows, a block of k each, x from its first k on. */
GELU_INLINE void bf16_pack_block(const struct bf16_way *way, size_t height, size_t depth, const gelu_bf16 *x,
                                 size_t ldx, bool may_spill, float *out) {
    float words[BF16_MOST_ROWS * BF16_BLOCK];
    for (size_t m = 0; m < height; m++, x += ldx) {
        gelu_bf16 edge[BF16_BLOCK] = {0};
        if (depth < BF16_BLOCK) memcpy(edge, x, depth * sizeof *x);
        way->pack(depth < BF16_BLOCK ? edge : x, height == 1 ? out : words + m * way->words);
    }
    if (height == 1) return;
    if (may_spill)
        pack_f32(height, way->words, words, way->words, out, height);
    else
        for (size_t i = 0; i < way->words; i++)
            for (size_t m = 0; m < height; m++) *out++ = words[m * way->words + i];
}

GELU_INLINE void bf16_pack_rows_for(const struct bf16_way *way, size_t rows, size_t depth, const gelu_bf16 *x,
                                    size_t ldx, float *out) {
    size_t panels = bf16_row_panels(way, rows);
    for (size_t p = 0, first = 0, height; p < panels; p++, first += height) {
        height = (rows - first) / (panels - p);
        for (size_t k = 0; k < depth; k += BF16_BLOCK, out += height * way->words) {
            bool may_spill = p + 1 < panels || depth - k > BF16_BLOCK;
            bf16_pack_block(way, height, bf16_min(depth - k, BF16_BLOCK), x + first * ldx + k, ldx, may_spill, out);
        }
    }
}

/* Where the sums of a tile start: from the bias (+0 without one), or from what c holds. */
static void bf16_open_tile(size_t height, size_t width, const float *bias, const float *c, size_t ldc, float *acc,
                           size_t ld) {
    for (size_t m = 0; m < height; m++, acc += ld) {
        const float *from = c ? c + m * ldc : bias;
        size_t count = from ? width : 0;
        memset(acc + count, 0, (BF16_PANEL - count) * sizeof *acc);
        if (count > 0) memcpy(acc, from, count * sizeof *acc);
    }
}

static void bf16_close_tile(size_t height, size_t width, const float *tile, float *c, size_t ldc) {
    for (size_t m = 0; m < height; m++) memcpy(c + m * ldc, tile + m * BF16_PANEL, width * sizeof *tile);
}

/* blocks of k from `block` on, for a panel of columns and all rows. */
GELU_INLINE void bf16_panel(const struct bf16_way *way, size_t rows, size_t width, size_t depth_blocks, size_t block,
                            const float *x, const gelu_bf16 *w, uintptr_t ahead, const float *bias, float *c,
                            size_t ldc) {
    _Alignas(64) float tile[BF16_MOST_ROWS * BF16_PANEL];
    _Alignas(64) gelu_bf16 prepared[BF16_SLAB * BF16_BLOCK * BF16_PANEL];
    size_t panels = bf16_row_panels(way, rows), blocks = bf16_min(depth_blocks - block, BF16_SLAB);
    size_t lines = rows > 0 ? bf16_lines(panels) : 0;
    bool prepare = way->prepare && panels >= BF16_PREPARE_PANELS;
    bool in_place = width == BF16_PANEL && !way->exact;
    w += block * BF16_BLOCK * BF16_PANEL;
    if (prepare) way->prepare(blocks, w, prepared);
    for (size_t p = 0, first = 0, height; p < panels; p++, first += height) {
        height = (rows - first) / (panels - p);
        float *to = c + first * ldc, *acc = in_place ? to : tile;
        size_t ld = in_place ? ldc : BF16_PANEL;
        const float *from = block > 0 ? to : NULL;
        const float *x_slab = x + (first * depth_blocks + block * height) * way->words;
        if (!in_place || block == 0) bf16_open_tile(height, width, bias, from, ldc, acc, ld);
        if (prepare)
            way->prepared_tile(height, blocks, x_slab, prepared, acc, ld, ahead + p * lines * blocks * 64, lines);
        else
            way->tile(height, blocks, x_slab, w, acc, ld, ahead + p * lines * blocks * 64, lines);
        if (way->exact && fpenv_flush_in_doubt()) {
            bf16_open_tile(height, width, bias, from, ldc, tile, BF16_PANEL);
            way->exact(height, blocks, x_slab, w, tile);
        }
        if (!in_place) bf16_close_tile(height, width, tile, to, ldc);
    }
}

GELU_INLINE void bf16_product_by(const struct bf16_way *way, size_t rows, size_t cols, size_t depth, const void *x,
                                 const gelu_bf16 *w, const float *bias, float *c, size_t ldc) {
    size_t blocks = bf16_blocks(depth);
    fpenv host = fpenv_enter_flush();
    /* Without any k there is one visit all the same: it stores the bias. */
    for (size_t block = 0; block == 0 || block < blocks; block += BF16_SLAB)
        for (size_t n = 0; n < cols; n += BF16_PANEL)
            bf16_panel(way, rows, bf16_min(cols - n, BF16_PANEL), blocks, block, x, w + n * blocks * BF16_BLOCK,
                       (uintptr_t)w + bf16_next(n, cols, block, blocks) * sizeof *w, bias ? bias + n : NULL, c + n,
                       ldc);
    fpenv_leave(host);
}

/* The two functions of a table. */
#define BF16_FUNCTIONS(name)                                                                                           \
    static void name##_pack_rows(size_t rows, size_t depth, const gelu_bf16 *x, size_t ldx, void *packed) {            \
        bf16_pack_rows_for(&name##_way, rows, depth, x, ldx, packed);                                                  \
    }                                                                                                                  \
    static void name##_product(size_t rows, size_t cols, size_t depth, const void *x, const gelu_bf16 *w,              \
                               const float *bias, float *c, size_t ldc) {                                              \
        bf16_product_by(&name##_way, rows, cols, depth, x, w, bias, c, ldc);                                           \
    }
