/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* What a block is made of, and whether all of that fits together. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/size.h"
#include "io/json.h"
#include "model/model.h"

#define GATE_METADATA "gelu.gate"

struct shape_text {
    char text[80];
};

static struct shape_text shown(const gelu_safetensors_tensor *tensor) {
    struct shape_text out = {"("};
    size_t used = 1;
    for (size_t i = 0; i < tensor->ndim && used < 50; i++)
        used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%zu", i ? ", " : "", tensor->shape[i]);
    snprintf(out.text + used, sizeof out.text - used, ")");
    return out;
}

static gelu_status bad_shape(const struct gelu_model *model, const gelu_safetensors_tensor *tensor, gelu_error *err,
                             const char *wanted, size_t rows, size_t cols) {
    char shape[64];
    if (cols > 0)
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, cols);
    else
        snprintf(shape, sizeof shape, "(%zu)", rows);
    return gelu_model_fail(model, GELU_ERR_SHAPE, tensor, err, "%s has the shape %s, where %s should be %s",
                           gelu_json_shown(tensor->name).text, shown(tensor).text, wanted, shape);
}

/* A tensor that must be there, of floating-point elements. */
static gelu_status need(const struct gelu_model *model, const struct model_block *block, const char *name,
                        const char *end, const gelu_safetensors_tensor **out, gelu_error *err) {
    *out = gelu_model_tensor(model, block, name, end);
    struct io_context context = gelu_model_context(model, err);
    if (!*out)
        return gelu_io_fail(&context, GELU_ERR_MISSING, 0, "%s: there is no tensor %s%s, which %s has", block->name,
                            name, end, gelu_families[block->row].name);
    if ((*out)->dtype) return GELU_OK;
    return gelu_model_fail(model, GELU_ERR_DTYPE, *out, err, "%s has the type %s, not F32, F16, BF16 or F64",
                           gelu_json_shown((*out)->name).text, gelu_json_shown((*out)->type).text);
}

static gelu_status take_matrix(const struct gelu_model *model, const struct model_block *block, const char *name,
                               gelu_block_matrix *out, gelu_error *err) {
    gelu_status status = need(model, block, name, ".weight", &out->weight, err);
    if (status) return status;
    if (out->weight->ndim != 2)
        return gelu_model_fail(model, GELU_ERR_SHAPE, out->weight, err, "%s has the shape %s, which is no matrix",
                               gelu_json_shown(out->weight->name).text, shown(out->weight).text);
    out->bias = gelu_model_tensor(model, block, name, ".bias");
    return out->bias || gelu_families[block->row].biased ? need(model, block, name, ".bias", &out->bias, err) : GELU_OK;
}

static size_t outputs_of(const gelu_model_block *block, const gelu_block_matrix *m) {
    return m->weight->shape[block->layout == GELU_OUT_IN ? 0 : 1];
}

static size_t inputs_of(const gelu_model_block *block, const gelu_block_matrix *m) {
    return m->weight->shape[block->layout == GELU_OUT_IN ? 1 : 0];
}

static gelu_status check_matrix(const struct gelu_model *model, const gelu_model_block *block,
                                const gelu_block_matrix *m, size_t outputs, size_t inputs, const char *wanted,
                                gelu_error *err) {
    bool out_in = block->layout == GELU_OUT_IN;
    if (outputs_of(block, m) != outputs || inputs_of(block, m) != inputs)
        return bad_shape(model, m->weight, err, wanted, out_in ? outputs : inputs, out_in ? inputs : outputs);
    if (m->bias && (m->bias->ndim != 1 || m->bias->shape[0] != outputs))
        return bad_shape(model, m->bias, err, "the bias", outputs, 0);
    if (!m->bias || m->bias->dtype == m->weight->dtype) return GELU_OK;
    return gelu_model_fail(model, GELU_ERR_DTYPE, m->bias, err, "%s has the type %s, but its weight %s",
                           gelu_json_shown(m->bias->name).text, m->bias->type, m->weight->type);
}

static gelu_status check_size(const struct gelu_model *model, const struct family *row, const char *key, size_t factor,
                              size_t found, const char *what, gelu_error *err) {
    char used[MODEL_NAME];
    const json_t *value = key ? gelu_config_find(&model->config, row->section, key, used) : NULL;
    if (!value || (json_is_integer(value) && json_integer_value(value) == (json_int_t)(found * factor))) return GELU_OK;
    if (!json_is_integer(value))
        return gelu_config_fail(&model->config, GELU_ERR_SHAPE, row->section, used, err, "'%s' is not a whole number",
                                used);
    return gelu_config_fail(&model->config, GELU_ERR_SHAPE, row->section, used, err,
                            "'%s' is %lld, but by the tensors %s is %zu", used, (long long)json_integer_value(value),
                            what, found);
}

