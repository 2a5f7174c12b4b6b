#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# Every example prints exactly what examples/expected holds, which golden/make_demo_golden.py computed without libgelu
# (05_train: what it printed once, whose losses are PyTorch's; train.sh says why that must stay).
. "$(dirname "$0")/lib.bash"
for source in "$source_dir"/examples/*.c; do
    name=$(basename "$source" .c)
    program=${GELU_BUILD_DIR:-$source_dir/build}/examples/$name
    expect 0 "$(cat "$source_dir/examples/expected/$name.txt")" "$program"
done
finish
