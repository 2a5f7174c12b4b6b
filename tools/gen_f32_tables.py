#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Writes src/kernels/f32_tables.h: piecewise polynomials for the f32 kernels. Needs mpmath and numpy.

usage: gen_f32_tables.py [--check] OUT   (--check: compare with OUT instead, and report the error bounds)

For z = abs(x): forward tables hold g(z) = f(-z), grad tables p(z) = f'(-z). 32 intervals of equal length; in each, with
d = z - m, the polynomial c0 + c1 d + ... + c7 d^7, c0 and c1 in two parts. All are floats; after each is rounded, the rest
is fitted again.

error: the largest error of the kernel's float arithmetic, found on samples, times MARGIN. That it holds for every input
is what the exhaustive proof shows.
"""
import sys
import numpy as np
from mpmath import mp, mpf, erfc, exp, sqrt, pi, fabs, lu_solve, matrix
from fitting import chebyshev_points, hexf, interpolate_values, rnd

mp.prec = 160

INTERVALS = 32
DEGREE = 7
SAMPLES = 4000
MARGIN = 1.3
COLUMNS = ["m", "c0", "c0_low", "c1", "c1_low"] + ["c%d" % j for j in range(2, DEGREE + 1)] + ["error"]


class Erf:
    name, z_max = "erf", 5.75

    @staticmethod
    def tails(z):
        """q(z) = f(-z) / -z, p(z) = f'(-z), p'(z)."""
        density = exp(-z * z / 2) / sqrt(2 * pi)
        q = erfc(z / sqrt(mpf(2))) / 2
        return q, q - z * density, density * (z * z - 2)


class Logistic:
    def __init__(self, name, z_max, u):
        self.name, self.z_max, self.u = name, z_max, u

    def tails(self, z):
        u, first, second = self.u(z)
        e = exp(-u)
        s, q = 1 / (1 + e), e / (1 + e)
        p = q * (1 - z * first * s)
        return q, p, -s * q * (2 * first - z * ((s - q) * first * first - second))


def tanh_u(z):
    k, c = 2 * sqrt(2 / pi), mpf(44715) / 1000000
    return k * (z + c * z**3), k * (1 + 3 * c * z * z), k * 6 * c * z


SLOPE = mpf(1702) / 1000
FUNCTIONS = [
    Erf,
    Logistic("tanh", 5.4, tanh_u),
    Logistic("quick", 6.0, lambda z: (SLOPE * z, SLOPE, mpf(0))),
    Logistic("silu", 9.2, lambda z: (z, mpf(1), mpf(0))),
]


def value_and_slope(function, kind):
    if kind == "forward":  # g = -z q, g' = -p
        return lambda z: (-z * function.tails(z)[0], -function.tails(z)[1])
    return lambda z: function.tails(z)[1:]


def float_exponent(x):
    return int(np.frexp(float(x))[1])


def solve(f, lo, hi):
    """Where f changes sign, by bisection."""
    positive = f(lo) > 0
    for _ in range(80):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if (f(middle) > 0) == positive else (lo, middle)
    return lo


def choose_centre(value, lo, hi, root):
    """The middle; but where the value changes a lot, its geometric mean: then value - c0 is exact on both sides."""
    if lo == 0:
        return mpf(0)
    if root is not None and lo < root < hi:
        return rnd(root, 24)
    ratio = value(lo) / value(hi)
    if max(ratio, 1 / ratio) < mpf("2.6"):
        return rnd((lo + hi) / 2, 24)
    mean = sqrt(value(lo) * value(hi)) * mp.sign(value(lo))
    return rnd(solve(lambda z: value(z) - mean, lo, hi), 24)


def least_squares(powers, columns, target, weights):
    """a_j that minimise the weighted squares of target - sum a_j d^powers[j]; columns hold the d^powers[j]."""
    n = len(powers)
    a, b = matrix(n, n), matrix(n, 1)
    for k, t in enumerate(target):
        for i in range(n):
            scaled = columns[i][k] * weights[k] ** 2
            b[i] += scaled * t
            for j in range(n):
                a[i, j] += scaled * columns[j][k]
    return lu_solve(a, b)


def fit(both, lo, hi, m, first, at_root):
    """c0 and c1 in two parts, c2..c7. The first interval of g, which is -z/2 + ..., is fitted relative to g."""
    value, slope = both(m)
    # At the root all of c0 is its low part: then w * d is the whole of the sum, and exact in two parts.
    c0 = mpf(0) if at_root else rnd(value, 24)
    low = rnd(value - c0, 24)
    c = [rnd(slope, 24)]
    c1_low = rnd(slope - c[0], 24)
    half = max(hi - m, m - lo)
    nodes = [d / half for d in chebyshev_points(lo - m, hi - m, 20)]
    values = [both(m + d * half)[0] for d in nodes]
    weights = [1 / fabs(v) if first else mpf(1) for v in values]
    columns = [[d**j for d in nodes] for j in range(DEGREE + 1)]
    while len(c) < DEGREE:
        target = [v - c0 - low - c1_low * half * d for v, d in zip(values, nodes)]
        for j, coefficient in enumerate(c):
            target = [t - coefficient * half ** (j + 1) * x for t, x in zip(target, columns[j + 1])]
        powers = range(len(c) + 1, DEGREE + 1)
        solution = least_squares(powers, [columns[j] for j in powers], target, weights)
        c.append(rnd(solution[0] / half ** powers[0], 24))
    return [c0, low, c[0], c1_low] + c[1:]


def fma(a, b, c):
    """Of float arrays, by way of double: the double sum may round twice, which does not matter for samples."""
    return np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def kernel(z, row):
    """What src/kernels/f32.inc.h computes: hi + lo, and the part of hi that carries the error."""
    m, c0, c0_low, c1, c1_low = (np.float32(x) for x in row[:5])
    d = z - m
    v = np.full_like(d, np.float32(row[-1]))
    for coefficient in row[-2:4:-1]:
        v = fma(v, d, np.float32(coefficient))
    w = fma(v, d, c1)
    w_low = fma(v, d, (c1 - w) + c1_low)
    hi = fma(w, d, c0)
    lo = fma(w, d, c0 - hi)
    return hi, fma(w_low, d, lo + c0_low), fma(w - c1, d, c0)


def measure(both, lo, hi, m, row, kind):
    """The largest error on samples, relative to the error's carrier (forward) or absolute (grad)."""
    rng = np.random.default_rng(1)
    z = np.float32(float(lo) + (float(hi) - float(lo)) * rng.random(SAMPLES))
    degree = 14  # of a polynomial in double that stands for the function
    nodes = chebyshev_points(lo - m, hi - m, degree + 1)
    reference = [float(a) for a in interpolate_values(nodes, [both(m + d)[0] for d in nodes], mpf(0))]
    d = np.float64(z) - float(m)
    exact = np.zeros_like(d)
    for a in reversed(reference[1:]):
        exact = (exact + a) * d
    with np.errstate(divide="ignore", invalid="ignore"):
        high, low, carrier = kernel(z, row)
        error = np.abs(((np.float64(high) - reference[0]) - exact) + np.float64(low))
        if kind == "forward":
            error = np.where(z < 2.0**-13, 0, error / np.abs(np.float64(carrier)))
    return float(error.max())


