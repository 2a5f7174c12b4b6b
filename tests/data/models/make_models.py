# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Small checkpoints with the tensor names, shapes (scaled down), configuration and types of each model family, and what
their blocks give in float64 by a statement of the family's formula that shares nothing with the library.

usage: python3 make_models.py          writes <case>/{config.json,model.safetensors,want.npy} and cases.tsv here

want.npy is (n, rows, d_model) float64: x, the layer alone on x, the block on x, and then what the block takes besides
(attention's result; scale, shift and gate, the same in each row)."""
import json
import os
import struct

import numpy as np
import torch
import torch.nn.functional as F

D, FF, ROWS = 6, 10, 3
rng = np.random.default_rng(20260101)
here = os.path.dirname(os.path.abspath(__file__))

erf = F.gelu
relu = torch.relu
silu = F.silu


def tanh(x):
    return F.gelu(x, approximate="tanh")


def quick(x):
    return x * torch.sigmoid(1.702 * x)


def numbers(*shape):
    """Multiples of 1/64 below 1, which every type holds exactly."""
    return rng.integers(-64, 64, shape) / 64


def layer_norm(x, w, b, eps):
    return F.layer_norm(x, x.shape[-1:], w, b, eps)


def rms_norm(x, w, eps):
    return w * (x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps))


class Case:
    """Tensors by name; a method makes one and returns it in float64, in the shape that the file has."""

    def __init__(self, name, family, config, dtype="F32"):
        self.name, self.family, self.config, self.dtype = name, family, config, dtype
        self.tensors = {}

    def __call__(self, name, *shape):
        if name not in self.tensors:
            self.tensors[name] = numbers(*shape)
        return torch.from_numpy(self.tensors[name])

    def linear(self, name, inputs, outputs, bias=True):
        return self(name + ".weight", outputs, inputs), (self(name + ".bias", outputs) if bias else None)

    def norm(self, name, weight="weight", bias="bias"):
        return self(f"{name}.{weight}", D), self(f"{name}.{bias}", D)

    def scale(self, name):
        return self(name + ".weight", D)

    def save(self, blocks, layer, act, gate, form, f, block, extras=(), d=D):
        x = torch.from_numpy(rng.integers(-200, 200, (ROWS, d)) / 64)
        want = [x, f(x), block(x)] + [e.expand(ROWS, d) for e in extras]
        folder = os.path.join(here, self.name)
        os.makedirs(folder, exist_ok=True)
        if self.config is not None:
            file = "open_clip_config.json" if "model_cfg" in self.config else "config.json"
            with open(os.path.join(folder, file), "w") as out:
                json.dump(self.config, out, indent=1)
                out.write("\n")
        np.save(os.path.join(folder, "want.npy"), torch.stack(want).numpy().astype(np.float64))
        header, data = {}, b""
        for name, values in self.tensors.items():
            as_f32 = values.astype(np.float32)
            raw = {"F32": as_f32, "F16": as_f32.astype(np.float16),
                   "BF16": (as_f32.view(np.uint32) >> 16).astype(np.uint16)}[self.dtype].tobytes()
            header[name] = {"dtype": self.dtype, "shape": list(values.shape),
                            "data_offsets": [len(data), len(data) + len(raw)]}
            data += raw
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        with open(os.path.join(folder, "model.safetensors"), "wb") as out:
            out.write(struct.pack("<Q", len(text)) + text + data)
        rows.append([self.name, self.family, blocks, layer, act, gate, form])


rows = []


def plain(f, w1, b1, w2, b2):
    return lambda x: F.linear(f(F.linear(x, w1, b1)), w2, b2)


def gated(f, gate, up, down):
    return lambda x: F.linear(f(F.linear(x, gate)) * F.linear(x, up), down)


# The Transformer of 2017 and BERT's kind: norm(x + f(x)).
def post(name, family, config, act, prefix, fc1, fc2, norm, eps, f, ff=FF, **kinds):
    case = Case(name, family, config)
    for n in range(2):
        p = prefix.replace("#", str(n))
        layer = plain(f, *case.linear(p + fc1, D, ff), *case.linear(p + fc2, ff, D))
        w, b = case.norm(p + norm, **kinds)
    case.save(2, 1, act, "plain", "post", layer, lambda x: layer_norm(x + layer(x), w, b, eps))


