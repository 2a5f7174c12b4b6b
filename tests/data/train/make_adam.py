#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""make_adam.py: the first 20 steps of PyTorch's optimisers on digits, as .npy files beside this script.

Linear(64, 16), GELU, Linear(16, 16), GELU, Linear(16, 10), softmax cross-entropy, mean over batches of 32: step i takes
digits 32 i to 32 i + 31 of data/, in the order of the file. All parameters are in one array: weight and bias, layer by
layer. Needs PyTorch (1.13 made the files) and NumPy; one thread, so that its sums have one order.
"""
import pathlib

import numpy as np
import torch

here = pathlib.Path(__file__).parent
STEPS, BATCH = 20, 32
torch.set_num_threads(1)


def idx(name, offset):
    return np.frombuffer((here / "../../../data" / name).read_bytes(), np.uint8, offset=offset)


pixels = idx("digits-images-idx3-ubyte", 16).reshape(-1, 64)[: STEPS * BATCH] / 16.0
labels = torch.tensor(idx("digits-labels-idx1-ubyte", 8)[: STEPS * BATCH].astype(np.int64))


def parameters(net):
    return np.concatenate([p.detach().numpy().ravel() for p in net.parameters()])


def train(name, dtype, make):
    torch.manual_seed(3)
    net = torch.nn.Sequential(
        torch.nn.Linear(64, 16), torch.nn.GELU(), torch.nn.Linear(16, 16), torch.nn.GELU(), torch.nn.Linear(16, 10)
    )
    if name == "adam" and dtype == torch.float32:
        np.save(here / "initial.npy", parameters(net))
    net.to(dtype)
    optimiser, losses = make(net.parameters()), []
    for i in range(STEPS):
        part = slice(BATCH * i, BATCH * (i + 1))
        loss = torch.nn.functional.cross_entropy(net(torch.tensor(pixels[part], dtype=dtype)), labels[part])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    kind = "f64" if dtype == torch.float64 else "f32"
    np.save(here / f"{name}_{kind}.npy", parameters(net))
    if dtype == torch.float64:
        np.save(here / f"{name}_losses.npy", np.array(losses))


for dtype in torch.float64, torch.float32:
    train("adam", dtype, lambda p: torch.optim.Adam(p, lr=1e-3))
    train("adam_decay", dtype, lambda p: torch.optim.Adam(p, lr=1e-3, weight_decay=0.01))
    train("adamw", dtype, lambda p: torch.optim.AdamW(p, lr=1e-3, weight_decay=0.1))
    train("sgd", dtype, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3))
