#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors
"""make_digits.py DIGITS.csv.gz: scikit-learn's copy of the digits (64 pixels and a label a line) as idx files, here."""
import gzip
import pathlib
import struct
import sys

rows = [[int(v) for v in line.split(",")] for line in gzip.open(sys.argv[1], "rt")]
here = pathlib.Path(__file__).parent
images, labels = b"".join(bytes(row[:64]) for row in rows), bytes(row[64] for row in rows)
(here / "digits-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, len(rows), 8, 8) + images)
(here / "digits-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, len(rows)) + labels)