def pre(name, family, config, act, prefixes, fc1, fc2, norm, eps, f, blocks=2, numbers=(0, 1), dtype="F32", form="pre"):
    case = Case(name, family, config, dtype)
    for prefix in prefixes:
        for n in numbers:
            p = prefix.replace("#", str(n))
            layer = plain(f, *case.linear(p + fc1, D, FF), *case.linear(p + fc2, FF, D))
            w, b = case.norm(p + norm)
    def block(x):
        return x + layer_norm(layer(x), w, b, eps) if form == "res-post" else x + layer(layer_norm(x, w, b, eps))
    case.save(blocks, blocks - 1, act, "plain", form, layer, block)


post("transformer", "transformer", {"model_type": "transformer", "activation": "relu", "num_layers": 2}, "relu",
     "transformer.encoder.layers.#.", "linear1", "linear2", "norm2", 1e-5, relu)
post("transformer-decoder", "transformer", {"model_type": "transformer", "activation": "relu", "num_layers": 2}, "relu",
     "decoder.layers.#.", "linear1", "linear2", "norm3", 1e-5, relu)
bert = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 2,
        "hidden_size": D,
        "intermediate_size": FF, "layer_norm_eps": 1e-12}
names = ("intermediate.dense", "output.dense", "output.LayerNorm")
post("bert", "bert", bert, "erf", "bert.encoder.layer.#.", *names, 1e-12, erf)
post("bert-tanh", "bert", dict(bert, hidden_act="gelu_new"), "tanh", "bert.encoder.layer.#.", *names, 1e-12, tanh,
     weight="gamma", bias="beta")
post("bert-square", "bert", dict(bert, intermediate_size=D), "erf", "bert.encoder.layer.#.", *names, 1e-12, erf, ff=D)
post("minilm", "bert", dict(bert, architectures=["BertModel"]), "erf", "encoder.layer.#.", *names, 1e-12, erf)
post("roberta", "bert", dict(bert, model_type="roberta", layer_norm_eps=1e-5), "erf", "roberta.encoder.layer.#.",
     *names, 1e-5, erf)
post("distilbert", "distilbert", {"model_type": "distilbert", "activation": "gelu", "n_layers": 2, "dim": D,
                                    "hidden_dim": FF}, "erf",
     "distilbert.transformer.layer.#.", "ffn.lin1", "ffn.lin2", "output_layer_norm", 1e-12, erf)

# ALBERT: twelve layers, two groups of weights; layer 7 has those of group 1.
case = Case("albert", "albert", {"model_type": "albert", "hidden_act": "gelu_new", "hidden_size": D,
                                 "intermediate_size": FF, "num_hidden_layers": 12, "num_hidden_groups": 2,
                                 "inner_group_num": 1, "layer_norm_eps": 1e-12})
for n in range(2):
    p = f"albert.encoder.albert_layer_groups.{n}.albert_layers.0."
    albert = plain(tanh, *case.linear(p + "ffn", D, FF), *case.linear(p + "ffn_output", FF, D))
    w, b = case.norm(p + "full_layer_layer_norm")
case.save(12, 7, "tanh", "plain", "post", albert, lambda x: layer_norm(x + albert(x), w, b, 1e-12))


# GPT: y = x W + b, W (in, out).
def gpt(name, family, config, prefix, ff, form):
    case = Case(name, family, config)
    for n in range(2):
        p = prefix.replace("#", str(n))
        w1, b1 = case(p + "mlp.c_fc.weight", D, ff), case(p + "mlp.c_fc.bias", ff)
        w2, b2 = case(p + "mlp.c_proj.weight", ff, D), case(p + "mlp.c_proj.bias", D)
        w, b = case.norm(p + "ln_2")
    def layer(x):
        return tanh(x @ w1 + b1) @ w2 + b2
    def block(x):
        return layer_norm(x + layer(x), w, b, 1e-5) if form == "post" else x + layer(layer_norm(x, w, b, 1e-5))
    case.save(2, 1, "tanh", "plain", form, layer, block)


gpt2 = {"model_type": "gpt2", "activation_function": "gelu_new", "n_embd": D, "n_layer": 2, "n_inner": FF,
        "layer_norm_epsilon": 1e-5}
