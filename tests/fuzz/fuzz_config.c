/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "fuzz.h"
#include "io/refused.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gelu_error err = {GELU_OK, 0, ""};
    const struct io_context context = {"input", &err};
    const char *text = (const char *)data;
    json_t *root;
    gelu_status status = gelu_json_load(&context, "bad config", 32, text, size, &root);
    FUZZ_CHECK((status == GELU_OK) == (root != NULL));
    fuzz_check_error(status, &err, size);
    if (status) return 0;
    status = gelu_refused_config(&context, text, size, root);
    fuzz_check_error(status, &err, size);
    FUZZ_CHECK(status == GELU_OK || data[err.offset] == '"');
    json_decref(root);
    return 0;
}

static const char *const words[] = {"model_type",
                                    "bert",
                                    "mixtral",
                                    "qwen2_moe",
                                    "hidden_act",
                                    "gelu",
                                    "gelu_new",
                                    "intermediate_size",
                                    "layer_norm_eps",
                                    "architectures",
                                    "quantization_config",
                                    "compression_config",
                                    "quant_method",
                                    "gptq",
                                    "load_in_8bit",
                                    "load_in_4bit",
                                    "num_local_experts",
                                    "num_experts",
                                    "n_routed_experts",
                                    "text_config",
                                    "vision_config",
                                    "llm_config",
                                    "ffn_config",
                                    "\"quantization_config\":{\"quant_method\":\"awq\"},",
                                    "\"text_config\":{\"num_experts\":8},",
                                    "\"model_type\":\"dbrx\",",
                                    NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t state = seed;
    return fuzz_mutate_text((char *)data, size, max_size, words, &state);
}
