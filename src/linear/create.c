/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fpenv.h"
#include "linear/linear.h"

/* Weight and bias as they lie in the caller's memory. */
struct source {
    struct alias_matrix weight, bias;
};

static gelu_status check_weights(size_t in, size_t out, const gelu_weights *w, struct source *source) {
    if (w->layout != GELU_OUT_IN && w->layout != GELU_IN_OUT) return GELU_ERR_ARGUMENT;
    size_t element = gelu_dtype_nbytes(w->dtype);
    if (element == 0) return GELU_ERR_DTYPE;
    size_t rows = w->layout == GELU_OUT_IN ? out : in, cols = w->layout == GELU_OUT_IN ? in : out;
    source->weight = alias_matrix(w->weight, rows, cols, w->ld ? w->ld : cols, element);
    source->bias = alias_matrix(w->bias, 1, out, out, element);
    gelu_status status = gelu_linear_check_matrix(source->weight);
    if (status == GELU_OK && w->bias) status = gelu_linear_check_matrix(source->bias);
    return status;
}

static void pack(gelu_linear *linear, gelu_dtype dtype, struct source source) {
    fpenv host = fpenv_enter();
    for (size_t i = 0; source.weight.cols > 0 && i < source.weight.rows; i++)
        (void)gelu_convert(source.weight.cols, dtype, linear_at(source.weight.p, dtype, i * source.weight.ld),
                           linear->real, linear_at(linear->weight, linear->real, i * source.weight.cols));
    if (linear->bias) (void)gelu_convert(linear->out, dtype, source.bias.p, linear->real, linear->bias);
    fpenv_leave(host);
}

gelu_status gelu_linear_create(size_t in_features, size_t out_features, const gelu_weights *weights,
                               gelu_compute compute, gelu_linear **out) {
    if (!out) return GELU_ERR_ARGUMENT;
    *out = NULL;
    if (!weights || (compute != GELU_COMPUTE_F32 && compute != GELU_COMPUTE_BF16)) return GELU_ERR_ARGUMENT;
    if (compute == GELU_COMPUTE_BF16) return GELU_ERR_UNSUPPORTED;
    struct source source;
    gelu_status status = check_weights(in_features, out_features, weights, &source);
    if (status != GELU_OK) return status;
    gelu_dtype real = weights->dtype == GELU_F64 ? GELU_F64 : GELU_F32;
    size_t weight_nbytes, bias_nbytes;
    if (!size_mul(out_features, gelu_dtype_nbytes(real), &bias_nbytes) ||
        !size_mul(in_features, bias_nbytes, &weight_nbytes))
        return GELU_ERR_OVERFLOW;
    gelu_linear *linear = alloc_aligned(sizeof *linear);
    if (!linear) return GELU_ERR_MEMORY;
    bool out_in = weights->layout == GELU_OUT_IN;
    *linear = (gelu_linear){
        .in = in_features,
        .out = out_features,
        .real = real,
        .layout = weights->layout,
        .weight = alloc_aligned(weight_nbytes),
        .out_stride = out_in ? in_features : 1,
        .in_stride = out_in ? 1 : out_features,
        .bias = weights->bias ? alloc_aligned(bias_nbytes) : NULL,
    };
    if (!linear->weight || (weights->bias && !linear->bias)) {
        gelu_linear_free(linear);
        return GELU_ERR_MEMORY;
    }
    pack(linear, weights->dtype, source);
    *out = linear;
    return GELU_OK;
}

/* (rows, in) twice or once and (rows + spare, out), of real */
static bool buffers_nbytes(const gelu_linear *linear, size_t rows, size_t inputs, size_t spare, size_t *nbytes) {
    size_t element = gelu_dtype_nbytes(linear->real), in_nbytes, out_nbytes;
    return size_mul(linear->in, inputs * rows * element, &in_nbytes) &&
           size_mul(linear->out, (rows + spare) * element, &out_nbytes) && size_add(in_nbytes, out_nbytes, nbytes);
}

gelu_status gelu_linear_workspace(const gelu_linear *linear, size_t rows, size_t *forward_nbytes,
                                  size_t *backward_nbytes) {
    if (!linear || !forward_nbytes || !backward_nbytes) return GELU_ERR_ARGUMENT;
    size_t forward, backward;
    if (!buffers_nbytes(linear, linear_min(rows, LINEAR_FORWARD_ROWS), 1, 1, &forward) ||
        !buffers_nbytes(linear, linear_min(rows, LINEAR_BACKWARD_ROWS), 2, 0, &backward))
        return GELU_ERR_OVERFLOW;
    *forward_nbytes = forward;
    *backward_nbytes = backward;
    return GELU_OK;
}

void gelu_linear_free(gelu_linear *linear) {
    if (!linear) return;
    alloc_free(linear->weight);
    alloc_free(linear->bias);
    alloc_free(linear);
}
