#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu apply`, `gelu convert` and `gelu ffn`, interrupted: the process dies of the signal, and neither a part of the
# output nor its temporary file is left; an older output stays as it was.
. "$(dirname "$0")/lib.bash"
set -m # a background process then does not ignore SIGINT

# 64 GiB of zeros that take no space.
npy in.npy '<f8' False '(8589934592,)' </dev/null
if ! truncate -s $((128 + 8 * 8589934592)) in.npy 2>/dev/null; then
    echo 'skipped: no sparse files of 64 GiB here'
    exit 77
fi

# Waits until the process has begun to write its temporary file; false when it ended before.
wait_for_output() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ -z "$(find . -name '*.tmp' -size +0)" ] || return 0
        kill -0 "$1" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}

start() { # OPTION..., for gelu apply
    start_any apply --act erf "$@" in.npy out.npy
}

start_any() { # ARGUMENT..., for gelu
    "$gelu" "$@" 2>stderr.txt &
    pid=$!
    wait_for_output $pid || fail "no temporary file appeared: $(cat stderr.txt)"
}

ended_by() {
    checks=$((checks + 1))
    wait $pid 2>/dev/null
    local code=$?
    [ $code = $((128 + $1)) ] || fail "exit $code, not $((128 + $1))"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
}

for signal in 2 15 1 3 10 12 13 14 24 26 27; do
    start
    kill -$signal $pid
    ended_by $signal
    check "signal $signal leaves no file" test "$(find . -type f ! -name stderr.txt)" = ./in.npy
done

# With threads, of which none but the first may answer.
without_openmp=$("$gelu" info | grep 'without OpenMP')
if [ -n "$without_openmp" ]; then
    echo 'skipped: interrupting several threads, this build has no OpenMP'
else
    for signal in 2 15 14; do
        start --threads 3
        kill -$signal $pid
        ended_by $signal
        check "signal $signal leaves no file" test "$(find . -type f ! -name stderr.txt)" = ./in.npy
    done
fi

echo old >out.npy
start
kill -INT $pid
ended_by 2
check 'the old output stays' test "$(cat out.npy)" = old
rm out.npy

for signal in 2 15 1; do
    start_any convert --act erf a=in.npy out.safetensors
    kill -$signal $pid
    ended_by $signal
    check "signal $signal leaves no file of convert" test "$(find . -type f ! -name stderr.txt)" = ./in.npy
done
echo old >out.safetensors
start_any convert --act erf a=in.npy out.safetensors
kill -TERM $pid
ended_by 15
check 'the old output stays' test "$(cat out.safetensors)" = old
rm out.safetensors

# gelu ffn writes when it has computed, which does not take long: as soon as a temporary file is there, if ever.
npy rows.npy '<f4' False '(1000000, 6)' </dev/null
truncate -s $((128 + 4 * 6000000)) rows.npy
interrupt_ffn() { # SIGNAL OPTION...; false when it was not met
    local signal=$1
    shift
    rm -rf trace y.npy
    "$gelu" ffn "$source_dir/tests/data/models/bert" --layer 0 "$@" rows.npy y.npy >/dev/null 2>stderr.txt &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        compgen -G '.y.npy.*.tmp' >/dev/null || compgen -G 'trace/.*.tmp' >/dev/null || continue
        kill -$signal $pid 2>/dev/null
        break
    done
    wait $pid 2>/dev/null
    [ $? = $((128 + signal)) ]
}
for signal in 2 15; do
    for options in '' '--trace trace' '--trace trace --threads 2'; do
        [[ -z $without_openmp || $options != *threads* ]] || continue
        met=0
        for ((i = 0; i < 10 && met < 2; i++)); do
            interrupt_ffn $signal $options && met=$((met + 1))
            check "signal $signal leaves no temporary file of ffn $options" test -z "$(find . -name '*.tmp')"
            for file in y.npy trace/*.npy; do
                [ ! -e "$file" ] || check "$file is whole" "$gelu" diff "$file" "$file"
            done
        done
        check "ffn $options was met by signal $signal" test $met -gt 0
    done
done
rm -rf trace y.npy rows.npy

# A signal that the caller ignores, as nohup does, stays ignored.
trap '' HUP
start
kill -HUP $pid
sleep 0.3
check 'it still runs' kill -0 $pid
trap - HUP
kill -TERM $pid
ended_by 15
check 'no file is left' test "$(find . -type f ! -name stderr.txt)" = ./in.npy

# Another process shortens the input: whichever thread meets that. (Last, for it needs the file to be long.)
if [ -z "$without_openmp" ]; then start --threads 3; else start; fi
truncate -s 4096 in.npy
ended_by 7
check 'SIGBUS leaves no file' test "$(find . -type f ! -name stderr.txt)" = ./in.npy
rm -f in.npy
finish
