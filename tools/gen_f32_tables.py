#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Writes src/kernels/f32_tables.h: piecewise polynomials for the f32 kernels. Needs mpmath and numpy.

usage: gen_f32_tables.py [--check] OUT   (--check: compare with OUT instead, and report the error bounds)

For z = abs(x): forward tables hold g(z) = f(-z), grad tables p(z) = f'(-z). 32 intervals of equal length; in each, with
d = z - m, the polynomial c0 + c1 d + ... + c7 d^7. All are floats; after each is rounded, the rest is fitted again. m is
chosen so that c0 and c1, which would need a low part each, are floats almost exactly; p keeps that of c0.

The fast tables hold g with a single float c0 and c1..c6, by powers of m - z; there m is chosen so that g(m) is a float almost exactly and,
of several such m, the one with the smallest error. The interval of the minimum of f has its m next to it: rounding then
keeps f monotone. Their intervals, by z (scale + bend z), are shorter in the tail.

The short tables, for f16 and bf16 results, hold g by powers of z - i * width, fitted relative to g, in equal intervals.
Their bands bound the error in ULP of f32, where the type's result is normal.

error: the largest error of the kernel's float arithmetic, found on samples, times MARGIN. That it holds for every input
is what the exhaustive proof shows.
"""
import sys
import numpy as np
from mpmath import mp, mpf, erfc, exp, log, sqrt, pi, fabs, lu_solve, matrix
from fitting import chebyshev_points, hexf, interpolate, interpolate_values, rnd

mp.prec = 160

INTERVALS = 32
DEGREE = 7
SAMPLES = 20000
MARGIN = 1.3
FAST_DEGREE = 6
FAST_COLUMNS = ["m", "c0"] + ["c%d" % j for j in range(1, FAST_DEGREE + 1)]
FAST_CANDIDATES = 8
FAST_SEARCH = 6000
FAST_AIM = 0.8  # ULP
FAST_SAMPLES = 4000
SHORT_DEGREE = 4
SHORT_COLUMNS = ["c%d" % j for j in range(SHORT_DEGREE + 1)]
SHORT_ROW = 8  # loaded by fours
COLUMNS = ["m"] + ["c%d" % j for j in range(DEGREE + 1)] + ["error", "c0_low"]
PADDING = 12 - len(COLUMNS)  # rows are loaded by fours
CLOSE = 2.0**-33  # how near a float c0 and c1 are, relative to the value


class Erf:
    name, z_max, fast_max, fast_bend, short_max = "erf", 5.75, 5.5, 20, 5.5

    @staticmethod
    def tails(z):
        """q(z) = f(-z) / -z, p(z) = f'(-z), p'(z)."""
        density = exp(-z * z / 2) / sqrt(2 * pi)
        q = erfc(z / sqrt(mpf(2))) / 2
        return q, q - z * density, density * (z * z - 2)


class Logistic:
    def __init__(self, name, z_max, fast_max, fast_bend, short_max, u):
        self.name, self.z_max, self.fast_max, self.fast_bend, self.u = name, z_max, fast_max, fast_bend, u
        self.short_max = short_max

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
    Logistic("tanh", 5.4, 5.15, 12, 4.8, tanh_u),
    Logistic("quick", 8.5, 10.15, -21, 10.15, lambda z: (SLOPE * z, SLOPE, mpf(0))),
    Logistic("silu", 10.5, 17.8, -42, 17.5, lambda z: (z, mpf(1), mpf(0))),
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


def reference(both, lo, hi, m, degree):
    """The function in double around m, as coefficients in z - m: enough to tell how near a float it is."""
    nodes = chebyshev_points(lo - m, hi - m, degree + 1)
    return [float(a) for a in interpolate_values(nodes, [both(m + d)[0] for d in nodes], mpf(0))]


def near_floats(x):
    return np.abs(x - np.float64(np.float32(x)))


def choose_close(both, lo, hi, centre, constant, at_root):
    """The m nearest to the centre where the slope (and the constant, if asked) is a float almost exactly, beside the value;
    at the root of the value, beside the slope itself."""
    coefficients = reference(both, lo, hi, centre, 14)
    unit = 2.0 ** (float_exponent(hi) - 24)
    reach = int(float(hi - lo) / 3 / unit)
    steps = np.arange(-reach, reach + 1)
    steps = steps[np.argsort(np.abs(steps), kind="stable")]
    d = steps * unit
    value, slope = np.zeros_like(d), np.zeros_like(d)
    for a in reversed(coefficients):
        slope = slope * d + value
        value = value * d + a
    bound = CLOSE * np.abs(value)
    close = near_floats(slope) < CLOSE * np.abs(slope) if at_root else near_floats(slope) * float(hi - lo) / 2 < bound
    if constant:
        close &= near_floats(value) < bound
    if not close.any():
        sys.exit("no m in [%s, %s]" % (lo, hi))
    return centre + mpf(float(d[np.argmax(close)]))


def fit(both, lo, hi, m, first, at_root):
    """c0..c7 and the low part of c0. The first interval of g, which is -z/2 + ..., is fitted relative to g."""
    value, slope = both(m)
    # At the root all of c0 is its low part: then w * d is the whole of the sum, and exact in two parts.
    c0 = mpf(0) if at_root else rnd(value, 24)
    low = rnd(value - c0, 24)
    return [c0] + fit_rest(both, lo, hi, m, first, DEGREE, c0 + low, mpf(0), [rnd(slope, 24)]), low


def fit_rest(both, lo, hi, m, first, degree, constant, linear, c):
    """Extends c1.. to the degree, each rounded before the next is fitted. constant + linear d is known besides."""
    c = list(c)
    half = max(hi - m, m - lo)
    nodes = [d / half for d in chebyshev_points(lo - m, hi - m, 20)]
    values = [both(m + d * half)[0] for d in nodes]
    weights = [1 / fabs(v) if first else mpf(1) for v in values]
    columns = [[d**j for d in nodes] for j in range(degree + 1)]
    while len(c) < degree:
        target = [v - constant - linear * half * d for v, d in zip(values, nodes)]
        for j, coefficient in enumerate(c):
            target = [t - coefficient * half ** (j + 1) * x for t, x in zip(target, columns[j + 1])]
        powers = range(len(c) + 1, degree + 1)
        solution = least_squares(powers, [columns[j] for j in powers], target, weights)
        c.append(rnd(solution[0] / half ** powers[0], 24))
    return c


def fma(a, b, c):
    """Of float arrays, by way of double: the double sum may round twice, which does not matter for samples."""
    return np.float32(np.float64(a) * np.float64(b) + np.float64(c))


def kernel(z, row, c0_low):
    """What src/kernels/f32.inc.h computes: hi + lo, and the part of hi that carries the error."""
    m, c0, c1 = (np.float32(x) for x in row[:3])
    d = z - m
    v = np.full_like(d, np.float32(row[-1]))
    for coefficient in row[-2:2:-1]:
        v = fma(v, d, np.float32(coefficient))
    w = fma(v, d, c1)
    w_low = fma(v, d, c1 - w)
    hi = fma(w, d, c0)
    lo = fma(w, d, c0 - hi)
    return hi, fma(w_low, d, lo + np.float32(c0_low)), fma(w - c1, d, c0)


def measure(both, lo, hi, m, row, c0_low, kind):
    """The largest error on samples, relative to the error's carrier (forward) or absolute (grad)."""
    rng = np.random.default_rng(1)
    z = np.float32(float(lo) + (float(hi) - float(lo)) * rng.random(SAMPLES))
    coefficients = reference(both, lo, hi, m, 14)
    d = np.float64(z) - float(m)
    exact = np.zeros_like(d)
    for a in reversed(coefficients[1:]):
        exact = (exact + a) * d
    with np.errstate(divide="ignore", invalid="ignore"):
        high, low, carrier = kernel(z, row, c0_low)
        error = np.abs(((np.float64(high) - coefficients[0]) - exact) + np.float64(low))
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
        if i > 0:
            m = choose_close(both, lo, hi, m, kind == "forward", at_root)
        coefficients, c0_low = fit(both, lo, hi, m, first, at_root)
        if kind == "forward":  # the kernel does without
            c0_low = mpf(0)
        row = [np.float32(float(x)) for x in [m] + coefficients]
        bound = measure(both, lo, hi, m, row, float(c0_low), kind) * MARGIN
        if i == INTERVALS - 1:  # z beyond z_max lands here, and must fail the rounding test
            bound = 2.0
        rows.append(row + [np.float32(bound), np.float32(float(c0_low))] + [np.float32(0)] * PADDING)
    return z_max, scale, rows


