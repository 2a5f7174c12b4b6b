/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "base/compiler.h"
#include "kernels/kernels.h"
#include "linear/linear.h"

gelu_status gelu_linear_check_matrix(struct alias_matrix m) {
    if (m.rows > 0 && m.cols > 0 && !m.p) return GELU_ERR_ARGUMENT;
    if (m.ld < m.cols) return GELU_ERR_SHAPE;
    return alias_fits(m) ? GELU_OK : GELU_ERR_OVERFLOW;
}

struct alias_matrix gelu_linear_view_weights(const gelu_linear *linear) {
    if (!linear || linear->panels) return (struct alias_matrix){0};
    const struct product_factor *w = &linear->weight;
    bool out_in = linear->layout == GELU_OUT_IN;
    return alias_matrix(w->p, out_in ? linear->out : linear->in, out_in ? linear->in : linear->out,
                        out_in ? w->stride : w->depth_stride, gelu_dtype_nbytes(w->dtype));
}

gelu_status gelu_linear_check_alias(size_t n_outputs, const struct alias_matrix *outputs, size_t n_inputs,
                                    const struct alias_matrix *inputs) {
    for (size_t i = 0; i < n_outputs; i++) {
        for (size_t j = 0; j < n_inputs; j++)
            if (alias_overlap(outputs[i], inputs[j])) return GELU_ERR_ALIAS;
        for (size_t j = 0; j < i; j++)
            if (alias_overlap(outputs[i], outputs[j])) return GELU_ERR_ALIAS;
    }
    return GELU_OK;
}

gelu_status gelu_linear_check_dtype(gelu_dtype real, gelu_dtype dtype) {
    bool known = gelu_dtype_nbytes(dtype) > 0;
    return known && (real == GELU_F64) == (dtype == GELU_F64) ? GELU_OK : GELU_ERR_DTYPE;
}

gelu_status gelu_linear_check_input(gelu_compute compute, gelu_dtype real, gelu_dtype dtype) {
    if (compute == GELU_COMPUTE_BF16 && dtype != GELU_BF16) return GELU_ERR_DTYPE;
    return gelu_linear_check_dtype(real, dtype);
}

bool gelu_linear_known_act(gelu_act act) { return (unsigned)act < GELU_ACT_COUNT; }
