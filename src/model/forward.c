/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/size.h"
#include "io/json.h"
#include "model/model.h"

static gelu_status view(const gelu_model *model, const gelu_model_block *block, const gelu_block_matrix *m,
                        gelu_weights *out, gelu_error *err) {
    const void *weight, *bias = NULL;
    gelu_status status = gelu_safetensors_view(model->st, m->weight, m->weight->dtype, &weight, err);
    if (!status && m->bias) status = gelu_safetensors_view(model->st, m->bias, m->bias->dtype, &bias, err);
    if (status) return status;
    size_t ld = m->weight->shape[1], nbytes = gelu_dtype_nbytes(m->weight->dtype);
    size_t first = block->layout == GELU_OUT_IN ? m->output * ld + m->input : m->input * ld + m->output;
    *out = (gelu_weights){m->weight->dtype, block->layout, (const char *)weight + first * nbytes, ld,
                          bias ? (const char *)bias + m->output * nbytes : NULL};
    return GELU_OK;
}

gelu_status gelu_model_ffn(const gelu_model *model, size_t i, gelu_ffn **out, gelu_error *err) {
    struct io_context context = {"model", err};
    gelu_io_error_clear(err);
    if (!model || !out) return gelu_io_fail_null(&context);
    *out = NULL;
    context = gelu_model_context(model, err);
    const gelu_model_block *block = gelu_model_at(model, i);
    if (!block)
        return gelu_io_fail(&context, GELU_ERR_ARGUMENT, 0, "there is no block %zu, only 0 to %zu", i,
                            model->count - 1);
    gelu_ffn_desc desc = {.d_model = block->d_model,
                          .d_ff = block->d_ff,
                          .act = block->act,
                          .gated = block->gated,
                          .order = block->order};
    gelu_status status = view(model, block, &block->fc1, &desc.fc1, err);
    if (!status && block->up.weight) status = view(model, block, &block->up, &desc.up, err);
    if (!status) status = view(model, block, &block->fc2, &desc.fc2, err);
    if (status) return status;
    status = gelu_ffn_create(&desc, out);
    return status ? gelu_io_fail(&context, status, 0, "%s: %s", block->name, gelu_status_string(status)) : GELU_OK;
}

/* One call of gelu_block_forward. */
struct call {
    const gelu_model *model;
    const gelu_model_block *block;
    const gelu_ffn *ffn;
    size_t rows;
    const float *x;
    gelu_block_extras extras;
    float *y;
    float *normed, *out; /* (rows, d_model) */
    struct io_context context;
};

static gelu_status read_parameter(const struct call *c, const gelu_safetensors_tensor *tensor, float **out) {
    *out = NULL;
    if (!tensor) return GELU_OK;
    *out = malloc(tensor->count * sizeof **out);
    if (!*out) return gelu_io_fail_memory(&c->context);
    return gelu_safetensors_read(c->model->st, tensor, 0, tensor->count, GELU_F32, *out, c->context.err);
}

static gelu_status apply_norm(const struct call *c, const gelu_block_norm *norm, const float *x, float *y) {
    size_t d = c->block->d_model;
    float *weight, *bias = NULL;
    gelu_status status = read_parameter(c, norm->weight, &weight);
    if (!status) status = read_parameter(c, norm->bias, &bias);
    if (!status) {
        if (norm->kind == GELU_NORM_RMS)
            status = gelu_rms_norm_f32(c->rows, d, x, d, weight, norm->weight_offset, norm->eps, y, d);
        else
            status = gelu_layer_norm_f32(c->rows, d, x, d, weight, bias, norm->eps, y, d);
        if (status) status = gelu_io_fail(&c->context, status, 0, "the norm: %s", gelu_status_string(status));
    }
    free(weight);
    free(bias);
    return status;
}

/* In place or not: y = a + b. */
static void add(size_t n, const float *a, const float *b, float *y) {
    for (size_t i = 0; i < n; i++) y[i] = a[i] + b[i];
}

static void modulate(const struct call *c) {
    size_t d = c->block->d_model;
    for (size_t i = 0; i < c->rows * d; i++) {
        float scaled = (1 + c->extras.scale[i % d]) * c->normed[i];
        GELU_KEEP_ROUNDED(scaled);
        c->normed[i] = scaled + c->extras.shift[i % d];
    }
}

static gelu_status enter(const struct call *c) {
    size_t n = c->rows * c->block->d_model;
    bool after = c->block->form == GELU_BLOCK_POST || c->block->form == GELU_BLOCK_RES_POST;
    if (after) {
        if (n > 0) memcpy(c->normed, c->x, n * sizeof *c->x);
        return GELU_OK;
    }
    gelu_status status = apply_norm(c, &c->block->norm, c->x, c->normed);
    if (!status && c->block->form == GELU_BLOCK_MODULATED) modulate(c);
    return status;
}

