# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""models.py GELU MODELS: `gelu inspect --json` and `gelu ffn`, alone and with --block and --trace, on every case of
tests/data/models, against its float64 numbers. Needs nothing but Python; works in the folder that it is called in."""
import ast
import json
import math
import os
import struct
import subprocess
import sys

gelu, models = sys.argv[1:]
TOLERANCE = 4e-7  # of the largest result
failures = 0


def fail(case, text):
    global failures
    failures += 1
    print(f"FAILED, {case}: {text}")


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + length].decode().strip())
    count = math.prod(header["shape"])
    kind = {"<f8": "d", "<f4": "f"}[header["descr"]]
    return header["shape"], struct.unpack_from(f"<{count}{kind}", data, 10 + length)


def write(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))


def run(case, *arguments):
    done = subprocess.run([gelu, *arguments], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        fail(case, f"{arguments}: exit {done.returncode}, {done.stderr.strip()}")
    return done.stdout


def compare(case, what, path, shape, want):
    got_shape, got = read(path)
    if tuple(got_shape) != tuple(shape):
        return fail(case, f"{what}: the shape is {got_shape}")
    error = max(abs(g - w) for g, w in zip(got, want)) / max(map(abs, want))
    if not error <= TOLERANCE:
        fail(case, f"{what}: the error is {error}")


def check(case, family, blocks, layer, activation, gate, form):
    path = os.path.join(models, case)
    described = json.loads(run(case, "inspect", "--json", path))
    block = described["blocks"][int(layer)]
    found = (described["family"], str(len(described["blocks"])), block["activation"], block["gate"] == "none")
    if found != (family, blocks, activation, gate == "plain"):
        fail(case, f"inspect says {found}")
    if activation not in run(case, "inspect", path):
        fail(case, "inspect does not say the activation")
    (n, rows, d), values = read(os.path.join(path, "want.npy"))
    parts = [values[i * rows * d:(i + 1) * rows * d] for i in range(n)]
    shape = (1, rows, d)
    write("x.npy", shape, parts[0])
    run(case, "ffn", path, "--layer", layer, "x.npy", "y.npy")
    compare(case, "the layer", "y.npy", shape, parts[1])
    if form == "fused":
        return
    extras = []
    if form == "parallel":
        write("attn.npy", shape, parts[3])
        extras = ["--attn", "attn.npy"]
    if form == "modulated":
        for i, name in enumerate(("scale", "shift", "gate-vec")):
            write(name + ".npy", (d,), parts[3 + i][:d])
            extras += ["--" + name, name + ".npy"]
    text = run(case, "ffn", path, "--layer", layer, "--block", *extras, "--trace", "trace", "x.npy", "y.npy")
    compare(case, "the block", "y.npy", shape, parts[2])
    if "Shape: torch.Size([1, %d, %d])" % (rows, block["d_ff"]) not in text:
        fail(case, "the trace does not print the hidden layer's shape")
    for name, wanted in (("x", parts[0]), ("y", parts[2])):
        compare(case, f"trace/{name}", f"trace/{name}.npy", shape, wanted)
    # What left the layer is the layer of what entered it, and a and h are what they are called.
    before = "entered" if os.path.exists("trace/entered.npy") else "x"
    run(case, "ffn", path, "--layer", layer, f"trace/{before}.npy", "again.npy")
    if read("again.npy") != read("trace/left.npy"):
        fail(case, f"trace/left.npy is not the layer of trace/{before}.npy")
    source = "gate" if gate != "plain" else "h"
    run(case, "apply", "--act", activation, f"trace/{source}.npy", "again.npy")
    if read("again.npy") != read("trace/a.npy"):
        fail(case, f"trace/a.npy is not {activation} of trace/{source}.npy")
    for name in os.listdir("trace"):
        os.remove(os.path.join("trace", name))


count = 0
with open(os.path.join(models, "cases.tsv")) as table:
    for line in table:
        if not line.startswith("#"):
            check(*line.split())
            count += 1
print(count, "checkpoints,", failures, "failures")
sys.exit(failures > 0 or count == 0)
