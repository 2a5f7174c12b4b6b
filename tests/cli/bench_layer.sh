#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu bench linear` and `gelu bench ffn`: what they print and refuse. No test looks at how fast anything is.
. "$(dirname "$0")/lib.bash"
isas=$("$gelu" info | sed -n 's/^available: *//p' | tr -d ,)
count() { wc -w <<<"$*"; }
columns() { cut -d, -f"$1" rows.csv | sort -u | paste -sd' '; }
rows() { wc -l <rows.csv; }

# CSV: every line has the columns of the first; numbers are numbers.
header=layer,shape,in,out,rows,pass,act,dtype,isa,threads,samples,us_per_call,gflops,peak_gflops,of_peak,in_act,ghz
csv() { # linear|ffn OPTION...
    checks=$((checks + 1))
    "$gelu" bench "$@" --csv >out.csv 2>stderr.txt || fail "exit $?: $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt): $*"
    [ "$(head -n 1 out.csv)" = "$header" ] || fail "header '$(head -n 1 out.csv)'"
    tail -n +2 out.csv >rows.csv
    awk -F, 'NF != 17 { exit 1 }
        { for (i = 12; i <= 17; i++) if ($i !~ (i == 16 ? "^-?[0-9]+[.][0-9]+$" : "^[0-9]+[.][0-9]+$")) exit 1
          if ($12 <= 0 || $13 <= 0 || $17 <= 0 || $16 >= 1) exit 1 }' rows.csv || fail "a bad row: $*"
}
small='--repeat 1 --shape 24x40'

csv linear $small --rows 1,5
expect 0 "$(printf '%s\n' up,24x40,24,40,{1,5},forward,erf,f32 down,24x40,40,24,{1,5},forward,-,f32)" cut -d, -f1-8 rows.csv
csv linear $small --rows 3 --backward
expect 0 "$(printf '%s\n' up,24x40,24,40,3,backward,-,f32 down,24x40,40,24,3,backward,-,f32)" cut -d, -f1-8 rows.csv
csv ffn $small --rows 3 --backward --dtype all
check 'a backward pass of what has one' test "$(columns 8)" = 'bf16-weights f32'
expect_error 2 '--backward: bf16 has a forward pass only' "$gelu" bench ffn --backward --dtype bf16
csv ffn --repeat 2 --shape 24x40,gated:8x12 --rows 3
expect 0 "$(printf '%s\n' ffn,24x40,24,40,3,forward,erf,f32 ffn,gated:8x12,8,12,3,forward,silu,f32)" cut -d, -f1-8 rows.csv
check 'as many samples as asked for' test "$(columns 11)" = 2
csv ffn --repeat 1 --shape 24x40,gated:8x12 --rows 3 --backward --act tanh
expect 0 "$(printf '%s\n' ffn,24x40,24,40,3,backward,tanh,f32 ffn,gated:8x12,8,12,3,backward,tanh,f32)" cut -d, -f1-8 rows.csv
csv linear $small --rows 2 --isa all --act all --dtype f32,bf16-weights
check 'every activation, instruction set and type' test "$(rows)" = $((2 * (6 + 1) * $(count $isas)))
check 'the instruction sets' test "$(columns 9)" = "$(printf '%s\n' $isas | sort | paste -sd' ')"
check 'the types' test "$(columns 8)" = 'bf16-weights f32'
csv ffn $small --rows 2 --fast --act erf,silu
check 'the fast ones, too' test "$(cut -d, -f7 rows.csv | paste -sd' ')" = 'erf fast-erf silu fast-silu'
csv linear $small --rows 2 --fast
check 'where there is one' test "$(cut -d, -f7 rows.csv | paste -sd' ')" = 'erf fast-erf -'
csv linear --repeat 1 --shape 4x4 --rows all
check 'the default rows' test "$(cut -d, -f5 rows.csv | sort -un | paste -sd' ')" = '1 8 128 512'
csv ffn --repeat 1 --shape minilm,gpt-2 --rows 1
expect 0 "$(printf '%s\n' ffn,minilm,384,1536,1,forward,erf ffn,gpt-2,768,3072,1,forward,tanh)" cut -d, -f1-7 rows.csv

