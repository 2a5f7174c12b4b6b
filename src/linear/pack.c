/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Factors of a product in the form that the tiles read. */
#include <string.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "linear/linear.h"
#include "linear/product.h"

static void pack_lines(const struct product *product, size_t count, size_t depth, const void *src, gelu_dtype dtype,
                       size_t stride, void *dst, size_t width, void *scratch) {
    gelu_dtype real = product->real;
    if (dtype != real) {
        for (size_t i = 0; i < count; i++)
            (void)gelu_convert(depth, dtype, linear_at(src, dtype, i * stride), real,
                               linear_at(scratch, real, i * depth));
        src = scratch;
        stride = depth;
    }
    (real == GELU_F64 ? product->kernels->pack_f64 : product->kernels->pack_f32)(count, depth, src, stride, dst, width);
}

/* Memory that will be needed soon. It need not exist. */
static void fetch(const void *p, size_t nbytes) {
    for (size_t i = 0; i < nbytes; i += ALLOC_ALIGNMENT) __builtin_prefetch((const void *)((uintptr_t)p + i), 0, 2);
}

/* Rows of b's panels, which lie side by side in memory, become columns. */
static void pack_turned(const struct product *product, const struct product_factor *factor, size_t first, size_t count,
                        size_t start, size_t depth, size_t width, void *dst, void *scratch) {
    size_t panel_width = gelu_product_width(product->kernels, product->real);
    bool few = product->rows <= product->kernels->tile_rows;
    for (size_t k = start, length; k < start + depth; k += length) {
        size_t inside = k % panel_width;
        length = linear_min(panel_width - inside, start + depth - k);
        const void *src =
            linear_at(factor->p, factor->dtype, (k - inside) * factor->stride + first * panel_width + inside);
        /* The next piece; the tiles of many rows have fetched it. */
        size_t nbytes = panel_width * gelu_dtype_nbytes(factor->dtype);
        if (few) fetch((const void *)((uintptr_t)src + factor->stride * nbytes), count * nbytes);
        pack_lines(product, count, length, src, factor->dtype, panel_width,
                   linear_at(dst, product->real, (k - start) * width), width, scratch);
    }
}

void gelu_product_pack(const struct product *product, const struct product_factor *factor, size_t first, size_t count,
                       size_t start, size_t depth, size_t width, void *dst, void *scratch) {
    gelu_dtype real = product->real, dtype = factor->dtype;
    size_t element = gelu_dtype_nbytes(real);
    if (factor->form == PRODUCT_TURNED) {
        pack_turned(product, factor, first, count, start, depth, width, dst, scratch);
        return;
    }
    if (factor->form == PRODUCT_ONES) {
        static const float one_f32 = 1;
        static const double one_f64 = 1;
        for (size_t i = 0; i < depth * width; i++)
            memcpy(linear_at(dst, real, i), real == GELU_F64 ? (const void *)&one_f64 : &one_f32, element);
        return;
    }
    const void *src = linear_at(factor->p, dtype, first * factor->stride + start * factor->depth_stride);
    if (factor->depth_stride == 1) {
        pack_lines(product, count, depth, src, dtype, factor->stride, dst, width, scratch);
        return;
    }
    if (dtype == real)
        (real == GELU_F64 ? product->kernels->copy_f64 : product->kernels->copy_f32)(count, depth, src,
                                                                                     factor->depth_stride, dst, width);
    for (size_t k = 0; dtype != real && k < depth; k++)
        (void)gelu_convert(count, dtype, linear_at(src, dtype, k * factor->depth_stride), real,
                           linear_at(dst, real, k * width));
    for (size_t k = 0; count < width && k < depth; k++)
        memset(linear_at(dst, real, k * width + count), 0, (width - count) * element);
}
