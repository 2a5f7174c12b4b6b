#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# same_bits.sh GELU SCRATCH: a compiler that is free to fuse a*b+c, told to by options that our own build never uses,
# still gives the bits of our own build, with each instruction set.
set -euo pipefail
scratch=$2
. "$(dirname "$0")/lib.bash"

reference=$scratch/reference
read -ra libraries < <(sed -n 's/^Libs\.private: *//p' "$GELU_BUILD_DIR/gelu.pc")
"$CC" -std=c11 -O2 -Iinclude -Itests tests/contraction/hash.c "$GELU_BUILD_DIR/libgelu.a" -o "$scratch/hash" \
    "${libraries[@]}"
"$scratch/hash" >"$reference"
[ "$(wc -l <"$reference")" -gt 300 ] || { echo "same_bits: too few functions" >&2; exit 1; }

# Beside its instruction set, a line is the same for all of them.
functions=$(grep -c "^scalar " "$reference")
mapfile -t isas < <(cut -d' ' -f1 "$reference" | sort -u)
for isa in "${isas[@]}"; do
    if ! diff <(grep "^$isa " "$reference" | cut -d' ' -f2-) <(grep "^scalar " "$reference" | cut -d' ' -f2-); then
        echo "same_bits: $isa and scalar differ" >&2
        exit 1
    fi
done

# This build's compiler takes all variants, any other the second alone: their own builds test the rest.
variants=("-std=gnu17 -O2 -ffp-contract=fast" "-std=gnu17 -O3 -ffp-contract=fast -march=native"
    "-std=gnu17 -O2 -funsigned-char")
failed=0
for compiler in $(compilers); do
    for i in "${!variants[@]}"; do
        [ "$compiler" = "$CC" ] || [ "$i" = 1 ] || continue
        folder=$scratch/${compiler##*/}_$i
        build "$compiler" "${variants[i]}" "$folder"
        "$folder/hash" >"$folder/hashes"
        if diff "$reference" "$folder/hashes"; then
            echo "$compiler ${variants[i]}: the same bits, $functions functions"
        else
            echo "same_bits: $compiler ${variants[i]} gives other bits" >&2
            failed=1
        fi
    done
done
exit $failed
