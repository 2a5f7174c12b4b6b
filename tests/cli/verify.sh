#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu verify`: the table, the choice of functions, the exit codes. (What it finds is tests/accuracy's business.)
. "$(dirname "$0")/lib.bash"
if ! "$gelu" info | grep -qx 'verify: *yes'; then
    echo 'skipped: built without MPFR'
    exit 77
fi

checks=$((checks + 1))
"$gelu" verify --dtype f16 erf erf_grad tanh >table.txt 2>stderr.txt || fail "exit $?: $(cat table.txt)"
[ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
for name in erf erf_grad tanh; do
    # function, dtype, checked, misrounded
    check "$name is checked at all inputs, none misrounded" grep -Eq "^$name +f16 +65536 +0 " table.txt
done
check 'one row each, a heading and a summary' test "$(wc -l <table.txt)" = 5
check 'it says how long it took' grep -Eq '^3 functions, 0 beyond their bound; [0-9.]+ s' table.txt

expect_error 2 "unknown function 'gelu'; known: identity" "$gelu" verify gelu
expect_error 2 "unknown function ''" "$gelu" verify ''
expect_error 2 "unknown type 'f8'" "$gelu" verify --dtype f8 erf
expect_error 2 'not f16' "$gelu" verify --dtype f16 erf_grad2
for bad in 0 -1 1.5 x '' 99999999999999999999; do
    expect_error 2 "'$bad' is not a whole number" "$gelu" verify --stride "$bad" erf
    expect_error 2 "'$bad' is not a whole number" "$gelu" verify --threads "$bad" erf
done
finish
