/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Packing for the tiles of product.inc.h, as kernels.h describes it: a transposition in registers. Include once per
 * type, after the vocabulary and simd/tile.h.
 *
 * PACK         name of the function to define
 * PACK_REAL    float or double
 * PACK_VECTOR  its vector, v32 or v64 */

#define PACK_JOIN_(a, b) a##_##b
#define PACK_JOIN(a, b) PACK_JOIN_(a, b)
#define PACK_DO(operation) PACK_JOIN(PACK_VECTOR, operation)
#define PACK_LANES (sizeof(PACK_VECTOR) / sizeof(PACK_REAL))
#define PACK_TRANSPOSE PACK_JOIN(PACK, transpose)

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

static void PACK(size_t count, size_t depth, const void *from, size_t stride, void *to, size_t width) {
    const PACK_REAL *src = from;
    PACK_REAL *dst = to;
    size_t blocked = depth - depth % PACK_LANES;
    for (size_t first = 0; first < width; first += PACK_LANES) {
        size_t lines = count <= first ? 0 : count - first < PACK_LANES ? count - first : PACK_LANES;
        bool whole = first + PACK_LANES <= width || first == 0;
        for (size_t k = 0; k < blocked; k += PACK_LANES) {
            PACK_VECTOR r[PACK_LANES];
            GELU_UNROLL for (size_t i = 0; i < PACK_LANES; i++) r[i] =
                i < lines ? PACK_DO(load)(src + (first + i) * stride + k) : PACK_DO(set)(0);
            PACK_TRANSPOSE(r);
            if (whole) { /* what spills past the width, the next store overwrites */
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) PACK_DO(store)(dst + (k + q) * width + first, r[q]);
            } else {
                PACK_REAL part[PACK_LANES * PACK_LANES];
                GELU_UNROLL for (size_t q = 0; q < PACK_LANES; q++) PACK_DO(store)(part + q * PACK_LANES, r[q]);
                for (size_t q = 0; q < PACK_LANES; q++)
                    memcpy(dst + (k + q) * width + first, part + q * PACK_LANES, (width - first) * sizeof *dst);
            }
        }
    }
    for (size_t k = blocked; k < depth; k++)
        for (size_t i = 0; i < width; i++) dst[k * width + i] = i < count ? src[i * stride + k] : 0;
}

#undef PACK_JOIN_
#undef PACK_JOIN
#undef PACK_DO
#undef PACK_LANES
#undef PACK_TRANSPOSE
#undef PACK
#undef PACK_REAL
#undef PACK_VECTOR
