/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Packing for the tiles of product.inc.h, as kernels.h describes it: a transposition in registers. Include once per
 * type, after the vocabulary and simd/tile.h.
 *
 * PACK         name of the function to define; PACK_copy and PACK_turned are the others
 * PACK_REAL    float or double
 * PACK_VECTOR  its vector, v32 or v64 */

#define PACK_JOIN_(a, b) a##_##b
#define PACK_JOIN(a, b) PACK_JOIN_(a, b)
#define PACK_DO(operation) PACK_JOIN(PACK_VECTOR, operation)
#define PACK_LANES (sizeof(PACK_VECTOR) / sizeof(PACK_REAL))
#define PACK_TRANSPOSE PACK_JOIN(PACK, transpose)
#define PACK_LINES PACK_JOIN(PACK, lines)
#define PACK_COPY PACK_JOIN(PACK, copy)
#define PACK_TURNED PACK_JOIN(PACK, turned)

/* log2(lanes) perfect shuffles of the rows transpose them. */
GELU_INLINE void PACK_TRANSPOSE(PACK_VECTOR *r) {
    GELU_UNROLL for (size_t stage = 1; stage < PACK_LANES; stage *= 2) {
        PACK_VECTOR t[PACK_LANES];
        GELU_UNROLL for (size_t i = 0; 2 * i + 1 < PACK_LANES; i++) {
            t[2 * i] = PACK_DO(zip_low)(r[i], r[i + PACK_LANES / 2]);
            t[2 * i + 1] = PACK_DO(zip_high)(r[i], r[i + PACK_LANES / 2]);
        }
        GELU_UNROLL for (size_t i = 0; i < PACK_LANES; i++) r[i] = t[i];
    }
}

/* Lines of src, from position k on; +0 for those that there are not. */
GELU_INLINE void PACK_LINES(size_t lines, const PACK_REAL *src, size_t stride, PACK_VECTOR *r) {
    if (lines >= PACK_LANES) {
        GELU_UNROLL for (size_t i = 0; i < PACK_LANES; i++, src += stride) r[i] = PACK_DO(load)(src);
    } else {
        GELU_UNROLL for (size_t i = 0; i < PACK_LANES; i++) r[i] =
            i < lines ? PACK_DO(load)(src + i * stride) : PACK_DO(set)(0);
    }
}

static void PACK(size_t count, size_t depth, const void *from, size_t stride, void *to, size_t width) {
    const PACK_REAL *src = from;
    PACK_REAL *dst = to;
    size_t blocked = depth - depth % PACK_LANES;
    for (size_t first = 0; first < width; first += PACK_LANES) {
        size_t lines = count <= first ? 0 : count - first;
        bool whole = first + PACK_LANES <= width || first == 0;
        for (size_t k = 0; k < blocked; k += PACK_LANES) {
            PACK_VECTOR r[PACK_LANES];
            PACK_REAL part[PACK_LANES], *at = dst + k * width + first;
            PACK_LINES(lines, src + first * stride + k, stride, r);
            PACK_TRANSPOSE(r);
            if (whole) { /* what spills past the width, the next store overwrites */
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++, at += width) PACK_DO(store)(at, r[q]);
                continue;
            }
            GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++, at += width) {
                PACK_DO(store)(part, r[q]);
                memcpy(at, part, (width - first) * sizeof *part);
            }
        }
    }
    for (size_t k = blocked; k < depth; k++)
        for (size_t i = 0; i < width; i++) dst[k * width + i] = i < count ? src[i * stride + k] : 0;
}

/* Without a call per row where the length is a tile's height or width. */
static void PACK_COPY(size_t count, size_t depth, const void *from, size_t stride, void *to, size_t width) {
    const PACK_REAL *src = from;
    PACK_REAL *dst = to;
    if (count == TILE_VECTORS * PACK_LANES) {
        for (size_t k = 0; k < depth; k++, src += stride, dst += width) {
            GELU_UNROLL for (size_t j = 0; j < TILE_VECTORS; j++)
                PACK_DO(store)(dst + j * PACK_LANES, PACK_DO(load)(src + j * PACK_LANES));
        }
        return;
    }
#define PACK_CASE(length)                                                                                              \
    case length:                                                                                                       \
        for (size_t k = 0; k < depth; k++) memcpy(dst + k * width, src + k * stride, length * sizeof *dst);            \
        break;
    switch (count) {
        TILE_HEIGHTS(PACK_CASE)
    default:
        for (size_t k = 0; k < depth; k++) memcpy(dst + k * width, src + k * stride, count * sizeof *dst);
    }
#undef PACK_CASE
}

/* What packing and a tile would do for one row, without the way through memory in between. */
static void PACK_TURNED(size_t count, size_t depth, const void *row, const void *panels, size_t inside, size_t stride,
                        const void *from, void *to) {
    const size_t width = TILE_VECTORS * PACK_LANES;
    const PACK_REAL *a = row;
    for (size_t first = 0; first < count; first += PACK_LANES) {
        const PACK_REAL *src = (const PACK_REAL *)panels + first * width;
        PACK_VECTOR s = PACK_DO(set)(0);
        for (size_t k = 0, at = inside; k < depth; k += PACK_LANES) {
            PACK_VECTOR r[PACK_LANES];
            for (size_t i = 0; i < PACK_LANES; i++)
                __builtin_prefetch(
                    (const void *)((uintptr_t)src + (stride + i) * width * sizeof *src + at * sizeof *src));
            PACK_LINES(count - first, src + at, width, r);
            PACK_TRANSPOSE(r);
            if (depth - k >= PACK_LANES) {
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) s = PACK_DO(fma)(PACK_DO(set)(a[k + q]), r[q], s);
            } else {
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) if (k + q < depth) s =
                    PACK_DO(fma)(PACK_DO(set)(a[k + q]), r[q], s);
            }
            at += PACK_LANES;
            if (at == width) {
                at = 0;
                src += stride * width;
            }
        }
        PACK_DO(store)((PACK_REAL *)to + first, PACK_DO(load)((const PACK_REAL *)from + first) + s);
    }
}

#undef PACK_JOIN_
#undef PACK_JOIN
#undef PACK_DO
#undef PACK_LANES
#undef PACK_TRANSPOSE
#undef PACK_LINES
#undef PACK_COPY
#undef PACK_TURNED
#undef PACK
#undef PACK_REAL
#undef PACK_VECTOR
