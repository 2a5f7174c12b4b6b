/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 The libgelu authors */

#include "model/family.h"

#define NOT_GELU(who)                                                                                                  \
    who " is often said to use GELU. It does not: its feed-forward layer is SwiGLU, whose activation is SiLU."

/* What rows have in common. */
#define SIZES .width_key = "hidden_size", .ff_key = "intermediate_size"
#define HIDDEN_ACT .act_keys = "hidden_act", SIZES
#define LAYER_NORM(norm_name, norm_eps) .norm = GELU_NORM_LAYER, .norms = {norm_name}, .eps = norm_eps
#define RMS_NORM(norm_name, norm_eps) .norm = GELU_NORM_RMS, .norms = {norm_name}, .eps = norm_eps
#define SWIGLU_LLAMA                                                                                                   \
    .in = {"mlp.gate_proj", "mlp.up_proj"}, .out = "mlp.down_proj", .gating = GATE_THEN_VALUE, SIZES,                  \
    .eps_key = "rms_norm_eps"
#define SWIGLU_PACKED                                                                                                  \
    .in = {"mlp.gate_up_proj"}, .out = "mlp.down_proj", .gating = PACKED_GATE_FIRST, HIDDEN_ACT, .act = GELU_SILU,     \
    .eps_key = "rms_norm_eps"
#define BERT_LIKE .in = {"intermediate.dense"}, .out = "output.dense", .act = GELU_ERF, .biased = true
#define FC1_FC2 .in = {"mlp.fc1"}, .out = "mlp.fc2", .biased = true
#define C_FC_C_PROJ .in = {"mlp.c_fc"}, .out = "mlp.c_proj", .biased = true
#define MODULATED .biased = true, .act = GELU_TANH, LAYER_NORM(NULL, 1e-6)
#define UNFUSED MODULATED, .form = GELU_BLOCK_MODULATED
#define FLUX "flux", "Flux.1 (diffusers)", "FluxTransformer2DModel"
#define FLUX_BFL "flux-bfl", "Flux.1 (Black Forest Labs' names)", NULL
#define SD3 "sd3", "Stable Diffusion 3 (diffusers)", "SD3Transformer2DModel"

/* Without "model." where the file is of the model alone, without a head. */
#define LAYERS "model.layers.#.|layers.#."

