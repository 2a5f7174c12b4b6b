#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# run_script.sh SCRIPT GELU: runs SCRIPT GELU SCRATCH in an empty scratch folder, $GELU_SCRATCH_DIR.
set -euo pipefail
find "$GELU_SCRATCH_DIR" -mindepth 1 -delete
exec bash "$1" "$2" "$GELU_SCRATCH_DIR"
