/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Tiles of the canonical product, as kernels.h describes them, for one type of weights. Include once per type, after the
 * vocabulary and simd/tile.h.
 *
 * PRODUCT_NAME     the table that is defined, and the prefix of what is in it: PRODUCT_NAME_<height>_<vectors>
 * PRODUCT_REAL     the type that is computed in, float or double
 * PRODUCT_VECTOR   its vector, v32 or v64
 * PRODUCT_WEIGHT   the type of the weights
 * PRODUCT_WIDEN    loads as many weights as a vector has lanes
 * PRODUCT_EVEN, PRODUCT_ODD   perhaps: load every other one of twice as many, where that is cheaper
 *
 * A block's sums stay in registers, TILE_ROWS * TILE_VECTORS of them, so every loop over them must unroll. Each output is
 * a chain of its own in one lane, so neither the height nor the vocabulary changes a bit. */

#define PRODUCT_JOIN_(a, b) a##_##b
#define PRODUCT_JOIN(a, b) PRODUCT_JOIN_(a, b)
#define PRODUCT_TILE PRODUCT_JOIN(PRODUCT_NAME, tile)
#define PRODUCT_LANES (sizeof(PRODUCT_VECTOR) / sizeof(PRODUCT_REAL))
#define PRODUCT_WIDTH (TILE_VECTORS * PRODUCT_LANES)
#define PRODUCT_REACH 3
#define PRODUCT_LINES ((PRODUCT_WIDTH * sizeof(PRODUCT_WEIGHT) + 63) / 64) /* of a panel, for each k */
#ifdef PRODUCT_EVEN
#define PRODUCT_PAIRED 1
#else
#define PRODUCT_PAIRED 0
#define PRODUCT_EVEN PRODUCT_WIDEN
#define PRODUCT_ODD PRODUCT_WIDEN
#endif
#define PRODUCT_DO(operation) PRODUCT_JOIN(PRODUCT_VECTOR, operation)
/* With one lane the compiler makes the vectors itself, out of loops that do nothing else. */
#if V32_LANES > 1
#define PRODUCT_UNROLL GELU_UNROLL
#define PRODUCT_FETCH(address, write, level) __builtin_prefetch((const void *)(address), write, level)
#else
#define PRODUCT_UNROLL
#define PRODUCT_FETCH(address, write, level) (void)(address)
#endif

