#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu compare`: its figures where they are known, that they depend on nothing but the seed, reports, experiments, and
# what it refuses. A few samples of two classes stand for the data, so that training takes no time.
. "$(dirname "$0")/lib.bash"

small_data data

# ---- The claims ----

checks=$((checks + 1))
"$gelu" compare --quick --data data --csv --threads 1 >one.csv 2>stderr.txt || fail "exit $?"
[ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
expect 0 'claim,key,measure,relu,erf,tanh,quick,silu,verdict' head -n 1 one.csv
expect 0 "$(printf '%s\n' smooth stochastic cost dead gradient normal sparse convergence)" \
    bash -c "tail -n +2 one.csv | cut -d, -f1 | uniq"
# key: its five figures, which follow the quoted text.
figures() { sed -n 's/^[a-z]*,'"$1"',"[^"]*",\(.*\),[a-z ]*$/\1/p' "${2:-one.csv}"; }
check 'each row has five figures and a verdict' test \
    "$(grep -cEv '^[a-z]+,[a-z0-9_]+,"[^"]+"(,(-?[0-9.]+(e[-+]?[0-9]+)?|nan|-?inf)){5},(holds|does not hold|depends)$' one.csv)" = 1
check 'no key occurs twice in a claim' test -z "$(cut -d, -f1,2 one.csv | sort | uniq -d)"

# What is known beforehand: ReLU's jump is 1; f'' of GELU is at most 2 phi(0), its slope 1.12890 at sqrt 2, SiLU's 1.09984.
check 'jumps of the slope' awk -F, '
    function near(a, b) { return a - b < 0.001 * b && b - a < 0.001 * b }
    { exit !($1 == 1 && near($2, 0.79788456 / 65536) && near($5, 0.5 / 65536)) }' <<<"$(figures jump_fine)"
check 'Lipschitz constants' awk -F, '
    function near(a, b) { return a - b < 1e-5 && b - a < 1e-5 }
    { exit !($1 == 1 && near($2, 1.1289042) && near($4, 1.0998393) && near($5, 1.0998393)) }' <<<"$(figures lipschitz)"
check 'only GELU, and its tanh form, are within the mean of the draws' awk -F, '
    { exit !($2 < 4 && $3 < 4 && $1 > 100 && $4 > 10 && $5 > 100) }' <<<"$(figures standard_errors)"
check 'GELU is smooth' grep -q '^smooth,.*,holds$' one.csv
check 'the stochastic reading holds' grep -q '^stochastic,.*,holds$' one.csv
check 'ratios are those of the times' awk -F, '
    function near(a, b) { return a - b < 1e-9 * b && b - a < 1e-9 * b }
    NR % 2 { for (i = 1; i <= 5; i++) time[i] = $i; next }
    { for (i = 1; i <= 5; i++) if (!(time[i] > 0) || !near($i, time[i] / time[1])) exit 1; pairs++ }
    END { exit pairs != 5 }' <<<"$(for what in forward backward fast; do figures ${what}_ns; figures ${what}_ratio; done
    for what in linear ffn; do figures ${what}_ms; figures ${what}_ratio; done)"
check 'shares are from 0 to 100, and what is zero is near zero' awk -F, '
    NR % 2 { for (i = 1; i <= 5; i++) zero[i] = $i; next }
    { for (i = 1; i <= 5; i++) if (!(0 <= zero[i] && zero[i] <= $i && $i <= 100)) exit 1 }' \
    <<<"$(figures zeros_initial; figures near_initial; figures zeros_trained; figures near_trained)"
check 'at first about half of what ReLU gives is zero, and nothing of what GELU gives' awk -F, '
    { exit !(35 < $1 && $1 < 65 && $2 == 0 && $5 == 0) }' <<<"$(figures zeros_initial)"
check 'what is dead is near-dead' awk -F, '
    NR % 2 { for (i = 1; i <= 5; i++) dead[i] = $i; next }
    { for (i = 1; i <= 5; i++) if ($i != "nan" && !(dead[i] <= $i && $i <= 100)) exit 1 }' \
    <<<"$(for r in 1 2 3; do figures dead_$r; figures idle_$r; done)"

# Nothing but the times depends on the number of threads; another seed draws something else.
"$gelu" compare --quick --data data --csv --threads 3 >three.csv
expect 0 "$(grep -v ^cost, one.csv)" grep -v ^cost, three.csv
"$gelu" compare --quick --data data --csv --seed 2 >other.csv
check 'another seed, other draws' test "$(figures standard_errors)" != "$(figures standard_errors other.csv)"
check 'another seed, other networks' test "$(figures zeros_trained)" != "$(figures zeros_trained other.csv)"
expect 0 "$(grep ^smooth, one.csv)" grep ^smooth, other.csv

# ---- Experiments ----

for name in mnist autoencoder noise; do
    checks=$((checks + 1))
    "$gelu" compare --experiment $name --data data --epochs 2 --seeds 2 --csv --threads 1 >$name.csv 2>stderr.txt ||
        fail "exit $?: $name"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
    expect 0 "$(printf '%s\n' elu erf quick relu silu tanh)" bash -c "tail -n +2 $name.csv | cut -d, -f1 | sort -u"
    expect 0 "$(cat $name.csv)" "$gelu" compare --experiment $name --data data --epochs 2 --seeds 2 --csv --threads 3
    text=$("$gelu" compare --experiment $name --data data --epochs 2 --seeds 2)
    check "$name says what the paper found, and what was found here" grep -q "^Here GELU's median .* ReLU's in .*; the paper finds" <<<"$text"
done
expect 0 'act,rate,dropout,epoch,train_loss,test_loss,train_error,test_error' head -n 1 mnist.csv
expect 0 'act,rate,dropout,noise,train_loss,test_loss,train_error,test_error' head -n 1 noise.csv
expect 0 '1 2' bash -c "tail -n +2 mnist.csv | cut -d, -f4 | sort -u | xargs"
expect 0 "$(grep -E '^(act|[a-z]+,0.001,0.5),' mnist.csv)" \
    "$gelu" compare --experiment mnist --data data --epochs 2 --seeds 2 --csv --rate 1e-3 --dropout 0.5
check 'under noise, loss and errors may say different things' \
    grep -Eq "loss is below ReLU's in [0-9]+ of 13 cases.*; its median of test errors below ReLU's in [0-9]+ of 13 cases" <<<"$text"
check 'the table has all strengths of the noise' test \
    "$("$gelu" compare --experiment noise --data data --epochs 1 --seeds 1 | awk '$1 == "ReLU" { print $4 }' | xargs)" = \
    '0 0.25 0.5 0.75 1 1.25 1.5 1.75 2 2.25 2.5 2.75 3'
# With one class there is nothing to lose.
cp -r data same
little_endian 8 $(printf '00000000 %.0s' {1..24}) | npy same/y_train.npy '<f4' False '(24,)'
little_endian 8 $(printf '00000000 %.0s' {1..12}) | npy same/y_test.npy '<f4' False '(12,)'
check 'what is the same is no win' grep -q "loss is below ReLU's in 0 of 2 cases (and the same in 2), ELU's" \
    <<<"$("$gelu" compare --experiment mnist --data same --epochs 1 --seeds 1)"
expect 0 "$(cat noise.csv)" "$gelu" compare --experiment noise --data data --epochs 2 --seeds 2 --csv --checkpoints kept
check 'networks are kept, the folder being made' test -n "$(ls kept)"
expect 0 "$(cat noise.csv)" "$gelu" compare --experiment noise --data data --epochs 2 --seeds 2 --csv --checkpoints kept
checks=$((checks + 1))
"$gelu" compare --experiment mnist --full --data data --epochs 1 --seeds 1 >full.txt 2>stderr.txt || fail "exit $?"
check 'the paper has more settings, and they say how long they take' grep -Eqx '36 networks, 1 epochs each: about [0-9.e-]+ minutes' stderr.txt

# What takes more than a minute says so first.
mkdir -p big
for set in train:200000 test:10; do
    count=${set#*:}
    npy big/x_${set%:*}.npy '<f4' False "($count, 64)" </dev/null
    npy big/y_${set%:*}.npy '|u1' False "($count,)" </dev/null
    truncate -s $((128 + count * 64 * 4)) big/x_${set%:*}.npy
    truncate -s $((128 + count)) big/y_${set%:*}.npy
done
how_long='about [0-9.]+(e\+[0-9]+)? (minutes|hours)'
for what in ':compare --quick' '60 networks, 20 epochs each: :compare --experiment mnist' \
    '30 networks, 7 epochs each: :compare --experiment noise --epochs 7'; do
    rm -f stderr.txt
    timeout 20 "$gelu" ${what##*:} --threads 1 --data big >/dev/null 2>stderr.txt &
    for ((i = 0; i < 400; i++)); do
        [ ! -s stderr.txt ] || break
        sleep 0.05
    done
    kill $!
    wait $! 2>/dev/null
    check "${what##*:} says how long: $(cat stderr.txt)" grep -Eqx "${what%:compare*}$how_long" stderr.txt
done
rm -r big

# ---- Reports ----

mkdir -p fake
cat >fake/gnuplot <<'EOF'
#!/bin/sh
cat >program.$$; [ ! -s program.$$ ] || echo '<svg>picture</svg>'
EOF
chmod +x fake/gnuplot
with_fake() { PATH="$scratch/fake:$PATH" "$@"; }
with_fake "$gelu" compare --quick --data data --report "a 'report'" >table.txt 2>stderr.txt || fail "exit $?: $(cat stderr.txt)"
expect 0 'claims.csv dead.csv gradient.csv index.html learning.csv' bash -c 'ls "a '"'report'"'" | xargs'
page=$(cat "a 'report'/index.html")
for text in '<!DOCTYPE html>' '<title>GELU against ReLU, measured</title>' 'GELU costs nothing extra' '<h2>Settings</h2>' \
    '<h2>Machine</h2>' "$("$gelu" info | sed -n 's/^isa: *//p')" 'seed' '</html>' \
    "<pre>gelu compare --quick --data data --report 'a '\\''report'\\'''</pre>"; do
    check "the page has $text" grep -qF -- "$text" <<<"$page"
done
check 'five pictures, in the page itself' test "$(grep -o 'src="[^"]*"' <<<"$page" | grep -c '^src="data:image/svg+xml;base64,')" = 5
expect 0 '<svg>picture</svg>' bash -c "grep -o 'base64,[^\"]*' \"a 'report'/index.html\" | head -n 1 | cut -d, -f2 | base64 -d"
check 'nothing from elsewhere' test -z "$(grep -oiE '(https?:|//|<script|<link|@import|url\()[^ ]*' <<<"$(sed 's/base64,[^"]*//g' <<<"$page")")"
check 'every verdict of the table is on the page' test \
    "$(grep -oE '^  (holds|does not hold|depends):' table.txt | tr -d ' :' | sort)" = \
    "$(grep '^<tr class="claim">' <<<"$page" | grep -oE '>(holds|does not hold|depends)<' | tr -d ' <>' | sort)"
check 'its claims are those of the command' cmp -s <(grep -v ^cost, one.csv) <(grep -v ^cost, "a 'report'/claims.csv")
for file in dead gradient learning; do
    check "$file.csv has a figure in each place" test -z "$(grep -E ',,|,$' "a 'report'/$file.csv")"
done
check 'the shares of dead units are those of the table' awk -F, '
    function near(a, b) { return a - b < 1e-6 && b - a < 1e-6 }
    NR == 1 { split($0, want); next }
    { for (i = 1; i <= 5; i++) if (!near($(2 * i), want[i])) exit 1 }' \
    <<<"$(figures dead_1; sed -n 2p "a 'report'/dead.csv")"
with_fake "$gelu" compare --experiment noise --data data --epochs 1 --seeds 1 --report noise >/dev/null || fail "exit $?"
expect 0 'curves.csv index.html' bash -c 'ls noise | xargs'
check 'an experiment reports, too' grep -q '<h1>A deep classifier under input noise</h1>' noise/index.html

# ---- Mistakes ----

expect_error 2 "compare takes no argument 'erf'" "$gelu" compare erf
expect_error 2 '--quick and --full exclude each other' "$gelu" compare --quick --full
expect_error 2 "--experiment: unknown experiment 'cifar'; known: mnist, autoencoder, noise" "$gelu" compare --experiment cifar
expect_error 2 '--experiment excludes --quick and --seed' "$gelu" compare --experiment mnist --quick
expect_error 2 '--experiment excludes --quick and --seed' "$gelu" compare --experiment mnist --seed 1
for option in --seeds=1 --epochs=1 --rate=0.1 --dropout=0 --checkpoints=kept; do
    expect_error 2 '--seeds, --epochs, --rate, --dropout and --checkpoints are for --experiment' "$gelu" compare $option
done
for value in 0 -1 x ''; do
    for option in seeds epochs threads; do
        expect_error 2 "--$option: '$value' is not" "$gelu" compare --experiment mnist --$option="$value"
    done
done
for value in 0 -1 1.5 nan x ''; do expect_error 2 "--rate: '$value' is not" "$gelu" compare --experiment mnist --rate="$value"; done
for value in 1 -0.1 nan x ''; do
    expect_error 2 "--dropout: '$value' is not" "$gelu" compare --experiment mnist --dropout="$value"
done
for value in -1 x 18446744073709551616; do expect_error 2 "--seed: '$value' is not" "$gelu" compare --seed=$value; done
expect_error 1 'missing' "$gelu" compare --data missing
expect_error 1 'no/such' "$gelu" compare --experiment noise --data data --epochs 1 --seeds 1 --checkpoints no/such
cp -r data bad
little_endian 8 7fc00000 | dd of=bad/x_train.npy bs=1 seek=$((128 + 4 * 5)) conv=notrunc status=none
expect_error 1 'bad/x_train.npy' "$gelu" compare --data bad
: >bad/x_train.npy
expect_error 1 'bad/x_train.npy' "$gelu" compare --data bad
expect_error 1 '--report needs gnuplot, which is not installed (Debian: gnuplot-nox)' \
    env PATH=/nonexistent "$gelu" compare --report new
expect_error 1 'no/such/folder: ' "$gelu" compare --report no/such/folder
: >file
expect_error 1 'file/index.html' with_fake "$gelu" compare --report file
mkdir -p blocked/index.html
expect_error 1 'blocked/index.html: not a regular file' with_fake "$gelu" compare --report blocked

# Standard output that takes nothing, which is found out at once.
long=(--experiment mnist --data data --epochs 100000)
if [ -c /dev/full ]; then
    for option in '' --csv; do
        checks=$((checks + 1))
        timeout 10 "$gelu" compare --data data $option >/dev/full 2>stderr.txt
        code=$?
        [ $code = 1 ] || fail "exit $code, with standard output full"
        check_error_line 'cannot write to standard output: No space left on device' "compare $option"
    done
fi

# Where checkpoints cannot be kept, nothing is trained; a folder that is not there is made.
expect_error 1 'no/such: No such file or directory' timeout 20 "$gelu" compare "${long[@]}" --checkpoints no/such
expect_error 1 'file/checkpoint: Not a directory' timeout 20 "$gelu" compare "${long[@]}" --checkpoints file
expect_error 1 'no/such' timeout 20 "$gelu" compare "${long[@]}" --report no/such/report
mkdir -p locked
chmod a-w locked
if [ ! -w locked ]; then
    expect_error 1 'locked/checkpoint: Permission denied' timeout 20 "$gelu" compare "${long[@]}" --checkpoints locked
    expect_error 1 'locked/new: Permission denied' with_fake timeout 20 "$gelu" compare "${long[@]}" --report locked/new
fi

# ---- Interrupted ----

# A report is as it was, or not there: while networks are trained, while gnuplot draws (having been asked whether it
# is there), and when it fails to.
set -m
interrupt() { # FOLDER ARGUMENT...: once the file `now` is there
    local folder=$1 i
    shift
    rm -f now runs
    PATH="$scratch/slow:$PATH" "$gelu" compare "$@" --report "$folder" >/dev/null 2>stderr.txt &
    pid=$!
    [ "$folder" = training ] && sleep 1 && : >now
    for ((i = 0; i < 1200; i++)); do
        [ ! -e now ] || break
        sleep 0.05
    done
    checks=$((checks + 1))
    [ -e now ] || fail 'it does not get that far' 2
    kill -INT -$pid
    wait $pid 2>/dev/null
    code=$?
    [ $code = 130 ] || fail "exit $code, not by SIGINT: $(cat stderr.txt)" 2
    ! grep -Evqx "60 networks, 100000 epochs each: $how_long" stderr.txt || fail "standard error: $(cat stderr.txt)" 2
}
mkdir -p slow
cat >slow/gnuplot <<EOF
#!/bin/sh
cat >/dev/null
echo run >>"$scratch/runs"
[ \$(wc -l <"$scratch/runs") -ge 2 ] || { echo '<svg>picture</svg>'; exit 0; }
: >"$scratch/now"
exec sleep 60
EOF
sed 's/exec sleep 60/exit 3/' slow/gnuplot >fake/failing
chmod +x slow/gnuplot fake/failing
short=(--experiment noise --data data --epochs 1 --seeds 1)
for folder in training drawing; do
    expect 0 '' find . -maxdepth 1 -name "$folder*"
    [ $folder = training ] && interrupt training "${long[@]}" || interrupt drawing "${short[@]}"
    check "nothing is left of a report that was interrupted while $folder" test -z "$(find . -maxdepth 1 -name "$folder*")"
done
cp -r noise before
interrupt noise "${short[@]}"
expect 0 '' diff -r before noise
mkdir -p failing
mv fake/failing failing/gnuplot
rm -f runs
expect_error 1 'gnuplot: exit status 3' \
    env PATH="$scratch/failing:$PATH" bash -c '"$@" >/dev/null' - "$gelu" compare "${short[@]}" --report failed
check 'nothing is left of a report that failed' test ! -e failed
finish
