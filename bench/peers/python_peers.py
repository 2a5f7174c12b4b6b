# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

"""python_peers.py LIBGELU.so YARDSTICK.so [SECONDS [STRIDE]]: PyTorch and ONNX Runtime beside libgelu, memcpy and the
ReLU loop, all called from Python, in Markdown. The cost of a call from Python is in every figure of theirs; it shows at
4 Ki."""

import ctypes
import sys
import time

SIZES = [(4 << 10, "4 Ki"), (64 << 10, "64 Ki"), (1 << 20, "1 Mi"), (64 << 20, "64 Mi")]
RANGES = [("x > 0", 2.0**-20, 8), ("[-1, 0)", -(2.0**-20), -1), ("[-3, -1)", -1, -3), ("[-6, -3)", -3, -6),
          ("[-14, -6)", -6, -14)]
ACTS = {"erf": 2, "tanh": 3, "quick": 4, "silu": 5}
F32 = 1

try:
    import numpy
except ImportError:
    print("skipped: PyTorch and ONNX Runtime: this Python has no numpy")
    sys.exit(0)


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Library:
    def __init__(self, gelu, yardstick):
        self.gelu = ctypes.CDLL(gelu)
        loops = ctypes.CDLL(yardstick)
        call = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        loops.bench_relu_loop.restype = call
        isa = ctypes.c_char_p()
        self.relu = loops.bench_relu_loop(F32, ctypes.c_bool(False), ctypes.byref(isa))
        self.relu_backward = loops.bench_relu_loop(F32, ctypes.c_bool(True), ctypes.byref(isa))

    def forward(self, act, x, y, kind="f32"):
        function = getattr(self.gelu, "gelu_forward_" + kind)
        function(ctypes.c_int(ACTS[act]), ctypes.c_size_t(x.size), pointer(x), pointer(y))

    def backward(self, act, x, dy, dx):
        function = self.gelu.gelu_backward_f32
        function(ctypes.c_int(ACTS[act]), ctypes.c_size_t(x.size), pointer(x), pointer(dy), pointer(dx))


def torch_peers():
    """(name, act, is_backward, prepare), where prepare(x, dy, y) gives a function without arguments to be timed, which
    leaves its result in y or returns it."""
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch: not installed for this Python (Debian: python3-torch; or GELU_PEERS_PYTHON)")
        return []
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    gelu, gelu_backward = torch._C._nn.gelu, torch.ops.aten.gelu_backward.grad_input
    name = "PyTorch " + torch.__version__

    def forward(approximate):
        def prepare(x, dy, y):
            x, y = torch.from_numpy(x), torch.from_numpy(y)
            return lambda: gelu(x, approximate=approximate, out=y)
        return prepare

    def silu(x, dy, y):
        x, y = torch.from_numpy(x), torch.from_numpy(y)
        return lambda: torch._C._nn.silu(x, out=y)

    def backward(approximate):
        def prepare(x, dy, dx):
            x, dy, dx = torch.from_numpy(x), torch.from_numpy(dy), torch.from_numpy(dx)
            return lambda: gelu_backward(dy, x, approximate=approximate, grad_input=dx)
        return prepare

    return [(name, "erf", False, forward("none")), (name, "tanh", False, forward("tanh")), (name, "silu", False, silu),
            (name, "erf", True, backward("none")), (name, "tanh", True, backward("tanh"))]


def onnx_peers():
    try:
        import onnx
        import onnxruntime
    except ImportError:
        print("skipped: ONNX Runtime: needs onnxruntime and onnx in this Python (PyPI; GELU_PEERS_PYTHON)")
        return []
    vector = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n"]) for name in "xy"]
    name = "ONNX Runtime " + onnxruntime.__version__

    def forward(approximate):
        node = onnx.helper.make_node("Gelu", ["x"], ["y"], approximate=approximate)
        graph = onnx.helper.make_graph([node], "gelu", vector[:1], vector[1:])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

        def prepare(x, dy, y):
            binding = session.io_binding()
            binding.bind_cpu_input("x", x)
            binding.bind_output("y", "cpu", 0, numpy.float32, list(y.shape), y.ctypes.data)
            return lambda: session.run_with_iobinding(binding)
        return prepare

    return [(name, "erf", False, forward("none")), (name, "tanh", False, forward("tanh"))]


