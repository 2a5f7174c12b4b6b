# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

"""report_picture.py FILE.png: of a screenshot, 1200 wide, that the whole report is there: each tenth of its height but
the last three has marks, and the colours of the curves are among them."""

import struct
import sys
import zlib

CURVES = [(0xD5, 0x5E, 0x00), (0x00, 0x72, 0xB2), (0x00, 0x9E, 0x73), (0xCC, 0x79, 0xA7), (0xE6, 0x9F, 0x00)]


def read_png(path):
    """Rows of bytes, and how many bytes a pixel has."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    size = 3 if colour == 2 else 4
    raw, stride = zlib.decompress(packed), width * size
    before, rows = bytes(stride), []
    for y in range(height):
        mode = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride) if mode else ():
            a = row[i - size] if i >= size else 0
            b, c = before[i], before[i - size] if i >= size else 0
            if mode == 1:
                guess = a
            elif mode == 2:
                guess = b
            elif mode == 3:
                guess = (a + b) // 2
            else:
                p = a + b - c
                guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = (row[i] + guess) & 255
        rows.append(bytes(row))
        before = rows[-1]
    return rows, size


rows, size = read_png(sys.argv[1])
white = bytes([255]) * len(rows[0])
for tenth in range(7):
    part = rows[len(rows) * tenth // 10 : len(rows) * (tenth + 1) // 10]
    marked = sum(row != white for row in part)
    assert marked > len(part) // 10, f"tenth {tenth} of the page is blank: {marked} of {len(part)} rows"
seen = set()
for row in rows:
    if row != white:
        seen.update(row[i : i + 3] for i in range(0, len(row), size))
missing = [colour for colour in CURVES if bytes(colour) not in seen]
assert not missing, f"no curve of colour {missing}"
