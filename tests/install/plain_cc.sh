#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# plain_cc.sh GELU SCRATCH: no build system: `cc` over all of src/ with the compiler's default language, with -std=c11 and,
# where the compiler has it, with OpenMP, and a program linked from it, by this build's compiler.
set -euo pipefail
scratch=$2
: "${GELU_SOURCE_DIR:?}" "${CC:?}"
cd "$GELU_SOURCE_DIR"
mapfile -t sources < <(find src -name '*.c' | sort)
[ ${#sources[@]} -gt 10 ] || { echo "plain_cc: found ${#sources[@]} files" >&2; exit 1; }

variants=("" "-std=c11 -O2")
# Flags alone do not make OpenMP: its header and library may be a package of their own.
if echo '#include <omp.h>' | "$CC" -fopenmp -x c -fsyntax-only - 2>/dev/null; then
    variants+=("-O2 -fopenmp")
else
    echo "skipped: plain cc -fopenmp, this compiler has no OpenMP"
fi
for options in "${variants[@]}"; do
    program=$scratch/program${options// /_}
    # shellcheck disable=SC2086 # several words
    "$CC" $options -Wall -Wextra -Werror -Iinclude -Isrc -DEXPECTED_VERSION='"0.1.0"' \
        "${sources[@]}" tests/install/program.c -o "$program" -ljansson -lm
    [ "$("$program" -1.2)" = -0.13808359 ] || { echo "plain_cc: $program computes something else" >&2; exit 1; }
done
