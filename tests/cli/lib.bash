# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# What the scripts here share. Each begins with:  . "$(dirname "$0")/lib.bash"  and ends with:  finish
# Arguments of every script: the path of `gelu`, and a scratch folder. Exit code 77 means skipped.
set -u
gelu=$1
scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
failures=0
checks=0
unset GELU_FORCE_ISA GELU_NUM_THREADS LANG LANGUAGE LC_MESSAGES LC_NUMERIC NO_COLOR
export LC_ALL=C
cd "$scratch" || exit 1

fail() {
    failures=$((failures + 1))
    printf 'FAILED, line %s: %s\n' "${BASH_LINENO[${2-1}]}" "$1"
}

# expect STATUS OUTPUT COMMAND...: the exit code, and all of standard output; nothing on standard error.
expect() {
    local status=$1 output=$2 got code
    shift 2
    checks=$((checks + 1))
    got=$("$@" 2>stderr.txt)
    code=$?
    [ "$code" = "$status" ] || fail "exit $code, not $status: $*"
    [ "$got" = "$output" ] || fail "printed '$got', not '$output': $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt): $*"
}

# expect_error STATUS TEXT COMMAND...: the exit code, nothing on standard output, and one line on standard error that
# begins with "gelu" and contains the text.
expect_error() {
    local status=$1 text=$2 got code
    shift 2
    checks=$((checks + 1))
    got=$("$@" 2>stderr.txt)
    code=$?
    [ "$code" = "$status" ] || fail "exit $code, not $status: $*"
    [ -z "$got" ] || fail "printed '$got': $*"
    check_error_line "$text" "$*"
}

check_error_line() {
    local line
    line=$(cat stderr.txt)
    [ "$(wc -l <stderr.txt)" = 1 ] || fail "not one line on standard error, but '$line': $2" 2
    case $line in
    gelu*": "*"$1"*) ;;
    *) fail "the error is '$line', without '$1': $2" 2 ;;
    esac
}

# check TEXT COMMAND...: the command succeeds; TEXT says what that shows.
check() {
    local text=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || fail "$text"
}

# little_endian WIDTH HEX...: these words of WIDTH hexadecimal digits as bytes, lowest first.
little_endian() {
    local width=$1 word i bytes=
    shift
    for word in "$@"; do
        for ((i = width - 2; i >= 0; i -= 2)); do bytes+="\\x${word:i:2}"; done
    done
    printf '%b' "$bytes"
}

# npy FILE DESCR FORTRAN SHAPE: a version 1.0 file of 128 bytes of header, then standard input.
npy() {
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }" >"$1"
    cat >>"$1"
}

# npy_header FILE, npy_words FILE WIDTH: the text of the header; the data as words of WIDTH hexadecimal digits.
npy_length() { od -An -v -t u2 -j 8 -N 2 "$1" | tr -d ' '; }
npy_header() { head -c $((10 + $(npy_length "$1"))) "$1" | tail -c +11; }
npy_words() {
    local words
    words=$(od -An -v -t "x$(($2 / 2))" -w8 -j $((10 + $(npy_length "$1"))) "$1" | tr -s ' \n' '  ')
    echo $words
}

# small_data FOLDER: 24 samples to learn from and 12 to test with, of 4 features from -1 to 1 and two classes, as
# `gelu compare --data` takes them.
small_data() {
    local set count i x y values=(bf800000 bf000000 00000000 3e800000 3f000000 3f800000)
    mkdir -p "$1"
    for set in train:24 test:12; do
        count=${set#*:} x=() y=()
        for ((i = 0; i < count; i++)); do
            x+=(${values[i % 2 ? 5 : 0]} ${values[i % 6]} ${values[(i / 2) % 6]} ${values[(i * 5 + 1) % 6]})
            y+=($([ $((i % 2)) = 0 ] && echo 00000000 || echo 3f800000))
        done
        little_endian 8 "${x[@]}" | npy "$1/x_${set%:*}.npy" '<f4' False "($count, 4)"
        little_endian 8 "${y[@]}" | npy "$1/y_${set%:*}.npy" '<f4' False "($count,)"
    done
}

# have_locale NAME: makes it when it can; false when there is no such locale.
have_locale() {
    [ -d "${LOCPATH:-/nonexistent}/$1" ] && return 0
    command -v localedef >/dev/null || return 1
    export LOCPATH=$scratch/locales
    mkdir -p "$LOCPATH"
    localedef -i "${1%.*}" -f "${1#*.}" "$LOCPATH/$1" >/dev/null 2>&1 || [ -d "$LOCPATH/$1" ]
}

finish() {
    echo "$checks checks, $failures failures"
    [ "$failures" = 0 ] && [ "$checks" -gt 0 ]
    exit
}