gpt("gpt1", "gpt1", {"model_type": "openai-gpt", "afn": "gelu", "n_embd": D, "n_layer": 2, "layer_norm_epsilon": 1e-5},
    "transformer.h.#.", 4 * D, "post")
gpt("gpt2", "gpt2", dict(gpt2, n_inner=None), "h.#.", 4 * D, "pre")
gpt("gpt2-square", "gpt2", dict(gpt2, n_inner=D), "transformer.h.#.", D, "pre")


# Attention and the layer side by side.
def parallel(name, family, config, act, f, prefix, fc1, fc2, norm, eps):
    case = Case(name, family, config)
    for n in range(2):
        p = prefix.replace("#", str(n))
        layer = plain(f, *case.linear(p + fc1, D, FF), *case.linear(p + fc2, FF, D))
        w, b = case.norm(p + norm)
    attn = torch.from_numpy(numbers(ROWS, D))
    case.save(2, 1, act, "plain", "parallel", layer, lambda x: x + attn + layer(layer_norm(x, w, b, eps)), [attn])


neox = {"model_type": "gpt_neox", "hidden_act": "gelu", "num_hidden_layers": 2,
        "hidden_size": D, "intermediate_size": FF,
        "layer_norm_eps": 1e-5, "use_parallel_residual": True}
names = ("mlp.dense_h_to_4h", "mlp.dense_4h_to_h", "post_attention_layernorm")
parallel("neox", "neox", neox, "erf", erf, "gpt_neox.layers.#.", *names, 1e-5)
parallel("neox-fast", "neox", dict(neox, hidden_act="gelu_fast"), "tanh", tanh, "gpt_neox.layers.#.", *names, 1e-5)
pre("neox-sequential", "neox", dict(neox, use_parallel_residual=False), "erf", ["gpt_neox.layers.#."], *names, 1e-5, erf)
parallel("phi", "phi", {"model_type": "phi", "hidden_act": "gelu_new", "num_hidden_layers": 2,
        "hidden_size": D, "intermediate_size": FF,
                        "layer_norm_eps": 1e-5}, "tanh", tanh, "model.layers.#.", "mlp.fc1", "mlp.fc2",
         "input_layernorm", 1e-5)


# Two matrices, one of them the gate's; RMSNorm.
def swiglu(name, family, config, prefixes, gate, up, down, norm, eps, f=silu, act="silu", order="first", offset=0,
           norm2=None, dtype="BF16"):
    case = Case(name, family, config, dtype)
    for prefix in prefixes:
        for n in range(2):
            p = prefix.replace("#", str(n))
            layer = gated(f, case.linear(p + gate, D, FF, False)[0], case.linear(p + up, D, FF, False)[0],
                          case.linear(p + down, FF, D, False)[0])
            w = case.scale(p + norm)
            w2 = case.scale(p + norm2) if norm2 else None
    def block(x):
        y = layer(rms_norm(x, offset + w, eps))
        return x + (rms_norm(y, offset + w2, eps) if norm2 else y)
    case.save(2 * len(prefixes), 2 * len(prefixes) - 1, act, order, "sandwich" if norm2 else "pre", layer, block)


llama = {"model_type": "llama", "hidden_act": "silu", "num_hidden_layers": 2, "hidden_size": D,
         "intermediate_size": FF, "rms_norm_eps": 1e-5}