const struct family gelu_families[] = {
    {"transformer", "Transformer (torch.nn.TransformerEncoderLayer)", "transformer",
     "encoder.layers.#.|transformer.encoder.layers.#.|transformer_encoder.layers.#.|layers.#.", .in = {"linear1"},
     .out = "linear2", .act_keys = "activation", .act = GELU_RELU, .biased = true, .with = "!norm3.weight",
     LAYER_NORM("norm2", 1e-5), .eps_key = "layer_norm_eps", .demands = "norm_first=false", .form = GELU_BLOCK_POST,
     .layers_keys = "num_encoder_layers num_layers"},
    {"transformer", "Transformer (torch.nn.TransformerDecoderLayer)", "transformer",
     "decoder.layers.#.|transformer.decoder.layers.#.|transformer_decoder.layers.#.|layers.#.", .in = {"linear1"},
     .out = "linear2", .act_keys = "activation", .act = GELU_RELU, .biased = true, .with = "norm3.weight",
     LAYER_NORM("norm3", 1e-5), .eps_key = "layer_norm_eps", .demands = "norm_first=false", .form = GELU_BLOCK_POST,
     .layers_keys = "num_decoder_layers num_layers"},

    {"bert", "BERT (also RoBERTa, MiniLM)", "bert roberta xlm-roberta",
     "bert.encoder.layer.#.|roberta.encoder.layer.#.|encoder.layer.#.", BERT_LIKE, HIDDEN_ACT,
     LAYER_NORM("output.LayerNorm", 1e-12), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_POST,
     .layers_keys = "num_hidden_layers"},
    {"distilbert", "DistilBERT", "distilbert", "distilbert.transformer.layer.#.|transformer.layer.#.",
     .in = {"ffn.lin1"}, .out = "ffn.lin2", .act_keys = "activation", .act = GELU_ERF, .width_key = "dim",
     .ff_key = "hidden_dim", .biased = true, LAYER_NORM("output_layer_norm", 1e-12), .form = GELU_BLOCK_POST,
     .layers_keys = "n_layers num_hidden_layers"},
    {"albert", "ALBERT", "albert",
     "albert.encoder.albert_layer_groups.#.albert_layers.#.|encoder.albert_layer_groups.#.albert_layers.#.",
     .in = {"ffn"}, .out = "ffn_output", .biased = true, HIDDEN_ACT, .act = GELU_TANH, .layers_share = true,
     LAYER_NORM("full_layer_layer_norm", 1e-12), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_POST},

    {"gpt1", "GPT (the first)", "openai-gpt", "transformer.h.#.|h.#.", C_FC_C_PROJ, .in_out = true, .act_keys = "afn",
     .act_words = "gelu=tanh", .act = GELU_TANH, .width_key = "n_embd", LAYER_NORM("ln_2", 1e-5),
     .eps_key = "layer_norm_epsilon", .form = GELU_BLOCK_POST, .layers_keys = "n_layer num_hidden_layers",
     .remark = "Its configuration says \"gelu\", but its code computes the tanh form."},
    {"gpt2", "GPT-2", "gpt2", "transformer.h.#.|h.#.", C_FC_C_PROJ, .in_out = true, .act_keys = "activation_function",
     .act = GELU_TANH, .width_key = "n_embd", .ff_key = "n_inner", LAYER_NORM("ln_2", 1e-5),
     .eps_key = "layer_norm_epsilon", .form = GELU_BLOCK_PRE, .layers_keys = "n_layer num_hidden_layers"},
    {"neox", "GPT-NeoX (also Pythia)", "gpt_neox", "gpt_neox.layers.#.|layers.#.", .in = {"mlp.dense_h_to_4h"},
     .out = "mlp.dense_4h_to_h", .biased = true, HIDDEN_ACT, .act = GELU_ERF,
     LAYER_NORM("post_attention_layernorm", 1e-5), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_PARALLEL,
     .layers_keys = "num_hidden_layers", .sequential_if = "use_parallel_residual=false"},

    {"llama", "LLaMA", "llama", LAYERS, SWIGLU_LLAMA, .act_keys = "hidden_act", .act = GELU_SILU,
     RMS_NORM("post_attention_layernorm", 1e-6), .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers",
     .remark = NOT_GELU("LLaMA")},
    {"llama-meta", "LLaMA (Meta's names)", NULL, "layers.#.", .in = {"feed_forward.w1", "feed_forward.w3"},
     .out = "feed_forward.w2", .gating = GATE_THEN_VALUE, .act = GELU_SILU, RMS_NORM("ffn_norm", 1e-5),
     .eps_key = "norm_eps", .width_key = "dim", .form = GELU_BLOCK_PRE, .layers_keys = "n_layers",
     .remark = NOT_GELU("LLaMA")},
    {"qwen", "Qwen (the first)", "qwen", "transformer.h.#.", .in = {"mlp.w1", "mlp.w2"}, .out = "mlp.c_proj",
     .gating = VALUE_THEN_GATE, .act = GELU_SILU, .width_key = "hidden_size", .ff_key = "intermediate_size",
     .ff_is_sum = true, RMS_NORM("ln_2", 1e-6), .eps_key = "layer_norm_epsilon", .form = GELU_BLOCK_PRE,
     .layers_keys = "num_hidden_layers", .remark = NOT_GELU("Qwen")},
    {"qwen2", "Qwen 2 and 3", "qwen2 qwen3", LAYERS, SWIGLU_LLAMA, .act_keys = "hidden_act", .act = GELU_SILU,
     RMS_NORM("post_attention_layernorm", 1e-6), .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers",
     .remark = NOT_GELU("Qwen")},

    {"chatglm", "ChatGLM-6B", "chatglm", "transformer.layers.#.", .in = {"mlp.dense_h_to_4h"},
     .out = "mlp.dense_4h_to_h", .biased = true, .act = GELU_TANH, .width_key = "hidden_size",
     .ff_key = "inner_hidden_size", LAYER_NORM("post_attention_layernorm", 1e-5), .eps_key = "layernorm_epsilon",
     .form = GELU_BLOCK_SCALED, .layers_keys = "num_layers", .alpha_key = "num_layers",
     .remark = "The class of its feed-forward layer is called GLU, but nothing in it is gated."},
    {"chatglm2", "ChatGLM2, ChatGLM3 and GLM-4 (remote code)", "chatglm", "transformer.encoder.layers.#.",
     .in = {"mlp.dense_h_to_4h"}, .out = "mlp.dense_4h_to_h", .gating = PACKED_GATE_FIRST, .act = GELU_SILU,
     .width_key = "hidden_size", .ff_key = "ffn_hidden_size", RMS_NORM("post_attention_layernorm", 1e-5),
     .eps_key = "layernorm_epsilon", .demands = "rmsnorm=true apply_residual_connection_post_layernorm=false",
     .form = GELU_BLOCK_PRE, .layers_keys = "num_layers", .remark = NOT_GELU("ChatGLM since its second version")},
    {"glm", "GLM-4 (9B)", "glm", LAYERS, SWIGLU_PACKED, RMS_NORM("post_attention_layernorm", 1.5625e-7),
     .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers", .remark = NOT_GELU("GLM-4")},
    {"glm4", "GLM-4 (0414)", "glm4", LAYERS, SWIGLU_PACKED, .norm = GELU_NORM_RMS,
     .norms = {"post_attention_layernorm", "post_mlp_layernorm"}, .eps = 1e-5, .form = GELU_BLOCK_SANDWICH,
     .layers_keys = "num_hidden_layers", .remark = NOT_GELU("GLM-4")},

    {"gemma", "Gemma (the first)", "gemma", LAYERS, SWIGLU_LLAMA, .act_keys = "hidden_activation hidden_act",
     .act_words = "gelu=tanh", .act = GELU_TANH, RMS_NORM("post_attention_layernorm", 1e-6), .weight_offset = 1,
     .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers"},
    {"gemma2", "Gemma 2 and 3", "gemma2 gemma3_text", LAYERS, SWIGLU_LLAMA, .act_keys = "hidden_activation hidden_act",
     .act = GELU_TANH, .norm = GELU_NORM_RMS, .norms = {"pre_feedforward_layernorm", "post_feedforward_layernorm"},
     .eps = 1e-6, .weight_offset = 1, .form = GELU_BLOCK_SANDWICH, .layers_keys = "num_hidden_layers"},
    {"phi", "Phi 1, 1.5 and 2", "phi", LAYERS, FC1_FC2, HIDDEN_ACT, .act = GELU_TANH,
     LAYER_NORM("input_layernorm", 1e-5), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_PARALLEL,
     .layers_keys = "num_hidden_layers n_layer"},
    {"phi3", "Phi 3 and 4", "phi3", LAYERS, SWIGLU_PACKED, RMS_NORM("post_attention_layernorm", 1e-5),
     .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers", .remark = NOT_GELU("Phi since its third version")},

    {"t5", "T5 1.0", "t5 mt5", "encoder.block.#.layer.1.|decoder.block.#.layer.2.", .in = {"DenseReluDense.wi"},
     .out = "DenseReluDense.wo", .act_keys = "feed_forward_proj", .act = GELU_RELU, .width_key = "d_model",
     .ff_key = "d_ff", RMS_NORM("layer_norm", 1e-6), .eps_key = "layer_norm_epsilon", .form = GELU_BLOCK_PRE,
     .layers_keys = "num_layers|num_decoder_layers num_layers"},
    {"t5-1.1", "T5 1.1 (also Flan-T5)", "t5 mt5", "encoder.block.#.layer.1.|decoder.block.#.layer.2.",
     .in = {"DenseReluDense.wi_0", "DenseReluDense.wi_1"}, .out = "DenseReluDense.wo", .gating = GATE_THEN_VALUE,
     .act_keys = "feed_forward_proj", .act_is_needed = true, .width_key = "d_model", .ff_key = "d_ff",
     RMS_NORM("layer_norm", 1e-6), .eps_key = "layer_norm_epsilon", .form = GELU_BLOCK_PRE,
     .layers_keys = "num_layers|num_decoder_layers num_layers", .remark = "\"gated-gelu\" here means the tanh form."},

    {"vit", "ViT (also DeiT)", "vit deit", "vit.encoder.layer.#.|deit.encoder.layer.#.|encoder.layer.#.", BERT_LIKE,
     HIDDEN_ACT, LAYER_NORM("layernorm_after", 1e-12), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_PRE,
     .layers_keys = "num_hidden_layers"},
    {"vit-timm", "ViT and DeiT (timm)", NULL, "blocks.#.", FC1_FC2, .act = GELU_ERF, LAYER_NORM("norm2", 1e-6),
     .with = "!ls2.gamma", .form = GELU_BLOCK_PRE},
    {"swin", "Swin", "swin", "swin.encoder.layers.#.blocks.#.|encoder.layers.#.blocks.#.", BERT_LIKE,
     .act_keys = "hidden_act", LAYER_NORM("layernorm_after", 1e-5), .eps_key = "layer_norm_eps", .form = GELU_BLOCK_PRE,
     .layers_keys = "depths"},
    {"swinv2", "SwinV2", "swinv2", "swinv2.encoder.layers.#.blocks.#.|encoder.layers.#.blocks.#.", BERT_LIKE,
     .act_keys = "hidden_act", LAYER_NORM("layernorm_after", 1e-5), .eps_key = "layer_norm_eps",
     .form = GELU_BLOCK_RES_POST, .layers_keys = "depths"},
    {"swin-ms", "Swin (Microsoft's and timm's names)", NULL, "layers.#.blocks.#.", FC1_FC2, .act = GELU_ERF,
     LAYER_NORM("norm2", 1e-5), .with = "!attn.logit_scale", .form = GELU_BLOCK_PRE},
    {"swinv2-ms", "SwinV2 (Microsoft's and timm's names)", NULL, "layers.#.blocks.#.", FC1_FC2, .act = GELU_ERF,
     LAYER_NORM("norm2", 1e-5), .with = "attn.logit_scale", .form = GELU_BLOCK_RES_POST},

    {"clip", "CLIP", "clip clip_text_model", "text_model.encoder.layers.#.", FC1_FC2, .section = "text_config",
     HIDDEN_ACT, .act = GELU_QUICK, LAYER_NORM("layer_norm2", 1e-5), .eps_key = "layer_norm_eps",
     .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers"},
    {"clip", "CLIP", "clip clip_vision_model", "vision_model.encoder.layers.#.", FC1_FC2, .section = "vision_config",
     HIDDEN_ACT, .act = GELU_QUICK, LAYER_NORM("layer_norm2", 1e-5), .eps_key = "layer_norm_eps",
     .form = GELU_BLOCK_PRE, .layers_keys = "num_hidden_layers"},
    {"clip-openai", "CLIP (OpenAI's and open_clip's names)", NULL,
     "visual.transformer.resblocks.#.|transformer.resblocks.#.", C_FC_C_PROJ, .section = "model_cfg",
     .act_keys = "quick_gelu", .act_words = "true=quick false=erf", .act = GELU_ERF, LAYER_NORM("ln_2", 1e-5),
     .form = GELU_BLOCK_PRE,
     .remark = "OpenAI's own weights need the quick form; open_clip's need erf, but for those called quickgelu."},

    {FLUX, "transformer_blocks.#.", "ff", {"ff.net.0.proj"}, "ff.net.2", UNFUSED, .layers_keys = "num_layers"},
    {FLUX,
     "transformer_blocks.#.",
     "ff_context",
     {"ff_context.net.0.proj"},
     "ff_context.net.2",
     UNFUSED,
     .layers_keys = "num_layers"},
    {FLUX,
     "single_transformer_blocks.#.",
     NULL,
     {"proj_mlp"},
     "proj_out",
     MODULATED,
     .out_skip = 1,
     .layers_keys = "num_single_layers",
     .form = GELU_BLOCK_FUSED},
    {FLUX_BFL,
     "double_blocks.#.|model.diffusion_model.double_blocks.#.",
     "img_mlp",
     {"img_mlp.0"},
     "img_mlp.2",
     UNFUSED},
    {FLUX_BFL,
     "double_blocks.#.|model.diffusion_model.double_blocks.#.",
     "txt_mlp",
     {"txt_mlp.0"},
     "txt_mlp.2",
     UNFUSED},
    {FLUX_BFL,
     "single_blocks.#.|model.diffusion_model.single_blocks.#.",
     NULL,
     {"linear1"},
     "linear2",
     MODULATED,
     .in_skip = 3,
     .out_skip = 1,
     .form = GELU_BLOCK_FUSED},
    {SD3, "transformer_blocks.#.", "ff", {"ff.net.0.proj"}, "ff.net.2", UNFUSED, .layers_keys = "num_layers"},
    {SD3,
     "transformer_blocks.#.",
     "ff_context",
     {"ff_context.net.0.proj"},
     "ff_context.net.2",
     UNFUSED,
     .layers_keys = "num_layers",
     .last_is_bare = true},
    {"sd3-mmdit",
     "Stable Diffusion 3 (original names)",
     NULL,
     "joint_blocks.#.x_block.|joint_blocks.#.context_block.|model.diffusion_model.joint_blocks.#.x_block.|"
     "model.diffusion_model.joint_blocks.#.context_block.",
     NULL,
     {"mlp.fc1"},
     "mlp.fc2",
     UNFUSED},
    {"sd", "Stable Diffusion 1.5 and XL (diffusers)", "UNet2DConditionModel",
     "down_blocks.#.attentions.#.transformer_blocks.#.|mid_block.attentions.#.transformer_blocks.#.|"
     "up_blocks.#.attentions.#.transformer_blocks.#.",
     .in = {"ff.net.0.proj"}, .out = "ff.net.2", .gating = PACKED_VALUE_FIRST, .act = GELU_ERF, .biased = true,
     LAYER_NORM("norm3", 1e-5), .form = GELU_BLOCK_PRE, .numbers_skip = true},
    {"sd-ldm", "Stable Diffusion 1.5 and XL (original names)", NULL,
     "model.diffusion_model.input_blocks.#.1.transformer_blocks.#.|"
     "model.diffusion_model.middle_block.1.transformer_blocks.#.|"
     "model.diffusion_model.output_blocks.#.1.transformer_blocks.#.",
     .in = {"ff.net.0.proj"}, .out = "ff.net.2", .gating = PACKED_VALUE_FIRST, .act = GELU_ERF, .biased = true,
     LAYER_NORM("norm3", 1e-5), .form = GELU_BLOCK_PRE, .numbers_skip = true},

    {"whisper", "Whisper", "whisper",
     "model.encoder.layers.#.|model.decoder.layers.#.|encoder.layers.#.|decoder.layers.#.", .in = {"fc1"}, .out = "fc2",
     .biased = true, .act_keys = "activation_function", .act = GELU_ERF, .width_key = "d_model",
     LAYER_NORM("final_layer_norm", 1e-5), .form = GELU_BLOCK_PRE,
     .layers_keys = "encoder_layers|decoder_layers|encoder_layers|decoder_layers"},
    {"whisper-openai", "Whisper (OpenAI's names)", NULL, "encoder.blocks.#.|decoder.blocks.#.", .in = {"mlp.0"},
     .out = "mlp.2", .biased = true, .act = GELU_ERF, LAYER_NORM("mlp_ln", 1e-5), .form = GELU_BLOCK_PRE},
};

const size_t gelu_family_count = sizeof gelu_families / sizeof gelu_families[0];
