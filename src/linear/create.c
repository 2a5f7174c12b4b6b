/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dispatch/dispatch.h"
#include "kernels/bf16_layout.h"
#include "linear/linear.h"

static gelu_status check_weights(size_t in, size_t out, const gelu_weights *w, gelu_compute compute) {
    if (compute != GELU_COMPUTE_F32 && compute != GELU_COMPUTE_BF16) return GELU_ERR_ARGUMENT;
    if (w->layout != GELU_OUT_IN && w->layout != GELU_IN_OUT) return GELU_ERR_ARGUMENT;
    size_t element = gelu_dtype_nbytes(w->dtype);
    if (element == 0 || (compute == GELU_COMPUTE_BF16 && w->dtype != GELU_BF16)) return GELU_ERR_DTYPE;
    size_t rows = w->layout == GELU_OUT_IN ? out : in, cols = w->layout == GELU_OUT_IN ? in : out;
    gelu_status status = gelu_linear_check_matrix(alias_matrix(w->weight, rows, cols, w->ld ? w->ld : cols, element));
    if (status == GELU_OK && w->bias) status = gelu_linear_check_matrix(alias_matrix(w->bias, 1, out, out, element));
    return status;
}

/* The weights as they lie in the caller's memory. */
static struct product_factor source(size_t in, size_t out, const gelu_weights *w) {
    if (w->layout == GELU_OUT_IN)
        return (struct product_factor){PRODUCT_STRIDED, w->dtype, w->weight, w->ld ? w->ld : in, 1};
    return (struct product_factor){PRODUCT_STRIDED, w->dtype, w->weight, 1, w->ld ? w->ld : out};
}

static size_t panel_width(const struct gelu_kernels *kernels, gelu_dtype real, gelu_compute compute) {
    return compute == GELU_COMPUTE_BF16 ? BF16_PANEL : gelu_product_width(kernels, real);
}

/* The layer without its panels. */
static gelu_status create_view(size_t in, size_t out, const gelu_weights *w, gelu_compute compute, gelu_linear **made) {
    gelu_status status = check_weights(in, out, w, compute);
    if (status != GELU_OK) return status;
    const struct gelu_kernels *kernels = gelu_dispatch();
    gelu_dtype real = w->dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    size_t width = panel_width(kernels, real, compute), padded = 0, bias_nbytes = 0;
    if (w->bias && (!size_add(out, (width - out % width) % width, &padded) ||
                    !size_mul(padded, gelu_dtype_nbytes(real), &bias_nbytes)))
        return GELU_ERR_OVERFLOW;
    gelu_linear *linear = gelu_memory_new(sizeof *linear);
    if (!linear) return GELU_ERR_MEMORY;
    *linear = (gelu_linear){.in = in, .out = out, .real = real, .compute = compute, .kernels = kernels};
    linear->layout = w->layout;
    linear->weight = source(in, out, w);
    if (w->bias) {
        linear->bias = gelu_memory_new(bias_nbytes);
        if (!linear->bias) {
            gelu_linear_free(linear);
            return GELU_ERR_MEMORY;
        }
        memset(linear->bias, 0, bias_nbytes);
        fpenv host = fpenv_enter();
        (void)gelu_convert(out, w->dtype, w->bias, real, linear->bias);
        fpenv_leave(host);
    }
    *made = linear;
    return GELU_OK;
}

/* Panels of a 16-bit type, which the tiles widen. */
static void pack_narrow(const struct product_factor *from, size_t first, size_t count, size_t depth, size_t width,
                        uint16_t *to) {
    const uint16_t *src = (const uint16_t *)from->p + first * from->stride;
    for (size_t k = 0; k < depth; k++)
        for (size_t i = 0; i < width; i++)
            to[k * width + i] = i < count ? src[i * from->stride + k * from->depth_stride] : 0;
}

