#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu verify`: the table, the choice of functions, the exit codes. (What it finds is tests/accuracy's business.)
. "$(dirname "$0")/lib.bash"
if ! "$gelu" info | grep -qx 'verify: *yes'; then
    echo 'skipped: built without MPFR'
    exit 77
fi

isa=$("$gelu" info | sed -n 's/^isa: *//p')
first=$("$gelu" info | sed -n 's/^available: *//p' | sed 's/,.*//')
# Those with elementwise functions of their own, which is what "all" means here.
mapfile -t isas < <("$gelu" info | sed -n 's/^available: *//p' | tr -d ' ' | tr , '\n' | grep -vx 'avx512_bf16\|amx')

checks=$((checks + 1))
"$gelu" verify --dtype f16 erf erf_grad tanh >table.txt 2>stderr.txt || fail "exit $?: $(cat table.txt)"
[ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
for name in erf erf_grad tanh; do
    # function, dtype, isa, checked, misrounded
    check "$name is checked at all inputs, none misrounded" grep -Eq "^$name +f16 +$isa +65536 +0 " table.txt
done
check 'one row each, a heading and a summary of two lines' test "$(wc -l <table.txt)" = 6
check 'it counts results' grep -qx "$isa: 196608 results, 0 misrounded or beyond their bound" table.txt
check 'it says how long it took' grep -Eq '^3 functions, 0 beyond their bound; [0-9.]+ s' table.txt

"$gelu" verify --dtype bf16 --isa all erf_backward silu >all.txt || fail "exit $?: $(cat all.txt)"
for each in "${isas[@]}"; do
    for name in erf_backward silu; do
        check "$name is checked by $each" grep -Eq "^$name +bf16 +$each +65536 +0 " all.txt
    done
done
check 'and by nothing else' test "$(wc -l <all.txt)" = $((2 + 3 * ${#isas[@]}))
for each in "${isas[@]}"; do
    check "results by $each are counted" \
        grep -qx "$each: 131072 results, 0 misrounded or beyond their bound" all.txt
done
check 'a function counts once' grep -q '^2 functions, 0 beyond their bound; ' all.txt

# From f32 to 16 bits: of its own, and with everything else.
for type in f32-f16 f32-bf16; do
    "$gelu" verify --dtype $type --isa all --stride 1000003 >mixed.txt || fail "exit $?: $(cat mixed.txt)"
    for name in identity relu erf tanh quick silu elu; do
        check "$name is checked from f32 to 16 bits by every instruction set" \
            test "$(grep -Ec "^$name +$type +[a-z0-9]+ +[0-9]+ +0 .* ok$" mixed.txt)" = ${#isas[@]}
    done
    check 'values alone are' grep -q '^7 functions, 0 beyond their bound; ' mixed.txt
done
"$gelu" verify --stride 1000003 --samples 1 erf >every.txt || fail "exit $?: $(cat every.txt)"
check 'every type is checked by default' \
    test "$(awk '$1 == "erf" { printf "%s ", $2 }' every.txt)" = 'f32 f32-f16 f32-bf16 f16 bf16 f64 '
"$gelu" verify --dtype f16 --isa scalar relu >scalar.txt || fail "exit $?: $(cat scalar.txt)"
check '--isa chooses one' grep -Eq '^relu +f16 +scalar +65536 +0 ' scalar.txt
check 'the summary names it' grep -q ', instruction set scalar$' scalar.txt
export GELU_FORCE_ISA=scalar
check 'the default is the one in use' \
    test "$("$gelu" verify --dtype f16 relu | grep -Ec '^relu +f16 +scalar +65536 +0 ')" = 1
unset GELU_FORCE_ISA
expect_error 2 "instruction set 'avx9' cannot be had here; available: $first, " "$gelu" verify --isa avx9 relu
expect_error 2 "instruction set '' cannot be had here" "$gelu" verify --isa '' relu

# Ctrl-C: the rows of the sweep that it ended, and then by the signal. What was not checked has no worst case.
for seconds in 0.01 0.05 5; do
    checks=$((checks + 1))
    timeout --preserve-status -k 60 -s INT $seconds "$gelu" verify --dtype f32 --isa all --threads 1 erf erf_grad silu elu \
        >stopped.txt 2>stderr.txt
    code=$?
    [ $code = 130 ] || fail "exit $code, not 130, after Ctrl-C: $(cat stopped.txt)"
    if [ ! -s stderr.txt ] && [ $seconds != 5 ]; then continue; fi # before it had begun
    check_error_line 'interrupted: the proof is not complete: of 4 functions ' 'gelu verify, interrupted'
    check 'the error counts all functions' \
        awk '{ exit !match($0, /of 4 functions [0-9]+ are checked, [0-9]+ in part, [0-9]+ not$/) ||
               $(NF - 7) + $(NF - 4) + $(NF - 1) != 4 }' stderr.txt
    check 'all rows say so' \
        test "$(grep -Ec '^erf(_grad)? +f32 .* interrupted$' stopped.txt)" = $((2 * ${#isas[@]}))
    check 'a row with nothing checked has only dashes, another none' \
        awk '/^erf/ && ($4 == 0) != ($5 == "-" && $6 == "-" && $7 == "-") { bad = 1 } END { exit bad }' stopped.txt
done

# timeout signals the process, and then its group: one wish that comes twice, and the second may be met by any line.
set -m # a background process then does not ignore SIGINT
for ((i = 0; i < 20; i++)); do
    checks=$((checks + 1))
    "$gelu" verify --dtype f32 --isa all --threads 1 >stopped.txt 2>stderr.txt &
    pid=$!
    sleep 0.3
    kill -INT $pid
    kill -INT $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    [ $code = 130 ] || fail "exit $code, not 130, after Ctrl-C twice: $(cat stopped.txt)"
    check_error_line 'interrupted: the proof is not complete: of ' 'gelu verify, interrupted twice'
done

# Hours of work are not begun where nothing can be written.
[ ! -e /dev/full ] || expect_error 1 'cannot write to standard output' timeout 60 bash -c '"$1" verify >/dev/full' - "$gelu"

expect_error 2 "unknown function 'gelu'; known: identity" "$gelu" verify gelu
expect_error 2 "unknown function ''" "$gelu" verify ''
expect_error 2 "unknown type 'f16-f32'; known: f32, f32-f16, f32-bf16," "$gelu" verify --dtype f16-f32 erf
expect_error 2 "unknown type 'f8'" "$gelu" verify --dtype f8 erf
expect_error 2 'not f16' "$gelu" verify --dtype f16 erf_grad2
expect_error 2 'not f64' "$gelu" verify --dtype f64 erf_backward
for name in erf_grad erf_backward erf_grad2; do
    expect_error 2 "$name: derivatives are checked in one type, not f32-f16" "$gelu" verify --dtype f32-f16 $name
done
for bad in 0 -1 1.5 x '' 99999999999999999999; do
    expect_error 2 "'$bad' is not a whole number" "$gelu" verify --stride "$bad" erf
    expect_error 2 "'$bad' is not a whole number" "$gelu" verify --threads "$bad" erf
done
finish
