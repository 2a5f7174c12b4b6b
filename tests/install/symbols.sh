#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# symbols.sh GELU SCRATCH: this build's libraries export what their headers declare, and need only libc and libm.
set -euo pipefail
exec bash "${GELU_SOURCE_DIR:?}/tools/check_symbols.sh" "${GELU_BUILD_DIR:?}"
