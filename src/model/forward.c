/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdlib.h>
#include <string.h>
#include "base/compiler.h"
#include "base/fpenv.h"
#include "base/size.h"
#include "io/json.h"
#include "model/model.h"

/* One call of gelu_block_forward. All arrays are of dtype. */
struct call {
    const gelu_model *model;
    const gelu_model_block *block;
    const gelu_ffn *ffn;
    gelu_dtype dtype;
    size_t rows;
    const void *x;
    gelu_block_extras extras;
    void *y;
    void *normed, *out; /* (rows, d_model) */
    struct io_context context;
};

GELU_INLINE double get(const struct call *c, const void *x, size_t i) {
    return c->dtype == GELU_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* An operation on two floats that is done in double and then rounded is as if it were done in float. */
GELU_INLINE double rounded(const struct call *c, double value) {
    double kept = c->dtype == GELU_F64 ? value : (double)(float)value;
    GELU_KEEP_ROUNDED(kept);
    return kept;
}

GELU_INLINE void put(const struct call *c, void *x, size_t i, double value) {
    if (c->dtype == GELU_F64)
        ((double *)x)[i] = value;
    else
        ((float *)x)[i] = (float)value;
}

static gelu_status read_parameter(const struct call *c, const gelu_safetensors_tensor *tensor, void **out) {
    *out = NULL;
    if (!tensor) return GELU_OK;
    *out = malloc(tensor->count * gelu_dtype_nbytes(c->dtype) + 1);
    if (!*out) return gelu_io_fail_memory(&c->context);
    return gelu_safetensors_read(c->model->st, tensor, 0, tensor->count, c->dtype, *out, c->context.err);
}

static gelu_status compute_norm(const struct call *c, const gelu_block_norm *norm, const void *weight, const void *bias,
                                const void *x, void *y) {
    size_t d = c->block->d_model;
    if (norm->kind == GELU_NORM_RMS)
        return c->dtype == GELU_F64 ? gelu_rms_norm_f64(c->rows, d, x, d, weight, norm->weight_offset, norm->eps, y, d)
                                    : gelu_rms_norm_f32(c->rows, d, x, d, weight, norm->weight_offset, norm->eps, y, d);
    return c->dtype == GELU_F64 ? gelu_layer_norm_f64(c->rows, d, x, d, weight, bias, norm->eps, y, d)
                                : gelu_layer_norm_f32(c->rows, d, x, d, weight, bias, norm->eps, y, d);
}

static gelu_status apply_norm(const struct call *c, const gelu_block_norm *norm, const void *x, void *y) {
    void *weight, *bias = NULL;
    gelu_status status = read_parameter(c, norm->weight, &weight);
    if (!status) status = read_parameter(c, norm->bias, &bias);
    if (!status) {
        status = compute_norm(c, norm, weight, bias, x, y);
        if (status) status = gelu_io_fail(&c->context, status, 0, "the norm: %s", gelu_status_string(status));
    }
    free(weight);
    free(bias);
    return status;
}

/* In place or not: y = a + b. */
static void add(const struct call *c, const void *a, const void *b, void *y) {
    size_t n = c->rows * c->block->d_model;
    for (size_t i = 0; i < n; i++) put(c, y, i, get(c, a, i) + get(c, b, i));
}

static bool is_modulated(const struct call *c) {
    return c->block->form == GELU_BLOCK_MODULATED || c->block->form == GELU_BLOCK_FUSED;
}

static void modulate(const struct call *c) {
    size_t d = c->block->d_model;
    for (size_t i = 0; i < c->rows * d; i++) {
        double scale = rounded(c, 1 + get(c, c->extras.scale, i % d));
        double scaled = rounded(c, scale * get(c, c->normed, i));
        put(c, c->normed, i, scaled + get(c, c->extras.shift, i % d));
    }
}

static gelu_status enter(const struct call *c) {
    size_t n = c->rows * c->block->d_model;
    bool after = c->block->form == GELU_BLOCK_POST || c->block->form == GELU_BLOCK_RES_POST;
    if (after) {
        if (n > 0) memcpy(c->normed, c->x, n * gelu_dtype_nbytes(c->dtype));
        return GELU_OK;
    }
    gelu_status status = apply_norm(c, &c->block->norm, c->x, c->normed);
    if (!status && is_modulated(c)) modulate(c);
    return status;
}

/* y = A attn + f(...): the rest of the matrix that fc2 is a part of. */
static gelu_status add_attention(const struct call *c) {
    size_t d = c->block->d_model;
    struct model_weights attn;
    gelu_linear *linear = NULL;
    gelu_status status = gelu_model_take(c->model, c->block, &c->block->attn, c->dtype == GELU_F64 ? GELU_F64 : 0,
                                         &attn, c->context.err);
    if (!status) {
        const gelu_epilogue rest = {.residual = c->out, .ldr = d};
        status = gelu_linear_view(d, d, &attn.weights, GELU_COMPUTE_F32, &linear);
        if (!status)
            status = gelu_linear_forward(linear, c->rows, c->dtype, c->extras.attn, d, &rest, c->dtype, c->y, d, NULL);
        if (status) gelu_io_fail(&c->context, status, 0, "%s: %s", c->block->name, gelu_status_string(status));
    }
    gelu_linear_free(linear);
    gelu_model_release(&attn);
    return status;
}

/* y = x + gate result */
static void add_gated(const struct call *c, const void *result) {
    size_t d = c->block->d_model;
    for (size_t i = 0; i < c->rows * d; i++)
        put(c, c->y, i, get(c, c->x, i) + rounded(c, get(c, c->extras.gate, i % d) * get(c, result, i)));
}

static gelu_status leave(const struct call *c) {
    size_t n = c->rows * c->block->d_model;
    gelu_status status = GELU_OK;
    switch (c->block->form) {
    case GELU_BLOCK_POST: add(c, c->x, c->out, c->y); return apply_norm(c, &c->block->norm, c->y, c->y);
    case GELU_BLOCK_SANDWICH:
    case GELU_BLOCK_RES_POST:
        status =
            apply_norm(c, c->block->form == GELU_BLOCK_SANDWICH ? &c->block->norm2 : &c->block->norm, c->out, c->y);
        add(c, c->x, c->y, c->y);
        return status;
    case GELU_BLOCK_PARALLEL:
        add(c, c->extras.attn, c->out, c->y);
        add(c, c->x, c->y, c->y);
        return GELU_OK;
    case GELU_BLOCK_SCALED:
        for (size_t i = 0; i < n; i++)
            put(c, c->y, i, rounded(c, c->block->alpha * get(c, c->normed, i)) + get(c, c->out, i));
        return GELU_OK;
    case GELU_BLOCK_MODULATED: add_gated(c, c->out); return GELU_OK;
    case GELU_BLOCK_FUSED:
        status = add_attention(c);
        if (!status) add_gated(c, c->y);
        return status;
    default: add(c, c->x, c->out, c->y); return GELU_OK;
    }
}

static gelu_status check_block(const struct call *c) {
    const gelu_model_block *b = c->block;
    const char *lacks = NULL;
    bool fused = b->form == GELU_BLOCK_FUSED;
    if (is_modulated(c) && !c->extras.gate) lacks = "a vector that multiplies its result (gate)";
    if (is_modulated(c) && !c->extras.shift) lacks = "a vector that is added to its norm (shift)";
    if (is_modulated(c) && !c->extras.scale) lacks = "a vector that scales its norm (scale)";
    if (fused && !c->extras.attn) lacks = "attention's heads, side by side, before their last matrix (attn)";
    if (b->form == GELU_BLOCK_PARALLEL && !c->extras.attn) lacks = "what attention made of the same input (attn)";
    if (lacks)
        return gelu_io_fail(&c->context, GELU_ERR_ARGUMENT, 0, "%s: besides its input this block takes %s", b->name,
                            lacks);
    if ((b->norm.weight || is_modulated(c)) && (b->norm2.weight || b->form != GELU_BLOCK_SANDWICH)) return GELU_OK;
    return gelu_io_fail(&c->context, GELU_ERR_MISSING, 0, "%s: the tensors of its norm are not in the checkpoint",
                        b->name);
}

static gelu_status run(struct call *c) {
    size_t d = c->block->d_model, n, nbytes;
    if (!size_mul(c->rows, d, &n) || !size_mul(n, gelu_dtype_nbytes(c->dtype), &nbytes))
        return gelu_io_fail(&c->context, GELU_ERR_OVERFLOW, 0, "too many rows");
    void *normed = malloc(nbytes + 1), *out = malloc(nbytes + 1);
    c->normed = normed;
    c->out = out;
    gelu_status status = normed && out ? enter(c) : gelu_io_fail_memory(&c->context);
    if (!status) {
        status = gelu_ffn_forward(c->ffn, c->rows, c->dtype, normed, d, c->extras.trace, c->dtype, out, d, NULL);
        if (status) gelu_io_fail(&c->context, status, 0, "%s: %s", c->block->name, gelu_status_string(status));
    }
    if (!status) status = leave(c);
    if (!status && c->extras.entered && nbytes) memcpy(c->extras.entered, normed, nbytes);
    if (!status && c->extras.left && nbytes) memcpy(c->extras.left, out, nbytes);
    free(normed);
    free(out);
    return status;
}

gelu_status gelu_block_forward(const gelu_model *model, size_t i, const gelu_ffn *ffn, size_t rows, gelu_dtype dtype,
                               const void *x, const gelu_block_extras *extras, void *y, gelu_error *err) {
    struct call c = {
        .model = model, .ffn = ffn, .dtype = dtype, .rows = rows, .x = x, .y = y, .context = {"model", err}};
    gelu_io_error_clear(err);
    if (!model || !ffn || (rows > 0 && (!x || !y))) return gelu_io_fail_null(&c.context);
    c.context = gelu_model_context(model, err);
    if (dtype != GELU_F32 && dtype != GELU_F64)
        return gelu_io_fail(&c.context, GELU_ERR_DTYPE, 0, "a block computes in f32 or in f64");
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
