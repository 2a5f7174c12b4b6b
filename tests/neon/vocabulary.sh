#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# vocabulary.sh GELU SCRATCH: the vector vocabularies that AArch64 has, compiled for it by this build's kind of compiler
# and tested under qemu-user. Skipped without a cross compiler or qemu.
set -euo pipefail
scratch=$2
for program in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done
cc=(aarch64-linux-gnu-gcc)
case ${CC:?} in *clang*) cc=("$CC" --target=aarch64-linux-gnu) ;; esac

cd "${GELU_SOURCE_DIR:?}"
for isa in neon scalar; do
    "${cc[@]}" -std=gnu11 -O2 -Wall -Wextra -Werror -static -Iinclude -Isrc -Itests tests/unit/test_simd_$isa.c -lm \
        -o "$scratch/$isa"
    echo "$isa: $(qemu-aarch64 "$scratch/$isa")"
done
