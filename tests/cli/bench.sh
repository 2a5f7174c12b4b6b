#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu bench`: what it prints and refuses. No test looks at how fast anything is.
. "$(dirname "$0")/lib.bash"
quick="--repeat 2 --size 64,1Ki"
isas=$("$gelu" info | sed -n 's/^available: *//p' | tr -d ,)
count() { wc -w <<<"$*"; }

# CSV: every line has the columns of the first; numbers are numbers; each combination once, in order.
header=op,act,dtype,isa,size,input,threads,samples,ns_per_elem,clocks_per_elem,gb_per_s,times_memcpy,times_relu,ghz
csv() {
    checks=$((checks + 1))
    "$gelu" bench --csv "$@" >out.csv 2>stderr.txt || fail "exit $?: $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt): $*"
    [ "$(head -n 1 out.csv)" = "$header" ] || fail "header '$(head -n 1 out.csv)'"
    tail -n +2 out.csv >rows.csv
    awk -F, 'NF != 14 { exit 1 } { for (i = 9; i <= 14; i++) if ($i !~ /^[0-9]+\.[0-9]+$/ || $i + 0 <= 0) exit 1 }' \
        rows.csv || fail "a bad row: $*"
}
rows() { wc -l <rows.csv; }

csv $quick --act erf,silu --input normal
expect 0 "$(printf '%s\n' {memcpy,relu-loop,erf,silu},f32,64,normal,1,2 {memcpy,relu-loop,erf,silu},f32,1024,normal,1,2)" \
    awk -F, -v OFS=, '{ print $2, $3, $5, $6, $7, $8 }' rows.csv
csv --repeat 1 --size 65 --act gelu --op all --dtype all --isa all --input sigma=3
check 'every operation, type and instruction set' test "$(rows)" = $((18 * (2 + $(count $isas))))
expect 0 "$(printf '%s\n' $isas | sort)" bash -c "awk -F, '\$2 == \"erf\" { print \$4 }' rows.csv | sort -u"
expect 0 "$(printf '%s\n' f32 f64)" bash -c "awk -F, '\$1 == \"grad2\" { print \$3 }' rows.csv | sort -u"
expect 0 "$(printf '%s\n' f32-bf16 f32-f16)" bash -c "awk -F, '\$3 ~ /-/ && \$1 == \"forward\" { print \$3 }' rows.csv | sort -u"
expect 0 '' awk -F, '$3 ~ /-/ && $1 != "forward"' rows.csv
csv --repeat 1 --size 100 --act all --input all
check 'every activation and input' test "$(rows)" = $((6 * (2 + 7)))
csv --repeat 1 --size 64 --act erf --input range=-120:-0.5e1,uniform,bits
expect 0 "$(printf '%s\n' range=-120:-0.5e1 uniform bits)" bash -c "awk -F, '\$2 == \"erf\" { print \$6 }' rows.csv"
csv --repeat 1 --size 64 --act erf
check 'the default inputs' test "$(awk -F, '$2 == "erf" { printf "%s ", $6 }' rows.csv)" = 'normal tail subnormal positive '

# What is derived follows from what is measured.
csv $quick --act erf,tanh --op forward,backward --input normal
check 'ratios, clocks and rates agree with the times' awk -F, '
    function near(a, b) { return a - b < 0.02 * b && b - a < 0.02 * b }
    $2 == "memcpy" { memcpy = $9 }
    { ns[NR] = $9; m[NR] = memcpy; per_m[NR] = $12; per_r[NR] = $13; group[NR] = $1 $5; ghz = $14
      arrays = $1 == "backward" && $2 != "memcpy" ? 3 : 2
      if (!near($11, 4 * arrays / $9) || !near($10, $9 * ghz)) exit 1 }
    $2 == "relu-loop" { relu[$1 $5] = $9 }
    END { for (i = 1; i <= NR; i++)
              if (!near(per_m[i], ns[i] / m[i]) || !near(per_r[i], ns[i] / relu[group[i]])) exit 1 }' rows.csv

csv $quick --act erf --dtype f32-f16,f32-bf16 --input normal
expect 0 "$(for t in f32-f16 f32-bf16; do for n in 64 1024; do printf '%s\n' {memcpy,relu-loop,erf},$t,$n; done; done)" \
    awk -F, -v OFS=, '{ print $2, $3, $5 }' rows.csv
check 'bytes of both types; a layer has its bias once for 16 rows' awk -F, \
    '{ d = $11 * $9 / ($2 == "erf" ? 4 / 16 + 2 : 4 + 2); if (d < 0.98 || d > 1.02) exit 1 }' rows.csv

# The time that was asked for: not before it is over, and not for ever.
SECONDS=0
csv --seconds 1.5 --act erf --size 1Ki --input normal
check 'it takes the time it was given' test "$SECONDS" -ge 1 -a "$SECONDS" -le 30
check 'that is many samples' awk -F, '$8 < 3 { exit 1 }' rows.csv

