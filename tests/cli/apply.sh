#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu apply`: every type and order, odd shapes, files that cannot be used.
. "$(dirname "$0")/lib.bash"

# results ACT DTYPE OPTIONS WORD...: what `gelu eval` makes of each bit pattern.
results() {
    local act=$1 dtype=$2 options=$3
    shift 3
    printf '%s\n' "$@" | "$gelu" eval --act "$act" --dtype "$dtype" $options --bits | cut -d ' ' -f 2 | tr '\n' ' '
}

# apply_is FILE DESCR WIDTH EXPECTED OPTIONS...: apply works on FILE, and writes this type and these words.
apply_is() {
    local file=$1 descr=$2 width=$3 expected=$4
    shift 4
    rm -f out.npy
    expect 0 '' "$gelu" apply "$@" "$file" out.npy
    [ "$(echo $expected)" = "$(npy_words out.npy "$width")" ] ||
        fail "$file: wrote $(npy_words out.npy "$width"), not $expected"
    npy_header out.npy | grep -q "'descr': '$descr'" || fail "$file: the type is not $descr"
    npy_header out.npy | grep -q "'fortran_order': False" || fail "$file: not in C order"
}

f4=(3f800000 bf800000 c0b00000 7f800000 ff800000 00000001)
f2=(3c00 bc00 c580 7c00 fc00 0001)
f8=(3ff0000000000000 bff0000000000000 c016000000000000 7ff0000000000000 fff0000000000000 0000000000000001)
v2=(3f80 bf80 c0b0 7f80 ff80 0001)
little_endian 8 "${f4[@]}" | npy f4.npy '<f4' False '(2, 3)'
little_endian 4 "${f2[@]}" | npy f2.npy '<f2' False '(2, 3)'
little_endian 16 "${f8[@]}" | npy f8.npy '<f8' False '(2, 3)'
little_endian 4 "${v2[@]}" | npy v2.npy '<V2' False '(2, 3)'
for act in erf tanh quick silu elu relu identity; do
    for grad in '' --grad; do
        apply_is f4.npy '<f4' 8 "$(results $act f32 "$grad" "${f4[@]}")" --act $act $grad
        apply_is f2.npy '<f2' 4 "$(results $act f16 "$grad" "${f2[@]}")" --act $act $grad
        apply_is f8.npy '<f8' 16 "$(results $act f64 "$grad" "${f8[@]}")" --act $act $grad
        apply_is v2.npy '<V2' 4 "$(results $act bf16 "$grad" "${v2[@]}")" --act $act $grad --bf16
    done
done
check 'the shape is kept' grep -q "'shape': (2, 3)" <(npy_header out.npy)

# Big endian, Fortran order, a scalar, no elements.
printf '\x3f\x80\x00\x00\xbf\x80\x00\x00' | npy big.npy '>f4' False '(2,)'
apply_is big.npy '<f4' 8 "$(results erf f32 '' 3f800000 bf800000)" --act erf
little_endian 8 00000001 00000004 00000002 00000005 00000003 00000006 | npy fortran.npy '<f4' True '(2, 3)'
apply_is fortran.npy '<f4' 8 '00000001 00000002 00000003 00000004 00000005 00000006' --act identity
little_endian 8 3f800000 | npy scalar.npy '<f4' False '()'
apply_is scalar.npy '<f4' 8 3f57625f --act erf
check 'a scalar stays one' grep -q "'shape': ()" <(npy_header out.npy)
npy zero.npy '<f8' False '(3, 0, 2)' </dev/null
apply_is zero.npy '<f8' 16 '' --act erf
check 'an empty shape is kept' grep -q "'shape': (3, 0, 2)" <(npy_header out.npy)

# More than one piece of work, with a last one that is not full; -1 all along.
count=70001
little_endian 8 bf800000 >ones.bin
while [ "$(stat -c %s ones.bin)" -lt $((4 * count)) ]; do
    cat ones.bin ones.bin >twice.bin
    mv twice.bin ones.bin