static void pack_panel_bf16(void *context, size_t panel) {
    const gelu_linear *linear = context;
    const struct product_factor *from = &linear->weight;
    size_t first = panel * BF16_PANEL, blocks = bf16_blocks(linear->in);
    bf16_pack_weights(linear_min(linear->out - first, BF16_PANEL), linear->in,
                      linear_at(from->p, GELU_BF16, first * from->stride), from->stride, from->depth_stride,
                      linear_at(linear->panels, GELU_BF16, first * blocks * BF16_BLOCK));
}

static void pack_panel(void *context, size_t panel) {
    const gelu_linear *linear = context;
    const struct product_factor *from = &linear->weight;
    size_t width = gelu_product_width(linear->kernels, linear->real), first = panel * width;
    size_t count = linear_min(linear->out - first, width);
    void *to = linear_at(linear->panels, from->dtype, first * linear->in);
    if (from->dtype != linear->real) {
        pack_narrow(from, first, count, linear->in, width, to);
        return;
    }
    const struct product product = {.kernels = linear->kernels, .real = linear->real};
    for (size_t k = 0; k < linear->in; k += PRODUCT_BLOCK)
        gelu_product_pack(&product, from, first, count, k, linear_min(linear->in - k, PRODUCT_BLOCK), width,
                          linear_at(to, linear->real, k * width), NULL);
}

static bool panels_nbytes(const gelu_linear *linear, size_t panels, size_t *nbytes) {
    if (linear->compute == GELU_COMPUTE_BF16) return bf16_weights_nbytes(linear->out, linear->in, nbytes);
    size_t width = gelu_product_width(linear->kernels, linear->real);
    return size_mul(panels * width, gelu_dtype_nbytes(linear->weight.dtype), nbytes) &&
           size_mul(*nbytes, linear->in, nbytes);
}

gelu_status gelu_linear_create(size_t in_features, size_t out_features, const gelu_weights *weights,
                               gelu_compute compute, gelu_linear **out) {
    gelu_status status = gelu_linear_view(in_features, out_features, weights, compute, out);
    if (status != GELU_OK) return status;
    gelu_linear *linear = *out;
    size_t width = panel_width(linear->kernels, linear->real, compute);
    size_t panels = out_features / width + (out_features % width > 0), nbytes;
    *out = NULL;
    status = GELU_ERR_OVERFLOW;
    if (panels_nbytes(linear, panels, &nbytes)) {
        linear->panels = gelu_memory_new(nbytes);
        status = linear->panels ? GELU_OK : GELU_ERR_MEMORY;
    }
    if (status != GELU_OK) {
        gelu_linear_free(linear);
        return status;
    }
    if (in_features > 0) /* without, there may be ever so many */
        gelu_parallel_for(panels, compute == GELU_COMPUTE_BF16 ? pack_panel_bf16 : pack_panel, linear);
    linear->weight = (struct product_factor){PRODUCT_PANELS, weights->dtype, linear->panels, in_features, 1};
    *out = linear;
    return GELU_OK;
}

gelu_status gelu_linear_view(size_t in_features, size_t out_features, const gelu_weights *weights, gelu_compute compute,
                             gelu_linear **out) {
    if (!out) return GELU_ERR_ARGUMENT;
    *out = NULL;
    return weights ? create_view(in_features, out_features, weights, compute, out) : GELU_ERR_ARGUMENT;
}

void gelu_linear_free(gelu_linear *linear) {
    if (!linear) return;
    gelu_memory_free(linear->panels);
    gelu_memory_free(linear->bias);
    gelu_memory_free(linear);
}

gelu_status gelu_linear_workspace(const gelu_linear *linear, size_t rows, size_t *forward_nbytes,
                                  size_t *backward_nbytes) {
    if (!linear || !forward_nbytes || !backward_nbytes) return GELU_ERR_ARGUMENT;
    size_t forward, backward, threads = gelu_parallel_processors();
    if (!gelu_linear_forward_nbytes(linear, rows, threads, &forward) ||
        !gelu_linear_backward_nbytes(linear, rows, threads, &backward))
        return GELU_ERR_OVERFLOW;
    *forward_nbytes = forward;
    *backward_nbytes = backward;
    return GELU_OK;
}
