#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# same_bits.sh GELU SCRATCH: the library cross-compiled for AArch64 by this build's kind of compiler and run under
# qemu-user gives the bits of this build, with NEON and without. Skipped without a cross compiler or qemu.
set -euo pipefail
scratch=$2
: "${GELU_SOURCE_DIR:?}" "${GELU_BUILD_DIR:?}" "${CC:?}"
cross=$GELU_BUILD_DIR/aarch64
emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
for program in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $program >/dev/null || { echo "skipped: no $program"; exit 77; }
done
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: this compares AArch64 with x86-64"
    exit 77
fi

options=()
case ${CC##*/} in clang*) options=("-DCMAKE_C_COMPILER=$CC") ;; esac
{
    cmake -G Ninja -S "$GELU_SOURCE_DIR" -B "$cross" "${options[@]}" \
        -DCMAKE_TOOLCHAIN_FILE="$GELU_SOURCE_DIR/cmake/aarch64-linux-gnu.cmake"
    cmake --build "$cross" --target neon_programs
} >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log" >&2; exit 1; }

# hashes PROGRAM [ARGUMENT]: the lines of each ISA, the same for all of them on both machines but for its name.
failed=0
hashes() {
    local name=$1 isa want=$scratch/$1.want ours theirs
    "$GELU_BUILD_DIR/tests/neon_$name" "${@:2}" >"$scratch/$name.x86"
    "${emulator[@]}" "$cross/tests/neon_$name" "${@:2}" >"$scratch/$name.arm"
    cat "$scratch/$name.x86" "$scratch/$name.arm" >"$scratch/$name.all"
    ours=$(cut -d' ' -f1 "$scratch/$name.x86" | uniq | xargs) theirs=$(cut -d' ' -f1 "$scratch/$name.arm" | uniq | xargs)
    [ "$theirs" = "neon scalar" ] || { echo "same_bits: AArch64 has '$theirs'" >&2; exit 1; }
    grep '^scalar ' "$scratch/$name.x86" | cut -d' ' -f2- >"$want"
    [ "$(wc -l <"$want")" -gt 100 ] || { echo "same_bits: too few lines of neon_$name" >&2; exit 1; }
    for isa in $ours; do compare "$name" x86 "$isa"; done
    for isa in $theirs; do compare "$name" arm "$isa"; done
    echo "$name: $(wc -l <"$want") hashes, the same for x86-64 ($ours) and AArch64 ($theirs)"
}
compare() { # PROGRAM MACHINE ISA
    if ! diff "$scratch/$1.want" <(grep "^$3 " "$scratch/$1.$2" | cut -d' ' -f2-); then
        echo "same_bits: neon_$1: $3 on $2 differs from scalar on x86-64" >&2
        failed=1
    fi
}
hashes kernels
hashes layers only

# Every AArch64 processor can fuse a*b+c, and compilers do it unasked: the same bits when told to.
cross_cc=(aarch64-linux-gnu-gcc)
case ${CC##*/} in clang*) cross_cc=("$CC" --target=aarch64-linux-gnu) ;; esac
cd "$GELU_SOURCE_DIR"
read -ra libraries < <(sed -n 's/^Libs\.private: *//p' "$cross/gelu.pc")
"${cross_cc[@]}" -std=gnu17 -O2 -ffp-contract=fast -static -Iinclude -Isrc -Itests tests/neon/kernels.c \
    src/kernels/isa/kernels_{neon,scalar}.c "$cross/libgelu.a" "${libraries[@]}" -o "$scratch/fused"
"${emulator[@]}" "$scratch/fused" >"$scratch/fused.arm"
diff "$scratch/kernels.arm" "$scratch/fused.arm" || { echo "same_bits: -ffp-contract=fast gives other bits" >&2; failed=1; }

"$GELU_BUILD_DIR/tests/neon_flush" || failed=1
"${emulator[@]}" "$cross/tests/neon_flush" || failed=1
"$GELU_BUILD_DIR/tests/neon_bf16" || failed=1
"${emulator[@]}" "$cross/tests/neon_bf16" || failed=1
# The sweep of `make verify-neon`, two of its 4096 chunks.
"$GELU_BUILD_DIR/tests/neon_sweep" compare 3063 2 "${emulator[*]} '$cross/tests/neon_sweep'" >"$scratch/sweep" 2>&1 ||
    { cat "$scratch/sweep" >&2; failed=1; }
grep -q ' 28 functions, 0 differ' "$scratch/sweep" || failed=1
exit $failed
