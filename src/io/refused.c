/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include <string.h>
#include "io/refused.h"
#include "io/safetensors_internal.h"

#define EXPERTS "a mixture of experts"

static bool ends_in(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

/* What a tensor gives away, in words; NULL for nothing. */
static const char *betrayed_by(const gelu_safetensors_tensor *tensor) {
    static const struct {
        const char *end, *kind;
    } ends[] = {
        {".g_idx", "quantised by GPTQ"},
        {".SCB", "quantised to int8 by bitsandbytes"},
        {".weight_format", "quantised to int8 by bitsandbytes"},
        {"bitsandbytes__nf4", "quantised to 4 bits by bitsandbytes"},
        {"bitsandbytes__fp4", "quantised to 4 bits by bitsandbytes"},
        {".absmax", "quantised to 4 bits by bitsandbytes"},
        {".weight_scale_inv", "quantised to FP8"},
        {".weight_scale", "quantised, with a scale beside each weight (FP8 or int8)"},
        {".weight_packed", "quantised and packed by compressed-tensors"},
        {".qzeros", "quantised by AWQ or GPTQ"},
        {".qweight", "quantised by AWQ or GPTQ"},
    };
    static const char *const experts[] = {".experts.", ".block_sparse_moe.", ".mlp.router.", ".moe."};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_in(tensor->name, ends[i].end)) return ends[i].kind;
    for (size_t i = 0; i < sizeof experts / sizeof experts[0]; i++)
        if (strstr(tensor->name, experts[i])) return EXPERTS;
    if (strncmp(tensor->type, "F8_", 3) == 0) return "quantised to FP8";
    if (strncmp(tensor->type, "F6_", 3) == 0 || strcmp(tensor->type, "F4") == 0) return "quantised to 4 or 6 bits";
    bool eight = strcmp(tensor->type, "I8") == 0 || strcmp(tensor->type, "U8") == 0;
    return eight && ends_in(tensor->name, ".weight") ? "quantised to int8" : NULL;
}

gelu_status gelu_refused_tensors(const gelu_safetensors *st, gelu_error *err) {
    const gelu_safetensors_tensor *tensor, *found = NULL;
    const char *kind = NULL;
    gelu_io_error_clear(err);
    for (size_t i = 0; (tensor = gelu_safetensors_at(st, i)); i++) {
        const char *now = betrayed_by(tensor);
        if (!now) continue;
        bool gptq = ends_in(tensor->name, ".g_idx"); /* says more than the .qweight beside it */
        if (!found || gptq) {
            found = tensor;
            kind = now;
        }
        if (gptq) break;
    }
    if (!found) return GELU_OK;
    struct io_context context = {gelu_safetensors_path(st, found->file), err};
    return gelu_io_fail_at(&context, GELU_ERR_UNSUPPORTED, ((const struct st_entry *)found)->at,
                           "tensor '%s' (%s): this checkpoint is %s, which is not supported",
                           gelu_json_shown(found->name).text, gelu_json_shown(found->type).text, kind);
}

/* The member of a configuration that is being judged. */
struct judged {
    const struct io_context *context;
    const char *text;
    size_t nbytes;
    const char *member; /* of the whole document */
};

static gelu_status refuse(const struct judged *j, const char *key, const char *what, const char *detail) {
    const char *separator = *detail ? ": " : "";
    return gelu_io_fail_at(j->context, GELU_ERR_UNSUPPORTED,
                           gelu_json_place(j->context, j->text, j->nbytes, j->member ? j->member : key),
                           "'%s' says that this checkpoint is %s%s%s, which is not supported", key, what, separator,
                           gelu_json_shown(detail).text);
}

static gelu_status judge_quantisation(const struct judged *j, const json_t *config) {
    static const char *const keys[] = {"quantization_config", "compression_config"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *found = json_object_get(config, keys[i]);
        if (!found || json_is_null(found)) continue;
        const char *method = json_string_value(json_object_get(found, "quant_method"));
        if (json_is_true(json_object_get(found, "load_in_8bit"))) method = "int8 by bitsandbytes";
        if (json_is_true(json_object_get(found, "load_in_4bit"))) method = "4 bits by bitsandbytes";
        return refuse(j, keys[i], "quantised", method ? method : "");
    }
    return GELU_OK;
}

static bool is_expert_type(const char *type) {
    static const char *const types[] = {
        "mixtral", "dbrx",   "switch_transformers", "jamba", "deepseek_v2", "deepseek_v3", "llama4", "gpt_oss",
        "arctic",  "minimax"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i]) == 0) return true;
    return strstr(type, "moe") != NULL;
}

static gelu_status judge_experts(const struct judged *j, const json_t *config) {
    static const char *const counts[] = {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts",
                                         "num_moe_experts"};
    const char *type = json_string_value(json_object_get(config, "model_type"));
    if (type && is_expert_type(type)) return refuse(j, "model_type", EXPERTS, type);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (json_integer_value(json_object_get(config, counts[i])) > 1) return refuse(j, counts[i], EXPERTS, "");
    return GELU_OK;
}

gelu_status gelu_refused_config(const struct io_context *context, const char *text, size_t nbytes, const json_t *root) {
    static const char *const nested[] = {NULL, "text_config", "vision_config", "llm_config", "ffn_config"};
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++) {
        struct judged j = {context, text, nbytes, nested[i]};
        const json_t *config = nested[i] ? json_object_get(root, nested[i]) : root;
        gelu_status status = judge_quantisation(&j, config);
        if (!status) status = judge_experts(&j, config);
        if (status) return status;
    }
    return GELU_OK;
}