GELU_INLINE void PRODUCT_TILE(const size_t height, const size_t vectors, size_t depth, const struct product_rows *rows,
                              const PRODUCT_WEIGHT *b, const struct product_ends *ends) {
    /* So many vectors have, two by two, the even and the odd ones of their columns, until the sums leave. */
    const size_t paired = PRODUCT_PAIRED ? vectors / 2 * 2 : 0;
    /* One pointer for so many rows: addresses have room for a register, once or twice. */
    const PRODUCT_REAL *a[(TILE_ROWS + PRODUCT_REACH - 1) / PRODUCT_REACH];
    const size_t stride = rows->stride, step = rows->step;
    for (size_t i = 0; i < height; i += PRODUCT_REACH)
        a[i / PRODUCT_REACH] = (const PRODUCT_REAL *)rows->p + i * stride;
    PRODUCT_VECTOR s[TILE_ROWS][TILE_VECTORS];
    PRODUCT_UNROLL for (size_t i = 0; i < height; i++) {
        const PRODUCT_REAL *written = (const PRODUCT_REAL *)ends->written + i * ends->written_stride;
        PRODUCT_UNROLL for (size_t j = 0; j < vectors; j++) {
            s[i][j] = PRODUCT_DO(set)(0);
            PRODUCT_FETCH(written + j * PRODUCT_LANES, 1, 3);
        }
    }
    uintptr_t ahead = ends->ahead.at;
    for (size_t k = 0; k < depth; k++, ahead += ends->ahead.step) {
        PRODUCT_VECTOR w[TILE_VECTORS];
        for (size_t line = 0; height > TILE_FEW && line < PRODUCT_LINES; line++) PRODUCT_FETCH(ahead + line * 64, 0, 3);
        if (height <= TILE_FEW) PRODUCT_FETCH(ahead, 0, 2);
        const PRODUCT_WEIGHT *row = b + k * PRODUCT_WIDTH;
        PRODUCT_UNROLL for (size_t j = 0; j < paired; j += 2) {
            w[j] = PRODUCT_EVEN(row + j * PRODUCT_LANES);
            w[j + 1] = PRODUCT_ODD(row + j * PRODUCT_LANES);
        }
        PRODUCT_UNROLL for (size_t j = paired; j < vectors; j++) w[j] = PRODUCT_WIDEN(row + j * PRODUCT_LANES);
        PRODUCT_UNROLL for (size_t i = 0; i < height; i++) {
            PRODUCT_VECTOR x = PRODUCT_DO(set)(a[i / PRODUCT_REACH][i % PRODUCT_REACH * stride]);
            PRODUCT_UNROLL for (size_t j = 0; j < vectors; j++) s[i][j] = PRODUCT_DO(fma)(x, w[j], s[i][j]);
        }
        for (size_t i = 0; i < height; i += PRODUCT_REACH) a[i / PRODUCT_REACH] += step;
    }
    PRODUCT_UNROLL for (size_t i = 0; i < height; i++) {
        const PRODUCT_REAL *from = (const PRODUCT_REAL *)ends->from + i * ends->from_stride;
        PRODUCT_REAL *to = (PRODUCT_REAL *)ends->to + i * ends->to_stride;
        PRODUCT_UNROLL for (size_t j = 0; j < paired; j += 2) {
            PRODUCT_VECTOR even = s[i][j], odd = s[i][j + 1];
            s[i][j] = PRODUCT_DO(zip_low)(even, odd);
            s[i][j + 1] = PRODUCT_DO(zip_high)(even, odd);
        }
        PRODUCT_UNROLL for (size_t j = 0; j < vectors; j++)
            PRODUCT_DO(store)(to + j * PRODUCT_LANES, PRODUCT_DO(load)(from + j * PRODUCT_LANES) + s[i][j]);
    }
}

#define PRODUCT_TILE_OF(height, vectors) PRODUCT_JOIN(PRODUCT_JOIN(PRODUCT_NAME, height), vectors)
#define PRODUCT_FUNCTION(height, vectors)                                                                              \
    static void PRODUCT_TILE_OF(height, vectors)(size_t depth, const struct product_rows *a, const void *b,            \
                                                 const struct product_ends *ends) {                                    \
        PRODUCT_TILE(height, vectors, depth, a, b, ends);                                                              \
    }
#define PRODUCT_ENTRY(height, vectors)                                                                                 \
    [(vectors)*TILE_PARTS / TILE_VECTORS - 1][height] = PRODUCT_TILE_OF(height, vectors),
#define PRODUCT_FUNCTIONS(height) TILE_WIDTHS(PRODUCT_FUNCTION, height)
#define PRODUCT_ENTRIES(height) TILE_WIDTHS(PRODUCT_ENTRY, height)

TILE_HEIGHTS(PRODUCT_FUNCTIONS)
static const product_tile PRODUCT_NAME[TILE_PARTS][TILE_ROWS + 1] = {TILE_HEIGHTS(PRODUCT_ENTRIES)};

#undef PRODUCT_JOIN_
#undef PRODUCT_JOIN
#undef PRODUCT_TILE
#undef PRODUCT_LANES
#undef PRODUCT_WIDTH
#undef PRODUCT_DO
#undef PRODUCT_REACH
#undef PRODUCT_LINES
#undef PRODUCT_UNROLL
#undef PRODUCT_FETCH
#undef PRODUCT_TILE_OF
#undef PRODUCT_FUNCTION
#undef PRODUCT_ENTRY
#undef PRODUCT_FUNCTIONS
#undef PRODUCT_ENTRIES
#undef PRODUCT_NAME
#undef PRODUCT_REAL
#undef PRODUCT_VECTOR
#undef PRODUCT_WEIGHT
#undef PRODUCT_WIDEN
#undef PRODUCT_EVEN
#undef PRODUCT_ODD
#undef PRODUCT_PAIRED
