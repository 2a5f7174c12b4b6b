#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu probe`: every function, what PyTorch and ggml make of it, what the data cannot tell, bad input.
. "$(dirname "$0")/lib.bash"
data=$here/golden/probe

# verdict_is STATUS TEXT ARGUMENT...: the exit code, and the last line, which may be a pattern.
verdict_is() {
    local status=$1 pattern=$2 line code
    shift 2
    checks=$((checks + 1))
    "$gelu" probe "$@" >out.txt 2>stderr.txt
    code=$?
    line=$(tail -n 1 out.txt)
    [ "$code" = "$status" ] || fail "exit $code, not $status: $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt): $*"
    [[ $line == "verdict: "$pattern ]] || fail "'$line' is not '$pattern': $*"
}
# row FUNCTION COMPUTED: the three numbers of this line of the table: absolute, ULP, how many differ.
row() { sed 's|  *| |g' out.txt | awk -v key="$1 $2 " 'index($0, key) == 1 { print $(NF - 2), $(NF - 1), $NF }'; }

erf_formula='0.5 x (1 + erf(x / sqrt 2))'
tanh_formula='0.5 x (1 + tanh(...))'
unsure='the data cannot tell these apart'

# The exact functions, in each type.
for kind in spread normal; do
    for act in erf tanh quick silu elu; do
        "$gelu" apply --act $act $data/${kind}_x.npy exact.npy
        verdict_is 0 "$act (the exact value, rounded to f32)" $data/${kind}_x.npy exact.npy
        check "$act: no difference" test "$(row "$act" exact)" = '0 0 0'
    done
    for act in relu identity; do
        "$gelu" apply --act $act $data/${kind}_x.npy exact.npy
        verdict_is 0 "$act (bit for bit)" $data/${kind}_x.npy exact.npy
    done
done
"$gelu" apply --act identity $data/spread_erf_f16.npy half_x.npy
"$gelu" apply --act quick half_x.npy half_y.npy
verdict_is 0 'quick (the exact value, rounded to f16, or by a table of f16, as in ggml; *' half_x.npy half_y.npy

# 64 inputs from -6 to 3, by PyTorch and by ggml's table.
verdict_is 0 "erf ($erf_formula in f32)" $data/spread_x.npy $data/spread_erf.npy
verdict_is 0 "erf ($erf_formula in f32)" $data/spread_x.npy $data/spread_erf_strided.npy
check 'the formula is closer than any exact function' grep -qF "erf $erf_formula in f32" <(sed -n '2s|  *| |gp' out.txt)
verdict_is 0 "erf ($erf_formula in f32, rounded to bf16)" $data/spread_x.npy $data/spread_erf_bf16.npy
verdict_is 0 "erf ($erf_formula in f32, rounded to f16)" $data/spread_x.npy $data/spread_erf_f16.npy
verdict_is 0 "erf ($erf_formula in f32)" $data/spread_x.npy $data/spread_erf_cdf.npy
verdict_is 0 "tanh ($tanh_formula in f32)" $data/spread_x.npy $data/spread_tanh.npy
verdict_is 0 "tanh ($tanh_formula in f32, rounded to bf16)" $data/spread_x.npy $data/spread_tanh_bf16.npy
verdict_is 0 "tanh ($tanh_formula in f32, rounded to f16)" $data/spread_x.npy $data/spread_tanh_f16.npy
verdict_is 0 'quick (up to 8 ULP from the exact value, in f32)' $data/spread_x.npy $data/spread_quick.npy
verdict_is 0 'silu (up to 1 ULP from the exact value, in f32)' $data/spread_x.npy $data/spread_silu.npy
verdict_is 0 'relu (bit for bit)' $data/spread_x.npy $data/spread_relu.npy
verdict_is 0 'elu (in an inexact way of its own, up to 6e-08 off)' $data/spread_x.npy $data/spread_elu.npy
for kind in spread normal; do
    verdict_is 0 'tanh (by a table of f16, as in ggml)' $data/${kind}_x.npy $data/${kind}_table.npy
    verdict_is 0 'tanh (by a table of f16, as in ggml)' $data/${kind}_x.npy $data/${kind}_table_f16.npy
    verdict_is 0 'tanh (by a table of f16, as in ggml, rounded to bf16)' $data/${kind}_x.npy $data/${kind}_table_bf16.npy
done
verdict_is 1 'none (the closest is silu, up to 0.18 off)' $data/spread_x.npy $data/spread_mish.npy
verdict_is 1 'none (the closest is *' $data/spread_erf.npy $data/spread_x.npy

# 64 from N(0, 1): f32 still shows how, 16 bits do not.
for file in erf erf_strided erf_cdf; do
    verdict_is 0 "erf ($erf_formula in f32)" $data/normal_x.npy $data/normal_$file.npy
done
for type in bf16 f16; do
    verdict_is 0 "erf (the exact value, rounded to $type, or $erf_formula in f32, rounded to $type; $unsure; inputs below -2: 1 of 64)" \
        $data/normal_x.npy $data/normal_erf_$type.npy
done
verdict_is 0 "tanh ($tanh_formula in f32)" $data/normal_x.npy $data/normal_tanh.npy
verdict_is 0 'relu (bit for bit)' $data/normal_x.npy $data/normal_relu.npy

