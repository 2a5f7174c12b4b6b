/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* The matrices of a block as the layers take them. */
#include <stdlib.h>
#include "base/size.h"
#include "io/json.h"
#include "model/model.h"

/* All elements of a tensor in this type: in place, or read into *owned. */
static gelu_status take(const gelu_model *model, const gelu_safetensors_tensor *tensor, gelu_dtype dtype, void **owned,
                        const void **out, gelu_error *err) {
    struct io_context context = gelu_model_context(model, err);
    size_t nbytes;
    *out = *owned = NULL;
    if (!tensor) return GELU_OK;
    if (dtype == tensor->dtype) return gelu_safetensors_view(model->st, tensor, dtype, out, err);
    if (!size_mul(tensor->count, gelu_dtype_nbytes(dtype), &nbytes))
        return gelu_io_fail(&context, GELU_ERR_OVERFLOW, 0, "a tensor too large to convert");
    *out = *owned = malloc(nbytes ? nbytes : 1);
    if (!*owned) return gelu_io_fail_memory(&context);
    return gelu_safetensors_read(model->st, tensor, 0, tensor->count, dtype, *owned, err);
}

gelu_status gelu_model_take(const gelu_model *model, const gelu_model_block *block, const gelu_block_matrix *m,
                            gelu_dtype dtype, struct model_weights *out, gelu_error *err) {
    *out = (struct model_weights){{0}, {NULL, NULL}};
    if (!m->weight) return GELU_OK;
    if (!dtype) dtype = m->weight->dtype;
    const void *weight, *bias;
    gelu_status status = take(model, m->weight, dtype, &out->owned[0], &weight, err);
    if (!status) status = take(model, m->bias, dtype, &out->owned[1], &bias, err);
    if (status) return status;
    size_t ld = m->weight->shape[1], nbytes = gelu_dtype_nbytes(dtype);
    size_t first = block->layout == GELU_OUT_IN ? m->output * ld + m->input : m->input * ld + m->output;
    out->weights = (gelu_weights){dtype, block->layout, (const char *)weight + first * nbytes, ld,
                                  bias ? (const char *)bias + m->output * nbytes : NULL};
    return GELU_OK;
}

void gelu_model_release(struct model_weights *weights) {
    free(weights->owned[0]);
    free(weights->owned[1]);
}

gelu_status gelu_model_ffn(const gelu_model *model, size_t i, gelu_dtype dtype, gelu_ffn **out, gelu_error *err) {
    struct io_context context = {"model", err};
    gelu_io_error_clear(err);
    if (!model || !out) return gelu_io_fail_null(&context);
    *out = NULL;
    context = gelu_model_context(model, err);
    if (dtype && dtype != GELU_F64)
        return gelu_io_fail(&context, GELU_ERR_DTYPE, 0, "weights are taken in their own type or in f64");
    const gelu_model_block *block = gelu_model_at(model, i);
    if (!block)
        return gelu_io_fail(&context, GELU_ERR_ARGUMENT, 0, "there is no block %zu, only 0 to %zu", i,
                            model->count - 1);
    struct model_weights fc1, up, fc2 = up = fc1 = (struct model_weights){{0}, {NULL, NULL}};
    gelu_status status = gelu_model_take(model, block, &block->fc1, dtype, &fc1, err);
    if (!status) status = gelu_model_take(model, block, &block->up, dtype, &up, err);
    if (!status) status = gelu_model_take(model, block, &block->fc2, dtype, &fc2, err);
    if (!status) {
        const gelu_ffn_desc desc = {.d_model = block->d_model,
                                    .d_ff = block->d_ff,
                                    .act = block->act,
                                    .gated = block->gated,
                                    .order = block->order,
                                    .fc1 = fc1.weights,
                                    .up = up.weights,
                                    .fc2 = fc2.weights};
        status = gelu_ffn_create(&desc, out);
        if (status) gelu_io_fail(&context, status, 0, "%s: %s", block->name, gelu_status_string(status));
    }
    gelu_model_release(&fc1);
    gelu_model_release(&up);
    gelu_model_release(&fc2);
    return status;
}
