/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The kernel table: everything that computes, one table per instruction set. */
#ifndef GELU_KERNELS_H
#define GELU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gelu.h"

/* Storage types by the names of the types. f16 and bf16 get types of their own name for the macros' sake only. */
typedef float gelu_f32;
typedef double gelu_f64;
typedef uint16_t gelu_f16;
typedef uint16_t gelu_bf16;

enum { GELU_ACT_COUNT = GELU_ELU + 1 };

enum { PRODUCT_BLOCK = 256, PACK_SPILL = 64, TILE_FEW = 2 };

/* Rows of a tile's left factor, without any packing where they lie well: (i, k) at p[i * stride + k * step]. */
struct product_rows {
    const void *p;
    size_t stride, step;
};

/* Memory that is needed next comes nearer while a tile works: the lines of a panel's k at `at`, step bytes later, and so
 * on, once per k; into the first-level cache. For up to TILE_FEW rows, which work no longer than reading takes, only every
 * first line, into the second. It need not exist. */
struct product_ahead {
    uintptr_t at;
    size_t step;
};

/* Where a tile's sums come from and go to, rows so many elements apart: the same place, or places that are disjoint; rows
 * that are only read may be 0 apart. written: what will be written next, `to` or where the results go from there; it comes
 * nearer. */
struct product_ends {
    const void *from, *written;
    void *to;
    size_t from_stride, to_stride, written_stride;
    struct product_ahead ahead;
};
/* The caller has set the floating-point environment. */
typedef void (*product_tile)(size_t depth, const struct product_rows *a, const void *b,
                             const struct product_ends *ends);

/* No kernel fails. n may be 0; inputs and outputs are element-aligned, and equal or disjoint. */
struct gelu_kernels {
    const char *name;

#define GELU_UNARY(slot, operation, in, out) void (*slot[GELU_ACT_COUNT])(size_t n, const gelu_##in *x, gelu_##out *y);
#define GELU_BACKWARD(slot, type)                                                                                      \
    void (*slot[GELU_ACT_COUNT])(size_t n, const gelu_##type *x, const gelu_##type *dy, gelu_##type *dx);
#define GELU_CONVERT(from, to) void (*convert_##from##_##to)(size_t n, const gelu_##from *src, gelu_##to *dst);
#include "kernels/kernel_list.inc"

    /* Parts of the canonical product (gelu.h, Linear). A tile is up to tile_rows high, and p of tile_parts of tile_width
     * wide, of type f32 for weights of f32, f16 and bf16, and f64 for weights of f64:
     * tiles[type of the weights][(p - 1) * (tile_rows + 1) + height] does
     *   to[i][j] = from[i][j] + the sum over k < depth of a(i, k) * b[k*tile_width + j],  the sum starting from +0,
     * which is the rule for one block, where depth is from 1 to PRODUCT_BLOCK. */
    size_t tile_rows, tile_width_f32, tile_width_f64, tile_parts;
    const product_tile *tiles[GELU_BF16 + 1];
    /* Packing for it: dst[k*width + i] = src[i*stride + k] for i < count and k < depth, and 0 for i from count to
     * width - 1. Up to PACK_SPILL bytes behind dst may be overwritten. */
    void (*pack_f32)(size_t count, size_t depth, const void *src, size_t stride, void *dst, size_t width);
    void (*pack_f64)(size_t count, size_t depth, const void *src, size_t stride, void *dst, size_t width);
    /* dst[k*width + i] = src[k*stride + i] for i < count and k < depth; fast for a tile's heights and its width. */
    void (*copy_f32)(size_t count, size_t depth, const void *src, size_t stride, void *dst, size_t width);
    void (*copy_f64)(size_t count, size_t depth, const void *src, size_t stride, void *dst, size_t width);
    /* For one row a and panels of b that the sum runs across, `stride` k's of theirs apart: for i < count, and on to a whole
     * vector, to[i] = from[i] + the sum over k < depth of a[k] * panels[(k + inside) / width * stride * width + i * width +
     * (k + inside) % width], by the rule for one block. inside is a multiple of a vector, the panels are whole. */
    void (*turned_f32)(size_t count, size_t depth, const void *a, const void *panels, size_t inside, size_t stride,
                       const void *from, void *to);
    void (*turned_f64)(size_t count, size_t depth, const void *a, const void *panels, size_t inside, size_t stride,
                       const void *from, void *to);
    /* A single k: to[i] = from[i] + fma(*a, b[i], +0) for i < count; from NULL: +0. */
    void (*scaled_f32)(size_t count, const void *a, const void *b, const void *from, void *to);
    void (*scaled_f64)(size_t count, const void *a, const void *b, const void *from, void *to);

    /* bf16 compute (gelu.h, Linear), in whatever environment; it is restored. c (rows, cols) = x W^T + bias (NULL: +0),
     * where w is packed as bf16_layout.h says, from a panel's begin, and x by the pack_rows of the same table into
     * bf16_rows_nbytes, aligned to 64 bytes. ldc in elements; c is disjoint from the inputs. For best use of the caches
     * c has at most 512 rows and 256 columns. */
    void (*bf16_pack_rows)(size_t rows, size_t depth, const gelu_bf16 *x, size_t ldx, void *packed);
    void (*bf16_product)(size_t rows, size_t cols, size_t depth, const void *x, const gelu_bf16 *w, const float *bias,
                         float *c, size_t ldc);
};

extern const struct gelu_kernels gelu_kernels_scalar;
#if defined(__x86_64__)
extern const struct gelu_kernels gelu_kernels_avx2, gelu_kernels_avx512, gelu_kernels_avx512_bf16, gelu_kernels_amx;
/* Whether this processor's vdpbf16ps follows the rule of bf16 compute where manuals leave it open, which a few sums tell. */
bool gelu_avx512_bf16_follows(void);
#elif defined(__aarch64__)
extern const struct gelu_kernels gelu_kernels_neon;
#endif

#endif
