/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* One tile of bf16 compute by plain fma on widened numbers: at most BF16_ROWS rows of x, as floats and k-major, times a
 * panel of columns. Parameter: a vector vocabulary.
 *
 * A panel is worked on in strips of BF16_VECTORS vectors. The even and the odd chain of a block run one after the other:
 * so a tile may be twice as high as with both in registers. */

/* What fits the registers: 16 with AVX2, 32 with AVX-512 and NEON. */
enum { BF16_ROWS = V32_LANES == 1 ? 4 : V32_LANES == 8 ? 6 : 8, BF16_VECTORS = 2 };
enum { BF16_STRIP = BF16_VECTORS * V32_LANES };

/* Column c of a panel, in elements from the panel's begin. */
GELU_INLINE size_t bf16_column(size_t c) { return c / 16 * BF16_HALF + c % 16 * 2; }

/* The even (0) or odd (1) chain of a block. */
GELU_INLINE void bf16_chain(int odd, size_t height, const float *x, const gelu_bf16 *w, v32 (*s)[BF16_VECTORS]) {
    GELU_UNROLL
    for (size_t m = 0; m < height; m++) {
        GELU_UNROLL
        for (size_t v = 0; v < BF16_VECTORS; v++) s[m][v] = v32_set(0);
    }
    for (size_t j = 0; j < BF16_BLOCK / 2; j++, w += BF16_PANEL) {
        v32 column[BF16_VECTORS];
        GELU_UNROLL
        for (size_t v = 0; v < BF16_VECTORS; v++) {
            const gelu_bf16 *pairs = w + bf16_column(v * V32_LANES);
            column[v] = odd ? v32_load_bf16_odd(pairs) : v32_load_bf16_even(pairs);
        }
        GELU_UNROLL
        for (size_t m = 0; m < height; m++) {
            v32 row = v32_set(x[(2 * j + odd) * height + m]);
            GELU_UNROLL
            for (size_t v = 0; v < BF16_VECTORS; v++) s[m][v] = v32_fma(row, column[v], s[m][v]);
        }
    }
}

GELU_INLINE void bf16_tile(size_t height, size_t blocks, const float *x, const gelu_bf16 *w, float *sums, size_t ld,
                           uintptr_t ahead, size_t lines) {
    for (size_t strip = 0; strip < BF16_PANEL; strip += BF16_STRIP)
        for (size_t b = 0; b < blocks; b++) {
            v32 even[BF16_ROWS][BF16_VECTORS], odd[BF16_ROWS][BF16_VECTORS];
            const float *x_block = x + b * BF16_BLOCK * height;
            const gelu_bf16 *w_block = w + b * BF16_BLOCK * BF16_PANEL + bf16_column(strip);
            for (size_t i = 0; strip == 0 && i < lines; i++, ahead += 64) __builtin_prefetch((const void *)ahead, 0, 2);
            bf16_chain(0, height, x_block, w_block, even);
            bf16_chain(1, height, x_block, w_block, odd);
            GELU_UNROLL
            for (size_t m = 0; m < height; m++) {
                GELU_UNROLL
                for (size_t v = 0; v < BF16_VECTORS; v++) {
                    float *acc = sums + m * ld + strip + v * V32_LANES;
                    v32_store_f32(acc, v32_load_f32(acc) + (even[m][v] + odd[m][v]));
                }
            }
        }
}

/* One copy of the code per height. Not inlined: the caller looks at the environment before and after. */
GELU_SHARED void bf16_tile_of(size_t height, size_t blocks, const void *x, const gelu_bf16 *w, float *acc, size_t ld,
                              uintptr_t ahead, size_t lines) {
    switch (height) {
#define BF16_CASE(h)                                                                                                   \
    case h:                                                                                                            \
        if (h <= BF16_ROWS) bf16_tile(h <= BF16_ROWS ? h : 1, blocks, x, w, acc, ld, ahead, lines);                    \
        return;
        BF16_CASE(1)
        BF16_CASE(2)
        BF16_CASE(3)
        BF16_CASE(4)
        BF16_CASE(5)
        BF16_CASE(6)
        BF16_CASE(7)
        BF16_CASE(8)
#undef BF16_CASE
    }
}

/* The same one number at a time, by arithmetic that is right in any environment. */
GELU_SHARED void bf16_tile_exact(size_t height, size_t blocks, const void *packed, const gelu_bf16 *w, float *tile) {
    const float *x = packed;
    for (size_t m = 0; m < height; m++)
        for (size_t c = 0; c < BF16_PANEL; c++)
            for (size_t b = 0; b < blocks; b++) {
                float sum[2] = {0, 0}, *acc = tile + m * BF16_PANEL + c;
                for (size_t k = 0; k < BF16_BLOCK; k++) {
                    const gelu_bf16 *pair = w + b * BF16_BLOCK * BF16_PANEL + k / 2 * BF16_PANEL;
                    uint32_t bits = (uint32_t)pair[bf16_column(c) + k % 2] << 16;
                    float weight;
                    memcpy(&weight, &bits, sizeof weight);
                    sum[k % 2] = fma_f32_flushed(x[(b * BF16_BLOCK + k) * height + m], weight, sum[k % 2]);
                }
                *acc = fma_f32_flushed(*acc, 1, fma_f32_flushed(sum[0], 1, sum[1]));
            }
}

static void bf16_widen(const gelu_bf16 *x, float *words) {
    uint32_t bits[BF16_BLOCK];
    for (size_t k = 0; k < BF16_BLOCK; k++) bits[k] = (uint32_t)x[k] << 16;
    memcpy(words, bits, sizeof bits);
}

static const struct bf16_way bf16_way = {.rows = BF16_ROWS,
                                         .words = BF16_BLOCK,
                                         .pack = bf16_widen,
                                         .tile = bf16_tile_of,
                                         .exact = FPENV_FLUSH_DOUBT ? bf16_tile_exact : NULL};
BF16_FUNCTIONS(bf16)
