/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Whether all layers are there: a block that is taken for its neighbour computes with the wrong weights. */
#include <stdio.h>
#include <string.h>
#include "io/json.h"
#include "io/safetensors_internal.h"
#include "model/model.h"

/* Why layers may be missing: one file of several, opened alone, is named like this. */
static const char *hint(const struct gelu_model *model) {
    const char *path = gelu_safetensors_path(model->st, 0), *slash = path ? strrchr(path, '/') : NULL;
    bool shard = path && model->st->file_count == 1 && strstr(slash ? slash : path, "-of-");
    return shard ? "; this file is one shard of several: open their folder or their index" : "";
}

static void name_layer(const struct model_block *block, char out[MODEL_NAME]) {
    char prefix[MODEL_NAME];
    if (!gelu_model_word(gelu_families[block->row].prefixes, '|', block->prefix, prefix) ||
        !gelu_model_fill(prefix, &block->numbers, out))
        out[0] = '\0';
    size_t used = strlen(out);
    if (used > 0) out[used - 1] = '\0';
}

static bool is_same_stack(const struct model_block *a, const struct model_block *b) {
    return a->row == b->row && a->prefix == b->prefix;
}

/* Whether block's numbers are the next ones behind last's, or, where last is NULL, the first. */
static bool is_next(const struct model_block *last, const struct model_block *block) {
    const size_t *at = block->numbers.at;
    bool skips = gelu_families[block->row].numbers_skip;
    size_t level = 0;
    if (last) {
        while (level + 1 < block->numbers.count && at[level] == last->numbers.at[level]) level++;
        if (at[level] != last->numbers.at[level] + 1 && !(level == 0 && skips)) return false;
        level++;
    } else if (skips) {
        level++;
    }
    for (; level < block->numbers.count; level++)
        if (at[level] != 0) return false;
    return true;
}

static gelu_status check_gaps(const struct gelu_model *model, gelu_error *err) {
    struct io_context context = gelu_model_context(model, err);
    for (size_t i = 0; i < model->count; i++) {
        const struct model_block *block = &model->blocks[i], *last = i > 0 ? block - 1 : NULL;
        if (last && !is_same_stack(last, block)) last = NULL;
        if (is_next(last, block)) continue;
        char name[MODEL_NAME], before[MODEL_NAME];
        name_layer(block, name);
        if (!last)
            return gelu_io_fail(&context, GELU_ERR_MISSING, 0, "layers are missing: %s is the first, not number 0%s",
                                gelu_json_shown(name).text, hint(model));
        name_layer(last, before);
        return gelu_io_fail(&context, GELU_ERR_MISSING, 0, "layers are missing: %s follows %s%s",
                            gelu_json_shown(name).text, gelu_json_shown(before).text, hint(model));
    }
    return GELU_OK;
}

/* A count of layers against that of count blocks, which begin with first. */
static gelu_status check_count(const struct gelu_model *model, const struct model_block *first, size_t count,
                               const char *key, const json_t *value, gelu_error *err) {
    const struct family *row = &gelu_families[first->row];
    json_int_t said = json_integer_value(value), found = (json_int_t)count;
    if (!json_is_integer(value))
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, row->section, key, err,
                                "'%s' is no number of layers", key);
    if (said == found || (row->last_is_bare && said == found + 1)) return GELU_OK;
    char name[MODEL_NAME];
    name_layer(first, name);
    return gelu_config_fail(&model->config, GELU_ERR_MISSING, row->section, key, err,
                            "'%s' says %lld, but the number of layers, beginning with %s, is %zu%s", key,
                            (long long)said, gelu_json_shown(name).text, count, hint(model));
}

/* Those of one prefix. */
static gelu_status check_stack(const struct gelu_model *model, const struct model_block *blocks, size_t count,
                               gelu_error *err) {
    const struct family *row = &gelu_families[blocks->row];
    char keys[MODEL_NAME], key[MODEL_NAME];
    if (!row->layers_keys) return GELU_OK;
    if (!gelu_model_word(row->layers_keys, '|', blocks->prefix, keys) &&
        !gelu_model_word(row->layers_keys, '|', 0, keys))
        return GELU_OK;
    const json_t *value = gelu_config_find(&model->config, row->section, keys, key);
    if (!value) return GELU_OK;
    if (blocks->numbers.count == 1) return check_count(model, blocks, count, key, value, err);
    /* One count for each first number. */
    size_t stages = blocks[count - 1].numbers.at[0] + 1, i = 0;
    if (json_array_size(value) != stages)
        return gelu_config_fail(&model->config, GELU_ERR_MISSING, row->section, key, err,
                                "'%s' is of %zu stages, but the tensors are of %zu%s", key, json_array_size(value),
                                stages, hint(model));
    for (size_t stage = 0; stage < stages; stage++) {
        size_t first = i;
        while (i < count && blocks[i].numbers.at[0] == stage) i++;
        gelu_status status = check_count(model, &blocks[first], i - first, key, json_array_get(value, stage), err);
        if (status) return status;
    }
    return GELU_OK;
}

gelu_status gelu_model_check_layers(const struct gelu_model *model, gelu_error *err) {
    gelu_status status = check_gaps(model, err);
    for (size_t i = 0, next; i < model->count && !status; i = next) {
        for (next = i + 1; next < model->count && is_same_stack(&model->blocks[i], &model->blocks[next]);) next++;
        status = check_stack(model, &model->blocks[i], next - i, err);
    }
    return status;
}
