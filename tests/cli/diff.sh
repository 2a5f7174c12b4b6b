#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu diff`: differences in every type, their places, the histogram, NaN and infinity, bad input.
. "$(dirname "$0")/lib.bash"

f4() { little_endian 8 "${@:3}" | npy "$1" '<f4' False "$2"; }

# field LABEL: what the last report says behind it.
field() { sed -n "s/^$1: *//p" out.txt; }
# diff_is STATUS LABEL TEXT ARGUMENT...: the exit code, and this line of the report.
diff_is() {
    local status=$1 label=$2 text=$3 code
    shift 3
    checks=$((checks + 1))
    "$gelu" diff "$@" >out.txt 2>stderr.txt
    code=$?
    [ "$code" = "$status" ] || fail "exit $code, not $status: $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt): $*"
    [ "$(field "$label")" = "$text" ] || fail "$label: '$(field "$label")', not '$text': $*"
}
# bucket RANGE: how many elements the last histogram has there.
bucket() { sed -n '/^histogram/,$p' out.txt | sed -n "s/^ *$1  *\([0-9]*\)$/\1/p"; }

# Equal, but for what counts as equal.
f4 a.npy '(2, 3)' 3f800000 00000000 7fc00000 7f800000 ff800000 c0000000
f4 b.npy '(2, 3)' 3f800000 80000000 ffc12345 7f800000 ff800000 c0000000
diff_is 0 elements '6 of shape (2, 3), f32 and f32; ULPs of f32' a.npy a.npy
diff_is 0 equal 'no element differs by more than 0 ULP' a.npy b.npy
check 'nothing differs' test "$(field absolute)/$(field relative)/$(field ULP)" = 0/0/0
check 'zeros and infinities are equal' test "$(bucket 0)" = 5
check 'so are NaNs' test "$(bucket 'both are NaN')" = 1

# One difference in each of the three senses is the largest.
f4 a.npy '(2, 3)' 42c80000 3f800000 00000001 3f800000 bf800000 c0000000
f4 b.npy '(2, 3)' 42c80001 3f800003 80000002 3f800000 bf800000 c0000000
diff_is 1 absolute '7.62939e-06 at (0, 0): 100, 100.000008' a.npy b.npy
check 'relative' test "$(field relative)" = '1.5 at (0, 2): 1.40129846e-45, -2.80259693e-45'
check 'ULP' test "$(field ULP)" = '3 at (0, 1): 1, 1.00000036'
check 'histogram' test "$(bucket 0)/$(bucket 1)/$(bucket 3-4)" = 3/1/2
check 'row' test "$(field different)" = \
    '3 of 6 elements differ by more than 0 ULP; the first row with one is (0,), with 3 of 3'
diff_is 0 equal 'no element differs by more than 3 ULP' --max-ulp 3 a.npy b.npy
diff_is 1 different '2 of 6 elements differ by more than 2 ULP; the first row with one is (0,), with 2 of 3' \
    a.npy --max-ulp 2 b.npy
diff_is 1 ULP '3 at (0, 1): 1.00000036, 1' b.npy a.npy

# NaN and infinity against numbers.
f4 a.npy '(3, 1)' 3f800000 7fc00000 7f800000
f4 b.npy '(3, 1)' 3f800000 3f800000 7f7fffff
diff_is 1 NaN '1 against a number, first at (1, 0)' --max-ulp 18446744073709551615 a.npy b.npy
check 'infinity is one step beyond the largest number' test "$(field ULP)" = '1 at (2, 0): inf, 3.40282347e+38'
check 'and infinitely far' test "$(field absolute)" = 'inf at (2, 0): inf, 3.40282347e+38'
check 'a NaN is above every bound' test "$(field different)" = \
    '1 of 3 elements differ by more than 18446744073709551615 ULP; the first row with one is (1,), with 1 of 1'
check 'the histogram counts it apart' test "$(bucket 'one is NaN')" = 1

# ULPs across zero and of every type; the coarser type decides.
little_endian 4 0001 7bff | npy a2.npy '<f2' False '(2,)'
little_endian 4 8001 7c00 | npy b2.npy '<f2' False '(2,)'
diff_is 1 ULP '2 at (0,): 5.9605e-08, -5.9605e-08' a2.npy b2.npy
little_endian 4 3f80 | npy a2.npy '<V2' False '(1,)'
little_endian 4 3f82 | npy b2.npy '<V2' False '(1,)'
diff_is 1 ULP '2 at (0,): 1, 1.016' --bf16 a2.npy b2.npy
little_endian 16 3ff0000000000000 | npy a8.npy '<f8' False '()'
little_endian 16 bff0000000000000 | npy b8.npy '<f8' False '()'
diff_is 1 ULP '9214364837600034816 at (): 1, -1' a8.npy b8.npy
little_endian 16 3ff0000000000001 3ff0000008000000 3ff0000028000000 | npy a8.npy '<f8' False '(3,)'
f4 b.npy '(3,)' 3f800000 3f800000 3f800000
diff_is 1 ULP '1 at (2,): 1.0000001490116119, 1' a8.npy b.npy
check 'in one row' test "$(field different)" = '1 of 3 elements differ by more than 0 ULP'
check 'the finer values differ all the same' test "$(bucket 0)/$(field absolute)" = \
    '2/1.49012e-07 at (2,): 1.0000001490116119, 1'

# Fortran order and big endian; many pieces; no elements.
f4 a.npy '(2, 2)' 3f800000 40000000 40400000 40800000
printf '\x3f\x80\0\0\x40\x40\0\0\x40\0\0\0\x40\x80\0\0' | npy b.npy '>f4' True '(2, 2)'
diff_is 0 ULP 0 a.npy b.npy
count=10001
head -c $((4 * count)) /dev/zero | npy a.npy '<f4' False "(73, 137)"
{ head -c $((4 * 9000)) /dev/zero; printf '\1\0\0\0'; head -c $((4 * 1000)) /dev/zero; } | npy b.npy '<f4' False "(73, 137)"
diff_is 1 ULP '1 at (65, 95): 0, 1.40129846e-45' a.npy b.npy
check 'the row of it' test "$(field different)" = \
    '1 of 10001 elements differ by more than 0 ULP; the first row with one is (65,), with 1 of 137'
f4 a.npy '(0, 3)'
diff_is 0 elements '0 of shape (0, 3), f32 and f32; ULPs of f32' a.npy a.npy

# What cannot be compared.
f4 b.npy '(3,)' 3f800000 3f800000 3f800000
f4 a.npy '(3, 1)' 3f800000 3f800000 3f800000
expect_error 1 'the shapes differ: a.npy is (3, 1), b.npy is (3,)' "$gelu" diff a.npy b.npy
expect_error 1 'the shapes differ: a8.npy is (3,), b8.npy is ()' "$gelu" diff a8.npy b8.npy
expect_error 1 missing.npy "$gelu" diff a.npy missing.npy
expect_error 1 'try --bf16' "$gelu" diff a2.npy a2.npy
head -c 130 a.npy >short.npy
expect_error 1 short.npy "$gelu" diff short.npy a.npy
expect_error 2 'needs two files, A.npy and B.npy; got 1' "$gelu" diff a.npy
expect_error 2 "--max-ulp: '-1' is not a whole number" "$gelu" diff --max-ulp -1 a.npy b.npy
expect_error 2 "unknown or ambiguous option '--maximum'" "$gelu" diff --maximum a.npy b.npy
check 'help' grep -q '^Usage: gelu diff' <("$gelu" diff --help)
finish
