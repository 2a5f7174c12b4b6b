#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# coverage.sh [BUILD_WITH_CORPORA]: how many lines of each parser the seeds, fixed mutations of them and what the fuzzers
# kept (in build-asan/fuzz) reach, by clang's source coverage. COVERAGE_SHOW=1 lists the lines that nothing reaches.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
corpora=${1:-$root/build-asan}/fuzz
build=${COVERAGE_BUILD:-$root/build-coverage}
cmake -G Ninja -S "$root" -B "$build" -DCMAKE_C_COMPILER="${CLANG:-clang-14}" -DCMAKE_BUILD_TYPE=Debug \
    -DGELU_OPENMP=OFF -DCMAKE_C_FLAGS="-O1 -fprofile-instr-generate -fcoverage-mapping" >"$build.log" ||
    { cat "$build.log" && exit 1; }
rm -f "$build.log"

declare -A parsers=(
    [npy]="io/npy_header io/npy_descr io/npy_gather io/npy_read"
    [safetensors]="io/safetensors_header io/safetensors_layout io/safetensors_kind io/safetensors_type io/json
                   io/safetensors_open"
    [index]="io/safetensors_index io/safetensors_shards io/safetensors_locate"
    [config]="io/refused"
    [model]="model/activation model/config model/describe model/forward model/layer model/layers model/open
             model/pattern model/recognise"
)
shopt -s nullglob
for name in npy safetensors index config model; do
    cmake --build "$build" --target "replay_$name" >/dev/null
    program=$build/tests/fuzz/replay_$name
    rm -f "$build/$name".*.profraw
    seeds=("$root/tests/fuzz/seeds/$name"/* "$root/tests/data/files"/*."$name")
    LLVM_PROFILE_FILE=$build/$name.seeds.profraw "$program" 2000 "${seeds[@]}" >/dev/null
    if [ -d "$corpora/$name" ]; then
        find "$corpora/$name" -type f -print0 |
            LLVM_PROFILE_FILE=$build/$name.%p.profraw xargs -0 "$program" 0 >/dev/null
    fi
done
llvm-profdata-14 merge -o "$build/all.profdata" "$build"/*.profraw
objects=()
for name in npy safetensors index config model; do objects+=(-object "$build/tests/fuzz/replay_$name"); done
for name in npy safetensors index config model; do
    sources=()
    for file in ${parsers[$name]}; do sources+=("$root/src/$file.c"); done
    llvm-cov-14 report "${objects[@]:1}" -instr-profile="$build/all.profdata" "${sources[@]}" 2>/dev/null |
        awk -v name="$name" '$1 == "TOTAL" { printf "%-12s %5d lines, %4d not reached, %s\n", name, $8, $9, $10 }'
    if [ -n "${COVERAGE_SHOW:-}" ]; then
        llvm-cov-14 show "${objects[@]:1}" -instr-profile="$build/all.profdata" "${sources[@]}" 2>/dev/null |
            grep -E '^/|^ +[0-9]+\| +0\|' || true
    fi
done