/* Tensors first: d_model and d_ff are what they say, and everything else must agree. */
static gelu_status take_matrices(const struct gelu_model *model, struct model_block *block, gelu_error *err) {
    const struct family *row = &gelu_families[block->row];
    gelu_model_block *b = &block->info;
    gelu_status status = take_matrix(model, block, row->in[0], &b->fc1, err);
    if (!status && row->in[1]) status = take_matrix(model, block, row->in[1], &b->up, err);
    if (!status) status = take_matrix(model, block, row->out, &b->fc2, err);
    if (status) return status;
    bool packed = b->gated && b->order != GELU_SEPARATE;
    b->d_model = inputs_of(b, &b->fc1);
    b->fc1.output = row->in_skip * b->d_model;
    b->fc2.input = row->out_skip * b->d_model;
    if (b->form == GELU_BLOCK_FUSED) b->attn.weight = b->fc2.weight;
    size_t outputs = outputs_of(b, &b->fc1), ours = outputs > b->fc1.output ? outputs - b->fc1.output : 0;
    b->d_ff = packed ? ours / 2 : ours;
    if (ours == 0 || b->d_model == 0 || (packed && ours % 2 != 0))
        return gelu_model_fail(model, GELU_ERR_SHAPE, b->fc1.weight, err, "%s has the shape %s, which cannot be",
                               gelu_json_shown(b->fc1.weight->name).text, shown(b->fc1.weight).text);
    status = check_matrix(model, b, &b->fc1, outputs, b->d_model, "fc1", err);
    if (!status && row->in[1]) status = check_matrix(model, b, &b->up, outputs, b->d_model, "the other matrix", err);
    if (!status) status = check_matrix(model, b, &b->fc2, b->d_model, b->fc2.input + b->d_ff, "fc2", err);
    if (!status) status = check_size(model, row, row->width_key, 1, b->d_model, "d_model", err);
    if (!status) status = check_size(model, row, row->ff_key, row->ff_is_sum ? 2 : 1, b->d_ff, "d_ff", err);
    return status;
}

/* A norm that is not in the file is not an error here: the layer works without it. */
static gelu_status take_norm(const struct gelu_model *model, const struct model_block *block, const char *name,
                             gelu_block_norm *out, gelu_error *err) {
    const struct family *row = &gelu_families[block->row];
    char key[MODEL_NAME];
    const json_t *eps = NULL;
    gelu_status status =
        row->eps_key ? gelu_config_take(&model->config, row->section, row->eps_key, key, &eps, err) : GELU_OK;
    if (status) return status;
    if (eps && !(json_is_number(eps) && json_number_value(eps) >= 0))
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, row->section, key, err,
                                "'%s' is not a number that can be the norm's eps", key);
    *out = (gelu_block_norm){row->norm, eps ? json_number_value(eps) : row->eps, row->weight_offset, NULL, NULL};
    out->weight = gelu_model_tensor(model, block, name, ".weight");
    if (!out->weight) out->weight = gelu_model_tensor(model, block, name, ".gamma"); /* old TensorFlow names */
    out->bias = gelu_model_tensor(model, block, name, ".bias");
    if (!out->bias) out->bias = gelu_model_tensor(model, block, name, ".beta");
    const gelu_safetensors_tensor *both[] = {out->weight, out->bias};
    for (int i = 0; i < 2; i++) {
        if (!both[i]) continue;
        if (both[i]->ndim != 1 || both[i]->shape[0] != block->info.d_model)
            return bad_shape(model, both[i], err, "the norm", block->info.d_model, 0);
        if (!both[i]->dtype)
            return gelu_model_fail(model, GELU_ERR_DTYPE, both[i], err, "%s has the type %s",
                                   gelu_json_shown(both[i]->name).text, gelu_json_shown(both[i]->type).text);
    }
    return GELU_OK;
}

