/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "io/refused.h"
#include "io/safetensors_internal.h"
#include "model/model.h"

struct io_context gelu_model_context(const struct gelu_model *model, gelu_error *err) {
    const char *path = gelu_safetensors_path(model->st, 0);
    return (struct io_context){path ? path : "", err};
}

gelu_status gelu_model_fail(const struct gelu_model *model, gelu_status status, const gelu_safetensors_tensor *tensor,
                            gelu_error *err, const char *format, ...) {
    char message[320];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const struct io_context context = {gelu_safetensors_path(model->st, tensor->file), err};
    return gelu_io_fail_at(&context, status, ((const struct st_entry *)tensor)->at, "tensor %s", message);
}

/* Where layers share weights, as many blocks as there are layers. */
static gelu_status spread_over_layers(struct gelu_model *model, gelu_error *err) {
    enum { MOST_BLOCKS = 10000 };
    struct io_context context = gelu_model_context(model, err);
    size_t groups = model->blocks[model->count - 1].numbers.at[0] + 1, inner = model->count / groups;
    char key[MODEL_NAME];
    const json_t *value;
    bool whole = inner * groups == model->count;
    for (size_t i = 0; i < model->count && whole; i++)
        whole = model->blocks[i].numbers.at[0] == i / inner && model->blocks[i].numbers.at[1] == i % inner;
    if (!whole) return gelu_io_fail(&context, GELU_ERR_MISSING, 0, "groups of layers are missing");
    gelu_status status = gelu_config_take(&model->config, NULL, "num_hidden_layers", key, &value, err);
    if (status || !value) return status;
    json_int_t layers = json_integer_value(value), most = (json_int_t)(MOST_BLOCKS / inner);
    if (layers < (json_int_t)groups || layers > most)
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, NULL, key, err,
                                "'%s' is no number of layers that share the weights of %zu", key, groups);
    size_t count = (size_t)layers * inner;
    struct model_block *blocks = calloc(count, sizeof *blocks);
    if (!blocks) return gelu_io_fail_memory(&context);
    for (size_t i = 0; i < count; i++) {
        size_t group = i / inner * groups / (size_t)layers;
        size_t first_layer = (group * (size_t)layers + groups - 1) / groups;
        blocks[i] = model->blocks[group * inner + i % inner];
        blocks[i].info.same_as = first_layer * inner + i % inner;
    }
    free(model->blocks);
    model->blocks = blocks;
    model->count = model->capacity = count;
    return GELU_OK;
}

static void name_block(struct gelu_model *model, size_t i) {
    struct model_block *block = &model->blocks[i];
    const char *part = gelu_families[block->row].part;
    char prefix[MODEL_NAME];
    if (!gelu_model_word(gelu_families[block->row].prefixes, '|', block->prefix, prefix) ||
        !gelu_model_fill(prefix, &block->numbers, block->name))
        block->name[0] = '\0';
    size_t used = strlen(block->name);
    if (part)
        snprintf(block->name + used, sizeof block->name - used, "%s", part);
    else if (used > 0)
        block->name[used - 1] = '\0';
    block->info.name = block->name;
}

static gelu_status fill_in(struct gelu_model *model, gelu_error *err) {
    for (size_t i = 0; i < model->count; i++) {
        struct model_block *block = &model->blocks[i];
        const struct model_block *last = i > 0 && model->blocks[i - 1].row == block->row ? &model->blocks[i - 1] : NULL;
        name_block(model, i);
        gelu_status status = gelu_model_describe(model, block, err);
        if (!status && last) {
            block->info.act = last->info.act;
            block->info.act_source = last->info.act_source;
            block->info.against = last->info.against;
        } else if (!status) {
            status = gelu_model_activation(model, &gelu_families[block->row], &block->info, err);
        }
        if (status) return status;
    }
    return GELU_OK;
}

static gelu_status check_options(const gelu_model_options *options, const struct io_context *context) {
    gelu_act known;
    if (options->act && gelu_act_from_name(gelu_act_name(*options->act), &known) != GELU_OK)
        return gelu_io_fail(context, GELU_ERR_ARGUMENT, 0, "an activation that does not exist");
    if (options->order && *options->order != GELU_GATE_FIRST && *options->order != GELU_VALUE_FIRST)
        return gelu_io_fail(context, GELU_ERR_ARGUMENT, 0, "an order of gate and value that does not exist");
    return GELU_OK;
}

gelu_status gelu_model_open(const char *path, const gelu_model_options *options, gelu_model **out, gelu_error *err) {
    struct io_context context = {path ? path : "", err};
    gelu_io_error_clear(err);
    if (!out || !path) return gelu_io_fail_null(&context);
    *out = NULL;
    gelu_status status = options ? check_options(options, &context) : GELU_OK;
    if (status) return status;
    gelu_model *model = calloc(1, sizeof *model);
    if (!model) return gelu_io_fail_memory(&context);
    if (options) model->options = *options;
    status = gelu_safetensors_open(path, NULL, &model->st, err);
    if (!status) status = gelu_config_load(model->st, &model->config, err);
    if (!status) status = gelu_refused_tensors(model->st, err);
    if (!status) status = gelu_model_recognise(model, err);
    for (size_t i = 0; !status && i < model->count; i++) model->blocks[i].info.same_as = i;
    if (!status)
        status = model->family->layers_share ? spread_over_layers(model, err) : gelu_model_check_layers(model, err);
    if (!status) status = fill_in(model, err);
    if (status) {
        gelu_model_close(model);
        return status;
    }
    model->options = (gelu_model_options){0}; /* the caller's, until now */
    *out = model;
    return GELU_OK;
}

void gelu_model_close(gelu_model *model) {
    if (!model) return;
    for (size_t i = 0; i < model->source_count; i++) free(model->sources[i]);
    free(model->sources);
    free(model->blocks);
    gelu_config_free(&model->config);
    gelu_safetensors_close(model->st);
    free(model);
}

const char *gelu_model_family(const gelu_model *model) { return model->family->id; }
const char *gelu_model_family_name(const gelu_model *model) { return model->family->name; }

/* "It is SiLU" is not true of a checkpoint that says otherwise. */
const char *gelu_model_remark(const gelu_model *model) {
    bool differs = model->family->act == GELU_SILU && model->blocks[0].info.act != GELU_SILU;
    return differs ? NULL : model->family->remark;
}
size_t gelu_model_count(const gelu_model *model) { return model->count; }
const gelu_safetensors *gelu_model_checkpoint(const gelu_model *model) { return model->st; }

const gelu_model_block *gelu_model_at(const gelu_model *model, size_t i) {
    return i < model->count ? &model->blocks[i].info : NULL;
}

const char *gelu_model_known_family(size_t i) {
    for (size_t r = 0; r < gelu_family_count; r++) {
        bool again = r > 0 && strcmp(gelu_families[r].id, gelu_families[r - 1].id) == 0;
        if (!again && i-- == 0) return gelu_families[r].id;
    }
    return NULL;
}
