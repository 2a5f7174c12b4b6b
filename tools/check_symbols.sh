#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_symbols.sh BUILD_DIR: what a Release build's libraries define and need.
#   - the shared libraries export exactly the functions that their public header declares;
#   - they need no library but libc and libm (libgelu-io: and libgelu and jansson; libgelu: and OpenMP's in a build with it);
#   - the static libraries define no global name outside gelu_, and need nothing from the compiler's own library;
#   - nothing in them prints, aborts, exits or changes the locale;
#   - no table is built, at start-up or later: all that they can write is a few words, and nothing runs at start-up but
#     what makes a fork safe.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: check_symbols.sh BUILD_DIR}
broken=0
complain() {
    echo "check_symbols: $*" >&2
    broken=$((broken + 1))
}

declared() { # HEADER
    sed -n 's/^GELU_API [^(]*[ *]\(gelu_[a-z0-9_]*\)(.*/\1/p' "$root/include/$1" | sort
}

check() { # LIBRARY HEADER NEEDED
    local shared=$build/lib$1.so static=$build/lib$1.a name
    nm -D --defined-only "$shared" >"$scratch/exported" || return 1
    awk '{print $3}' "$scratch/exported" | sed 's/@.*//' | sort >"$scratch/names"
    declared "$2" >"$scratch/declared"
    while read -r name; do
        complain "$shared exports $name, which $2 does not declare"
    done < <(comm -23 "$scratch/names" "$scratch/declared")
    while read -r name; do
        complain "$shared does not export $name, which $2 declares"
    done < <(comm -13 "$scratch/names" "$scratch/declared")
    while read -r name; do
        [[ $name =~ ^($3)$ ]] || complain "$shared needs $name"
    done < <(readelf -dW "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')

    while read -r name; do
        complain "$static defines $name, which does not begin with gelu_"
    done < <(nm -g --defined-only "$static" | awk 'NF == 3 {print $3}' | grep -v '^gelu_' | sort -u)
    while read -r name; do
        complain "$static calls $name"
    done < <(nm -u "$static" | awk 'NF == 2 {print $2}' | grep -E "^($forbidden)\$" | sort -u)
    # In libc.a alone: pthread_atfork. Atomics on AArch64: gcc's choice of instruction, at run time.
    while read -r name; do
        complain "$static needs $name, which is not in libc"
    done < <(comm -13 <(nm -D -u "$shared" | awk '{print $2}' | sed 's/@.*//' | sort) \
        <(comm -23 <(nm -u "$static" | awk 'NF == 2 {print $2}' | sort -u) \
            <(nm -g --defined-only "$static" | awk 'NF == 3 {print $3}' | sort -u)) |
        grep -vE '^(gelu_.*|_GLOBAL_OFFSET_TABLE_|pthread_atfork|__aarch64_.*)$')

    size -A "$static" >"$scratch/sections" || return 1
    while read -r name; do
        complain "$static: $name"
    done < <(awk '$2 == "(ex" {object = $1}
        $1 ~ /^\.(t?data|t?bss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ {nbytes += $2}
        $1 ~ /^\.((pre)?init_array|ctors)(\.|$)/ && object != "parallel.c.o" {print object " runs at start-up"}
        END {if (nbytes > 256) print nbytes " bytes can be written"}' "$scratch/sections")
}

forbidden='v?printf|puts|putchar|perror|stdout|stderr|abort|_?exit|_Exit|quick_exit|raise|__assert_fail|setlocale|uselocale'
forbidden+='|__v?printf_chk'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
libc='libc\.so.*|libm\.so.*|ld-linux.*|libc\.musl.*'
openmp=
grep -q '^GELU_OPENMP:BOOL=ON$' "$build/CMakeCache.txt" && openmp='|lib[gi]?omp5?\.so.*'
check gelu gelu.h "$libc$openmp" || complain "no libgelu in $build"
check gelu-io gelu_io.h "$libc|libgelu\.so\.[0-9]+|libjansson\.so\.[0-9]+" || complain "no libgelu-io in $build"

if [ "$broken" -ne 0 ]; then
    exit 1
fi
echo "check_symbols: ok"
