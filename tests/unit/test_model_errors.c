/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

/* Checkpoints that are unknown, incomplete or contradict themselves: each is refused, naming file, place and reason; and
 * what can be said against what is written. */

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>
#include "unit/folder.h"
#include "unit/st_bytes.h"

/* tensors is "name:ROWS,COLS name:COUNT ...", F32, or I32 where a name has @ before it; config NULL: none. */
static void put(const char *tensors, const char *metadata, const char *config) {
    char header[8192] = "{", list[4096], *rest;
    size_t used = 1, at = 0;
    if (metadata) used += (size_t)snprintf(header + used, sizeof header - used, "\"__metadata__\":{%s},", metadata);
    snprintf(list, sizeof list, "%s", tensors);
    for (char *one = strtok_r(list, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        unsigned long rows = 1, cols = 1;
        char *shape = strchr(one, ':');
        bool integer = *one == '@';
        assert_non_null(shape);
        *shape++ = '\0';
        assert_true(sscanf(shape, "%lu,%lu", &rows, &cols) >= 1);
        size_t nbytes = 4 * rows * cols;
        used += (size_t)snprintf(header + used, sizeof header - used,
                                 "\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]},", one + integer,
                                 integer ? "I32" : "F32", shape, at, at + nbytes);
        at += nbytes;
    }
    assert_true(used < sizeof header);
    header[used - 1] = '}';
    float values[2048] = {0};
    assert_true(at <= sizeof values);
    struct st_bytes made = st_make(header, values, at);
    write_bytes(in_folder("model.safetensors"), made.bytes, made.nbytes);
    free(made.bytes);
    unlink(in_folder("config.json"));
    if (config) write_text(in_folder("config.json"), config);
}

static void refused(const gelu_model_options *options, gelu_status status, const char *text) {
    gelu_error err;
    gelu_model *model = (gelu_model *)1;
    gelu_status got = gelu_model_open(folder, options, &model, &err);
    assert_null(model);
    if (got != status || !strstr(err.message, text) || !strstr(err.message, folder))
        fail_msg("%s, not %s with '%s': %s", gelu_status_string(got), gelu_status_string(status), text, err.message);
    assert_int_equal(err.status, status);
}

static gelu_model *opened(const gelu_model_options *options) {
    gelu_error err;
    gelu_model *model;
    if (gelu_model_open(folder, options, &model, &err) != GELU_OK) fail_msg("%s", err.message);
    assert_int_equal(err.status, GELU_OK);
    return model;
}

#define P "encoder.layer.0."
#define BERT                                                                                                           \
    P "intermediate.dense.weight:5,3 " P "intermediate.dense.bias:5 " P "output.dense.weight:3,5 " P                   \
      "output.dense.bias:3"
#define BERT_NORM " " P "output.LayerNorm.weight:3 " P "output.LayerNorm.bias:3"
#define BERT_CONFIG "{\"model_type\": \"bert\", \"hidden_act\": \"gelu\"}"
#define L "model.layers.0."
#define LLAMA L "mlp.gate_proj.weight:5,3 " L "mlp.up_proj.weight:5,3 " L "mlp.down_proj.weight:3,5"
#define LLAMA_NORM " " L "post_attention_layernorm.weight:3"

static void unknown(void **state) {
    (void)state;
    put(LLAMA LLAMA_NORM, NULL, "{\"hidden_act\": \"silu\", \"model_type\": \"eagle\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED,
            "config.json: at byte 23: the model_type 'eagle' is not known; the tensors are");
    refused(NULL, GELU_ERR_UNSUPPORTED, "llama, qwen2, gemma");
    put("a.b:2,2", NULL, NULL);
    refused(NULL, GELU_ERR_UNSUPPORTED, "the first tensor is 'a.b'");
    put(BERT, NULL, BERT_CONFIG);
    refused(&(gelu_model_options){.family = "bart"}, GELU_ERR_NAME, "the family 'bart' is not known");
    refused(&(gelu_model_options){.family = "gpt2"}, GELU_ERR_MISSING, "named as 'gpt2' has it");
    put("a.b:2,2", NULL, "{\"model_type\": \"eagle\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "the model_type 'eagle' is not known");
}

static void contradictory(void **state) {
    (void)state;
    put(LLAMA LLAMA_NORM, NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_MISSING,
            "no feed-forward block is named as 'bert' has it; the tensors are named as in: llama");
    put(LLAMA LLAMA_NORM, NULL, NULL);
    refused(NULL, GELU_ERR_UNSUPPORTED, "fit several: llama, qwen2, gemma; it must be given");
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"hidden_act\": \"gelu_10\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "config.json: at byte 23: 'hidden_act' says 'gelu_10'");
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"hidden_act\": 3}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'hidden_act' says 'something else'");
    put(BERT BERT_NORM, NULL, NULL);
    refused(NULL, GELU_ERR_UNSUPPORTED, "the activation is not written anywhere (\"hidden_act\"");
    put("encoder.block.0.layer.1.DenseReluDense.wi_0.weight:5,3 encoder.block.0.layer.1.DenseReluDense.wi_1.weight:5,3 "
        "encoder.block.0.layer.1.DenseReluDense.wo.weight:3,5",
        NULL, "{\"model_type\": \"t5\", \"feed_forward_proj\": \"relu\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'feed_forward_proj' says 'relu', which is no activation that T5 1.1");
    put("encoder.block.0.layer.1.DenseReluDense.wi.weight:5,3 encoder.block.0.layer.1.DenseReluDense.wo.weight:3,5",
        NULL, "{\"model_type\": \"t5\", \"feed_forward_proj\": \"gated-gelu\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'feed_forward_proj' says 'gated-gelu', which is no activation that T5 1.0");
    put("transformer.encoder.layers.0.mlp.dense_h_to_4h.weight:8,3 "
        "transformer.encoder.layers.0.mlp.dense_4h_to_h.weight:3,4",
        NULL, "{\"model_type\": \"chatglm\", \"rmsnorm\": false}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "only rmsnorm=true is supported");
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"layer_norm_eps\": \"small\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'layer_norm_eps' is not a number");
}

static void sizes(void **state) {
    (void)state;
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"hidden_size\": 4}");
    refused(NULL, GELU_ERR_SHAPE, "config.json: at byte 23: 'hidden_size' is 4, but by the tensors d_model is 3");
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"intermediate_size\": 10}");
    refused(NULL, GELU_ERR_SHAPE, "'intermediate_size' is 10, but by the tensors d_ff is 5");
    put(P "intermediate.dense.weight:5,3 " P "intermediate.dense.bias:5 " P "output.dense.weight:5,3 " P
          "output.dense.bias:3",
        NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_SHAPE, "output.dense.weight has the shape (5, 3), where fc2 should be (3, 5)");
    put(P "intermediate.dense.weight:15 " P "intermediate.dense.bias:5 " P "output.dense.weight:3,5 " P
          "output.dense.bias:3",
        NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_SHAPE, "intermediate.dense.weight has the shape (15), which is no matrix");
    put(P "intermediate.dense.weight:5,3 " P "intermediate.dense.bias:4 " P "output.dense.weight:3,5 " P
          "output.dense.bias:3",
        NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_SHAPE, "intermediate.dense.bias has the shape (4), where the bias should be (5)");
    put(BERT " " P "output.LayerNorm.weight:5 " P "output.LayerNorm.bias:5", NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_SHAPE, "output.LayerNorm.weight has the shape (5), where the norm should be (3)");
    put(L "mlp.gate_up_proj.weight:9,3 " L "mlp.down_proj.weight:3,4", NULL, "{\"model_type\": \"phi3\"}");
    refused(NULL, GELU_ERR_SHAPE, "gate_up_proj.weight has the shape (9, 3), which cannot be");
    /* GPT-2's matrices as torch.nn.Linear would have them: the shapes fit each other, but not the norm. */
    put("h.0.mlp.c_fc.weight:5,3 h.0.mlp.c_fc.bias:5 h.0.mlp.c_proj.weight:3,5 h.0.mlp.c_proj.bias:3 h.0.ln_2.weight:3",
        NULL, "{\"model_type\": \"gpt2\"}");
    refused(NULL, GELU_ERR_SHAPE, "h.0.mlp.c_fc.bias has the shape (5), where the bias should be (3)");
    /* Qwen's configuration counts gate and value together. */
    put("transformer.h.0.mlp.w1.weight:5,3 transformer.h.0.mlp.w2.weight:5,3 transformer.h.0.mlp.c_proj.weight:3,5",
        NULL, "{\"model_type\": \"qwen\", \"intermediate_size\": 5}");
    refused(NULL, GELU_ERR_SHAPE, "'intermediate_size' is 5, but by the tensors d_ff is 5");
}