def fast_kernel(x, row, first):
    """What f32_fast_forward computes."""
    m, c0 = np.float32(row[0]), np.float32(row[1])
    z = np.abs(x)
    d = z - m
    w = np.full_like(d, np.float32(row[-1]))
    for coefficient in row[-2:1:-1]:
        w = fma(w, d, np.float32(coefficient))
    total = x * np.float32(0.5) if first else np.maximum(x, np.float32(0)) + c0
    return fma(w, d, total)


def fast_error(both, lo, hi, m, row, first):
    """The largest error in ULP on samples of both signs."""
    rng = np.random.default_rng(2)
    share = rng.random(2 * FAST_SAMPLES)
    share[:FAST_SAMPLES] = share[:FAST_SAMPLES] ** 8 / 2  # half of the samples near the ends, where errors are largest
    share[: FAST_SAMPLES // 2] = 1 - share[: FAST_SAMPLES // 2]
    z = np.float32(float(lo) + (float(hi) - float(lo)) * share)
    d = np.float64(z) - float(m)
    g = np.zeros_like(d)
    for a in reversed(reference(both, lo, hi, m, 14)):
        g = g * d + a
    worst = 0.0
    for x, exact in ((z, z + g), (-z, g)):
        _, exponent = np.frexp(np.abs(exact))
        error = np.abs(np.float64(fast_kernel(x, row, first)) - exact) / np.ldexp(1.0, exponent - 24)
        worst = max(worst, float(error[z > 2.0**-12].max()))
    return worst


def fast_row(both, lo, hi, minimum):
    first = lo == 0
    if first:  # g(z) + z/2 = d^2 (c2 + ...); the kernel adds x/2
        with_half = lambda z: (both(z)[0] + z / 2, both(z)[1] + mpf("0.5"))
        return [mpf(0), mpf(0)] + fit_rest(with_half, lo, hi, mpf(0), True, FAST_DEGREE, mpf(0), mpf(0), [mpf(0)])
    unit = mpf(2) ** (float_exponent(hi) - 24)
    at_minimum = lo < minimum < hi
    # Next to zero f is smallest at the lower end: m near it keeps w * d, and its rounding, small there.
    near = lo + (hi - lo) / 5 if lo < mpf("0.3") else choose_centre(lambda z: both(z)[0], lo, hi, minimum)
    start = mp.nint((minimum if at_minimum else near) / unit)
    step = 32 if at_minimum else 1  # there g hardly changes
    best = None
    # First any float as c0; where that leaves an error near 1, a c0 so coarse that x + c0 is exact for most x > 0.
    for coarse in (None, unit / 2, unit):
        tried, k = 0, 0
        while tried < FAST_CANDIDATES and k < FAST_SEARCH and (best is None or best[0] > FAST_AIM):
            m = (start + step * ((k + 1) // 2) * (-1) ** k) * unit  # 0, -1, 1, -2, 2, ... steps away
            k += 1
            value, slope = both(m)
            c0 = mp.nint(value / coarse) * coarse if coarse else rnd(value, 24)
            if fabs(value - c0) > fabs(value) * mpf(2) ** -29:
                continue
            tried += 1
            row = [m, c0] + fit_rest(both, lo, hi, m, False, FAST_DEGREE, c0, mpf(0), [rnd(slope, 24)])
            error = fast_error(both, lo, hi, m, [np.float32(float(v)) for v in row], False)
            if best is None or error < best[0]:
                best = (error, row)
    return best[1]


def fast_table(function):
    both = value_and_slope(function, "forward")
    minimum = solve(lambda z: both(z)[1], mpf("0.3"), mpf(2))
    z_max, b = function.fast_max, function.fast_bend
    bend = np.float32((INTERVALS - 0.51) / ((z_max + b) ** 2 - b**2))
    scale = np.float32(2 * b * bend)
    exact_bend, exact_scale = mpf(float(bend)), mpf(float(scale))

    def edge(t):
        return (-exact_scale + sqrt(exact_scale**2 + 4 * exact_bend * t)) / (2 * exact_bend)

    rows, worst = [], 0.0
    for i in range(INTERVALS):
        lo = mpf(0) if i == 0 else edge(i - mpf("0.5")) - mpf("1e-6")
        hi = edge(i + mpf("0.5")) + mpf("1e-6") if i < INTERVALS - 1 else mpf(z_max)
        row = [np.float32(float(v)) for v in fast_row(both, lo, hi, minimum)]
        worst = max(worst, fast_error(both, lo, hi, mpf(float(row[0])), row, i == 0))
        # The kernel takes d = m - z, which is -0 for z = 0 if m is: so x = -0 keeps its sign.
        row = [row[0], row[1]] + [c * np.float32((-1) ** (j + 1)) for j, c in enumerate(row[2:])]
        if i == 0:
            row[0], row[2] = np.float32(-0.0), np.float32(0)
        rows.append(row)
    return np.float32(z_max), scale, bend, rows, worst


TAIL_FROM, TAIL_TO = mpf(5), mpf("14.8")
TAIL_ERF_SCALE = mpf("0.979") / sqrt(2 * pi)  # so that what is left to multiply is nearest to 1
TAIL_ERF = {"forward": (mpf(2), mpf(5) / 128), "grad": (mpf(5) / 4, mpf(5) / 128)}  # shift and centre of the t below


def tail_exp(factor):
    """factor 2^(j/8) as a float, with j / 8 subtracted from its exponent in units of the last place, and the rest of it."""
    values = [factor * mpf(2) ** (mpf(j) / 8) for j in range(8)]
    floats = [np.float32(float(rnd(v, 24))) for v in values]
    low = [float(rnd(v / mpf(float(f)) - 1, 24)) for v, f in zip(values, floats)]
    moved = np.array([f.view(np.uint32) for f in floats], np.uint32) - (np.arange(8, dtype=np.uint32) << 20)
    return [float(f) for f in (moved + np.uint32(64 << 23)).view(np.float32)], low


def tail_exp_terms():
    """c2..c5: e^r = 1 + r + c2 r^2 + ... for abs(r) <= ln(2)/16, with 2^-38 of error."""
    half = log(mpf(2)) / 16 + mpf(2) ** -20
    return [float(rnd(c, 24)) for c in interpolate(lambda r: (exp(r) - 1 - r) / r**2, -half, half, mpf(0), 3)]


def tail_erf(kind):
    """c0..c5: f(-z) or f'(-z) / z, times -e^(z^2/2) / TAIL_ERF_SCALE, is 1 + c0 + c1 t + ..., t = 1 / (z^2/2 + shift) - centre."""
    shift, centre = TAIL_ERF[kind]

    def change(t):
        z = sqrt(2 * (1 / (t + centre) - shift))
        q, p, _ = Erf.tails(z)
        return (z * q if kind == "forward" else -p / z) * exp(z * z / 2) / TAIL_ERF_SCALE - 1

    ends = [1 / (z * z / 2 + shift) - centre for z in (TAIL_TO, TAIL_FROM)]
    return [float(rnd(c, 24)) for c in interpolate(change, ends[0], ends[1], mpf(0), 5)]


def tail_text():
    out = ["/* Of tail.inc.h. e^r, and 2^(j/8) times a factor: its float, with j taken from the bits where n adds it, and the rest. */"]
    out.append(array_text("tail_exp_terms", tail_exp_terms()))
    for name, factor in (("one", mpf(1)), ("erf", TAIL_ERF_SCALE)):
        out.append("static const float tail_exp_%s[2][8] = {" % name)
        out += ["    {" + ", ".join(hexf(v) + "f" for v in values) + "}," for values in tail_exp(factor)]
        out.append("};")
    for kind in ("forward", "grad"):
        for name, value in zip(("SHIFT", "CENTRE"), TAIL_ERF[kind]):
            out.append("#define TAIL_ERF_%s_%s %sf" % (kind.upper(), name, hexf(value)))
        out.append(array_text("tail_erf_" + kind, tail_erf(kind)))
    k, c = 2 * sqrt(2 / pi), mpf(44715) / 1000000
    out.append("#define TAIL_EIGHTHS %sf" % hexf(rnd(8 / log(mpf(2)), 24)))
    constants = [("LN2", log(mpf(2)) / 8), ("QUICK", SLOPE), ("TANH_SLOPE", k)]
    for name, value in constants + [("TANH_CUBIC", c * k), ("TANH_CUBIC_3", 3 * c * k)]:
        high = rnd(value, 24)
        out.append("#define TAIL_%s_HI %sf" % (name, hexf(high)))
        out.append("#define TAIL_%s_LO %sf" % (name, hexf(rnd(value - high, 24))))
    return out


def array_text(name, values):
    return "static const float %s[%d] = {%s};" % (name, len(values), ", ".join(hexf(v) + "f" for v in values))


def short_kernel(x, row, centre):
    """What short.inc.h computes. centre: of the interval, a double, since the product with it is part of an fma."""
    d = np.float32(np.abs(np.float64(x)) - centre)
    w = np.full_like(d, row[SHORT_DEGREE])
    for coefficient in row[SHORT_DEGREE - 1 : 0 : -1]:
        w = fma(w, d, coefficient)
    return fma(w, d, np.maximum(x, np.float32(0)) + row[0])


def short_error(both, lo, hi, row, centre, least):
    """The largest error in ULP of f32 on samples of both signs, where f is at least that large."""
    rng = np.random.default_rng(3)
    z = np.float32(float(lo) + (float(hi) - float(lo)) * rng.random(SAMPLES))
    g = np.zeros(len(z))
    for a in reversed(reference(both, lo, hi, mpf(centre), 14)):
        g = g * (np.float64(z) - centre) + a
    worst = 0.0
    for x, exact in ((z, z + g), (-z, g)):
        error = np.abs(np.float64(short_kernel(x, row, centre)) - exact) / np.ldexp(1.0, np.frexp(np.abs(exact))[1] - 24)
        worst = max(worst, float(error[np.abs(exact) >= least].max(initial=0.0)))
    return worst


def short_table(function):
    both = value_and_slope(function, "forward")
    z_max = np.float32(function.short_max)
    scale = np.float32((INTERVALS - 0.51) / float(z_max))
    width = np.float32(1 / float(scale))
    rows, worst = [], {"bf16": 0.0, "f16": 0.0}
    for i in range(INTERVALS):
        centre = i * float(width)
        lo = mpf(0) if i == 0 else (i - mpf("0.5")) / mpf(float(scale)) - mpf("1e-6")
        hi = (i + mpf("0.5")) / mpf(float(scale)) + mpf("1e-6") if i < INTERVALS - 1 else mpf(float(z_max))
        c0 = rnd(both(mpf(centre))[0], 24) if i > 0 else mpf(0)
        first = [-mpf("0.5")] if i == 0 else []
        c = fit_rest(both, lo, hi, mpf(centre), True, SHORT_DEGREE, c0, mpf(0), first)
        row = [np.float32(float(v)) for v in [c0] + c]
        if i == 0:
            row[0] = np.float32(-0.0)
        worst["bf16"] = max(worst["bf16"], short_error(both, max(lo, mpf("1e-4")), hi, row, centre, 0))
        worst["f16"] = max(worst["f16"], short_error(both, max(lo, mpf("1e-4")), hi, row, centre, 2.0**-14))
        rows.append(row + [np.float32(0)] * (SHORT_ROW - len(SHORT_COLUMNS)))
    bands = [2 ** int(np.ceil(np.log2(worst[type] * MARGIN))) for type in ("f16", "bf16")]
    return [z_max, scale, width] + bands, rows


def struct_text(name, head, columns, rows):
    numbers = ["%d," % x if isinstance(x, int) else hexf(x) + "f," for x in head]
    out = ["static const struct %s = {" % name, "    " + " ".join(numbers), "    {"]
    for column in range(len(columns)):
        out.append("        { /* %s */" % columns[column])
        for i in range(0, INTERVALS, 8):
            out.append("            " + " ".join(hexf(r[column]) + "f," for r in rows[i : i + 8]))
        out.append("        },")
    out += ["    },", "    {"]
    out += ["        {" + ", ".join(hexf(x) + "f" for x in r) + "}," for r in rows]
    return out + ["    },", "};", ""]


def text():
    out = [
        "/* SPDX-License-Identifier: MIT",
        " * SPDX-FileCopyrightText: 2026 The libgelu authors */",
        "",
        "/* Written by tools/gen_f32_tables.py; do not edit. Columns: %s. */" % ", ".join(COLUMNS),
        "#ifndef GELU_F32_TABLES_H",
        "#define GELU_F32_TABLES_H",
        "",
        "#include <stdint.h>",
        "",
        "enum { F32_INTERVALS = %d, F32_COLUMNS = %d, FAST_COLUMNS = %d, SHORT_COLUMNS = %d, SHORT_ROW = %d };"
        % (INTERVALS, len(COLUMNS) + PADDING, len(FAST_COLUMNS), len(SHORT_COLUMNS), SHORT_ROW),
        "",
        "/* The same numbers twice: by column for a permutation of registers, by row for loads. */",
        "struct f32_table {",
        "    float z_max, scale; /* interval of z: z * scale, rounded to nearest */",
        "    _Alignas(64) float column[F32_COLUMNS][F32_INTERVALS];",
        "    _Alignas(16) float row[F32_INTERVALS][F32_COLUMNS];",
        "};",
        "",
        "/* Columns: %s, for powers of m - z. */" % ", ".join(FAST_COLUMNS),
        "struct fast_table {",
        "    float z_max, scale, bend; /* interval of z: z * (scale + z * bend), rounded to nearest */",
        "    _Alignas(64) float column[FAST_COLUMNS][F32_INTERVALS];",
        "    _Alignas(16) float row[F32_INTERVALS][FAST_COLUMNS];",
        "};",
        "",
        "/* Columns: %s, for powers of z - interval * width. */" % ", ".join(SHORT_COLUMNS),
        "struct short_table {",
        "    float z_max, scale, width; /* interval of z: z * scale, rounded to nearest */",
        "    int32_t band_f16, band_bf16;",
        "    _Alignas(64) float column[SHORT_COLUMNS][F32_INTERVALS];",
        "    _Alignas(16) float row[F32_INTERVALS][SHORT_ROW];",
        "};",
        "",
        "/* clang-format off */",
    ]
    bounds = []
    for function in FUNCTIONS:
        for kind in ("forward", "grad"):
            z_max, scale, rows = table(function, kind)
            bounds.append((function.name, kind, [float(r[len(COLUMNS) - 2]) for r in rows]))
            out += struct_text("f32_table %s_%s_table" % (function.name, kind), [z_max, scale], COLUMNS, rows)
    for function in FUNCTIONS:
        z_max, scale, bend, rows, worst = fast_table(function)
        bounds.append((function.name, "fast, ULP 2^", [worst]))
        out += struct_text("fast_table %s_fast_table" % function.name, [z_max, scale, bend], FAST_COLUMNS, rows)
    for function in FUNCTIONS:
        head, rows = short_table(function)
        bounds.append((function.name, "short, bands 2^", head[-2:]))
        out += struct_text("short_table %s_short_table" % function.name, head, SHORT_COLUMNS, rows)
    out += tail_text()
    return "\n".join(out + ["/* clang-format on */", "", "#endif", ""]), bounds


def main(argv):
    check = "--check" in argv
    paths = [a for a in argv if a != "--check"]
    if len(paths) != 1:
        sys.exit(__doc__)
    new, bounds = text()
    for name, kind, errors in bounds:
        print(name, kind, " ".join("%.2f" % np.log2(e) for e in errors), file=sys.stderr)
    if not check:
        open(paths[0], "w").write(new)
    elif open(paths[0]).read() != new:
        sys.exit("%s differs from what this script writes" % paths[0])


main(sys.argv[1:])