done
head -c $((4 * count)) ones.bin | npy long.npy '<f4' False "($count,)"
expect 0 '' "$gelu" apply --act erf long.npy out.npy
tail -c $((4 * count)) out.npy | od -An -v -t x4 -w4 | sort | uniq -c >words.txt
expect 0 "$count $(results erf f32 '' bf800000 | tr -d ' ')" awk '{print $1, $2}' words.txt

# In several threads, where the build has them: the same file.
if "$gelu" apply --act erf --threads 2 f4.npy out.npy 2>/dev/null; then
    head -c $((8 * 200003)) /dev/urandom | npy random.npy '<f8' False '(200003,)'
    expect 0 '' "$gelu" apply --act erf random.npy one.npy
    for threads in 2 3 16; do
        expect 0 '' "$gelu" apply --act erf --threads $threads random.npy out.npy
        check "$threads threads compute the same" cmp one.npy out.npy
    done
    expect 0 '' env GELU_NUM_THREADS=2 "$gelu" apply --act erf random.npy out.npy
    check 'two by the environment, too' cmp one.npy out.npy
else
    expect_error 2 'built without OpenMP' "$gelu" apply --act erf --threads 2 f4.npy out.npy
fi
expect 0 '' "$gelu" apply --act erf --threads 1 f4.npy out.npy
for threads in '' 0 -1 1025 two 1.0; do
    expect_error 2 "--threads: '$threads' is not a whole number from 1 to 1024" \
        "$gelu" apply --act erf --threads "$threads" f4.npy out.npy
done

# In place, through the temporary file; also when the output exists and is longer.
cp f4.npy same.npy
expect 0 '' "$gelu" apply --act erf same.npy same.npy
expect 0 '' "$gelu" apply --act erf f4.npy out.npy
check 'in place equals out of place' cmp same.npy out.npy
cp long.npy longer.npy
expect 0 '' "$gelu" apply --act erf f4.npy longer.npy
check 'an existing file is replaced' cmp longer.npy out.npy
expect 0 '' "$gelu" apply f4.npy --act erf -- out.npy
check 'to a pipe' cmp out.npy <("$gelu" apply --act erf f4.npy /dev/stdout | cat)
# Standard output on a file is written where it stands, not replaced.
(printf before; "$gelu" apply --act erf f4.npy /dev/stdout; printf after) >stdout.txt
check 'to standard output on a file' cmp stdout.txt <(printf before; cat out.npy; printf after)
printf before >fd.txt
"$gelu" apply --act erf f4.npy /dev/fd/5 5>>fd.txt
check 'to a descriptor that appends' cmp fd.txt <(printf before; cat out.npy)
mkfifo fifo
timeout 1 "$gelu" apply --act erf f4.npy fifo
check 'a pipe without a reader can be interrupted' test $? = 124

# Files that cannot be used: one line that names the file, exit 1, no output.
rm -f out.npy
little_endian 8 00000001 | npy int.npy '<i4' False '(1,)'
little_endian 8 00000001 | npy object.npy '|O' False '(1,)'
head -c 140 f4.npy >truncated.npy
{ cat f4.npy; printf x; } >trailing.npy
echo 'not an array' >text.npy
: >empty.npy
mkdir folder.npy
expect_error 1 int.npy "$gelu" apply --act erf int.npy out.npy
expect_error 1 i4 "$gelu" apply --act erf int.npy out.npy
for file in object trailing truncated text empty folder missing; do
    expect_error 1 "$file.npy" "$gelu" apply --act erf $file.npy out.npy
done
expect_error 1 'v2.npy: at byte ' "$gelu" apply --act erf v2.npy out.npy
expect_error 1 "raw '<V2', which is bf16 only if the caller says so; try --bf16" \
    "$gelu" apply --act erf v2.npy out.npy
