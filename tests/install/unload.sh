#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# unload.sh GELU SCRATCH: the shared library may be unloaded after it computed in several threads.
set -euo pipefail
scratch=$2
: "${GELU_SOURCE_DIR:?}" "${GELU_BUILD_DIR:?}" "${CC:?}"
"$CC" -std=c11 -Wall -Wextra -Werror -I"$GELU_SOURCE_DIR/include" "$GELU_SOURCE_DIR/tests/install/unload.c" \
    -o "$scratch/unload" -ldl
"$scratch/unload" "$GELU_BUILD_DIR/libgelu.so"
