#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# refused.sh GELU SCRATCH: options under which floating-point numbers are not numbers any more stop the build, with a
# text that says why. Every file that holds kernels must stop by itself.
set -euo pipefail
scratch=$2
. "$(dirname "$0")/lib.bash"

mapfile -t kernels < <(find src/kernels -name '*.c' | sort)
[ ${#kernels[@]} -ge 1 ] || { echo "refused: no kernels found" >&2; exit 1; }
failed=0
for compiler in $(compilers); do
    for source in "${kernels[@]}"; do
        for options in -ffast-math -Ofast "-O2 -ffinite-math-only" "-Ofast -march=native"; do
            # shellcheck disable=SC2086 # several words
            if "$compiler" $options -Iinclude -Isrc -fsyntax-only "$source" 2>"$scratch/errors"; then
                echo "refused: $compiler $options takes $source" >&2
                failed=1
            elif ! grep -q 'error.*correctly rounded.*fast-math' "$scratch/errors"; then
                echo "refused: $compiler $options refuses $source without saying why:" >&2
                cat "$scratch/errors" >&2
                failed=1
            fi
        done
        "$compiler" -O2 -Iinclude -Isrc -fsyntax-only "$source"
    done
    # clang tells no macro of these; there the pragmas of base/compiler.h hold the bits.
    if ! "$compiler" --version | grep -q clang; then
        for options in -funsafe-math-optimizations -freciprocal-math -fno-signed-zeros \
            "-fassociative-math -fno-signed-zeros -fno-trapping-math"; do
            # shellcheck disable=SC2086 # several words
            if "$compiler" -O2 $options -Iinclude -Isrc -fsyntax-only "${kernels[0]}" 2>/dev/null; then
                echo "refused: $compiler $options takes ${kernels[0]}" >&2
                failed=1
            fi
        done
    fi
    if build "$compiler" "-O2 -ffast-math" "$scratch/fast" >/dev/null 2>&1; then
        echo "refused: $compiler -ffast-math builds the library" >&2
        failed=1
    fi
    rm -rf "$scratch/fast"
done
exit $failed
