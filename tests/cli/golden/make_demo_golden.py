#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""The numbers of `gelu demo --seed 42`, made without libgelu.

Writes, beside this script,
  demo_torch.txt  every value as PyTorch and NumPy print it, computed by PyTorch;
  demo_exact.txt  the same, but with GELU rounded once from 60 digits (mpmath), and Linear by the rule that gelu.h
                  states, in exact rational arithmetic rounded to float32 after each step.
and the same exact values in examples/expected. Weights and inputs are PyTorch's in all of them. Run with PyTorch 1.13.1 and NumPy 1.24 on a CPU with AVX2.
"""
import os
from fractions import Fraction

import mpmath
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "..", "examples", "expected")
SEED = 42
mpmath.mp.dps = 60


def round_f32(exact):
    """The float32 nearest to a Fraction of normal size, ties to even."""
    if exact == 0:
        return np.float32(0)
    sign, size = (-1 if exact < 0 else 1), abs(exact)
    exponent = 0
    while size >= 2 ** 24:
        size /= 2
        exponent += 1
    while size < 2 ** 23:
        size *= 2
        exponent -= 1
    return np.float32(sign * float(np.ldexp(float(round(size)), exponent)))  # round() takes ties to even


def exact_gelu(x):
    def one(v):
        v = mpmath.mpf(float(v))
        y = v * mpmath.erfc(-v / mpmath.sqrt(2)) / 2
        man, exp = int(y.man), int(y.exp)
        return round_f32((-1 if y < 0 else 1) * Fraction(abs(man)) * Fraction(2) ** exp)

    return torch.from_numpy(np.vectorize(one, otypes=[np.float32])(x.detach().numpy()))


def exact_linear(layer, x):
    """acc = bias; one block, since no layer here has more than 256 inputs; s = fma(x, w, s)."""
    w, b = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    x = x.detach().numpy()
    y = np.zeros((x.shape[0], w.shape[0]), np.float32)
    for m in range(x.shape[0]):
        for n in range(w.shape[0]):
            s = np.float32(0)
            for k in range(w.shape[1]):
                s = round_f32(Fraction(float(x[m, k])) * Fraction(float(w[n, k])) + Fraction(float(s)))
            y[m, n] = round_f32(Fraction(float(b[n])) + Fraction(float(s)))
    return torch.from_numpy(y)


def text(tensor, grad_fn):
    """As print shows it. The exact path has no autograd: the name is put where PyTorch would put it."""
    if tensor.grad_fn is not None:
        return str(tensor)
    body = torch._tensor_str._tensor_str(tensor, len("tensor("))
    return torch._tensor_str._add_suffixes("tensor(" + body, ["grad_fn=<%s>" % grad_fn], len("tensor("), False)


def step1(gelu):
    x = torch.tensor([-3.0, 2.5, 0, 4.0, -1.2])
    return x, gelu(x)


def step2(gelu, linear):
    torch.manual_seed(SEED)
    layer = nn.Linear(5, 3)
    x = torch.randn(2, 5)
    return gelu(linear(layer, x)).detach()


def step3(gelu, linear):
    torch.manual_seed(SEED)
    fc1, fc2 = nn.Linear(8, 16), nn.Linear(16, 8)
    torch.manual_seed(SEED)
    x = torch.randn(2, 8)
    h = linear(fc1, x)
    a = gelu(h)
    return x, h, a, linear(fc2, a)


def demo(gelu, linear):
    x, y = step1(gelu)
    lines = [str(x.numpy()), str(y.numpy())]
    y = step2(gelu, linear)
    lines += [str(y.numpy()), str(y.shape)]
    x, h, a, y = step3(gelu, linear)
    lines += [str(x.shape), str(x)]
    lines += [str(h.shape), text(h[0][:5], "SliceBackward0")]
    lines += [str(a.shape), text(a[0][:5], "SliceBackward0")]
    lines += [str(y.shape), text(y, "AddmmBackward0")]
    return "\n".join(lines) + "\n"


def write(folder, name, content):
    with open(os.path.join(folder, name), "w") as f:
        f.write(content)


def torch_linear(layer, x):
    return layer(x)


write(HERE, "demo_torch.txt", demo(F.gelu, torch_linear))
write(HERE, "demo_exact.txt", demo(exact_gelu, exact_linear))
write(EXAMPLES, "01_basic.txt", "%s\n" % step1(exact_gelu)[1].numpy())
write(EXAMPLES, "02_linear.txt", "%s\nshape: (2, 3)\n" % step2(exact_gelu, exact_linear).numpy())
named = zip("xhay", step3(exact_gelu, exact_linear))
write(EXAMPLES, "03_ffn.txt", "".join("%s =\n%s\n" % pair for pair in named))