static gelu_status leave(const struct call *c) {
    size_t d = c->block->d_model, n = c->rows * d;
    gelu_status status = GELU_OK;
    switch (c->block->form) {
    case GELU_BLOCK_POST: add(n, c->x, c->out, c->y); return apply_norm(c, &c->block->norm, c->y, c->y);
    case GELU_BLOCK_SANDWICH:
    case GELU_BLOCK_RES_POST:
        status =
            apply_norm(c, c->block->form == GELU_BLOCK_SANDWICH ? &c->block->norm2 : &c->block->norm, c->out, c->y);
        add(n, c->x, c->y, c->y);
        return status;
    case GELU_BLOCK_PARALLEL:
        add(n, c->extras.attn, c->out, c->y);
        add(n, c->x, c->y, c->y);
        return GELU_OK;
    case GELU_BLOCK_SCALED:
        for (size_t i = 0; i < n; i++) c->y[i] = (float)(c->block->alpha * (double)c->normed[i]);
        add(n, c->y, c->out, c->y);
        return GELU_OK;
    case GELU_BLOCK_MODULATED:
        for (size_t i = 0; i < n; i++) c->y[i] = c->extras.gate[i % d] * c->out[i];
        add(n, c->x, c->y, c->y);
        return GELU_OK;
    default: add(n, c->x, c->out, c->y); return GELU_OK;
    }
}

static gelu_status check_block(const struct call *c) {
    const gelu_model_block *b = c->block;
    const char *lacks = NULL;
    if (b->form == GELU_BLOCK_FUSED)
        return gelu_io_fail(&c->context, GELU_ERR_UNSUPPORTED, 0,
                            "%s: its last matrix takes attention's result beside the layer's, so that only the layer "
                            "alone can be computed",
                            b->name);
    if (b->form == GELU_BLOCK_PARALLEL && !c->extras.attn) lacks = "what attention made of the same input (attn)";
    if (b->form == GELU_BLOCK_MODULATED && !c->extras.gate) lacks = "a vector that multiplies its result (gate)";
    if (b->form == GELU_BLOCK_MODULATED && !c->extras.shift) lacks = "a vector that is added to its norm (shift)";
    if (b->form == GELU_BLOCK_MODULATED && !c->extras.scale) lacks = "a vector that scales its norm (scale)";
    if (lacks)
        return gelu_io_fail(&c->context, GELU_ERR_ARGUMENT, 0, "%s: besides its input this block takes %s", b->name,
                            lacks);
    bool bare = b->form == GELU_BLOCK_MODULATED;
    if ((b->norm.weight || bare) && (b->norm2.weight || b->form != GELU_BLOCK_SANDWICH)) return GELU_OK;
    return gelu_io_fail(&c->context, GELU_ERR_MISSING, 0, "%s: the tensors of its norm are not in the checkpoint",
                        b->name);
}

static gelu_status run(struct call *c) {
    size_t d = c->block->d_model, n, nbytes;
    if (!size_mul(c->rows, d, &n) || !size_mul(n, sizeof(float), &nbytes))
        return gelu_io_fail(&c->context, GELU_ERR_OVERFLOW, 0, "too many rows");
    float *normed = malloc(nbytes + 1), *out = malloc(nbytes + 1);
    c->normed = normed;
    c->out = out;
    gelu_status status = normed && out ? enter(c) : gelu_io_fail_memory(&c->context);
    if (!status) {
        status = gelu_ffn_forward(c->ffn, c->rows, GELU_F32, normed, d, c->extras.trace, GELU_F32, out, d, NULL);
        if (status) gelu_io_fail(&c->context, status, 0, "%s: %s", c->block->name, gelu_status_string(status));
    }
    if (!status) status = leave(c);
    if (!status && c->extras.entered && nbytes) memcpy(c->extras.entered, normed, nbytes);
    if (!status && c->extras.left && nbytes) memcpy(c->extras.left, out, nbytes);
    free(normed);
    free(out);
    return status;
}

gelu_status gelu_block_forward(const gelu_model *model, size_t i, const gelu_ffn *ffn, size_t rows, const float *x,
                               const gelu_block_extras *extras, float *y, gelu_error *err) {
    struct call c = {.model = model, .ffn = ffn, .rows = rows, .x = x, .y = y, .context = {"model", err}};
    gelu_io_error_clear(err);
    if (!model || !ffn || (rows > 0 && (!x || !y))) return gelu_io_fail_null(&c.context);
    c.context = gelu_model_context(model, err);
    c.block = gelu_model_at(model, i);
    if (!c.block) return gelu_io_fail(&c.context, GELU_ERR_ARGUMENT, 0, "there is no block %zu", i);
    if (extras) c.extras = *extras;
    gelu_status status = check_block(&c);
    if (status) return status;
    fpenv host = fpenv_enter();
    status = run(&c);
    fpenv_leave(host);
    return status;
}