def aligned(n):
    memory = numpy.zeros(n + 1024, numpy.float32)
    start = -memory.ctypes.data % 4096 // 4
    return memory[start:start + n]


def sample(call, repeats):
    call()
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def measure_speed(library, peers, n, seconds):
    """Nanoseconds per element of memcpy, the ReLU loop and its backward form, and each peer."""
    drawn = numpy.random.default_rng(42).standard_normal(min(n, 1 << 20), numpy.float32)
    x, dy, y = aligned(n), aligned(n), aligned(n)
    x[:] = numpy.resize(drawn, n)
    dy[:] = numpy.resize(drawn[::-1], n)
    calls = [lambda: ctypes.memmove(y.ctypes.data, x.ctypes.data, 4 * n),
             lambda: library.relu(4 * n, pointer(x), None, pointer(y)),
             lambda: library.relu_backward(4 * n, pointer(x), pointer(dy), pointer(y))]
    calls += [prepare(x, dy, y) for _, _, _, prepare in peers]
    repeats = [1 + int(1e-4 / sample(call, 1)) for call in calls]
    best = [float("inf")] * len(calls)
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        for i, call in enumerate(calls):
            best[i] = min(best[i], sample(call, repeats[i]))
    return [1e9 * each / n for each in best]


def print_speed(peers, ns, backward):
    what = "Backward" if backward else "Forward"
    form = "'s backward form" if backward else ""
    print(f"\n{what}, f32, N(0, 1), one thread, called from Python: times the ReLU loop{form} (ns per element)\n")
    print("| | |" + "".join(f" {name} |" for _, name in SIZES) + "\n|" + " --- |" * (2 + len(SIZES)))
    relu = 2 if backward else 1
    for i in [0, relu] + [3 + p for p, peer in enumerate(peers) if peer[2] == backward]:
        name, act = (peers[i - 3][:2] if i >= 3 else (("memcpy", "ReLU loop", "ReLU loop")[i], ""))
        print(f"| {name} | {act} |" + "".join(f" {each[i] / each[relu]:.2f} ({each[i]:.3f}) |" for each in ns))


def worst_error(library, act, prepare, first, last, stride):
    first, last = (int(numpy.float32(each).view(numpy.uint32)) for each in (first, last))
    worst = 0.0
    step = stride << 20
    for start in range(first, last + 1, step):
        x = numpy.arange(start, min(start + step, last + 1), stride, dtype=numpy.uint32).view(numpy.float32)
        y, exact = numpy.empty_like(x), numpy.empty(x.size)
        library.forward(act, x.astype(numpy.float64), exact, "f64")
        prepare(x, x, y)()
        if not numpy.isfinite(y).all():
            return float("inf")
        exponent = numpy.maximum(numpy.frexp(exact)[1], -125)
        exponent[exact == 0] = -125
        worst = max(worst, float(numpy.ldexp(numpy.abs(y - exact), 24 - exponent).max()))
    return worst


def error_text(error):
    if error == float("inf"):
        return "not finite"
    if error > 2**23:
        return f"2^{numpy.log2(error):.0f}"
    return f"{error:.2f}" if error < 10 else f"{error:.0f}"


def print_accuracy(library, peers, stride):
    print(f"\nForward, f32: largest error in ULP, every {stride}. float\n")
    print("| | |" + "".join(f" {name} |" for name, _, _ in RANGES) + "\n|" + " --- |" * (2 + len(RANGES)))
    for name, act, backward, prepare in peers:
        if not backward:
            cells = [error_text(worst_error(library, act, prepare, *each[1:], stride)) for each in RANGES]
            print(f"| {name} | {act} | " + " | ".join(cells) + " |")


def main(gelu, yardstick, seconds=10.0, stride=61):
    library = Library(gelu, yardstick)
    peers = []
    for act in ACTS:
        peers.append(("**libgelu**", act, False, lambda x, dy, y, act=act: lambda: library.forward(act, x, y)))
    for act in ("erf", "tanh"):
        peers.append(("**libgelu**", act, True, lambda x, dy, y, act=act: lambda: library.backward(act, x, dy, y)))
    others = torch_peers() + onnx_peers()
    if not others:
        return
    peers += others
    ns = [measure_speed(library, peers, n, float(seconds)) for n, _ in SIZES]
    print_speed(peers, ns, False)
    print_speed(peers, ns, True)
    print_accuracy(library, peers, int(stride))


main(*sys.argv[1:])