little_endian 4 3f80 | npy v2_big.npy '>V2' False '(1,)'
for hopeless in v2_big int; do # --bf16 would not help
    "$gelu" apply --act erf $hopeless.npy out.npy 2>stderr.txt && fail "$hopeless.npy is taken"
    check "no hint for $hopeless.npy" test "$(grep -c . stderr.txt)/$(grep -c -e --bf16 stderr.txt)" = 1/0
done
check 'the help says what --bf16 writes' grep -q -e "--bf16 .*OUT.npy is then '<V2'" <("$gelu" apply --help)
expect_error 1 /dev/zero "$gelu" apply --act erf /dev/zero out.npy
for file in "$source_dir"/tests/data/files/bad_*.npy; do
    if [ -e "$file" ]; then expect_error 1 "$(basename "$file")" "$gelu" apply --act erf "$file" out.npy; fi
done
for file in "$source_dir"/tests/data/files/ok_*.npy; do
    if [ -e "$file" ]; then expect 0 '' "$gelu" apply --act erf "$file" ok_out.npy; fi
done
check 'no output of a bad file' test ! -e out.npy

# Places that cannot be written.
expect_error 1 /dev/full "$gelu" apply --act erf f4.npy /dev/full
expect_error 1 f4.npy/out.npy "$gelu" apply --act erf f4.npy f4.npy/out.npy
expect_error 1 missing/out.npy "$gelu" apply --act erf f4.npy missing/out.npy
expect_error 1 folder.npy "$gelu" apply --act erf f4.npy folder.npy
[ ! -d /proc/self ] || expect_error 1 /proc/out.npy "$gelu" apply --act erf f4.npy /proc/out.npy
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    expect_error 1 locked/out.npy "$gelu" apply --act erf f4.npy locked/out.npy
fi
limited() { (ulimit -f 8 && exec "$gelu" apply --act erf long.npy out.npy); }
expect_error 1 out.npy limited
check 'nothing is left of what could not be written' test -z "$(find . -name '*out.npy*' ! -name ok_out.npy)"

# Mistakes on the command line.
expect_error 2 '--act is missing' "$gelu" apply f4.npy out.npy
expect_error 2 "unknown activation 'gelo'; known: identity" "$gelu" apply --act gelo f4.npy out.npy
expect_error 2 'got 1' "$gelu" apply --act erf f4.npy
expect_error 2 'got 3' "$gelu" apply --act erf f4.npy out.npy more.npy
expect_error 2 "'--grad2'" "$gelu" apply --act erf --grad2 f4.npy out.npy
expect_error 2 "'-f'" "$gelu" apply --act erf -f f4.npy out.npy

# The real tensors of a trained ALBERT, when they are at hand.
albert=${GELU_TEST_DATA:-}/rxnmapper-albert
halves() { od -An -v -t u4 -w8 -j $((10 + $(npy_length "$1"))) "$1"; } # of each f64: low, high
largest_ulp() {
    paste -d ' ' <(halves "$1") <(halves "$2") |
        awk '{ d = ($2 - $4) * 4294967296 + $1 - $3; if (d < 0) d = -d; if (d > max) max = d } END { print max + 0, NR }'
}
if [ -n "${GELU_TEST_DATA:-}" ] && [ -d "$albert" ]; then
    expect 0 '' "$gelu" apply --act erf "$albert/fc1_f64.npy" albert.npy
    read -r ulp values <<<"$(largest_ulp albert.npy "$albert/gelu_f64.npy")"
    echo "ALBERT: $values values, largest difference $ulp ULP"
    check 'ALBERT agrees within 1 ULP' test "$ulp" -le 1 -a "$values" -gt 1000
    check 'the headers say the same shape' test "$(npy_header albert.npy)" = "$(npy_header "$albert/gelu_f64.npy")"
else
    echo 'skipped: GELU_TEST_DATA does not name a folder with rxnmapper-albert'
fi
finish
