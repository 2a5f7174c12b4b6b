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
    char header[4096] = "{", list[2048], *rest;
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

static void numbers_in_names(void **state) {
    (void)state;
    put("h.10.mlp.c_fc.weight:3,5 h.10.mlp.c_fc.bias:5 h.10.mlp.c_proj.weight:5,3 h.10.mlp.c_proj.bias:3 "
        "h.9.mlp.c_fc.weight:3,5 h.9.mlp.c_fc.bias:5 h.9.mlp.c_proj.weight:5,3 h.9.mlp.c_proj.bias:3 "
        "h.07.mlp.c_fc.weight:3,5 h.x.mlp.c_fc.weight:3,5 h..mlp.c_fc.weight:3,5 h.1234567890.mlp.c_fc.weight:3,5",
        NULL, "{\"model_type\": \"gpt2\"}");
    gelu_model *model = opened(NULL);
    assert_int_equal(gelu_model_count(model), 2);
    assert_string_equal(gelu_model_at(model, 0)->name, "h.9");
    assert_string_equal(gelu_model_at(model, 1)->name, "h.10");
    gelu_model_close(model);
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
    put(ALBERT, NULL, "{\"model_type\": \"albert\"}");
    gelu_model *model = opened(NULL);
    assert_int_equal(gelu_model_count(model), 1);
    gelu_model_close(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unknown),      cmocka_unit_test(contradictory),
                                       cmocka_unit_test(sizes),        cmocka_unit_test(missing),
                                       cmocka_unit_test(files),        cmocka_unit_test(overrides),
                                       cmocka_unit_test(metadata),     cmocka_unit_test(numbers_in_names),
                                       cmocka_unit_test(shared_layers)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder_with_files);
}
