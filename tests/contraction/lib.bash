# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# shellcheck shell=bash
# For the scripts beside it: which compilers there are, and the numeric core built with any options.
: "${GELU_SOURCE_DIR:?}" "${GELU_BUILD_DIR:?}" "${CC:?}"
cd "$GELU_SOURCE_DIR" || exit

mapfile -t core < <(find src/base src/kernels src/dispatch src/random src/norm src/activation src/linear src/ffn \
    -name '*.c' 2>/dev/null | sort)
[ ${#core[@]} -gt 10 ] || { echo "contraction: found only ${#core[@]} source files" >&2; exit 1; }

# This build's compiler, then gcc and clang, each once.
compilers() {
    for compiler in "$CC" gcc clang clang-14; do
        path=$(command -v "$compiler") && printf '%s %s\n' "$(readlink -f "$path")" "$compiler"
    done | awk '!seen[$1]++ { print $2 }'
}

# build COMPILER "OPTIONS" FOLDER: the core and hash.c, two files at a time; the program is FOLDER/hash.
build() {
    mkdir -p "$3"
    # shellcheck disable=SC2016 # for the inner shell
    printf '%s\n' "${core[@]}" tests/contraction/hash.c | xargs -P 2 -I FILE sh -c \
        'exec $1 $2 -Iinclude -Isrc -Itests -c "$4" -o "$3/$(echo "$4" | tr / _).o"' sh "$1" "$2" "$3" FILE &&
        "$1" "$3"/*.o -o "$3/hash" -lm
}
