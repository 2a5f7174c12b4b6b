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
TOLERANCE = {"<f4": 4e-7, "<f8": 2e-15}  # of the largest result
KINDS = {"<f8": "d", "<f4": "f", "<f2": "e"}
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
    kind = KINDS[header["descr"]]
    return header["shape"], struct.unpack_from(f"<{count}{kind}", data, 10 + length), header["descr"]


def write(path, shape, values, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode())
        file.write(struct.pack(f"<{len(values)}{KINDS[descr]}", *values))


def run(case, *arguments):
    done = subprocess.run([gelu, *arguments], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        fail(case, f"{arguments}: exit {done.returncode}, {done.stderr.strip()}")
    return done.stdout


def compare(case, what, path, shape, want, descr="<f4"):
    got_shape, got, got_descr = read(path)
    if tuple(got_shape) != tuple(shape) or got_descr != descr:
        return fail(case, f"{what}: the shape is {got_shape}, the type {got_descr}")
    error = max(abs(g - w) for g, w in zip(got, want)) / max(map(abs, want))
    if not error <= TOLERANCE[descr]:
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
    (n, rows, d), values, _ = read(os.path.join(path, "want.npy"))
    parts = [values[i * rows * d:(i + 1) * rows * d] for i in range(n)]
    shape = (1, rows, d)
    write("x.npy", shape, parts[0])
    run(case, "ffn", path, "--layer", layer, "x.npy", "y.npy")
    compare(case, "the layer", "y.npy", shape, parts[1])
    wanted = {"parallel": ["attn"], "modulated": ["scale", "shift", "gate-vec"],
              "fused": ["attn", "scale", "shift", "gate-vec"]}.get(form, [])
    extras = []
    for name, part in zip(wanted, parts[3:]):
        extras += ["--" + name, name + ".npy"]
        if name == "attn":
            write(name + ".npy", shape, part)
        else:
            write(name + ".npy", (d,), part[:d])
    # f64 from x, or from what the block takes besides; f16 has all these numbers, too.
    write("x8.npy", shape, parts[0], "<f8")
    run(case, "ffn", path, "--layer", layer, "x8.npy", "y.npy")
    compare(case, "the layer in f64", "y.npy", shape, parts[1], "<f8")
    run(case, "ffn", path, "--layer", layer, "--block", *extras, "x8.npy", "y.npy")
    compare(case, "the block in f64", "y.npy", shape, parts[2], "<f8")
    write("x2.npy", shape, parts[0], "<f2")
    run(case, "ffn", path, "--layer", layer, "x2.npy", "y.npy")
    compare(case, "the layer of f16", "y.npy", shape, parts[1])
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


def check_albert(path):
    """The trained ALBERT: f32 with at most 1.05 times PyTorch's largest error, f64 with hardly any."""
    theirs = {}
    with open(os.path.join(models, "..", "goldens", "albert_torch_errors.txt")) as table:
        for line in table:
            if not line.startswith("#"):
                theirs[line.split()[0]] = float.fromhex(line.split()[1])
    shape, x, _ = read(os.path.join(path, "x.npy"))
    write("x.npy", shape, x)
    write("x8.npy", shape, x, "<f8")
    for option, want, name in ((), "ffn_f64.npy", "y"), (("--block",), "block_f64.npy", "b"):
        _, wanted, _ = read(os.path.join(path, want))
        run("albert", "ffn", path, "--layer", "11", *option, "x.npy", "y.npy")
        error = max(abs(g - w) for g, w in zip(read("y.npy")[1], wanted))
        print(f"ALBERT {name}: the largest error is {error / theirs[name]:.2f} times PyTorch's")
        if not error <= 1.05 * theirs[name]:
            fail("albert", f"{want}: the error is {error}, PyTorch's {theirs[name]}")
        run("albert", "ffn", path, "--layer", "11", *option, "x8.npy", "y.npy")
        error = max(abs(g - w) for g, w in zip(read("y.npy")[1], wanted)) / max(map(abs, wanted))
        if not error <= 1e-14:
            fail("albert", f"{want} in f64: the error is {error}")


def check_sparse():
    """A checkpoint of 4 GiB is described in less than a second, in less than 100 MiB."""
    os.makedirs("sparse")
    with open(os.path.join(models, "bert", "model.safetensors"), "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    header, end = json.loads(data[8:8 + length]), len(data) - 8 - length
    header["cls.predictions.decoder.weight"] = {"dtype": "F32", "shape": [1 << 15, 1 << 15],
                                                "data_offsets": [end, end + (4 << 30)]}
    text = json.dumps(header).encode()
    with open("sparse/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data[8 + length:])
        try:
            file.truncate(8 + len(text) + end + (4 << 30))
        except OSError:
            return print("skipped: no sparse files of 4 GiB here")
    with open(os.path.join(models, "bert", "config.json")) as file, open("sparse/config.json", "w") as copy:
        copy.write(file.read())
    pid = os.posix_spawn(gelu, [gelu, "inspect", "sparse"], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(pid, 0)
    seconds, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"4 GiB: {seconds:.3f} s of the processor, {mebibytes:.1f} MiB")
    if status != 0 or seconds >= 1 or mebibytes >= 100:
        fail("sparse", f"status {status}, {seconds} s, {mebibytes} MiB")


count = 0
with open(os.path.join(models, "cases.tsv")) as table:
    for line in table:
        if not line.startswith("#"):
            check(*line.split())
            count += 1
check_sparse()
albert = os.path.join(os.environ.get("GELU_TEST_DATA", "/nonexistent"), "rxnmapper-albert")
if os.path.exists(os.path.join(albert, "model.safetensors")):
    check_albert(albert)
print(count, "checkpoints,", failures, "failures")
sys.exit(failures > 0 or count == 0)