# The last eight of them have no tail.
for file in x erf tanh; do
    tail -c 32 $data/normal_$file.npy | npy few_$file.npy '<f4' False '(8,)'
done
verdict_is 0 "erf (up to * ULP from the exact value, in f32, or $erf_formula in f32; $unsure; inputs below -2: * of 8)" \
    few_x.npy few_erf.npy
verdict_is 0 "tanh (* the exact value*, or $tanh_formula in f32; $unsure; inputs below -2: * of 8)" few_x.npy few_tanh.npy

# Too little: a few inputs near zero, or only large ones, in whatever function.
little_endian 8 3a83126f bb03126f 3b83126f | npy small.npy '<f4' False '(3,)'
"$gelu" apply --act erf small.npy exact.npy
verdict_is 0 "erf or tanh ($unsure; inputs in \[-4, -1\]: 0 of 3)" small.npy exact.npy
little_endian 8 40e33333 40f33333 | npy large.npy '<f4' False '(2,)'
verdict_is 0 "identity, relu, erf, tanh or elu ($unsure; inputs in \[-4, -1\]: 0 of 2)" large.npy large.npy
little_endian 8 c0000000 | npy one.npy '<f4' False '()'
"$gelu" apply --act erf one.npy exact.npy
verdict_is 0 "erf (the exact value, rounded to f32)" one.npy exact.npy

# Gated, from the packed form, in both orders, and from two files.
verdict_is 0 'silu(first half) \* second half (up to 1 ULP *' $data/packed_x.npy $data/packed_swiglu.npy
verdict_is 0 "erf(second half) \* first half ($erf_formula in f32)" $data/packed_x.npy $data/packed_geglu_second.npy
verdict_is 0 'silu(first half) \* second half (each step rounded to bf16, up to 2 ULP from the exact value)' \
    $data/packed_bf16_x.npy $data/packed_bf16_swiglu.npy
tail -c 256 $data/spread_x.npy | npy gate.npy '<f4' False '(4, 16)'
tail -c 256 $data/normal_x.npy | npy value.npy '<f4' False '(4, 16)'
verdict_is 0 'silu(IN) \* G (up to 1 ULP *' gate.npy --gate value.npy $data/packed_swiglu.npy
verdict_is 0 'silu(G) \* IN (up to 1 ULP *' value.npy --gate gate.npy $data/packed_swiglu.npy
verdict_is 0 "erf(G) \* IN ($erf_formula in f32)" --gate value.npy gate.npy $data/packed_geglu_second.npy

# f64; bf16; inputs that are left out.
little_endian 16 c008000000000000 c010000000000000 c000000000000001 bff8000000000000 c014000000000000 |
    npy x8.npy '<f8' False '(5,)'
"$gelu" apply --act tanh x8.npy y8.npy
verdict_is 0 'tanh (the exact value, rounded to f64)' x8.npy y8.npy
words=(c040 c020 c000 bfc0 bf80 c080 c060 c0a0 3f80)
little_endian 4 "${words[@]}" | npy xb.npy '<V2' False '(9,)'
"$gelu" apply --act tanh --bf16 xb.npy yb.npy
verdict_is 0 'tanh (the exact value, rounded to bf16, or by a table *' --bf16 xb.npy yb.npy
little_endian 8 7f800000 ff800000 7fc00000 c0000000 | npy x.npy '<f4' False '(4,)'
little_endian 8 7fc00000 7fc00000 7fc00000 bd3a5e80 | npy y.npy '<f4' False '(4,)'
"$gelu" probe x.npy y.npy >out.txt
check 'what is left out is said' grep -qx 'left out: 3 of 4 elements, whose input is infinite or NaN' out.txt
little_endian 8 3f800000 7fc00000 3f800000 00000000 | npy y.npy '<f4' False '(4,)'
little_endian 8 3f800000 3f800000 3f800000 3f800000 | npy x.npy '<f4' False '(4,)'
verdict_is 1 'none *' x.npy y.npy

# What cannot be used.
expect_error 1 'small.npy is (3,), but ' "$gelu" probe small.npy $data/spread_erf.npy
expect_error 1 'spread_erf.npy is (64,); they must be equal, or the last dimension twice as long' \
    "$gelu" probe small.npy $data/spread_erf.npy
expect_error 1 'small.npy is (3,), but ' "$gelu" probe --gate small.npy $data/spread_x.npy $data/spread_erf.npy
expect_error 1 'packed_x.npy is (4, 32), but ' "$gelu" probe --gate gate.npy $data/packed_x.npy gate.npy
npy empty.npy '<f4' False '(0, 2)' </dev/null
expect_error 1 'empty.npy: no elements: its shape is (0, 2)' "$gelu" probe empty.npy empty.npy
little_endian 8 7fc00000 | npy nan.npy '<f4' False '(1,)'
expect_error 1 'nan.npy: no element has a finite input' "$gelu" probe nan.npy nan.npy
expect_error 1 'try --bf16' "$gelu" probe xb.npy yb.npy
expect_error 1 missing.npy "$gelu" probe --gate missing.npy small.npy small.npy

expect_error 2 'got 3' "$gelu" probe a b c
expect_error 2 "'--gate' needs a value" "$gelu" probe small.npy --gate
check 'help' grep -q '^Usage: gelu probe' <("$gelu" probe --help)
finish