def table(function, kind):
    both = value_and_slope(function, kind)
    z_max = mpf(function.z_max)
    scale, root = (INTERVALS - mpf("0.51")) / z_max, None
    if kind == "grad":  # the root in the middle of an interval
        root = solve(lambda z: both(z)[0], mpf("0.3"), mpf(2))
        scale = mp.nint(root * scale) / root
    scale = np.float32(float(scale))
    z_max = np.float32((INTERVALS - 0.51) / float(scale))
    rows = []
    for i in range(INTERVALS):
        lo = mpf(0) if i == 0 else (i - mpf("0.5")) / mpf(float(scale)) - mpf("1e-6")
        hi = mpf(float(z_max)) if i == INTERVALS - 1 else (i + mpf("0.5")) / mpf(float(scale)) + mpf("1e-6")
        first = i == 0 and kind == "forward"
        at_root = root is not None and lo < root < hi
        m = choose_centre(lambda z: both(z)[0], lo, hi, root)
        row = [m] + fit(both, lo, hi, m, first, at_root)
        row = [np.float32(float(x)) for x in row]
        if first:
            row[1] = np.float32(-0.0)
        bound = measure(both, lo, hi, m, row, kind) * MARGIN
        if i == INTERVALS - 1:  # z beyond z_max lands here, and must fail the rounding test
            bound = 2.0
        rows.append(row + [np.float32(bound)])
    return z_max, scale, rows


def text():
    out = [
        "/* SPDX-License-Identifier: MIT",
        " * SPDX-FileCopyrightText: 2026 The libgelu authors */",
        "",
        "/* Written by tools/gen_f32_tables.py; do not edit. Columns: %s. */" % ", ".join(COLUMNS),
        "#ifndef GELU_F32_TABLES_H",
        "#define GELU_F32_TABLES_H",
        "",
        "enum { F32_INTERVALS = %d, F32_COLUMNS = %d };" % (INTERVALS, len(COLUMNS)),
        "",
        "/* The same numbers twice: by column for a permutation of registers, by row for loads. */",
        "struct f32_table {",
        "    float z_max, scale; /* interval of z: z * scale, rounded to nearest */",
        "    _Alignas(64) float column[F32_COLUMNS][F32_INTERVALS];",
        "    _Alignas(16) float row[F32_INTERVALS][F32_COLUMNS];",
        "};",
        "",
        "/* clang-format off */",
    ]
    bounds = []
    for function in FUNCTIONS:
        for kind in ("forward", "grad"):
            z_max, scale, rows = table(function, kind)
            bounds.append((function.name, kind, [float(r[-1]) for r in rows]))
            out.append("static const struct f32_table %s_%s_table = {" % (function.name, kind))
            out.append("    %sf, %sf," % (hexf(z_max), hexf(scale)))
            out.append("    {")
            for column in range(len(COLUMNS)):
                out.append("        { /* %s */" % COLUMNS[column])
                for i in range(0, INTERVALS, 8):
                    out.append("            " + " ".join(hexf(r[column]) + "f," for r in rows[i : i + 8]))
                out.append("        },")
            out.append("    },")
            out.append("    {")
            for r in rows:
                out.append("        {" + ", ".join(hexf(x) + "f" for x in r) + "},")
            out += ["    },", "};", ""]
    return "\n".join(out + ["/* clang-format on */", "", "#endif", ""]), bounds


def main(argv):
    check = "--check" in argv
    paths = [a for a in argv if a != "--check"]
    if len(paths) != 1:
        sys.exit(__doc__)
    new, bounds = text()
    for name, kind, errors in bounds:
        print(name, kind, " ".join("%.1f" % np.log2(e) for e in errors), file=sys.stderr)
    if not check:
        open(paths[0], "w").write(new)
    elif open(paths[0]).read() != new:
        sys.exit("%s differs from what this script writes" % paths[0])


main(sys.argv[1:])
