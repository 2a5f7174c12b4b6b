#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""Writes src/kernels/exact_tables.h: every constant of the double-double kernels. Needs mpmath.

usage: gen_exact_tables.py [--check] OUT   (--check: compare with OUT instead, and report the errors of the fits)
"""
import sys
from mpmath import mp, mpf, erfc, exp, sqrt, pi, log, polyval
from fitting import hexf, interpolate, rnd

EXP_BITS = 6  # 2^(j/64)
TAIL_PER_BINADE = 16  # intervals of v = z + 1 per binade
TAIL_MAX = 40  # the largest z that the kernels ask for
TAIL_DEGREE = 12
TAIL_PAIRS = 4  # the first coefficients are hi + lo
SHORT_PER_BINADE = 4  # the same function for the estimates, up to z = 15: 16 intervals
SHORT_DEGREE = 13


def pair(x):
    hi = rnd(x)
    return hi, rnd(x - hi)


def tail(z):
    """W(z) = Phi(-z) exp(z^2 / 2), a smooth function that falls from 1/2 like 1 / (z sqrt(2 pi))."""
    return erfc(z / sqrt(mpf(2))) / 2 * exp(z * z / 2)


def tail_rows(per_binade, z_max, degree):
    """(lo, hi, centre, coefficients) for each interval; the last covers z_max."""
    rows, index = [], 0
    while True:
        binade, step = divmod(index, per_binade)
        width = mpf(2) ** binade / per_binade
        lo = mpf(2) ** binade + step * width - 1
        hi = lo + width
        if lo > z_max or (lo == z_max and index > 0):
            return rows
        # At zero z - m would not be exact; everywhere else z and the centre are within a factor of two.
        centre = mpf(0) if index == 0 else (lo + hi) / 2
        rows.append((lo, hi, centre, interpolate(tail, lo, hi, centre, degree)))
        index += 1


def rounded(coefficients, pairs):
    return [pair(c) if i < pairs else (rnd(c), mpf(0)) for i, c in enumerate(coefficients)]


def report(rows, pairs):
    worst = mpf(0)
    for lo, hi, centre, c in rows:
        c = [h + l for h, l in rounded(c, pairs)]
        for i in range(64):
            z = lo + (hi - lo) * i / 63
            worst = max(worst, abs(polyval(c[::-1], z - centre) / tail(z) - 1))
    degree = len(rows[0][3]) - 1
    print("W(z): %d intervals, degree %d, relative error at most 2^%.2f" % (len(rows), degree, log(worst, 2)))


def constant_lines():
    ln2 = log(mpf(2)) / 2**EXP_BITS
    first = rnd(ln2, 36)
    second = rnd(ln2 - first, 36)
    yield "EXP_INVERSE", "64 / ln 2", [rnd(1 / ln2)]
    yield "EXP_LN2_1", "ln 2 / 64 in three parts; the first two have 36 bits, so that n times them is exact", [first]
    yield "EXP_LN2_2", "", [second]
    yield "EXP_LN2_3", "", [rnd(ln2 - first - second)]
    for name, comment, x in (
        ("INV_SQRT_2PI", "1 / sqrt(2 pi), hi + lo", 1 / sqrt(2 * pi)),
        ("QUICK_SLOPE", "1.702", mpf(1702) / 1000),
        ("TANH_SLOPE", "2 sqrt(2 / pi)", 2 * sqrt(2 / pi)),
        ("TANH_CUBIC", "0.044715", mpf(44715) / 1000000),
        ("TANH_CUBIC_3", "3 * 0.044715", 3 * mpf(44715) / 1000000),
        ("TANH_CURVE", "6 * 0.044715 * 2 sqrt(2 / pi)", 6 * mpf(44715) / 1000000 * 2 * sqrt(2 / pi)),
    ):
        hi, lo = pair(x)
        yield name + "_HI", comment, [hi]
        yield name + "_LO", "", [lo]


def text(rows, short):
    out = [
        "/* SPDX-License-Identifier: MIT",
        " * SPDX-FileCopyrightText: 2026 The libgelu authors */",
        "",
        "/* Written by tools/gen_exact_tables.py; do not edit. */",
        "#ifndef GELU_EXACT_TABLES_H",
        "#define GELU_EXACT_TABLES_H",
        "",
        "/* clang-format off */",
    ]
    for name, comment, (value,) in constant_lines():
        out.append("#define %s %s%s" % (name, hexf(value), " /* %s */" % comment if comment else ""))
    out += ["", "/* 2^(j/64), hi and lo. */", "static const double exp_table[%d][2] = {" % 2**EXP_BITS]
    for j in range(2**EXP_BITS):
        hi, lo = pair(mpf(2) ** (mpf(j) / 2**EXP_BITS))
        out.append("    {%s, %s}," % (hexf(hi), hexf(lo)))
    out += ["};", "", "/* 2^(j/16), hi. */", "static const double short_exp_table[16] = {"]
    out += ["    %s," % hexf(rnd(mpf(2) ** (mpf(j) / 16))) for j in range(16)]
    out += [
        "};",
        "",
        "/* W(z) = Phi(-z) exp(z^2/2) near the centre m: row i serves the z whose z + 1 has exponent and first four fraction",
        " * bits i. m, then c0..c%d as hi and lo, then c%d..c%d, of powers of z - m. */" % (TAIL_PAIRS - 1, TAIL_PAIRS, TAIL_DEGREE),
        "#define TAIL_PAIRS %d" % TAIL_PAIRS,
        "#define TAIL_DEGREE %d" % TAIL_DEGREE,
        "static const double tail_table[%d][%d] = {" % (len(rows), 1 + TAIL_PAIRS + TAIL_DEGREE + 1),
    ]
    for lo, hi, centre, c in rows:
        numbers = [centre]
        for i, (h, l) in enumerate(rounded(c, TAIL_PAIRS)):
            numbers += [h, l] if i < TAIL_PAIRS else [h]
        out.append("    { /* %s <= z < %s */" % (mp.nstr(lo, 8), mp.nstr(hi, 8)))
        for i in range(0, len(numbers), 4):
            out.append("        " + " ".join(hexf(x) + "," for x in numbers[i : i + 4]))
        out.append("    },")
    out += [
        "};",
        "",
        "/* The same for z < 15 in fewer and longer intervals, by column: four fraction bits become two. */",
        "#define SHORT_DEGREE %d" % SHORT_DEGREE,
        "static const double short_tail_table[%d][%d] = {" % (SHORT_DEGREE + 2, len(short)),
    ]
    columns = [[row[2] for row in short]] + [[rnd(row[3][i]) for row in short] for i in range(SHORT_DEGREE + 1)]
    for column in columns:
        out.append("    {")
        for i in range(0, len(column), 4):
            out.append("        " + " ".join(hexf(x) + "," for x in column[i : i + 4]))
        out.append("    },")
    out += ["};", "/* clang-format on */", "", "#endif", ""]
    return "\n".join(out)


def main(argv):
    check = "--check" in argv
    paths = [a for a in argv if a != "--check"]
    if len(paths) != 1:
        sys.exit(__doc__)
    rows = tail_rows(TAIL_PER_BINADE, TAIL_MAX, TAIL_DEGREE)
    short = tail_rows(SHORT_PER_BINADE, 15, SHORT_DEGREE)
    new = text(rows, short)
    if not check:
        open(paths[0], "w").write(new)
        return
    report(rows, TAIL_PAIRS)
    report(short, 0)
    if open(paths[0]).read() != new:
        sys.exit("%s differs from what this script writes" % paths[0])


main(sys.argv[1:])
