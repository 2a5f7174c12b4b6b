/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/json.h"
#include "io/safetensors_internal.h"
#include "model/model.h"

const gelu_safetensors_tensor *gelu_model_tensor(const struct gelu_model *model, const struct model_block *block,
                                                 const char *name, const char *end) {
    char prefix[MODEL_NAME], full[MODEL_NAME];
    if (!name || !gelu_model_word(gelu_families[block->row].prefixes, '|', block->prefix, prefix)) return NULL;
    if (!gelu_model_fill(prefix, &block->numbers, full)) return NULL;
    size_t used = strlen(full);
    int more = snprintf(full + used, sizeof full - used, "%s%s", name, end);
    return more >= 0 && (size_t)more < sizeof full - used ? gelu_safetensors_find(model->st, full) : NULL;
}

static bool fits(const struct gelu_model *model, const struct model_block *block) {
    const struct family *row = &gelu_families[block->row];
    bool absent = row->with && row->with[0] == '!';
    if (row->with && !gelu_model_tensor(model, block, row->with + absent, "") != absent) return false;
    return gelu_model_tensor(model, block, row->out, ".weight") != NULL;
}

static gelu_status add(struct gelu_model *model, const struct model_block *block) {
    struct model_block *grown = gelu_json_grown(model->blocks, model->count, &model->capacity, sizeof *model->blocks);
    if (!grown) return GELU_ERR_MEMORY;
    model->blocks = grown;
    grown[model->count++] = *block;
    return GELU_OK;
}

/* Adds the blocks that are laid out as a row says. */
static gelu_status collect(struct gelu_model *model, size_t r) {
    struct model_block block = {.row = r};
    const gelu_safetensors_tensor *tensor;
    char pattern[MODEL_NAME];
    for (; gelu_model_word(gelu_families[r].prefixes, '|', block.prefix, pattern); block.prefix++) {
        size_t used = strlen(pattern);
        snprintf(pattern + used, sizeof pattern - used, "%s.weight", gelu_families[r].in[0]);
        for (size_t i = 0; (tensor = gelu_safetensors_at(model->st, i)); i++) {
            if (!gelu_model_match(pattern, tensor->name, &block.numbers) || !fits(model, &block)) continue;
            gelu_status status = add(model, &block);
            if (status) return status;
        }
    }
    return GELU_OK;
}

static bool is_candidate(const struct gelu_model *model, const struct family *row) {
    const char *type = gelu_config_type(&model->config);
    if (model->options.family) return strcmp(model->options.family, row->id) == 0;
    return !type || (row->types && gelu_model_has_word(row->types, type));
}

static gelu_status collect_all(struct gelu_model *model, bool any, gelu_error *err) {
    struct io_context context = gelu_model_context(model, err);
    for (size_t r = 0; r < gelu_family_count; r++)
        if ((any || is_candidate(model, &gelu_families[r])) && collect(model, r)) return gelu_io_fail_memory(&context);
    return GELU_OK;
}

/* Keeps the blocks whose norms are there, when some are: families share names of matrices. */
static void prefer_with_norm(struct gelu_model *model) {
    size_t kept = 0;
    for (int pass = 0; pass < 2; pass++) {
        kept = 0;
        for (size_t i = 0; i < model->count; i++) {
            const struct family *row = &gelu_families[model->blocks[i].row];
            bool whole = gelu_model_tensor(model, &model->blocks[i], row->norms[0], ".weight") ||
                         gelu_model_tensor(model, &model->blocks[i], row->norms[0], ".gamma");
            if (row->norms[1] && !gelu_model_tensor(model, &model->blocks[i], row->norms[1], ".weight")) whole = false;
            if (!whole) continue;
            if (pass == 1) model->blocks[kept] = model->blocks[i];
            kept++;
        }
        if (kept == 0) return;
    }
    model->count = kept;
}

static bool is_one_family(const struct gelu_model *model) {
    for (size_t i = 1; i < model->count; i++)
        if (strcmp(gelu_families[model->blocks[i].row].id, gelu_families[model->blocks[0].row].id) != 0) return false;
    return true;
}

/* Names the families of the blocks, each once: "llama, qwen2". */
static void list_families(const struct gelu_model *model, char out[MODEL_NAME]) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < model->count && used < MODEL_NAME - 1; i++) {
        size_t row = model->blocks[i].row;
        if (i > 0 && strcmp(gelu_families[row].id, gelu_families[model->blocks[i - 1].row].id) == 0) continue;
        used += (size_t)snprintf(out + used, MODEL_NAME - used, "%s%s", i ? ", " : "", gelu_families[row].id);
        if (used >= 200) return;
    }
}

/* Nothing fits what the configuration, or a person, says: tell what does. */
static gelu_status refuse(struct gelu_model *model, gelu_error *err) {
    const char *type = gelu_config_type(&model->config), *family = model->options.family;
    bool known = false;
    for (size_t r = 0; r < gelu_family_count; r++) known |= is_candidate(model, &gelu_families[r]);
    gelu_status status = collect_all(model, true, err);
    if (status) return status;
    char like[MODEL_NAME], hint[MODEL_NAME + 96] = "";
    list_families(model, like);
    if (model->count > 0) snprintf(hint, sizeof hint, "; the tensors are named as in: %.200s", like);
    struct io_context context = gelu_model_context(model, err);
    if (family && !known)
        return gelu_io_fail(&context, GELU_ERR_NAME, 0, "the family '%s' is not known%s", gelu_json_shown(family).text,
                            hint);
    if (type && !known)
        return gelu_config_fail(&model->config, GELU_ERR_UNSUPPORTED, NULL, "model_type", err,
                                "the model_type '%s' is not known%s", gelu_json_shown(type).text, hint);
    if (type || family)
        return gelu_io_fail(&context, GELU_ERR_MISSING, 0, "no feed-forward block is named as '%s' has it%s",
                            gelu_json_shown(family ? family : type).text, hint);
    const gelu_safetensors_tensor *first = gelu_safetensors_at(model->st, 0);
    return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0,
                        "no feed-forward block of a family that is known; the first tensor is '%s'",
                        first ? gelu_json_shown(first->name).text : "");
}

static int compare_blocks(const void *a, const void *b) {
    const struct model_block *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->prefix != y->prefix) return x->prefix < y->prefix ? -1 : 1;
    for (size_t i = 0; i < x->numbers.count && i < y->numbers.count; i++)
        if (x->numbers.at[i] != y->numbers.at[i]) return x->numbers.at[i] < y->numbers.at[i] ? -1 : 1;
    return 0;
}

gelu_status gelu_model_recognise(struct gelu_model *model, gelu_error *err) {
    gelu_status status = collect_all(model, false, err);
    if (status) return status;
    if (model->count == 0) return refuse(model, err);
    if (!is_one_family(model)) prefer_with_norm(model);
    if (!is_one_family(model)) {
        char like[MODEL_NAME];
        list_families(model, like);
        struct io_context context = gelu_model_context(model, err);
        return gelu_io_fail(&context, GELU_ERR_UNSUPPORTED, 0,
                            "no config.json says the family, and the tensors fit several: %.200s; it must be given",
                            like);
    }
    qsort(model->blocks, model->count, sizeof *model->blocks, compare_blocks);
    model->family = &gelu_families[model->blocks[0].row];
    return GELU_OK;
}
