/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Which activation a checkpoint really has: what somebody says, what is written, what the family's code does. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/json.h"
#include "model/model.h"

#define ACT_METADATA "gelu.activation"

/* A string that the model keeps; NULL when memory is out. */
static const char *keep(struct gelu_model *model, const char *format, ...) {
    char **grown =
        gelu_json_grown(model->sources, model->source_count, &model->source_capacity, sizeof *model->sources);
    if (!grown) return NULL;
    model->sources = grown;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    if (text) grown[model->source_count++] = text;
    return text;
}

/* What a value of the configuration means in this family. Where a layer is gated, T5 spells that out in the value. */
static bool meaning(const struct family *row, const char *value, gelu_act *act) {
    char pair[MODEL_NAME], word[MODEL_NAME];
    for (size_t i = 0; row->act_words && gelu_model_word(row->act_words, ' ', i, pair); i++)
        if (gelu_model_word(pair, '=', 0, word) && strcmp(word, value) == 0)
            return gelu_model_word(pair, '=', 1, word) && gelu_act_from_name(word, act) == GELU_OK;
    bool spelt_out = row->act_is_needed;
    return (spelt_out ? gelu_glu_from_name(value, act) : gelu_act_from_name(value, act)) == GELU_OK;
}

static gelu_status from_config(struct gelu_model *model, const struct family *row, gelu_act *act, const char **source,
                               gelu_error *err) {
    char key[MODEL_NAME];
    const json_t *value;
    gelu_status status = gelu_config_take(&model->config, row->section, row->act_keys, key, &value, err);
    if (status || !value) return status;
    const char *word = gelu_config_word(value);
    if (!word || !meaning(row, word, act))
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, row->section, key, err,
                                "'%s' says '%s', which is no activation that %s takes; an activation can be given", key,
                                gelu_json_shown(word ? word : "something else").text, row->name);
    *source = keep(model, "%s says \"%s\": \"%s\"", model->config.path, key, word);
    return *source ? GELU_OK : GELU_ERR_MEMORY;
}

/* Some timm checkpoints of these rows were trained with CLIP's activation, which only their name tells. */
static bool is_timm_quick(const struct gelu_model *model, const struct family *row) {
    const char *architecture = json_string_value(json_object_get(model->config.root, "architecture"));
    return !row->types && architecture && strstr(architecture, "quickgelu");
}

/* What gelu convert left in a file: it must say what everything else says. */
static gelu_status from_metadata(struct gelu_model *model, gelu_act *act, const char **source, gelu_error *err) {
    const char *name = gelu_safetensors_metadata(model->st, 0, ACT_METADATA);
    gelu_act said;
    if (!name) return GELU_OK;
    struct io_context context = gelu_model_context(model, err);
    if (gelu_act_from_name(name, &said) != GELU_OK)
        return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0, "the metadata's '%s' is '%s', which is no activation",
                            ACT_METADATA, gelu_json_shown(name).text);
    if (*source && said != *act)
        return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0,
                            "the metadata's '%s' is '%s', but the activation is %s: %s", ACT_METADATA,
                            gelu_act_name(said), gelu_act_name(*act), *source);
    *act = said;
    if (!*source) *source = "the file's metadata, " ACT_METADATA;
    return GELU_OK;
}

/* The code of some families fixes it, whatever somebody says. */
static gelu_status from_options(struct gelu_model *model, const struct family *row, gelu_model_block *block,
                                gelu_error *err) {
    struct io_context context = gelu_model_context(model, err);
    block->act = *model->options.act;
    block->act_source = "given, whatever the checkpoint says";
    if (row->act_keys || is_timm_quick(model, row) || block->act == row->act) return GELU_OK;
    block->against = keep(model, "the activation is %s", gelu_act_name(row->act));
    return block->against ? GELU_OK : gelu_io_fail_memory(&context);
}

gelu_status gelu_model_activation(struct gelu_model *model, const struct family *row, gelu_model_block *block,
                                  gelu_error *err) {
    gelu_act *act = &block->act;
    const char **source = &block->act_source;
    gelu_status status = GELU_OK;
    *source = NULL;
    if (model->options.act) return from_options(model, row, block, err);
    if (is_timm_quick(model, row)) {
        *act = GELU_QUICK;
        *source = keep(model, "%s: the architecture is called quickgelu", model->config.path);
        if (!*source) status = GELU_ERR_MEMORY;
    } else if (!row->act_keys) {
        *act = row->act;
        *source = "fixed in the family's code";
    } else {
        status = from_config(model, row, act, source, err);
    }
    if (!status) status = from_metadata(model, act, source, err);
    struct io_context context = gelu_model_context(model, err);
    if (!status && !*source && !row->act_is_needed && (model->config.root || model->options.family)) {
        *act = row->act;
        *source = keep(model, "what the family's code takes when \"%s\" is not in a config.json", row->act_keys);
        if (!*source) status = GELU_ERR_MEMORY;
    }
    if (status == GELU_ERR_MEMORY) return gelu_io_fail_memory(&context);
    if (status || *source) return status;
    return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0,
                        "%s: the activation is not written anywhere (\"%s\" in a config.json); it must be given",
                        row->name, row->act_keys);
}
