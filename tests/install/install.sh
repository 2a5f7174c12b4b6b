#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# install.sh GELU SCRATCH: installs, moves the prefix, and builds and runs an outside program in C and C++ against it
# by pkg-config, pkg-config --static, find_package and plain -I -L.
set -euo pipefail
scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
: "${GELU_BUILD_DIR:?}" "${CC:?}" "${CXX:?}"
version=0.1.0
fail() {
    echo "install: $*" >&2
    exit 1
}
if ! command -v pkg-config >/dev/null || ! command -v "$CXX" >/dev/null; then
    fail "needs pkg-config and a C++ compiler ($CXX)"
fi

cmake --install "$GELU_BUILD_DIR" --prefix "$scratch/before" >"$scratch/install.log"
mv "$scratch/before" "$scratch/prefix"
prefix=$scratch/prefix
libdir=$(dirname "$(find "$prefix" -name 'libgelu.a')")
[ -d "$libdir" ] || fail "no libgelu.a in the prefix"

for file in include/gelu.h include/gelu_io.h bin/gelu share/bash-completion/completions/gelu share/man/man1/gelu.1 \
    share/doc/gelu/LICENSE share/doc/gelu/README.md; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
"$prefix/bin/gelu" --version | grep -qF "$version" || fail "the installed command does not say $version"
leaks=$(grep -rlI -e "$scratch/before" -e "$GELU_BUILD_DIR" "$prefix/include" "$libdir/pkgconfig" "$libdir/cmake" || true)
[ -z "$leaks" ] || fail "these name a folder that is gone: $leaks"

for name in gelu gelu-io; do
    readelf -dW "$libdir/lib$name.so" | grep -qF "soname: [lib$name.so.0]" || fail "lib$name.so has another SONAME"
    [ "$(readlink "$libdir/lib$name.so")" = "lib$name.so.0" ] || fail "lib$name.so does not link to its SONAME"
    [ "$(readlink -f "$libdir/lib$name.so.0")" = "$(readlink -f "$libdir")/lib$name.so.$version" ] ||
        fail "lib$name.so.0 does not link to its version"
done

export PKG_CONFIG_PATH=$libdir/pkgconfig
[ "$(pkg-config --modversion gelu)" = "$version" ] || fail "gelu.pc has another version"

needs() { readelf -dW "$1" | grep -q "(NEEDED).*\[$2\]"; }
# Runs it as a user would, and compares with the correctly rounded values.
check() { # PROGRAM [VARIABLE=VALUE]
    local program=$1 out
    shift
    out=$(env "$@" "$program" 1 && env "$@" "$program" -3 && env "$@" "$program" -1.2) || fail "$program does not run"
    [ "$out" = "$expected" ] || fail "$program prints $out"
    checked=$((checked + 1))
}
expected=$'0.8413448\n-0.004049694\n-0.13808359'
checked=0
define="-DEXPECTED_VERSION=\"$version\""
common=(-Wall -Wextra -Werror "$define")

for language in c cc; do
    compiler=$CC
    [ $language = c ] || compiler=$CXX
    out=$scratch/$language

    read -ra flags < <(pkg-config --cflags --libs gelu-io)
    "$compiler" "${common[@]}" "$here/program.$language" -o "$out-shared" "${flags[@]}"
    needs "$out-shared" 'libgelu\.so\.0' || fail "pkg-config does not link the shared library"
    check "$out-shared" LD_LIBRARY_PATH="$libdir"

    read -ra flags < <(pkg-config --static --cflags --libs gelu-io)
    if [[ ${flags[*]} == *libomp.so* ]]; then # clang's OpenMP comes as a shared library alone
        flags=("${flags[@]/%-lgelu-io/-l:libgelu-io.a}")
        flags=("${flags[@]/%-lgelu/-l:libgelu.a}")
        "$compiler" "${common[@]}" "$here/program.$language" -o "$out-static" "${flags[@]}"
    else
        "$compiler" "${common[@]}" -static "$here/program.$language" -o "$out-static" "${flags[@]}"
        ! needs "$out-static" '.*' || fail "pkg-config --static leaves shared libraries"
    fi
    ! needs "$out-static" 'libgelu.*' || fail "pkg-config --static links the shared libgelu"
    check "$out-static"

    "$compiler" "${common[@]}" -I"$prefix/include" "$here/program.$language" -o "$out-plain" \
        -L"$libdir" -Wl,-rpath,"$libdir" -lgelu-io -lgelu
    check "$out-plain"
done

cmake -G Ninja -S "$here" -B "$scratch/outside" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/outside.log"
cmake --build "$scratch/outside" >>"$scratch/outside.log" || { cat "$scratch/outside.log" && fail "find_package"; }
for language in c cc; do
    needs "$scratch/outside/${language}_io" 'libgelu-io\.so\.0' || fail "gelu::io is not the shared library"
    ! needs "$scratch/outside/${language}_io_static" 'libgelu.*' || fail "gelu::io_static is not the static library"
    check "$scratch/outside/${language}_io"
    check "$scratch/outside/${language}_io_static"
done
for library in gelu gelu_static; do
    "$scratch/outside/core_$library" || fail "core_$library computes something else"
done
[ "$checked" -eq 10 ] || fail "checked $checked programs"
