# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""What the table generators share: roundings, hex floats, interpolation. Needs mpmath."""
from math import copysign
from mpmath import mp, mpf, cos, frexp, ldexp, pi

mp.prec = 400


def rnd(x, bits=53):
    """x rounded to nearest with this many significant bits, as an mpf."""
    if x == 0:
        return mpf(0)
    m, e = frexp(x)
    return ldexp(mp.nint(ldexp(m, bits)), e - bits)


def hexf(x):
    if x == 0:
        return "-0x0p+0" if copysign(1, x) < 0 else "0x0p+0"
    return float(x).hex()


def chebyshev_points(lo, hi, n):
    return [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def interpolate(f, lo, hi, centre, degree):
    """Coefficients in (z - centre), lowest first, of the polynomial through f at the Chebyshev points of [lo, hi]."""
    nodes = chebyshev_points(lo, hi, degree + 1)
    return interpolate_values(nodes, [f(z) for z in nodes], centre)


def interpolate_values(nodes, values, centre):
    n, values = len(nodes), list(values)
    for level in range(1, n):  # divided differences
        for i in range(n - 1, level - 1, -1):
            values[i] = (values[i] - values[i - 1]) / (nodes[i] - nodes[i - level])
    c = [mpf(0)]
    for i in range(n - 1, -1, -1):  # Newton form to powers of (z - centre)
        shift = nodes[i] - centre
        c = [values[i] - shift * c[0]] + [c[j - 1] - shift * c[j] for j in range(1, len(c))] + [c[-1]]
    return c[:n]