static void missing(void **state) {
    (void)state;
    put(P "intermediate.dense.weight:5,3 " P "output.dense.weight:3,5 " P "output.dense.bias:3", NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_MISSING, "encoder.layer.0: there is no tensor intermediate.dense.bias");
    put(L "mlp.gate_proj.weight:5,3 " L "mlp.down_proj.weight:3,5" LLAMA_NORM, NULL, "{\"model_type\": \"llama\"}");
    refused(NULL, GELU_ERR_MISSING, "model.layers.0: there is no tensor mlp.up_proj.weight");
    put("@" BERT, NULL, BERT_CONFIG);
    refused(NULL, GELU_ERR_DTYPE, "intermediate.dense.weight has the type I32");
    /* Without its norm the layer works, but not the block. */
    put(BERT, NULL, BERT_CONFIG);
    gelu_model *model = opened(NULL);
    gelu_ffn *ffn;
    gelu_error err;
    float x[3] = {1, 2, 3}, y[3];
    assert_int_equal(gelu_model_ffn(model, 0, 0, &ffn, &err), GELU_OK);
    assert_int_equal(gelu_block_forward(model, 0, ffn, 1, GELU_F32, x, NULL, y, &err), GELU_ERR_MISSING);
    assert_non_null(strstr(err.message, "encoder.layer.0: the tensors of its norm"));
    gelu_ffn *none = ffn;
    assert_int_equal(gelu_model_ffn(model, 0, GELU_F16, &none, &err), GELU_ERR_DTYPE);
    assert_null(none);
    none = ffn;
    assert_int_equal(gelu_model_ffn(model, 1, 0, &none, &err), GELU_ERR_ARGUMENT);
    assert_null(none);
    assert_int_equal(gelu_block_forward(model, 1, ffn, 1, GELU_F32, x, NULL, y, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_block_forward(model, 0, NULL, 1, GELU_F32, x, NULL, y, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_block_forward(NULL, 0, ffn, 1, GELU_F32, x, NULL, y, NULL), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_block_forward(model, 0, ffn, 1, GELU_BF16, x, NULL, y, &err), GELU_ERR_DTYPE);
    gelu_ffn_free(ffn);
    gelu_model_close(model);
    gelu_model_close(NULL);
}

static void files(void **state) {
    (void)state;
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\",}");
    refused(NULL, GELU_ERR_HEADER, "config.json: at byte ");
    put(BERT BERT_NORM, NULL, "[1]");
    refused(NULL, GELU_ERR_HEADER, "config.json: at byte 0: bad configuration");
    put(BERT BERT_NORM, NULL, "");
    refused(NULL, GELU_ERR_HEADER, "config.json");
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"qwen2_moe\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "mixture of experts");
    put("x.qweight:2,2", NULL, NULL);
    refused(NULL, GELU_ERR_UNSUPPORTED, "quantised");
    gelu_error err;
    gelu_model *model;
    assert_int_equal(gelu_model_open("/nonexistent", NULL, &model, &err), GELU_ERR_IO);
    assert_int_equal(gelu_model_open(NULL, NULL, &model, &err), GELU_ERR_ARGUMENT);
    assert_int_equal(gelu_model_open(folder, NULL, NULL, NULL), GELU_ERR_ARGUMENT);
}

static void overrides(void **state) {
    (void)state;
    gelu_act quick = GELU_QUICK, odd = (gelu_act)99;
    gelu_gate_order second = GELU_VALUE_FIRST, none = GELU_SEPARATE;
    put(BERT BERT_NORM, NULL, NULL);
    gelu_model *model = opened(&(gelu_model_options){.act = &quick});
    assert_int_equal(gelu_model_at(model, 0)->act, GELU_QUICK);
    gelu_model_close(model);
    model = opened(&(gelu_model_options){.family = "bert"});
    assert_int_equal(gelu_model_at(model, 0)->act, GELU_ERF);
    assert_int_equal(gelu_model_at(model, 0)->parameters, 2 * 15 + 5 + 3 + 6);
    gelu_model_close(model);
    refused(&(gelu_model_options){.act = &quick, .order = &second}, GELU_ERR_NAME, "has no gate");
    refused(&(gelu_model_options){.act = &odd}, GELU_ERR_ARGUMENT, "activation");
    refused(&(gelu_model_options){.order = &none}, GELU_ERR_ARGUMENT, "order");
    put(LLAMA LLAMA_NORM, NULL, NULL);
    model = opened(&(gelu_model_options){.family = "llama", .order = &second});
    assert_string_equal(gelu_model_at(model, 0)->fc1.weight->name, L "mlp.up_proj.weight");
    assert_string_equal(gelu_model_at(model, 0)->up.weight->name, L "mlp.gate_proj.weight");
    assert_string_equal(gelu_model_at(model, 0)->against, "the gate is the first");
    gelu_model_close(model);
    second = GELU_GATE_FIRST;
    model = opened(&(gelu_model_options){.family = "llama", .order = &second});
    assert_null(gelu_model_at(model, 0)->against);
    gelu_model_close(model);
}

static void metadata(void **state) {
    (void)state;
    put(BERT BERT_NORM, "\"gelu.activation\":\"tanh\"", NULL);
    gelu_model *model = opened(NULL);
    assert_int_equal(gelu_model_at(model, 0)->act, GELU_TANH);
    gelu_model_close(model);
    put(BERT BERT_NORM, "\"gelu.activation\":\"erf\"", BERT_CONFIG);
    gelu_model_close(opened(NULL));
    put(BERT BERT_NORM, "\"gelu.activation\":\"tanh\"", BERT_CONFIG);
    refused(NULL, GELU_ERR_UNSUPPORTED, "'gelu.activation' is 'tanh', but the activation is erf");
    put(BERT BERT_NORM, "\"gelu.activation\":\"gelu9\"", BERT_CONFIG);
    refused(NULL, GELU_ERR_UNSUPPORTED, "'gelu9', which is no activation");
    put(LLAMA LLAMA_NORM, "\"gelu.gate\":\"second\"", "{\"model_type\": \"llama\"}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'gelu.gate' is 'second', but in LLaMA it is first");
    put(LLAMA LLAMA_NORM, "\"gelu.gate\":\"first\"", "{\"model_type\": \"llama\"}");
    gelu_model_close(opened(NULL));
    put(BERT BERT_NORM, "\"gelu.gate\":\"first\"", BERT_CONFIG);
    refused(NULL, GELU_ERR_UNSUPPORTED, "in BERT (also RoBERTa, MiniLM) it is nothing");
}

#define LAYER_OF_GPT2 "h.%d.mlp.c_fc.weight:3,5 h.%d.mlp.c_fc.bias:5 h.%d.mlp.c_proj.weight:5,3 h.%d.mlp.c_proj.bias:3"

static void numbers_in_names(void **state) {
    (void)state;
    char tensors[4096];
    size_t used = 0;
    for (int i = 10; i >= 0; i--)
        used += (size_t)snprintf(tensors + used, sizeof tensors - used, LAYER_OF_GPT2 " ", i, i, i, i);
    snprintf(
        tensors + used, sizeof tensors - used,
        "h.07.mlp.c_fc.weight:3,5 h.x.mlp.c_fc.weight:3,5 h..mlp.c_fc.weight:3,5 h.1234567890.mlp.c_fc.weight:3,5");
    put(tensors, NULL, "{\"model_type\": \"gpt2\"}");
    gelu_model *model = opened(NULL);
    assert_int_equal(gelu_model_count(model), 11);
    assert_string_equal(gelu_model_at(model, 9)->name, "h.9");
    assert_string_equal(gelu_model_at(model, 10)->name, "h.10");
    gelu_model_close(model);
}

/* Two layers of GPT-2 with these numbers, and a configuration with this member. */
static void put_gpt2(int first, int second, const char *member) {
    char tensors[512], config[128];
    snprintf(tensors, sizeof tensors, LAYER_OF_GPT2 " " LAYER_OF_GPT2, first, first, first, first, second, second,
             second, second);
    snprintf(config, sizeof config, "{\"model_type\": \"gpt2\"%s}", member);
    put(tensors, NULL, config);
}

static void gaps(void **state) {
    (void)state;
    put_gpt2(0, 2, "");
    refused(NULL, GELU_ERR_MISSING, "layers are missing: h.2 follows h.0");
    put_gpt2(0, 2, ", \"n_layer\": 2");
    refused(NULL, GELU_ERR_MISSING, "layers are missing: h.2 follows h.0");
    put_gpt2(1, 2, "");
    refused(NULL, GELU_ERR_MISSING, "layers are missing: h.1 is the first, not number 0");
#define SWIN(s, b)                                                                                                     \
    "layers." s ".blocks." b ".mlp.fc1.weight:4,3 layers." s ".blocks." b ".mlp.fc1.bias:4 layers." s ".blocks." b     \
    ".mlp.fc2.weight:3,4 layers." s ".blocks." b ".mlp.fc2.bias:3 "
    const gelu_model_options swin = {.family = "swin-ms"};
    put(SWIN("0", "0") SWIN("0", "1") SWIN("1", "0"), NULL, NULL);
    gelu_model_close(opened(&swin));
    put(SWIN("0", "0") SWIN("0", "1") SWIN("1", "1"), NULL, NULL);
    refused(&swin, GELU_ERR_MISSING, "layers.1.blocks.1 follows layers.0.blocks.1");
    put(SWIN("0", "0") SWIN("0", "2") SWIN("1", "0"), NULL, NULL);
    refused(&swin, GELU_ERR_MISSING, "layers.0.blocks.2 follows layers.0.blocks.0");
    put(SWIN("0", "0") SWIN("2", "0"), NULL, NULL);
    refused(&swin, GELU_ERR_MISSING, "layers.2.blocks.0 follows layers.0.blocks.0");
    put(SWIN("0", "1"), NULL, NULL);
    refused(&swin, GELU_ERR_MISSING, "layers.0.blocks.1 is the first, not number 0");
    /* Only some blocks of a UNet have attention, but within one none is left out. */
#define LDM(i, n)                                                                                                      \
    "model.diffusion_model.input_blocks." i ".1.transformer_blocks." n ".ff.net.0.proj.weight:8,3 "                    \
    "model.diffusion_model.input_blocks." i ".1.transformer_blocks." n ".ff.net.0.proj.bias:8 "                        \
    "model.diffusion_model.input_blocks." i ".1.transformer_blocks." n ".ff.net.2.weight:3,4 "                         \
    "model.diffusion_model.input_blocks." i ".1.transformer_blocks." n ".ff.net.2.bias:3 "
    put(LDM("1", "0") LDM("4", "0") LDM("4", "1"), NULL, NULL);
    gelu_model_close(opened(NULL));
    put(LDM("1", "0") LDM("4", "0") LDM("4", "2"), NULL, NULL);
    refused(NULL, GELU_ERR_MISSING, "input_blocks.4.1.transformer_blocks.2 follows");
}

static void counts(void **state) {
    (void)state;
    put_gpt2(0, 1, ", \"n_layer\": 2");
    gelu_model_close(opened(NULL));
    put_gpt2(0, 1, ", \"n_layer\": 12");
    refused(NULL, GELU_ERR_MISSING,
            "config.json: at byte 23: 'n_layer' says 12, but the number of layers, beginning with h.0, is 2");
    put_gpt2(0, 1, ", \"n_layer\": 1");
    refused(NULL, GELU_ERR_MISSING, "'n_layer' says 1, but the number of layers, beginning with h.0, is 2");
    put_gpt2(0, 1, ", \"n_layer\": \"2\"");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'n_layer' is no number of layers");
    put_gpt2(0, 1, ", \"num_hidden_layers\": 3");
    refused(NULL, GELU_ERR_MISSING, "'num_hidden_layers' says 3, but the number of layers, beginning with h.0, is 2");
    /* The decoder may be deeper, have no number of its own, or not be there at all. */
#define T5(side, n, layer)                                                                                             \
    side ".block." n ".layer." layer ".DenseReluDense.wi.weight:5,3 " side ".block." n ".layer." layer                 \
         ".DenseReluDense.wo.weight:3,5 "
    put(T5("encoder", "0", "1") T5("decoder", "0", "2") T5("decoder", "1", "2"), NULL,
        "{\"model_type\": \"t5\", \"num_layers\": 1, \"num_decoder_layers\": 2}");
    gelu_model_close(opened(NULL));
    put(T5("encoder", "0", "1") T5("decoder", "0", "2") T5("decoder", "1", "2"), NULL,
        "{\"model_type\": \"t5\", \"num_layers\": 1, \"num_decoder_layers\": null}");
    refused(NULL, GELU_ERR_MISSING, "'num_layers' says 1, but the number of layers, beginning with decoder.block.0");
    put(T5("encoder", "0", "1"), NULL, "{\"model_type\": \"t5\", \"num_layers\": 1, \"num_decoder_layers\": 2}");
    gelu_model_close(opened(NULL));
#define SWIN_HF(s, b)                                                                                                  \
    "encoder.layers." s ".blocks." b ".intermediate.dense.weight:4,3 encoder.layers." s ".blocks." b                   \
    ".intermediate.dense.bias:4 encoder.layers." s ".blocks." b ".output.dense.weight:3,4 encoder.layers." s           \
    ".blocks." b ".output.dense.bias:3 "
    put(SWIN_HF("0", "0") SWIN_HF("1", "0") SWIN_HF("1", "1"), NULL,
        "{\"model_type\": \"swin\", \"hidden_act\": \"gelu\", \"num_layers\": 2, \"depths\": [1, 2]}");
    gelu_model_close(opened(NULL));
    put(SWIN_HF("0", "0") SWIN_HF("1", "0") SWIN_HF("1", "1"), NULL,
        "{\"model_type\": \"swin\", \"hidden_act\": \"gelu\", \"depths\": [2, 1]}");
    refused(NULL, GELU_ERR_MISSING,
            "'depths' says 2, but the number of layers, beginning with encoder.layers.0.blocks.0");
    put(SWIN_HF("0", "0") SWIN_HF("1", "0") SWIN_HF("1", "1"), NULL,
        "{\"model_type\": \"swin\", \"hidden_act\": \"gelu\", \"depths\": [1, 2, 6]}");
    refused(NULL, GELU_ERR_MISSING, "'depths' is of 3 stages, but the tensors are of 2");
    /* The last block of Stable Diffusion 3 has no layer for the text. */
#define SD3(n, part)                                                                                                   \
    "transformer_blocks." n "." part ".net.0.proj.weight:4,3 transformer_blocks." n "." part                           \
    ".net.0.proj.bias:4 transformer_blocks." n "." part ".net.2.weight:3,4 transformer_blocks." n "." part             \
    ".net.2.bias:3 "
    put(SD3("0", "ff") SD3("1", "ff") SD3("0", "ff_context"), NULL,
        "{\"_class_name\": \"SD3Transformer2DModel\", \"num_layers\": 2}");
    gelu_model_close(opened(NULL));
    put(SD3("0", "ff") SD3("0", "ff_context"), NULL, "{\"_class_name\": \"SD3Transformer2DModel\", \"num_layers\": 2}");
    refused(NULL, GELU_ERR_MISSING,
            "'num_layers' says 2, but the number of layers, beginning with transformer_blocks.0");
}

/* One file of several, opened alone, is told from a checkpoint that contradicts itself. */
static void one_shard(void **state) {
    (void)state;
    put_gpt2(1, 2, "");
    char shard[512];
    snprintf(shard, sizeof shard, "%s", in_folder("model-00002-of-00003.safetensors"));
    assert_int_equal(rename(in_folder("model.safetensors"), shard), 0);
    gelu_model *model;
    gelu_error err;
    assert_int_equal(gelu_model_open(shard, NULL, &model, &err), GELU_ERR_MISSING);
    assert_non_null(strstr(err.message, "h.1 is the first, not number 0; this file is one shard of several"));
    put_gpt2(0, 1, ", \"n_layer\": 6");
    assert_int_equal(rename(in_folder("model.safetensors"), shard), 0);
    assert_int_equal(gelu_model_open(shard, NULL, &model, &err), GELU_ERR_MISSING);
    assert_non_null(
        strstr(err.message, "says 6, but the number of layers, beginning with h.0, is 2; this file is one"));
    assert_int_equal(remove(shard), 0);
}

/* Null is no value, and a default in its place would be a guess. */
static void nulls(void **state) {
    (void)state;
    gelu_act act = GELU_ERF;
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"hidden_act\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "config.json: at byte 23: 'hidden_act' is null");
    gelu_model_close(opened(&(gelu_model_options){.act = &act}));
    put(BERT BERT_NORM, NULL, "{\"model_type\": \"bert\", \"hidden_act\": \"gelu\", \"layer_norm_eps\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "config.json: at byte 45: 'layer_norm_eps' is null");
    put_gpt2(0, 1, ", \"n_inner\": null, \"n_layer\": null"); /* decide nothing: the tensors do */
    gelu_model_close(opened(NULL));
    put(LLAMA LLAMA_NORM, NULL, "{\"model_type\": \"gemma\", \"hidden_activation\": null, \"hidden_act\": \"gelu\"}");
    gelu_model_close(opened(NULL));
    put(LLAMA LLAMA_NORM, NULL, "{\"model_type\": \"gemma\", \"hidden_activation\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'hidden_activation' is null");
    put("transformer.layers.0.mlp.dense_h_to_4h.weight:5,3 transformer.layers.0.mlp.dense_h_to_4h.bias:5 "
        "transformer.layers.0.mlp.dense_4h_to_h.weight:3,5 transformer.layers.0.mlp.dense_4h_to_h.bias:3",
        NULL, "{\"model_type\": \"chatglm\", \"num_layers\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'num_layers' is null");
    put("layers.0.mlp.dense_h_to_4h.weight:5,3 layers.0.mlp.dense_h_to_4h.bias:5 "
        "layers.0.mlp.dense_4h_to_h.weight:3,5 layers.0.mlp.dense_4h_to_h.bias:3",
        NULL, "{\"model_type\": \"gpt_neox\", \"use_parallel_residual\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'use_parallel_residual' is null");
    put("transformer.encoder.layers.0.mlp.dense_h_to_4h.weight:8,3 "
        "transformer.encoder.layers.0.mlp.dense_4h_to_h.weight:3,4",
        NULL, "{\"model_type\": \"chatglm\", \"rmsnorm\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'rmsnorm' is null");
}

static void shared_layers(void **state) {
    (void)state;
#define A "encoder.albert_layer_groups.0.albert_layers.0."
#define ALBERT A "ffn.weight:5,3 " A "ffn.bias:5 " A "ffn_output.weight:3,5 " A "ffn_output.bias:3"
    put(ALBERT, NULL, "{\"model_type\": \"albert\", \"num_hidden_layers\": 0}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'num_hidden_layers' is no number of layers");
    put(ALBERT, NULL, "{\"model_type\": \"albert\", \"num_hidden_layers\": 1000000}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'num_hidden_layers' is no number of layers");
    put("encoder.albert_layer_groups.900000000.albert_layers.0.ffn.weight:5,3 "
        "encoder.albert_layer_groups.900000000.albert_layers.0.ffn_output.weight:3,5",
        NULL, "{\"model_type\": \"albert\", \"num_hidden_layers\": 12}");
    refused(NULL, GELU_ERR_MISSING, "groups of layers are missing");
    put(ALBERT, NULL, "{\"model_type\": \"albert\", \"num_hidden_layers\": null}");
    refused(NULL, GELU_ERR_UNSUPPORTED, "'num_hidden_layers' is null");
    put("encoder.albert_layer_groups.1.albert_layers.0.ffn.weight:5,3 "
        "encoder.albert_layer_groups.1.albert_layers.0.ffn_output.weight:3,5",
        NULL, "{\"model_type\": \"albert\"}");
    refused(NULL, GELU_ERR_MISSING, "groups of layers are missing");
    put(ALBERT, NULL, "{\"model_type\": \"albert\"}");
    gelu_model *model = opened(NULL);
    assert_int_equal(gelu_model_count(model), 1);
    gelu_model_close(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unknown),       cmocka_unit_test(contradictory),
                                       cmocka_unit_test(sizes),         cmocka_unit_test(missing),
                                       cmocka_unit_test(files),         cmocka_unit_test(overrides),
                                       cmocka_unit_test(metadata),      cmocka_unit_test(numbers_in_names),
                                       cmocka_unit_test(shared_layers), cmocka_unit_test(gaps),
                                       cmocka_unit_test(counts),        cmocka_unit_test(one_shard),
                                       cmocka_unit_test(nulls)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder_with_files);
}
