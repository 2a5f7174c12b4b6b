/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Packing for the tiles of product.inc.h, as kernels.h describes it: a transposition in registers. Include once per
 * type, after the vocabulary and simd/tile.h.
 *
 * PACK         name of the function to define; PACK_copy, PACK_turned and PACK_scaled are the others
 * PACK_REAL    float or double
 * PACK_VECTOR  its vector, v32 or v64 */

#define PACK_JOIN_(a, b) a##_##b
#define PACK_JOIN(a, b) PACK_JOIN_(a, b)
#define PACK_DO(operation) PACK_JOIN(PACK_VECTOR, operation)
#define PACK_LANES (sizeof(PACK_VECTOR) / sizeof(PACK_REAL))
#define PACK_LINES PACK_JOIN(PACK, lines)
#define PACK_COPY PACK_JOIN(PACK, copy)
#define PACK_TURNED PACK_JOIN(PACK, turned)
#define PACK_SCALED PACK_JOIN(PACK, scaled)

/* r[j]: element j of each line; +0 for lines that there are not. */
GELU_INLINE void PACK_LINES(size_t lines, const PACK_REAL *src, size_t stride, PACK_VECTOR *r) {
    PACK_REAL part[PACK_LANES * PACK_LANES];
    if (lines < PACK_LANES) {
        memset(part, 0, sizeof part);
        for (size_t i = 0; i < lines; i++) memcpy(part + i * PACK_LANES, src + i * stride, sizeof *r);
        src = part;
        stride = PACK_LANES;
    }
    PACK_DO(load_transposed)(src, stride, r);
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

/* What packing and a tile would do for one row, without the way through memory in between. Each vector of sums is a chain,
 * so that they take turns. */
static void PACK_TURNED(size_t count, size_t depth, const void *row, const void *panels, size_t inside, size_t stride,
                        const void *from, void *to) {
    const size_t width = TILE_VECTORS * PACK_LANES;
    const PACK_REAL *a = row, *src = panels;
    PACK_VECTOR s[TILE_VECTORS];
    GELU_UNROLL for (size_t j = 0; j < TILE_VECTORS; j++) s[j] = PACK_DO(set)(0);
    for (size_t k = 0, at = inside; k < depth; k += PACK_LANES) {
        GELU_UNROLL for (size_t j = 0; j < TILE_VECTORS; j++) {
            if (j * PACK_LANES >= count) continue; /* a break would keep clang from unrolling */
            PACK_VECTOR r[PACK_LANES];
            const PACK_REAL *lines = src + j * PACK_LANES * width + at;
            for (size_t i = 0; i < PACK_LANES; i++)
                __builtin_prefetch((const void *)((uintptr_t)lines + (stride + i) * width * sizeof *lines));
            PACK_LINES(count - j * PACK_LANES, lines, width, r);
            if (depth - k >= PACK_LANES) {
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) s[j] =
                    PACK_DO(fma)(PACK_DO(set)(a[k + q]), r[q], s[j]);
            } else {
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) if (k + q < depth) s[j] =
                    PACK_DO(fma)(PACK_DO(set)(a[k + q]), r[q], s[j]);
            }
        }
        at += PACK_LANES;
        if (at == width) {
            at = 0;
            src += stride * width;
        }
    }
    GELU_UNROLL for (size_t j = 0; j < TILE_VECTORS; j++) if (j * PACK_LANES < count) PACK_DO(store)(
        (PACK_REAL *)to + j * PACK_LANES, PACK_DO(load)((const PACK_REAL *)from + j * PACK_LANES) + s[j]);
}

/* What a tile would do with a single k, a row at a time. */
static void PACK_SCALED(size_t count, const void *factor, const void *row, const void *from, void *to) {
    const PACK_VECTOR a = PACK_DO(set)(*(const PACK_REAL *)factor), zero = PACK_DO(set)(0);
    const PACK_REAL *b = row, *old = from;
    PACK_REAL *y = to;
    size_t i = 0;
    for (; count - i >= PACK_LANES; i += PACK_LANES)
        PACK_DO(store)(y + i, (old ? PACK_DO(load)(old + i) : zero) + PACK_DO(fma)(a, PACK_DO(load)(b + i), zero));
    if (i == count) return;
    PACK_REAL b_part[PACK_LANES] = {0}, y_part[PACK_LANES] = {0};
    memcpy(b_part, b + i, (count - i) * sizeof *b);
    if (old) memcpy(y_part, old + i, (count - i) * sizeof *old);
    PACK_DO(store)(y_part, PACK_DO(load)(y_part) + PACK_DO(fma)(a, PACK_DO(load)(b_part), zero));
    memcpy(y + i, y_part, (count - i) * sizeof *y);
}

#undef PACK_JOIN_
#undef PACK_JOIN
#undef PACK_DO
#undef PACK_LANES
#undef PACK_LINES
#undef PACK_COPY
#undef PACK_TURNED
#undef PACK_SCALED
#undef PACK
#undef PACK_REAL
#undef PACK_VECTOR