names = (["model.layers.#."], "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
swiglu("llama", "llama", llama, *names, "post_attention_layernorm", 1e-5)
swiglu("llama-meta", "llama-meta", None, ["layers.#."], "feed_forward.w1", "feed_forward.w3", "feed_forward.w2",
       "ffn_norm", 1e-5)
swiglu("qwen", "qwen", {"model_type": "qwen", "hidden_size": D, "num_hidden_layers": 2,
                        "intermediate_size": 2 * FF, "layer_norm_epsilon": 1e-6},
       ["transformer.h.#."], "mlp.w2", "mlp.w1", "mlp.c_proj", "ln_2", 1e-6, order="second")
for kind in ("qwen2", "qwen3"):
    swiglu(kind, "qwen2", dict(llama, model_type=kind, rms_norm_eps=1e-6), *names, "post_attention_layernorm", 1e-6)
swiglu("gemma", "gemma", dict(llama, model_type="gemma", hidden_act="gelu", rms_norm_eps=1e-6), *names,
       "post_attention_layernorm", 1e-6, tanh, "tanh", offset=1)
for kind in ("gemma2", "gemma3_text"):
    config = dict(llama, model_type=kind, hidden_activation="gelu_pytorch_tanh", rms_norm_eps=1e-6)
    del config["hidden_act"]
    swiglu(kind, "gemma2", config, *names, "pre_feedforward_layernorm", 1e-6, tanh, "tanh", offset=1,
           norm2="post_feedforward_layernorm")
t5 = {"model_type": "t5", "num_layers": 2, "num_decoder_layers": 2, "d_model": D, "d_ff": FF, "layer_norm_epsilon": 1e-6,
      "feed_forward_proj": "gated-gelu"}
swiglu("t5-1.1", "t5-1.1", t5, ["encoder.block.#.layer.1.", "decoder.block.#.layer.2."], "DenseReluDense.wi_0",
       "DenseReluDense.wi_1", "DenseReluDense.wo", "layer_norm", 1e-6, tanh, "tanh", dtype="F32")
case = Case("t5", "t5", dict(t5, num_layers=1, num_decoder_layers=None, feed_forward_proj="relu"))
for p in ("encoder.block.0.layer.1.", "decoder.block.0.layer.2."):
    t5_layer = plain(relu, *case.linear(p + "DenseReluDense.wi", D, FF, False),
                     *case.linear(p + "DenseReluDense.wo", FF, D, False))
    w = case.scale(p + "layer_norm")
case.save(2, 1, "relu", "plain", "pre", t5_layer, lambda x: x + t5_layer(rms_norm(x, w, 1e-6)))


# One matrix for both; the first half is the gate's.
def packed(name, family, config, prefix, both, down, norm, eps, norm2=None):
    case = Case(name, family, config, "BF16")
    for n in range(2):
        p = prefix.replace("#", str(n))
        w1, _ = case.linear(p + both, D, 2 * FF, False)
        w2, _ = case.linear(p + down, FF, D, False)
        w = case.scale(p + norm)
        after = case.scale(p + norm2) if norm2 else None
    def layer(x):
        first, second = F.linear(x, w1).chunk(2, -1)
        return F.linear(silu(first) * second, w2)
    def block(x):
        y = layer(rms_norm(x, w, eps))
        return x + (rms_norm(y, after, eps) if norm2 else y)
    case.save(2, 1, "silu", "first", "sandwich" if norm2 else "pre", layer, block)


names = ("model.layers.#.", "mlp.gate_up_proj", "mlp.down_proj", "post_attention_layernorm")
packed("glm", "glm", dict(llama, model_type="glm", rms_norm_eps=1.5625e-7), *names, 1.5625e-7)
packed("glm4", "glm4", dict(llama, model_type="glm4"), *names, 1e-5, "post_mlp_layernorm")
packed("phi3", "phi3", dict(llama, model_type="phi3"), *names, 1e-5)
packed("chatglm2", "chatglm2", {"model_type": "chatglm", "hidden_size": D, "num_layers": 2,
                                "ffn_hidden_size": FF, "rmsnorm": True,
                                "layernorm_epsilon": 1e-5, "add_bias_linear": False,
                                "apply_residual_connection_post_layernorm": False},
       "transformer.encoder.layers.#.", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", "post_attention_layernorm", 1e-5)

# ChatGLM-6B: no gate, and the residual is the norm's result, scaled.
case = Case("chatglm", "chatglm", {"model_type": "chatglm", "hidden_size": D, "inner_hidden_size": FF, "num_layers": 2,
                                   "layernorm_epsilon": 1e-5}, "F16")
for n in range(2):
    p = f"transformer.layers.{n}."
    chatglm = plain(tanh, *case.linear(p + "mlp.dense_h_to_4h", D, FF), *case.linear(p + "mlp.dense_4h_to_h", FF, D))
    w, b = case.norm(p + "post_attention_layernorm")
case.save(2, 1, "tanh", "plain", "scaled", chatglm,
          lambda x: layer_norm(x, w, b, 1e-5) * 4 ** 0.5 + chatglm(layer_norm(x, w, b, 1e-5)))

# Vision.
vit = dict(bert, architectures=["ViTForImageClassification"], model_type="vit")
names = ("intermediate.dense", "output.dense", "layernorm_after")
pre("vit", "vit", vit, "erf", ["vit.encoder.layer.#."], *names, 1e-12, erf)
pre("deit", "vit", dict(vit, model_type="deit"), "erf", ["deit.encoder.layer.#."], *names, 1e-12, erf)
pre("vit-timm", "vit-timm", {"architecture": "vit_tiny_patch16_224"}, "erf", ["blocks.#."], "mlp.fc1", "mlp.fc2",
    "norm2", 1e-6, erf)
swin = {"model_type": "swin", "hidden_act": "gelu", "embed_dim": D, "depths": [2, 2], "mlp_ratio": 4.0,
        "layer_norm_eps": 1e-5}
pre("swin", "swin", swin, "erf", ["swin.encoder.layers.0.blocks.#.", "swin.encoder.layers.1.blocks.#."], *names, 1e-5,
    erf, 4)
pre("swinv2", "swinv2", dict(swin, model_type="swinv2", depths=[2]), "erf", ["swinv2.encoder.layers.0.blocks.#."],
    *names, 1e-5, erf,
    form="res-post")
pre("swin-ms", "swin-ms", None, "erf", ["layers.0.blocks.#.", "layers.1.blocks.#."], "mlp.fc1", "mlp.fc2", "norm2", 1e-5,
    erf, 4)
case = Case("swinv2-ms", "swinv2-ms", None)
for n in range(2):
    p = f"layers.0.blocks.{n}."
    case(p + "attn.logit_scale", 2, 1, 1)
    swinv2 = plain(erf, *case.linear(p + "mlp.fc1", D, FF), *case.linear(p + "mlp.fc2", FF, D))
    w, b = case.norm(p + "norm2")
case.save(2, 1, "erf", "plain", "res-post", swinv2, lambda x: x + layer_norm(swinv2(x), w, b, 1e-5))

tower = {"hidden_act": "quick_gelu", "num_hidden_layers": 2, "hidden_size": D, "intermediate_size": FF,
         "layer_norm_eps": 1e-5}
clip = {"model_type": "clip", "text_config": dict(tower, hidden_act="gelu"), "vision_config": tower}
names = ("mlp.fc1", "mlp.fc2", "layer_norm2")
pre("clip", "clip", clip, "quick", ["text_model.encoder.layers.#.", "vision_model.encoder.layers.#."], *names, 1e-5,
    quick, 4)
pre("clip-text", "clip", dict(tower, model_type="clip_text_model"), "quick", ["text_model.encoder.layers.#."], *names,
    1e-5, quick, dtype="F16")
names = (["visual.transformer.resblocks.#.", "transformer.resblocks.#."], "mlp.c_fc", "mlp.c_proj", "ln_2", 1e-5)
pre("open-clip", "clip-openai", {"model_cfg": {"embed_dim": D}}, "erf", *names, erf, 4)
pre("open-clip-quickgelu", "clip-openai", {"model_cfg": {"embed_dim": D, "quick_gelu": True}}, "quick", *names, quick, 4)


# Diffusion: modulated by the time step; norms without weights.
def modulated(name, family, config, prefixes, fc1, fc2, blocks, dtype="BF16"):
    case = Case(name, family, config, dtype)
    for prefix in prefixes:
        for n in range(2):
            p = prefix.replace("#", str(n))
            layer = plain(tanh, *case.linear(p + fc1, D, FF), *case.linear(p + fc2, FF, D))
    scale, shift, gate = (torch.from_numpy(numbers(D)) for _ in range(3))
    case.save(blocks, blocks - 1, "tanh", "plain", "modulated", layer,
              lambda x: x + gate * layer(layer_norm(x, None, None, 1e-6) * (1 + scale) + shift), [scale, shift, gate])


modulated("flux", "flux", {"_class_name": "FluxTransformer2DModel", "num_layers": 2},
          ["transformer_blocks.#.ff.", "transformer_blocks.#.ff_context."], "net.0.proj", "net.2", 4)
modulated("flux-bfl", "flux-bfl", None, ["double_blocks.#.img_mlp.", "double_blocks.#.txt_mlp."], "0", "2", 4)
modulated("sd3", "sd3", {"_class_name": "SD3Transformer2DModel", "num_layers": 2},
          ["transformer_blocks.#.ff.", "transformer_blocks.#.ff_context."], "net.0.proj", "net.2", 4, "F16")
modulated("sd3-mmdit", "sd3-mmdit", None, ["model.diffusion_model.joint_blocks.#.x_block.",
                                           "model.diffusion_model.joint_blocks.#.context_block."], "mlp.fc1", "mlp.fc2",
          4, "F16")


# Flux's single blocks: attention's heads and the layer's hidden values go into one last matrix together. In Black Forest
# Labs' files q, k, v and the layer's first matrix are one, too.
def single(case, w1, b1, w2, b2):
    attn = torch.from_numpy(numbers(ROWS, D))
    scale, shift, gate = (torch.from_numpy(numbers(D)) for _ in range(3))
    def together(heads, x):
        return F.linear(torch.cat((heads, tanh(F.linear(x, w1, b1)[:, -4 * D:])), -1), w2, b2)
    case.save(2, 1, "tanh", "plain", "fused", lambda x: together(torch.zeros_like(x), x),
              lambda x: x + gate * together(attn, layer_norm(x, None, None, 1e-6) * (1 + scale) + shift),
              [attn, scale, shift, gate])


case = Case("flux-single", "flux-bfl", None, "BF16")
for n in range(2):
    first = case.linear(f"single_blocks.{n}.linear1", D, 3 * D + 4 * D)
    last = case.linear(f"single_blocks.{n}.linear2", D + 4 * D, D)
single(case, *first, *last)
case = Case("flux-single-diffusers", "flux", {"_class_name": "FluxTransformer2DModel", "num_single_layers": 2}, "BF16")
for n in range(2):
    first = case.linear(f"single_transformer_blocks.{n}.proj_mlp", D, 4 * D)
    last = case.linear(f"single_transformer_blocks.{n}.proj_out", D + 4 * D, D)
single(case, *first, *last)


# Stable Diffusion: one matrix for both; the second half is the gate's.
def geglu(name, family, config, prefixes):
    case = Case(name, family, config, "F16")
    for p in prefixes:
        w1, b1 = case.linear(p + "ff.net.0.proj", D, 2 * FF)
        w2, b2 = case.linear(p + "ff.net.2", FF, D)
        w, b = case.norm(p + "norm3")
    def layer(x):
        value, gate = F.linear(x, w1, b1).chunk(2, -1)
        return F.linear(value * erf(gate), w2, b2)
    case.save(len(prefixes), len(prefixes) - 1, "erf", "second", "pre", layer,
              lambda x: x + layer(layer_norm(x, w, b, 1e-5)))


geglu("sd", "sd", {"_class_name": "UNet2DConditionModel"},
      [p + ".transformer_blocks.0." for p in ("down_blocks.0.attentions.0", "down_blocks.0.attentions.1",
                                              "mid_block.attentions.0", "up_blocks.1.attentions.0")])
geglu("sd-ldm", "sd-ldm", None,
      [f"model.diffusion_model.{p}.1.transformer_blocks.0." for p in ("input_blocks.1", "middle_block",
                                                                      "output_blocks.3")])

# Speech.
names = ("fc1", "fc2", "final_layer_norm", 1e-5, erf, 4)
pre("whisper", "whisper", {"model_type": "whisper", "activation_function": "gelu", "encoder_layers": 2,
                           "decoder_layers": 2, "d_model": D}, "erf",
    ["model.encoder.layers.#.", "model.decoder.layers.#."], *names)
pre("whisper-openai", "whisper-openai", None, "erf", ["encoder.blocks.#.", "decoder.blocks.#."], "mlp.0", "mlp.2",
    "mlp_ln", 1e-5, erf, 4)

with open(os.path.join(here, "cases.tsv"), "w") as out:
    print("# case\tfamily\tblocks\tlayer\tactivation\tgate\tform\tof the layer in want.npy", file=out)
    for row in rows:
        print(*row, sep="\t", file=out)
