#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu eval`: values, number formats, bit patterns, mistakes.
. "$(dirname "$0")/lib.bash"
lines() { printf '%s\n' "$@"; }

# x, then erf, tanh, quick and erf': the exact values to nine digits, which name one float each.
while read -r x erf tanh quick grad; do
    for pair in "erf $erf" "tanh $tanh" "quick $quick"; do
        value=$("$gelu" eval --act identity -- "${pair#* }")
        expect 0 "$value" "$gelu" eval --act "${pair% *}" "$x"
    done
    expect 0 "$("$gelu" eval --act identity "$grad")" "$gelu" eval --act erf --grad "$x"
done <<'TABLE'
-8 -4.97676834e-15 -3.10778299e-21 -9.76642878e-06 -3.97960710e-14
-5 -1.43325781e-06 -2.29179619e-07 -0.00100701628 -7.14694579e-06
-4 -1.26684972e-04 -7.02459511e-05 -0.00441472419 -5.03649644e-04
-1 -0.158655256 -0.158808008 -0.154204234 -0.0833154693
-0.5 -0.154268771 -0.154285997 -0.149611562 0.132504880
0 0 0 0 0.5
1 0.841344774 0.841192007 0.845795751 1.08331549
2 1.95449972 1.95459771 1.93565857 1.08523178
TABLE
for row in 'tanh 1 1.08296406' 'tanh -1 -0.082964085' 'tanh 3 1.01158416' 'tanh -5 -1.546362e-06' \
    'quick 1 1.06777966' 'quick -4 -0.0064018867' 'erf 3.1719 1.00751305' 'erf -13 -1.03373048e-36'; do
    read -r act x grad <<<"$row"
    digits=$("$gelu" eval --act "$act" --grad "$x")
    expect 0 "$(printf '%.5e' "$grad")" printf '%.5e' "$digits"
done

# The shortest decimal that reads back.
expect 0 0.8413448 "$gelu" eval --act erf 1
expect 0 "$(lines -0.004049694 2.4844759 0.0 3.9998734 -0.13808359)" "$gelu" eval --act erf -3 2.5 0 4 -1.2
expect 0 -1.0444259e-07 "$gelu" eval --act erf -5.5
expect 0 "$(lines inf -0.0 nan -0.0)" "$gelu" eval --act erf inf -inf nan -0
expect 0 "$(lines 1.0 0.0 0.0)" "$gelu" eval --act relu 1 -1 0
expect 0 "$(lines 0.7978846 0.24197072 -0.107981935)" "$gelu" eval --act erf --grad2 0 1 2
expect 0 inf "$gelu" eval --act identity 1e40
expect 0 "$(lines 1000.0 -0.0)" "$gelu" eval --act tanh 1000 -1000

# Negative numbers are numbers wherever they stand; options may stand anywhere else.
expect 0 "$(lines -3.0 -0.5 -0.125 -inf nan -0.001 -inf)" \
    "$gelu" eval --act identity -3 -.5 -0x1p-3 -inf -nan -1e-3 -Infinity
expect 0 "$(lines -3.0 2.0)" "$gelu" eval -3 --act identity 2
expect 0 "$(lines -3.0 2.0)" "$gelu" eval --act=identity -- -3 2

# Types: the input and the result are rounded to the type, once each.
expect 0 0.8413 "$gelu" eval --act erf --dtype f16 1
expect 0 "$(lines 100.0 -0.0)" "$gelu" eval --act tanh --dtype f16 100 -100
expect 0 "$(lines 1.0 -0.0)" "$gelu" eval --act tanh --dtype f16 --grad 100 -100
expect 0 "$(lines 65500.0 inf)" "$gelu" eval --act identity --dtype f16 65519.99 65520
expect 0 "$(lines "c000 bd3a" "c020 bc7e" "c040 bb85" "c060 ba55" "c080 b905" "c158 8001")" \
    "$gelu" eval --act erf --dtype bf16 --bits c000 c020 c040 c060 c080 c158
for row in 'erf 1 0.84134474606854' 'erf -10 -7.6198530241605' 'erf -20 -5.5072482372124' 'tanh 21.657723 21.657723'; do
    read -r act x start <<<"$row"
    value=$("$gelu" eval --act "$act" --dtype f64 "$x")
    check "f64 $act($x) is $value" test "${value#"$start"}" != "$value"
done

