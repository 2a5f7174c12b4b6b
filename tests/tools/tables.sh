#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# tables.sh GELU SCRATCH: every committed table is what its script writes, byte for byte, and a changed one is noticed.
set -euo pipefail
cd "${GELU_SOURCE_DIR:?}"
scratch=$2
for python in python3 /usr/bin/python3 ''; do
    if [ -z "$python" ]; then
        echo "skipped: tables need python3 with mpmath and numpy"
        exit 77
    fi
    ! "$python" -c 'import mpmath, numpy' 2>/dev/null || break
done

"$python" tools/gen_f32_tables.py --check src/kernels/f32_tables.h 2>"$scratch/f32.txt" &
f32=$!
"$python" tools/gen_exact_tables.py --check src/kernels/exact_tables.h
sed 's/0x1\.71547652b82fep+6/0x1.71547652b82ffp+6/' src/kernels/exact_tables.h >"$scratch/changed.h"
if "$python" tools/gen_exact_tables.py --check "$scratch/changed.h" >/dev/null 2>&1; then
    echo "tables: a changed coefficient passes" >&2
    exit 1
fi
if ! wait $f32; then
    cat "$scratch/f32.txt" >&2
    exit 1
fi
