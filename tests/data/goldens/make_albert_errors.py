"""PyTorch's own float32 errors on the real ALBERT's feed-forward layer, beside which ours are measured.

usage: python3 make_albert_errors.py FOLDER > albert_torch_errors.txt

FOLDER holds model.safetensors, x.npy, fc1_f64.npy, gelu_f64.npy, ffn_f64.npy and block_f64.npy. One thread. Where another BLAS is
installed too, LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/blas takes libblas3's."""
import json
import os
import struct
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F

folder = sys.argv[1]
torch.set_num_threads(1)

with open(os.path.join(folder, "model.safetensors"), "rb") as file:
    (header_nbytes,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(header_nbytes))
    data = file.read()


def tensor(suffix):
    (name,) = [name for name in header if name.endswith(suffix)]
    begin, end = header[name]["data_offsets"]
    values = np.frombuffer(data[begin:end], dtype=np.float32).reshape(header[name]["shape"])
    return torch.from_numpy(values.copy())


def golden(name):
    return np.load(os.path.join(folder, name + ".npy"))


x = torch.from_numpy(golden("x"))
h = F.linear(x, tensor("ffn.weight"), tensor("ffn.bias"))
a = F.gelu(h)
y = F.linear(a, tensor("ffn_output.weight"), tensor("ffn_output.bias"))
norm = "full_layer_layer_norm."
block = F.layer_norm(x + y, (256,), tensor(norm + "weight"), tensor(norm + "bias"), 1e-12)
packages = subprocess.run(["dpkg-query", "-W", "python3-torch", "libblas3"], capture_output=True, text=True).stdout
print("# Largest absolute errors of PyTorch (float32, one thread) on the rxnmapper ALBERT's fc1, GELU (erf), fc2 and block,")
print("# against its float64 arrays; made by make_albert_errors.py with torch", torch.__version__, "of these Debian packages:")
for line in packages.splitlines():
    print("#  ", line.replace("\t", " "))
print("# A line per tensor: over all tokens, then for each token.")
for name, ours, wanted in (("h", h, "fc1_f64"), ("a", a, "gelu_f64"), ("y", y, "ffn_f64"), ("b", block, "block_f64")):
    errors = np.abs(ours.double().numpy() - golden(wanted))
    print(name, *(float(error).hex() for error in (errors.max(), *errors.max(axis=1))))
