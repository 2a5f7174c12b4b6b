# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""test_models.py GELU WHEEL: every feed-forward block of the trained BERT in WHEEL by `gelu ffn`, alone and with its
norm and residual, against float64 in NumPy."""
import json
import math
import os
import struct
import subprocess
import sys
import zipfile

import numpy as np

gelu, wheel = sys.argv[1:]
ROWS, TOLERANCE, TOLERANCE_F64 = 64, 2e-6, 1e-13  # of the largest result

with zipfile.ZipFile(wheel) as files:
    (path,) = [name for name in files.namelist() if os.path.basename(name) == "model.safetensors"]
    folder = os.path.dirname(path)
    for name in (path, folder + "/config.json"):
        files.extract(name, "model")
folder = os.path.join("model", folder)

with open(os.path.join(folder, "model.safetensors"), "rb") as file:
    (length,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
    data = file.read()


def tensor(name):
    begin, end = header[name]["data_offsets"]
    assert header[name]["dtype"] == "F32"
    return np.frombuffer(data[begin:end], "<f4").reshape(header[name]["shape"]).astype(np.float64)


def run(*arguments):
    subprocess.run([gelu, "ffn", folder, *arguments, "x.npy", "y.npy"], check=True)
    return np.load("y.npy").astype(np.float64)


def error(got, want):
    return np.abs(got - want).max() / np.abs(want).max()


erf = np.vectorize(math.erf)
described = json.loads(subprocess.run([gelu, "inspect", "--json", folder], check=True, capture_output=True).stdout)
config = json.load(open(os.path.join(folder, "config.json")))
assert len(described["blocks"]) == config["num_hidden_layers"] == 6, "not six blocks"
failures = 0
for n, block in enumerate(described["blocks"]):
    assert block["activation"] == "erf" and config["hidden_act"] == "gelu"
    x = np.random.default_rng(n).standard_normal((ROWS, block["d_model"])).astype(np.float32)
    np.save("x.npy", x)
    x = x.astype(np.float64)
    p = block["name"] + "."
    h = x @ tensor(p + "intermediate.dense.weight").T + tensor(p + "intermediate.dense.bias")
    a = 0.5 * h * (1 + erf(h / math.sqrt(2)))
    y = a @ tensor(p + "output.dense.weight").T + tensor(p + "output.dense.bias")
    z = x + y
    z = (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + config["layer_norm_eps"])
    z = z * tensor(p + "output.LayerNorm.weight") + tensor(p + "output.LayerNorm.bias")
    layer = ("--layer", str(n))
    alone, whole = error(run(*layer), y), error(run(*layer, "--block"), z)
    np.save("x.npy", x)
    alone_f64, whole_f64 = error(run(*layer), y), error(run(*layer, "--block"), z)
    good = max(alone, whole) <= TOLERANCE and max(alone_f64, whole_f64) <= TOLERANCE_F64
    failures += not good
    print(f"block {n}: relative error {alone:.2e} alone, {whole:.2e} with norm and residual; in f64 {alone_f64:.2e}, "
          f"{whole_f64:.2e}{'' if good else ': FAILED'}")
sys.exit(failures > 0)
