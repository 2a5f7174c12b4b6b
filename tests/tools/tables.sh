#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# tables.sh GELU SCRATCH: every committed table is what its script writes, and a changed one is noticed.
set -euo pipefail
cd "${GELU_SOURCE_DIR:?}"
for python in python3 /usr/bin/python3 ''; do
    if [ -z "$python" ]; then
        echo "tables: needs python3 with mpmath" >&2
        exit 1
    fi
    ! "$python" -c 'import mpmath' 2>/dev/null || break
done

"$python" tools/gen_exact_tables.py --check src/kernels/exact_tables.h
sed 's/0x1\.71547652b82fep+6/0x1.71547652b82ffp+6/' src/kernels/exact_tables.h >"$2/changed.h"
if "$python" tools/gen_exact_tables.py --check "$2/changed.h" >/dev/null 2>&1; then
    echo "tables: a changed coefficient passes" >&2
    exit 1
fi