# What is derived follows from what is measured: 2 operations for each weight and row in each product; the block's
# backward pass has two products for each weight, and its first layer again.
rates() { # OPERATIONS, for each weight of one matrix
    check "operations: $1" awk -F, -v operations="$1" '
        function near(a, b) { return a - b < 0.02 * b && b - a < 0.02 * b }
        { if (!near($13, operations * $3 * $4 * $5 / $12 / 1000)) exit 1
          if ($14 > 0 && !near($15, $13 / $14)) exit 1 }' rows.csv
}
many='--repeat 2 --rows 64 --shape'
csv linear $many 64x96
rates 2
csv linear $many 64x96 --backward
rates 4
csv ffn $many 64x96
rates 4
csv ffn $many 64x96 --backward
rates 10
csv ffn $many gated:64x96
rates 6
csv ffn $many gated:64x96 --backward
rates 16
check 'no share of an activation where there is none' \
    test "$("$gelu" bench linear $small --rows 2 --act identity --csv | tail -n +2 | cut -d, -f16 | sort -u)" = 0.00000

# The time that was asked for.
SECONDS=0
csv ffn --seconds 1.5 --shape 16x16 --rows 4
check 'it takes the time it was given' test "$SECONDS" -ge 1 -a "$SECONDS" -le 30
check 'that is many samples' awk -F, '$11 < 3 { exit 1 }' rows.csv

# The table, and Markdown.
table=$("$gelu" bench linear $small --rows 2)
check 'the table has a header' grep -Eqx 'layer +shape +rows +pass +function +dtype +isa +us/call +GFLOP/s +of peak +in act' <<<"$table"
check 'a row for each product' test "$(grep -cE '^(up|down) +24x40 +2 +forward ' <<<"$table")" = 2
check 'the clock is stated' grep -Eq '^.*, [0-9.]+ GHz .*; 1 thread$' <<<"$table"
markdown=$("$gelu" bench ffn --repeat 1 --shape 24x40,gated:8x12 --rows 1,2 --dtype f32,bf16-weights --markdown)
check 'a table for each type' test "$(grep -cx '| | | | 1 row | 2 rows |' <<<"$markdown")" = 2
cell='[0-9]+\.[0-9] \(([0-9]+\.[0-9]+|-); -?[0-9]+\.[0-9] %\)'
check 'a line for each shape' test "$(grep -cE "^\| (24x40|gated:8x12), [0-9]+ and [0-9]+ \| (erf|silu) \| [a-z0-9_]+ \| $cell \| $cell \|\$" <<<"$markdown")" = 4
markdown=$("$gelu" bench linear $small --rows 1,2 --markdown)
check 'both products in one table' test "$(grep -cE '^\| 24x40, (24 to 40|40 to 24) \|' <<<"$markdown")" = 2

# --quick: fewer of everything, and what is asked for all the same.
check '--quick' test "$("$gelu" bench ffn --quick --repeat 1 --csv | tail -n +2 | cut -d, -f2,5 | paste -sd' ')" = \
    'minilm,1 minilm,128 bert-base,1 bert-base,128'
check '--quick with a shape' test "$("$gelu" bench ffn --quick --repeat 1 --shape 8x8 --rows 3 --csv | wc -l)" = 2

