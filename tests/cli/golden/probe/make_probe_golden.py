#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Writes the arrays here: activations as PyTorch computes them, and one by a table as ggml computes it."""

import pathlib

import numpy as np
import torch
from torch.nn import functional

here = pathlib.Path(__file__).parent


def apart(x):
    """The same values with a stride of two, which PyTorch computes by other code."""
    return torch.stack([x, x], -1)[..., 0]


def by_table(x):
    """ggml's tanh GELU: x rounded to f16, and the result, too."""
    half = x.astype(np.float16).astype(np.float32)
    one, coefficient, scale = np.float32(1), np.float32(0.044715), np.float32(0.79788456080286535588)
    y = np.float32(0.5) * half * (one + np.tanh(scale * half * (one + coefficient * half * half)))
    return y.astype(np.float16).astype(np.float32)


def save(name, array):
    np.save(here / f"{name}.npy", array)


torch.manual_seed(0)
inputs = {"spread": torch.linspace(-6, 3, 64), "normal": torch.randn(64)}
for kind, x in inputs.items():
    save(f"{kind}_x", x.numpy())
    save(f"{kind}_erf", functional.gelu(x).numpy())
    save(f"{kind}_erf_strided", functional.gelu(apart(x)).numpy())
    save(f"{kind}_erf_bf16", functional.gelu(x).bfloat16().float().numpy())
    save(f"{kind}_erf_f16", functional.gelu(x).half().numpy())
    save(f"{kind}_erf_cdf", (x * (0.5 * (1 + torch.erf(x / 2**0.5)))).numpy())
    tanh = functional.gelu(x, approximate="tanh")
    save(f"{kind}_tanh", tanh.numpy())
    save(f"{kind}_tanh_bf16", tanh.bfloat16().float().numpy())
    save(f"{kind}_tanh_f16", tanh.half().numpy())
    save(f"{kind}_quick", (x * torch.sigmoid(1.702 * x)).numpy())
    save(f"{kind}_silu", functional.silu(x).numpy())
    save(f"{kind}_relu", functional.relu(x).numpy())
    save(f"{kind}_elu", functional.elu(x).numpy())
    save(f"{kind}_mish", functional.mish(x).numpy())
    table = by_table(x.numpy())
    save(f"{kind}_table", table)
    save(f"{kind}_table_f16", table.astype(np.float16))
    save(f"{kind}_table_bf16", torch.from_numpy(table).bfloat16().float().numpy())

# Gated, four rows of 16: the packed form, and products in both orders.
gate, value = inputs["spread"].reshape(4, 16), inputs["normal"].reshape(4, 16)
save("packed_x", torch.cat([gate, value], 1).numpy())
save("packed_swiglu", (functional.silu(gate) * value).numpy())
save("packed_geglu_second", (gate * functional.gelu(value)).numpy())
brain_gate, brain_value = gate.bfloat16(), value.bfloat16()
save("packed_bf16_x", torch.cat([brain_gate, brain_value], 1).float().numpy())
save("packed_bf16_swiglu", (functional.silu(brain_gate) * brain_value).float().numpy())
