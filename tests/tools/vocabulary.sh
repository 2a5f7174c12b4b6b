#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# vocabulary.sh GELU SCRATCH: every vector vocabulary has a test, and what that includes calls every name they promise.
set -euo pipefail
cd "${GELU_SOURCE_DIR:?}"
tested=tests/unit/vocabulary.inc.h
# Parts of other names, which no kernel calls.
parts="v32_lookup_rows v32_lookup_columns load_halves store_halves v32_permuted"

failed=0
fail() {
    echo "vocabulary: $1" >&2
    failed=1
}
# names FILE: what it defines, of one line or of several.
names() { sed -nE 's/^GELU_INLINE [^(=]*[ *]([a-z0-9_]+)\(.*/\1/p' "$1"; }

# What the test calls, or hands to a macro that does; the pasted names end in the two 16-bit types.
grep -vE '^ *(/\*| \*)' $tested | sed -E 's/"[^"]*"//g; s/([a-z0-9_]+_)##NAME\(/\1f16( \1bf16(/g' |
    grep -oE '\b[a-z0-9_]+[(,]' | tr -d '(,' | sort -u >"$2/tested"

for header in src/kernels/simd/*.h; do
    isa=$(basename "$header" .h)
    [ "$isa" = fma ] && continue # not vectors; test_fma.c
    [ "$isa" = tile ] || [ "$isa" = lanes ] || [ -f "tests/unit/test_simd_$isa.c" ] || fail "there is no tests/unit/test_simd_$isa.c"
    names "$header" | grep -vxF "${parts// /$'\n'}" | sort -u >"$2/promised"
    [ "$(wc -l <"$2/promised")" -ge 10 ] || [ "$isa" = lanes ] || fail "found too few names in $header"
    [ "$(names "$header" | wc -l)" = "$(grep -c '^GELU_INLINE' "$header")" ] || fail "$header has a line of a new form"
    comm -23 "$2/promised" "$2/tested" >"$2/missing"
    while read -r name; do fail "$tested does not test $name of $header"; done <"$2/missing"
done
# A part that a kernel calls is a name like the others.
for name in $parts; do
    callers=$(grep -rlw "$name" src | grep -v '^src/kernels/simd/' || true)
    [ -z "$callers" ] || fail "$name is called in $callers"
done
exit $failed
