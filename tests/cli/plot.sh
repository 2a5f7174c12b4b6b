#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu plot`: its numbers against those of `gelu eval` and against exact ones, text on terminals of several kinds, what it
# asks of gnuplot, and what it refuses.
. "$(dirname "$0")/lib.bash"
all='identity relu erf tanh quick silu elu'

# ---- The numbers ----

checks=$((checks + 1))
"$gelu" plot --data --grad --grad2 --points 17 $all >data.csv 2>stderr.txt || fail "exit $?"
[ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
expect 0 "x$(for act in $all; do printf ',%s,%s_grad,%s_grad2' $act $act $act; done)" head -n 1 data.csv
expect 0 "$(printf '%s\n' -4 -3.5 -3 -2.5 -2 -1.5 -1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4)" \
    bash -c "tail -n +2 data.csv | cut -d, -f1 | sed 's/\.0$//'"
xs=$(tail -n +2 data.csv | cut -d, -f1)
column=2
for act in $all; do
    for order in '' --grad --grad2; do
        expect 0 "$("$gelu" eval --dtype f64 --act $act $order $xs)" bash -c "tail -n +2 data.csv | cut -d, -f$column"
        column=$((column + 1))
    done
done

# x Phi(x), its slope and its curvature at -2, computed with mpmath to 20 digits.
check 'the numbers are the exact ones' awk -F, '
    function near(a, b) { return a - b < 1e-15 && b - a < 1e-15 }
    $1 == -2 { found = near($8, -0.045500263896358414401) && near($9, -0.085231801078196976182) &&
                       near($10, -0.10798193302637610394) }
    END { exit !found }' data.csv

# Errors have a sign; each number is one subtraction of two of those above.
expect 0 'x,tanh_error,tanh_grad_error,quick_error,quick_grad_error' \
    bash -c "'$gelu' plot --data --grad --error-against gelu --points 3 tanh quick | head -n 1"
"$gelu" plot --data --points 33 --range=-6:2 erf tanh quick >values.csv
"$gelu" plot --data --points 33 --range=-6:2 --error-against erf tanh quick >errors.csv
check 'errors are differences' awk -F, '
    NR == FNR { erf[$1] = $2; tanh[$1] = $3; quick[$1] = $4; next }
    FNR > 1 { seen++; d = $2 - (tanh[$1] - erf[$1]); e = $3 - (quick[$1] - erf[$1])
              if (d * d > 1e-36 || e * e > 1e-36) exit 1
              signs[$2 > 0] = 1 }
    END { exit !(seen == 33 && signs[0] && signs[1]) }' values.csv errors.csv
check 'the range' awk -F, 'NR == 2 { first = $1 } { last = $1 } END { exit !(first == -6 && last == 2) }' values.csv
expect 0 "$("$gelu" plot --data --points 3 erf silu)" "$gelu" plot --data --points 3 gelu swish erf # each once
expect 0 802 bash -c "'$gelu' plot --data erf | wc -l"

# ---- Histograms ----

# -1, -1, 0, 0.25, 1, 2 in a (2, 3) array: bins of width 3/64, one of them around 0.
little_endian 8 bf800000 bf800000 00000000 3e800000 3f800000 40000000 | npy six.npy '<f4' False '(2, 3)'
"$gelu" plot --data --hist six.npy identity relu erf >histogram.csv || fail "exit $?"
expect 0 'from,to,before,identity,relu,erf' head -n 1 histogram.csv
check 'every value is in one bin, of the same width' awk -F, '
    NR > 1 { for (i = 3; i <= 6; i++) sum[i] += $i
             if (($2 - $1 - 3 / 64) ^ 2 > 1e-16 || (NR > 2 && $1 != end)) exit 1
             end = $2 }
    END { for (i = 3; i <= 6; i++) if (sum[i] != 6) exit 1 }' histogram.csv
expect 0 '1,1,3' bash -c "awk -F, -v OFS=, '\$1 < 0 && \$2 > 0 { print \$3, \$4, \$5 }' histogram.csv"
check 'values before and after are where they belong' awk -F, '
    function holds(x) { return $1 <= x && x < $2 }
    NR == 1 { next }
    { want = 2 * holds(-1) + holds(0) + holds(0.25) + holds(1) + holds(2)
      erf = 2 * holds(-0.15865525) + holds(0) + holds(0.14967655) + holds(0.84134475) + holds(1.9544997)
      if ($3 != want || $4 != want || $6 != erf) exit 1 }' histogram.csv
"$gelu" plot --data --hist six.npy --range=-0.5:1.5 relu >part.csv
check 'a range leaves out what is outside' awk -F, 'NR > 1 { b += $3; r += $4 } END { exit !(b == 3 && r == 5) }' part.csv
text=$("$gelu" plot --hist six.npy relu)
check 'the share of zeros' grep -q 'after ReLU: .*, 50 % exactly 0' <<<"$text"
check 'mean and deviation' grep -q 'before .*: mean 0.208, standard deviation 1.06' <<<"$text"
little_endian 4 3c00 4000 | npy half.npy '<f2' False '(2,)'
# Numbers at a logarithmic axis: 1, 2, 5 times powers of ten where these alone were too few; else each power.
labels() { sed -n 's/^ *\([-0-9.e]*\)[|┤].*/\1/p' | awk 'NF' | xargs; }
check 'a short axis has 1, 2 and 5' test "$(labels <<<"$text")" = '200 100 50 20 10 200 100 50 20 10'
check 'a long axis has each power' \
    test "$("$gelu" plot --error-against erf tanh quick | labels)" = '1e-2 1e-3 1e-4 1e-5 1e-6'
check 'zero has no sign' test "$("$gelu" plot --range=-1:1 identity | labels)" = '1 0.5 0 -0.5 -1'

check 'f16' "$gelu" plot --hist half.npy erf
little_endian 4 3f80 4000 | npy bf16.npy '<V2' False '(2,)'
check 'bf16' "$gelu" plot --bf16 --hist bf16.npy erf
little_endian 8 3f800000 3f800000 | npy same.npy '<f4' False '(2,)'
expect 0 3 bash -c "'$gelu' plot --data --hist same.npy identity | awk -F, '\$3 == 2 { print \$3 + (\$1 < 1 && \$2 > 1) }'"

# ---- Text ----

text=$("$gelu" plot relu erf)
check 'no line is over 80 columns' test -z "$(awk 'length > 80' <<<"$text")"
check 'plain ASCII in the C locale' test -z "$(LC_ALL=C tr -d '\n -~' <<<"$text")"
check 'letters, a key and the axes' grep -q 'r ReLU   e GELU (erf)   \* several' <<<"$text"
for what in 'Up: f(x)' '^ *-4 .* 4$' 'Across: x' 'rrr' 'eee'; do check "text has $what" grep -q -- "$what" <<<"$text"; done
# ReLU is 0 left of 0: its line is on the row of 0.
check 'the curve is where it belongs' grep -Eq '^ +0\|.*r{10}' <<<"$text"
check 'two derivatives make three panels' test "$("$gelu" plot --grad --grad2 erf | grep -c 'Up: ')" = 3
if have_locale zh_CN.UTF-8; then
    text=$(LC_ALL=zh_CN.UTF-8 "$gelu" plot erf)
    check 'braille where the locale is UTF-8' grep -q ⠒ <<<"$text"
    check 'letters where one needs colours to tell' grep -q eee <<<"$(LC_ALL=zh_CN.UTF-8 "$gelu" plot erf relu)"
else
    echo 'skipped: text in UTF-8, there is no locale zh_CN.UTF-8'
fi
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    wide=$(TERM=xterm script -qec "stty cols 120; '$gelu' plot relu erf" /dev/null </dev/null)
    check 'as wide as the terminal' grep -Eq '^.{110,120}.?$' <<<"$(sed 's/\x1b\[[0-9]*m//g' <<<"$wide")"
    check 'in colours' grep -q "$(printf '\033\[34m')" <<<"$wide"
else
    echo 'skipped: text on a terminal, there is no script(1)'
fi

# ---- Mistakes ----

expect_error 2 'no activation is given; known: identity' "$gelu" plot
expect_error 2 "unknown activation 'gelo'; known: identity" "$gelu" plot erf gelo
expect_error 2 "--error-against: unknown activation 'erv'" "$gelu" plot --error-against erv tanh
expect_error 2 '--error-against: no other activation is given' "$gelu" plot --error-against erf gelu
for range in '' : 1 1: :1 1:1 2:1 a:b 0:inf nan:1 -1e308:1e308 1:2:3; do
    expect_error 2 "--range: '$range' is not A:B" "$gelu" plot --range="$range" erf
done
for points in 0 1 -1 x 100002; do expect_error 2 '--points: ' "$gelu" plot --points=$points erf; done
for name in a.jpg a png .png a.png.gz ''; do
    expect_error 2 "-o: '$name' does not end in .png, .svg or .pdf" "$gelu" plot -o "$name" erf
done
expect_error 2 "option '-o' needs a value" "$gelu" plot erf -o
expect_error 2 '-o and --data exclude each other' "$gelu" plot -o a.png --data erf
expect_error 2 '--bf16 is for --hist' "$gelu" plot --bf16 erf
for option in --grad --grad2 --error-against=erf --points=3; do
    expect_error 2 '--hist excludes' "$gelu" plot $option --hist six.npy erf
done
little_endian 8 3f800000 3f800000 3f800000 3f800000 7fc00000 3f800000 | npy nan.npy '<f4' False '(2, 3)'
expect_error 1 'nan.npy: NaN at (1, 1)' "$gelu" plot --hist nan.npy erf
little_endian 8 3f800000 ff800000 | npy inf.npy '<f4' False '(2,)'
expect_error 1 'inf.npy: an infinity at (1,)' "$gelu" plot --hist inf.npy erf
npy empty.npy '<f4' False '(0,)' </dev/null
expect_error 1 'empty.npy: no elements' "$gelu" plot --hist empty.npy erf
: >nothing.npy
expect_error 1 'nothing.npy' "$gelu" plot --hist nothing.npy erf
expect_error 1 'missing.npy' "$gelu" plot --hist missing.npy erf
expect_error 1 'try --bf16' "$gelu" plot --hist bf16.npy erf
little_endian 16 7fefffffffffffff ffefffffffffffff | npy huge.npy '<f8' False '(2,)'
expect_error 1 'huge.npy: values from -1.79769e+308 to 1.79769e+308 are too far apart' "$gelu" plot --hist huge.npy erf

# ---- Pictures ----

expect_error 1 '-o needs gnuplot, which is not installed (Debian: gnuplot-nox)' env PATH=/nonexistent "$gelu" plot -o a.png erf
expect_error 1 'no/such/folder/a.png' "$gelu" plot -o no/such/folder/a.png erf
mkdir -p folder.png
expect_error 1 'folder.png: not a regular file' "$gelu" plot -o folder.png erf
mkdir -p broken fake
printf '#!/bin/sh\nexit 3\n' >broken/gnuplot
printf '#!/bin/sh\ncat >"%s/program.txt"; [ ! -s "%s/program.txt" ] || echo picture\n' "$scratch" "$scratch" >fake/gnuplot
chmod +x broken/gnuplot fake/gnuplot
echo old >a.png
expect_error 1 'gnuplot: exit status 3' env PATH="$scratch/broken:$PATH" "$gelu" plot -o a.png erf
expect 0 old cat a.png
expect 0 '' env PATH="$scratch/fake:$PATH" "$gelu" plot -o a.png --grad relu erf
expect 0 picture cat a.png
expect 0 a.png find . -name 'a.png*' -printf '%f\n'
check 'axes are labelled' test "$(grep -cE "^set (xlabel 'x'|ylabel 'f[^']*\(x\)')" program.txt)" = 3
check 'there is a key' grep -q "keyentry .* title 'ReLU'.* title 'GELU (erf)'" program.txt
colours() { grep -o "keyentry with lines lt 1 lc rgb '[^']*'" program.txt | sort -u | wc -l; }
dashes() { grep -oE "keyentry with lines [^,]* dt (solid|\([0-9,]*\))" program.txt | sed 's/.* dt //' | sort -u | wc -l; }
expect 0 '' env PATH="$scratch/fake:$PATH" "$gelu" plot -o a.png $all
check 'each curve has a colour of its own' test "$(colours)" = 7
check 'and dashes of its own' test "$(dashes)" = 7
# A name that would be a command to gnuplot, in single quotes, double ones or back-quotes.
name="it's \`touch owned\`\"; system('touch owned')#.npy"
cp six.npy "$name"
expect 0 '' env PATH="$scratch/fake:$PATH" "$gelu" plot -o a.png --hist "$name" relu
check 'no quote ends the title' grep -q "^set label 2 'it′s \`touch owned\`\"; system(′touch owned′)#.npy: 6 values' at" program.txt
if command -v gnuplot >/dev/null; then
    for form in png:89504e47 svg:3c3f786d pdf:25504446; do
        file=real.${form%:*}
        expect 0 '' "$gelu" plot -o $file --grad --grad2 $all
        expect 0 "${form#*:}" bash -c "head -c 4 $file | od -An -t x1 | tr -d ' '"
    done
    expect 0 1600x bash -c "od -An -t u1 -j 16 -N 4 real.png | awk '{ print \$3 * 256 + \$4 \"x\" }'"
    check 'the picture is drawn, not blank' test "$(grep -c '<path' real.svg)" -gt 20
    expect 0 '' "$gelu" plot -o real.svg --hist "$name" relu erf
    check 'the name is not a command' test ! -e owned
    expect 0 '' "$gelu" plot -o real.svg --error-against erf tanh quick
    check 'the largest error is in the key' grep -q 'GELU (tanh): at most 0.000473, at x = −2.7' real.svg
else
    echo 'skipped: pictures by gnuplot itself, which is not installed'
fi

# ---- Ctrl-C ----

# A picture that never ends: the signal leaves the old file, and no other.
printf '#!/bin/sh\ncat >/dev/null; [ -e "%s/first" ] || { : >"%s/first"; exit 0; }; echo part; : >"%s/drawing"; exec sleep 60\n' \
    "$scratch" "$scratch" "$scratch" >broken/gnuplot
set -m
for signal in INT TERM; do
    rm -f first drawing
    echo old >a.png
    PATH="$scratch/broken:$PATH" "$gelu" plot -o a.png erf 2>stderr.txt &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -e drawing ] || break
        sleep 0.05
    done
    checks=$((checks + 1))
    [ -e drawing ] || fail 'it does not draw'
    kill -$signal -$pid
    wait $pid 2>/dev/null
    [ $? = $((128 + $(kill -l $signal))) ] || fail "it does not end by SIG$signal"
    expect 0 old cat a.png
    expect 0 a.png find . -name 'a.png*' -printf '%f\n'
done
finish