# The table, and Markdown.
table=$("$gelu" bench $quick --act erf --input normal)
check 'the table has a header' grep -Eqx 'operation +function +dtype +isa +size +input +ns/elem .*' <<<"$table"
check 'a row a size' test "$(grep -c '^forward  *erf  *f32 ' <<<"$table")" = 2
check 'the clock is stated' grep -Eq '^.*; [0-9.]+ GHz .*\); 1 thread$' <<<"$table"
check 'sizes have units' grep -Eq '^forward +erf +f32 +[a-z0-9_]+ +1Ki +normal ' <<<"$table"
markdown=$("$gelu" bench $quick --act erf,tanh --op forward,grad --input normal --markdown)
check 'a table for each operation' test "$(grep -cx '| | 64 | 1Ki |' <<<"$markdown")" = 2
check 'a line for each function' test "$(grep -c '^| \*\*\(erf\|tanh\)\*\*, ' <<<"$markdown")" = 4
cell='[0-9]+\.[0-9]+ \([0-9]+\.[0-9]+; [0-9]+\.[0-9]+\)'
check 'a cell for each size' test "$(grep -cE "^\| \*\*.*\*\*, [a-z0-9_]+ \| $cell \| $cell \|\$" <<<"$markdown")" = 4
markdown=$("$gelu" bench --repeat 1 --size 64 --act erf,tanh --input normal,sigma=3,bits --markdown)
check 'with one size, a column for each input' grep -qFx '| | normal | sigma=3 | bits |' <<<"$markdown"
check 'and a line for each function' test "$(grep -cE "^\| \*\*.*( \| $cell){3} \|\$" <<<"$markdown")" = 2

# Mistakes.
expect_error 2 "unknown activation 'gelo'; known: identity" "$gelu" bench --act erf,gelo
expect_error 2 "unknown operation 'backwards'; known: forward, grad, grad2, backward, fast, fast-backward" "$gelu" bench --op backwards
expect_error 2 "unknown type 'f8'; known: f32, f64, f16, bf16, f32-f16, f32-bf16" "$gelu" bench --dtype f8
expect_error 2 "instruction set 'abacus' cannot be had here; available: ${isas%% *}" "$gelu" bench --isa abacus
for size in 0 4k 4KiB -1 Ki 1e6 1048577Mi 99999999999999999999 0x10; do
    expect_error 2 "--size: '$size' is not a number of elements" "$gelu" bench --size=$size
done
for input in normals sigma= sigma=0 sigma=-1 sigma=x sigma=inf sigma=nan range=1 range=2:1 range=:1 range=1:; do
    expect_error 2 "unknown input '$input'" "$gelu" bench --input $input
done
for list in '' , erf, ,erf erf,,tanh; do
    expect_error 2 '--act: an item of the list is empty' "$gelu" bench --act "$list"
done
expect_error 2 '--size: more than 64 items' "$gelu" bench --size "1$(printf ',%s' {2..65})"
for option in threads repeat; do
    for value in 0 -1 x 1.5; do expect_error 2 "--$option: '$value'" "$gelu" bench --$option=$value; done
done
for value in 0 -1 x nan inf 1e7; do expect_error 2 "--seconds: '$value'" "$gelu" bench --seconds=$value; done
expect_error 2 '--csv and --markdown exclude each other' "$gelu" bench --csv --markdown
expect_error 2 '--repeat and --seconds exclude each other' "$gelu" bench --repeat 1 --seconds 1
expect_error 2 "takes no argument 'erf'" "$gelu" bench erf
expect_error 2 'no operation of --op takes a type of --dtype' "$gelu" bench --op grad2,fast --dtype f16
expect_error 2 'no operation of --op takes a type of --dtype' "$gelu" bench --op grad,backward --dtype f32-bf16
expect_error 1 '1099511627776 elements do not fit in memory' "$gelu" bench --size 1024Gi

# The plot: errors come before the work, and no file is left.
expect_error 1 '--plot needs gnuplot, which is not installed' env PATH=/nonexistent "$gelu" bench --plot a.png
expect_error 1 'no/such/folder/a.png' "$gelu" bench --plot no/such/folder/a.png
expect_error 1 '/dev/null: not a regular file' "$gelu" bench --plot /dev/null
mkdir -p broken
printf '#!/bin/sh\nexit 3\n' >broken/gnuplot
chmod +x broken/gnuplot
expect_error 1 'gnuplot: exit status 3' env PATH="$scratch/broken:$PATH" "$gelu" bench --plot a.png
expect 0 '' find . -name 'a.png*'
mkdir -p fake
printf '#!/bin/sh\ncat >"%s/program.txt"; echo picture\n' "$scratch" >fake/gnuplot
chmod +x fake/gnuplot
check 'a plot' env PATH="$scratch/fake:$PATH" "$gelu" bench $quick --act erf --input normal --plot a.png
expect 0 picture cat a.png
expect 0 a.png find . -name 'a.png*' -printf '%f\n'
check 'the plot has a line for each function' grep -q "^plot .*memcpy.*relu-loop.*erf" program.txt
check 'and all sizes of each' test "$(grep -cE '^(64|1024) [0-9.]+$' program.txt)" = 6
if command -v gnuplot >/dev/null; then
    check 'a real plot' "$gelu" bench $quick --act erf,tanh --plot real.png
    expect 0 89504e47 bash -c 'head -c 4 real.png | od -An -t x1 | tr -d " "'
else
    echo 'skipped: the plot by gnuplot itself, which is not installed'
fi

# Threads, where the build has them.
if "$gelu" bench --repeat 1 --size 1 --act erf --input normal --threads 2 >/dev/null 2>&1; then
    csv --repeat 2 --size 1,5000 --act erf --op backward --dtype bf16 --input normal --threads 3
    expect 0 3 bash -c 'cut -d, -f7 rows.csv | sort -u'
else
    expect_error 2 'built without OpenMP' "$gelu" bench --threads 2
fi

# No progress bar but on a terminal.
check 'a quiet standard error' test -z "$("$gelu" bench --seconds 1 --size 64 --act erf --input normal 2>&1 >/dev/null)"
finish
