# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Writes prints.txt: what PyTorch 1.13 and NumPy 1.24 print for random arrays and options.
usage: make_prints.py > prints.txt"""
import numpy as np
import torch

rng = np.random.default_rng(2026)
KINDS = [
    lambda n: rng.standard_normal(n),
    lambda n: rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9),
    lambda n: rng.standard_normal(n) * 10.0 ** rng.uniform(-6, 6, n),
    lambda n: np.round(rng.standard_normal(n) * 10.0 ** rng.integers(0, 10)),
    lambda n: np.round(rng.standard_normal(n) * 100) / 100,
    lambda n: rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2, 1e-5], n),
    lambda n: rng.choice([0.0, -0.0, np.nan, np.inf], n),
    lambda n: np.exp2(rng.integers(-130, 120, n).astype(float)) * rng.choice([1, -1], n),
    lambda n: rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64),
    lambda n: rng.choice([1, 1000.0, 1001, 1000.3, 1000.2, 1000.25, 0.0001001, 99999999.0, 1e8, 1e8 + 8], n),
    lambda n: rng.choice([9.99995, 0.99995, 99.99995, 0.5, 2.5, 0.125, -0.00015, 0.00015], n),
]
SHAPES = [
    lambda: (),
    lambda: (int(rng.integers(0, 40)),),
    lambda: tuple(int(t) for t in rng.integers(1, 12, 2)),
    lambda: tuple(int(t) for t in rng.integers(0, 4, rng.integers(1, 6))),
    lambda: tuple(int(t) for t in rng.integers(1, 6, 3)),
    lambda: (int(rng.integers(1, 4)), int(rng.integers(1, 30))),
]
TYPES = {"f32": (np.float32, np.uint32, 8), "f64": (np.float64, np.uint64, 16),
         "f16": (np.float16, np.uint16, 4), "bf16": (np.float32, np.uint32, 4)}


def emit(kind, dtype, shape, options, bits, text):
    print("@", kind, dtype, "x".join(map(str, shape)) or "-", *options)
    print(" ".join(bits))
    print(text)


for _ in range(120):
    shape = SHAPES[rng.integers(len(SHAPES))]()
    count = int(np.prod(shape, dtype=int))
    dtype = list(TYPES)[rng.integers(4)]
    ftype, utype, width = TYPES[dtype]
    with np.errstate(all="ignore"):
        x = KINDS[rng.integers(len(KINDS))](count).astype(ftype).reshape(shape)
    t = torch.tensor(x)
    if dtype == "bf16":
        t = t.to(torch.bfloat16)
        x = t.float().numpy()
    raw = x.reshape(-1).view(utype) >> (16 if dtype == "bf16" else 0)
    bits = [f"{int(b):0{width}x}" for b in raw]
    options, sizes = {}, [0, 0, 0, 0]
    if rng.random() < 0.6:
        options = dict(precision=int(rng.integers(0, 12)), threshold=int(rng.integers(1, 60)),
                       edgeitems=int(rng.integers(1, 4)), linewidth=int(rng.integers(20, 120)))
        sizes = [options["precision"] + 1, options["threshold"], options["edgeitems"], options["linewidth"]]
    sci = int(rng.integers(-1, 2)) if rng.random() < 0.4 else 0
    torch.set_printoptions(profile="default")
    torch.set_printoptions(sci_mode={0: None, 1: True, -1: False}[sci], **options)
    grad = int(rng.integers(0, 3))
    shown = t if grad == 0 else t.clone().requires_grad_() if grad == 1 else t.clone().requires_grad_() * 1
    emit("torch", dtype, shape, sizes + [sci, grad], bits, str(shown))
    np.set_printoptions(precision=8, threshold=1000, edgeitems=3, linewidth=75)
    np.set_printoptions(**options)
    for form, text in ((0, str(x)), (1, repr(x))):
        emit("numpy", dtype, shape, sizes + [form, 0], bits, text)
print("@ end")