# Hexadecimal numbers and bit patterns.
expect 0 "$(lines 0x1.aec4bep-1 -0x0p+0 nan inf)" "$gelu" eval --act erf --hex 1 -inf nan inf
expect 0 "3f800000 3f57625f" "$gelu" eval --act erf --bits 0x3f800000
expect 0 "$(lines "c1600000 8000004e" "c1580000 8001263e" "00000001 00000001")" \
    "$gelu" eval --act erf --bits C1600000 c1580000 1
expect 0 "3f800000 3f57585c" "$gelu" eval --act tanh --bits 3f800000
expect 0 "3c00 3abb" "$gelu" eval --act gelu --bits --dtype f16 3c00
expect 0 "3ff0000000000000 3ff0000000000000" "$gelu" eval --act relu --dtype f64 --bits 3ff0000000000000
printf '3f800000\n0xc1600000\r\n1' >patterns.txt
expect 0 "$(lines "3f800000 3f57625f" "c1600000 8000004e" "00000001 00000001")" \
    "$gelu" eval --act erf --bits <patterns.txt
expect 0 "" "$gelu" eval --act erf --bits </dev/null

# Bad lines are data (exit 1) and say where; the lines before them were printed.
for bad in xyz 123456789 '' '3f800000 ' '-1' 0x; do
    printf '3f800000\n%s\n3f800000\n' "$bad" >patterns.txt
    checks=$((checks + 1))
    output=$("$gelu" eval --act erf --bits <patterns.txt 2>stderr.txt)
    code=$?
    [ "$code" = 1 ] || fail "exit $code for the line '$bad'"
    [ "$output" = "3f800000 3f57625f" ] || fail "printed '$output' before the line '$bad'"
    check_error_line "line 2: '$bad'" "$bad"
done
printf '3f80\0000\n' >patterns.txt
expect_error 1 'line 1' "$gelu" eval --act erf --bits <patterns.txt
expect_error 1 'standard input' "$gelu" eval --act erf --bits <.

# Names as other programs spell them; no fallback.
expect 0 "$("$gelu" eval --act tanh -1)" "$gelu" eval --act gelu_pytorch_tanh -1
expect 0 "$("$gelu" eval --act quick -1)" "$gelu" eval --act quick_gelu -1
for name in gelo Tanh geglu '' 'erf '; do
    expect_error 2 "unknown activation '$name'; known: identity, relu, erf, tanh, quick, silu, elu" \
        "$gelu" eval --act "$name" 1
    check 'the list holds the spellings of others' grep -q 'quick_gelu' stderr.txt
done
expect_error 2 '--act is missing; known: identity' "$gelu" eval 1
expect_error 2 "unknown type 'f8'; known: f32" "$gelu" eval --act erf --dtype f8 1

# Mistakes on the command line; nothing is printed when one number of several is bad.
for bad in abc 1x '' 0x 1,5 1..2 '1 ' nano; do
    expect_error 2 "'$bad' is not a number" "$gelu" eval --act erf 1 "$bad"
done
expect_error 2 "'-1x' is not a number" "$gelu" eval --act erf -1x
expect_error 2 "is not a bit pattern of at most 4 hexadecimal digits" "$gelu" eval --act erf --dtype f16 --bits 12345
expect_error 2 "no numbers" "$gelu" eval --act erf
expect_error 2 "--grad2 is for f32 and f64, not f16" "$gelu" eval --act erf --grad2 --dtype f16 1
expect_error 2 "exclude each other" "$gelu" eval --act erf --grad --grad2 1
expect_error 2 "exclude each other" "$gelu" eval --act erf --hex --bits 1
expect_error 2 "'--act' needs a value" "$gelu" eval 1 --act
expect_error 2 "'--grad' takes no value" "$gelu" eval --grad=1 --act erf 1
expect_error 2 "'--unknown'" "$gelu" eval --act erf --unknown 1
expect_error 2 "'-x'" "$gelu" eval --act erf -x 1
expect_error 2 "'a?b' is not a number" "$gelu" eval --act erf $'a\nb'

# Numbers do not change with the locale.
if have_locale de_DE.UTF-8; then
    [ "$(LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 1,5')" = 1,5 ] || fail 'the locale does not work'
    expect 0 "$(lines 1.3997892 1.3997892)" env LC_ALL=de_DE.UTF-8 "$gelu" eval --act erf 1.5 0x1.8p0
    expect 0 0x1.aec4bep-1 env LC_ALL=de_DE.UTF-8 "$gelu" eval --act erf --hex 1
    expect_error 2 "'1,5'" env LC_ALL=de_DE.UTF-8 "$gelu" eval --act erf 1,5
else
    echo 'skipped: no locale de_DE.UTF-8 and no localedef'
fi
finish
