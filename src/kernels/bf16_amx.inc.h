/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* bf16 compute by AMX's tiles, which define its rule and know no control word. The product of kernels.h, in tiles of 32 x
 * 32: two by two of the unit's own, which are 16 rows of 64 bytes. Rows of x are packed into panels of 32, in which a
 * block of 32 k lies together; rows and k beyond the end are +0.
 *
 * By instruction, not by intrinsics: gcc's do not say which memory they read. */

#define AMX_ROW 64 /* bytes */
#define AMX_LOAD(tile, p, row_nbytes)                                                                                  \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(p), "r"((size_t)(row_nbytes)) : "memory")
#define AMX_STORE(tile, p, row_nbytes)                                                                                 \
    __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(p), "r"((size_t)(row_nbytes)) : "memory")
/* acc += a (rows of x) times b (pairs of k of a panel's half) */
#define AMX_MULTIPLY(acc, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #acc ::: "memory")

/* What ldtilecfg reads. */
struct amx_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_nbytes[16];
    uint8_t rows[16];
};

static void amx_open(void) {
    struct amx_config config = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        config.row_nbytes[i] = AMX_ROW;
        config.rows[i] = 16;
    }
    __asm__ volatile("ldtilecfg %0" ::"m"(config));
}

/* Back to the initial state, which costs nothing to save when threads or signals come in between. */
static void amx_close(void) { __asm__ volatile("tilerelease" ::: "memory"); }

static void amx_pack_rows(size_t rows, size_t depth, const gelu_bf16 *x, size_t ldx, void *packed) {
    char *out = packed;
    for (size_t panel = 0; panel < rows; panel += BF16_PANEL)
        for (size_t k = 0; k < depth; k += BF16_BLOCK)
            for (size_t m = panel; m < panel + BF16_PANEL; m++, out += AMX_ROW) {
                size_t count = m < rows ? bf16_min(depth - k, BF16_BLOCK) : 0;
                if (count < BF16_BLOCK) memset(out, 0, AMX_ROW);
                if (count > 0) memcpy(out, x + m * ldx + k, count * sizeof *x);
            }
}

/* The accumulators, tiles 0 to 3, from and to memory whose rows are row_nbytes apart. Loaded with 0 apart, one row
 * serves all rows. */
static void amx_load_acc(const float *c, size_t row_nbytes) {
    const char *lower = (const char *)c + 16 * row_nbytes;
    AMX_LOAD(0, c, row_nbytes);
    AMX_LOAD(1, c + 16, row_nbytes);
    AMX_LOAD(2, lower, row_nbytes);
    AMX_LOAD(3, lower + AMX_ROW, row_nbytes);
}

static void amx_store_acc(float *c, size_t row_nbytes) {
    char *lower = (char *)c + 16 * row_nbytes;
    AMX_STORE(0, c, row_nbytes);
    AMX_STORE(1, c + 16, row_nbytes);
    AMX_STORE(2, lower, row_nbytes);
    AMX_STORE(3, lower + AMX_ROW, row_nbytes);
}

/* Accumulators += blocks of a panel of rows times blocks of a panel of columns. Meanwhile `lines` cache lines per block,
 * of what is needed next, come into the L2 cache. */
static void amx_multiply(size_t blocks, const char *x, const char *w, uintptr_t ahead, size_t lines) {
    enum { BLOCK_NBYTES = 32 * AMX_ROW, HALF_NBYTES = 16 * AMX_ROW };
    for (size_t b = 0; b < blocks; b++, x += BLOCK_NBYTES, w += BLOCK_NBYTES) {
        for (size_t i = 0; i < lines; i++, ahead += AMX_ROW) __builtin_prefetch((const void *)ahead, 0, 2);
        AMX_LOAD(6, w, AMX_ROW);
        AMX_LOAD(4, x, AMX_ROW);
        AMX_MULTIPLY(0, 4, 6);
        AMX_LOAD(7, w + HALF_NBYTES, AMX_ROW);
        AMX_MULTIPLY(1, 4, 7);
        AMX_LOAD(5, x + HALF_NBYTES, AMX_ROW);
        AMX_MULTIPLY(2, 5, 6);
        AMX_MULTIPLY(3, 5, 7);
    }
}

/* A slab of k, for one panel of columns and all rows. */
struct amx_slab {
    size_t rows, width, depth_blocks, first, blocks;
    const gelu_bf16 *x, *w;
    uintptr_t ahead; /* the slab of weights that comes next */
};

static void amx_panel(const struct amx_slab *slab, const float *bias, float *c, size_t ldc) {
    enum { PANEL_BLOCK = BF16_PANEL * BF16_BLOCK };
    _Alignas(64) float edge[BF16_PANEL * BF16_PANEL], start[BF16_PANEL] = {0};
    size_t panels = bf16_panels(slab->rows), lines = bf16_lines(panels);
    if (bias) memcpy(start, bias, slab->width * sizeof *bias);
    for (size_t p = 0; p < panels; p++) {
        size_t height = bf16_min(slab->rows - p * BF16_PANEL, BF16_PANEL);
        float *to = c + p * BF16_PANEL * ldc;
        bool whole = height == BF16_PANEL && slab->width == BF16_PANEL;
        float *acc = whole ? to : edge;
        size_t row_nbytes = (whole ? ldc : BF16_PANEL) * sizeof *acc;
        if (slab->first > 0 && !whole) bf16_open_tile(height, slab->width, NULL, to, ldc, edge, BF16_PANEL);
        if (slab->first > 0)
            amx_load_acc(acc, row_nbytes);
        else
            amx_load_acc(start, 0);
        const gelu_bf16 *x = slab->x + (p * slab->depth_blocks + slab->first) * PANEL_BLOCK;
        uintptr_t ahead = slab->ahead + p * lines * slab->blocks * AMX_ROW;
        amx_multiply(slab->blocks, (const char *)x, (const char *)slab->w, ahead, lines);
        amx_store_acc(acc, row_nbytes);
        if (!whole) bf16_close_tile(height, slab->width, edge, to, ldc);
    }
}

static void amx_product(size_t rows, size_t cols, size_t depth, const void *x, const gelu_bf16 *w, const float *bias,
                        float *c, size_t ldc) {
    size_t blocks = bf16_blocks(depth);
    if (rows == 0 || cols == 0) return;
    amx_open();
    for (size_t first = 0; first == 0 || first < blocks; first += BF16_SLAB)
        for (size_t n = 0; n < cols; n += BF16_PANEL) {
            struct amx_slab slab = {.rows = rows, .depth_blocks = blocks, .first = first, .x = x};
            slab.width = bf16_min(cols - n, BF16_PANEL);
            slab.blocks = bf16_min(blocks - first, BF16_SLAB);
            slab.w = w + (n / BF16_PANEL * blocks + first) * BF16_PANEL * BF16_BLOCK;
            slab.ahead = (uintptr_t)w + bf16_next(n, cols, first, blocks) * sizeof *w;
            amx_panel(&slab, bias ? bias + n : NULL, c + n, ldc);
        }
    amx_close();
}