# Mistakes.
for form in linear ffn; do
    expect_error 2 "unknown shape 'bert'; known: minilm, bert-base, gpt-2, bert-large, llama-7b" "$gelu" bench $form --shape bert
    expect_error 2 "see: gelu bench $form --help" "$gelu" bench $form --sizes 3
    text=$("$gelu" bench $form --help)
    expect 0 "$text" "$gelu" bench $form -h
    check 'the help begins with its usage' grep -q '^Usage: gelu bench linear|ffn' <<<"$text"
    check 'no line of help is over 120 characters' test -z "$(awk 'length > 120' <<<"$text")"
    for option in $(grep -oE -- '--[a-z0-9]+' <<<"$text" | sort -u); do
        check "the manual explains $option" grep -qF -- "${option//-/\\-}" "$source_dir/docs/man/gelu.1"
        check "the completion knows $option" grep -q -- "$option" "$source_dir/completions/gelu"
    done
done
for shape in 0x3 3x0 3 3x x3 3x4x5 -1x3 1048577x1 99999999999999999999x3 gated: gated:3 plain:3x4 3X4 ' 3x4'; do
    expect_error 2 "unknown shape '$shape'" "$gelu" bench ffn "--shape=$shape"
done
for rows in 0 -1 x 1.5 1048577; do expect_error 2 "--rows: '$rows' is not a whole number" "$gelu" bench linear --rows=$rows; done
expect_error 2 "unknown activation 'gelo'; known: identity" "$gelu" bench ffn --act gelo
expect_error 2 "unknown type 'f64'; known: f32, bf16-weights, bf16" "$gelu" bench linear --dtype f64
expect_error 2 "instruction set 'abacus' cannot be had here; available: ${isas%% *}" "$gelu" bench linear --isa abacus
for option in shape rows act dtype isa; do
    expect_error 2 "--$option: an item of the list is empty" "$gelu" bench ffn --$option ''
done
expect_error 2 '--rows: more than 64 items' "$gelu" bench ffn --rows "1$(printf ',%s' {2..65})"
for option in threads repeat; do
    for value in 0 -1 x 1.5; do expect_error 2 "--$option: '$value'" "$gelu" bench ffn --$option=$value; done
done
for value in 0 -1 x nan inf 1e7; do expect_error 2 "--seconds: '$value'" "$gelu" bench linear --seconds=$value; done
expect_error 2 '--csv and --markdown exclude each other' "$gelu" bench linear --csv --markdown
expect_error 2 '--repeat and --seconds exclude each other' "$gelu" bench ffn --repeat 1 --seconds 1
expect_error 2 "no argument 'erf' is known" "$gelu" bench linear erf
expect_error 1 '1048576x1048576, 1 rows: does not fit in memory' "$gelu" bench linear --shape 1048576x1048576 --rows 1

# Threads, where the build has them.
if "$gelu" bench linear $small --rows 1 --threads 2 >/dev/null 2>&1; then
    csv ffn --repeat 1 --shape 24x40 --rows 5 --threads 3
    check 'the threads' test "$(columns 10)" = 3
else
    expect_error 2 'built without OpenMP' "$gelu" bench linear --threads 2
fi

# Interrupted: it ends by the signal, and what was printed are whole lines.
set -m # a background process then does not ignore SIGINT
: >out.csv
: >stderr.txt
"$gelu" bench linear --shape 8x8 --rows "1$(printf ',%s' {2..64})" --seconds 60 --csv >out.csv 2>stderr.txt &
pid=$!
for ((i = 0; i < 600 && $(wc -l <out.csv) < 2; i++)); do sleep 0.05; done
kill -INT $pid
wait $pid 2>/dev/null
check 'exit by the signal' test $? = 130
check 'nothing on standard error' test ! -s stderr.txt
check 'something was printed' test "$(wc -l <out.csv)" -ge 2
check 'whole lines only' awk -F, 'NF != 17 { exit 1 }' out.csv

# On a terminal the bar goes, too.
if command -v python3 >/dev/null; then
    check 'a bar that an interrupt clears' python3 "$here/interrupted_bar.py" "$gelu"
else
    echo 'skipped: the bar on a terminal: no python3'
fi
finish
