#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu compare --experiment --checkpoints`, interrupted or killed as often as one likes: it ends by that signal, the same
# command goes on, and ends at the numbers of a training that never stopped.
. "$(dirname "$0")/lib.bash"
set -m # a background process then does not ignore SIGINT

command=("$gelu" compare --experiment mnist --seeds 1 --epochs 6 --dropout 0.5 --csv --threads)
compare() { "${command[@]}" "$@"; }
compare 2 >whole.csv || fail "exit $?"
rm -rf kept

# SIGNAL: sends it once another network is kept, or after a while; 0 when the command had ended before.
stopped_by() {
    local before i code
    before=$(find . -path './kept/*.safetensors' | wc -l)
    "${command[@]}" 1 --checkpoints kept >rest.csv 2>stderr.txt &
    pid=$!
    for ((i = 0; i < 100; i++)); do
        [ "$(find . -path './kept/*.safetensors' | wc -l)" = "$before" ] || break
        kill -0 $pid 2>/dev/null || break
        sleep 0.02
    done
    kill -"$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    return $code
}

stops=0
for signal in INT KILL TERM KILL INT INT; do
    stopped_by $signal
    code=$?
    checks=$((checks + 1))
    case $signal:$code in
    *:0) continue ;; # a fast machine
    KILL:137) ;;
    INT:130 | TERM:143)
        if [ ! -s stderr.txt ]; then continue; fi # before it had begun
        grep -qx 'gelu compare: stopped; the same command goes on from what is in kept' stderr.txt ||
            fail "it says: $(cat stderr.txt)"
        [ ! -s rest.csv ] || fail "it prints what it does not have: $(cat rest.csv)"
        ;;
    *) fail "exit $code by SIG$signal: $(cat stderr.txt)" ;;
    esac
    stops=$((stops + 1))
done
check 'it was stopped' test $stops -gt 0
expect 0 "$(cat whole.csv)" compare 2 --checkpoints kept
expect 0 "$(cat whole.csv)" compare 1 --checkpoints kept
expect 0 'epoch,batch_loss,train_loss,train_error,test_loss,test_error' \
    head -n 1 kept/mnist_erf_rate0.001_dropout0.5_seed1.csv
expect 0 7 bash -c 'wc -l <kept/mnist_erf_rate0.001_dropout0.5_seed1.csv'

# What others train, or somebody damaged, is refused by its name, and stays.
cp -r kept before
expect_error 1 'kept/mnist_erf_rate0.001_dropout0.5_seed1.safetensors: goes beyond the 5 epochs asked for' \
    "$gelu" compare --experiment mnist --seeds 1 --epochs 5 --dropout 0.5 --threads 1 --checkpoints kept
truncate -s -1 kept/mnist_relu_rate0.001_dropout0.5_seed1.safetensors
expect_error 1 'kept/mnist_relu_rate0.001_dropout0.5_seed1.safetensors' compare 1 --checkpoints kept
truncate -s -1 before/mnist_relu_rate0.001_dropout0.5_seed1.safetensors
expect 0 '' diff -r before kept
finish