/* Which of two matrices, or halves, in the order of their names, is the gate's. */
static gelu_status take_order(const struct gelu_model *model, struct model_block *block, gelu_error *err) {
    static const char *const words[] = {"first", "second"};
    const struct family *row = &gelu_families[block->row];
    struct io_context context = gelu_model_context(model, err);
    const char *said = gelu_safetensors_metadata(model->st, 0, GATE_METADATA);
    bool second = row->gating == VALUE_THEN_GATE || row->gating == PACKED_VALUE_FIRST;
    block->info.gated = row->gating != PLAIN;
    if (model->options.order) {
        if (row->gating == PLAIN)
            return gelu_io_fail(&context, GELU_ERR_NAME, 0, "%s has no gate, so its order cannot be given", row->name);
        bool given = *model->options.order == GELU_VALUE_FIRST;
        if (given != second) block->info.against = second ? "the gate is the second" : "the gate is the first";
        second = given;
    } else if (said && (row->gating == PLAIN || strcmp(said, words[second]) != 0)) {
        return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0, "the metadata's '%s' is '%s', but in %s it is %s",
                            GATE_METADATA, gelu_json_shown(said).text, row->name,
                            row->gating == PLAIN ? "nothing" : words[second]);
    }
    if (row->gating == PACKED_GATE_FIRST || row->gating == PACKED_VALUE_FIRST)
        block->info.order = second ? GELU_VALUE_FIRST : GELU_GATE_FIRST;
    gelu_status status = take_matrices(model, block, err);
    if (status || !row->in[1] || !second) return status;
    gelu_block_matrix first = block->info.fc1;
    block->info.fc1 = block->info.up;
    block->info.up = first;
    return GELU_OK;
}

/* Whether the configuration has key=value: as gelu_config_says, but null is refused. */
static gelu_status says(const struct gelu_model *model, const struct family *row, const char *pair,
                        char key[MODEL_NAME], int *out, gelu_error *err) {
    const json_t *value;
    char found[MODEL_NAME];
    gelu_status status = GELU_OK;
    if (gelu_model_word(pair, '=', 0, key))
        status = gelu_config_take(&model->config, row->section, key, found, &value, err);
    *out = gelu_config_says(&model->config, row->section, pair);
    return status;
}

static gelu_status check_demands(const struct gelu_model *model, const struct family *row, gelu_error *err) {
    char pair[MODEL_NAME], key[MODEL_NAME];
    for (size_t i = 0; row->demands && gelu_model_word(row->demands, ' ', i, pair); i++) {
        int said;
        gelu_status status = says(model, row, pair, key, &said, err);
        if (status) return status;
        if (said == 0)
            return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, row->section, key, err,
                                    "'%s' is not as in %s: only %s is supported", key, row->name, pair);
    }
    return GELU_OK;
}

static uint64_t count_parameters(const gelu_model_block *b) {
    uint64_t d_model = b->d_model, d_ff = b->d_ff, steps = b->gated ? 3 : 2;
    const gelu_block_norm *norms[] = {&b->norm, &b->norm2};
    uint64_t count = steps * d_model * d_ff;
    if (b->fc1.bias) count += (steps - 1) * d_ff;
    if (b->fc2.bias) count += d_model;
    for (int i = 0; i < 2; i++) {
        if (norms[i]->weight) count += d_model;
        if (norms[i]->bias) count += d_model;
    }
    return count;
}

static gelu_status take_alpha(const struct gelu_model *model, const struct family *row, double *alpha,
                              gelu_error *err) {
    enum { USUAL_LAYERS = 28 }; /* of ChatGLM-6B */
    char key[MODEL_NAME];
    const json_t *layers;
    gelu_status status = gelu_config_take(&model->config, row->section, row->alpha_key, key, &layers, err);
    if (status) return status;
    json_int_t count = layers ? json_integer_value(layers) : USUAL_LAYERS;
    if (count < 1)
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, row->section, key, err,
                                "'%s' is no number of layers", key);
    *alpha = sqrt(2 * (double)count);
    return GELU_OK;
}

gelu_status gelu_model_describe(const struct gelu_model *model, struct model_block *block, gelu_error *err) {
    const struct family *row = &gelu_families[block->row];
    gelu_model_block *b = &block->info;
    b->layout = row->in_out ? GELU_IN_OUT : GELU_OUT_IN;
    b->form = row->form;
    char key[MODEL_NAME];
    int sequential = 0;
    gelu_status status = row->sequential_if ? says(model, row, row->sequential_if, key, &sequential, err) : GELU_OK;
    if (sequential == 1) b->form = GELU_BLOCK_PRE;
    if (!status) status = check_demands(model, row, err);
    if (!status) status = take_order(model, block, err);
    if (!status) status = take_norm(model, block, row->norms[0], &b->norm, err);
    if (!status && row->norms[1]) status = take_norm(model, block, row->norms[1], &b->norm2, err);
    if (!status && b->form == GELU_BLOCK_SCALED) status = take_alpha(model, row, &b->alpha, err);
    b->parameters = count_parameters(b);
    return status;
}
