#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# The command as a whole: help, version, exit codes, instruction sets, broken output; and that help, manual and
# completion speak of the same options.
. "$(dirname "$0")/lib.bash"
commands='apply bench compare convert demo diff eval ffn info inspect plot probe verify'

version=$("$gelu" --version)
check 'the version' grep -Eqx 'gelu [0-9]+\.[0-9]+\.[0-9]+' <<<"$version"
expect 0 "$version" "$gelu" -V
help=$("$gelu" --help)
expect 0 "$help" "$gelu" -h
expect 0 "$help" "$gelu" help
for name in $commands help; do
    check "help lists $name" grep -q "^  $name " <<<"$help"
done
expect_error 2 'a command is missing (see: gelu --help)' "$gelu"
expect_error 2 "unknown command 'evla'; the commands are apply, bench, compare, convert, demo, diff, eval, ffn, info, inspect, plot, probe, verify, help" \
    "$gelu" evla
expect_error 2 "unknown command ''" "$gelu" ''
expect_error 2 "unknown option '--frobnicate'" "$gelu" --frobnicate
expect_error 2 "unknown command 'evla'" "$gelu" help evla
expect_error 2 'one command' "$gelu" help eval demo

has_verify=$("$gelu" info | sed -n 's/^verify: *//p')
for name in $commands; do
    if [ $name = verify ] && [ "$has_verify" != yes ]; then
        expect_error 2 'built without MPFR' "$gelu" verify
        continue
    fi
    text=$("$gelu" $name --help)
    expect 0 "$text" "$gelu" $name -h
    expect 0 "$text" "$gelu" help $name
    check "the help of $name begins with its usage" grep -q "^Usage: gelu $name" <<<"$text"
    check 'no line of help is over 120 characters' test -z "$(awk 'length > 120' <<<"$text")"
    expect_error 2 'frobnicate' "$gelu" $name --frobnicate
    for option in $(grep -oE -- '--[a-z0-9]+' <<<"$text" | sort -u); do
        check "the manual explains $option of $name" grep -qF -- "${option//-/\\-}" "$source_dir/docs/man/gelu.1"
        check "the completion knows $option of $name" grep -q -- "$option" "$source_dir/completions/gelu"
    done
done

# The completion, as bash calls it.
completes() {
    checks=$((checks + 1))
    local got
    got=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gelu; echo "${COMPREPLY[*]}"' - \
        "$source_dir/completions/gelu" "${@:2}")
    [ "$got" = "$1" ] || fail "completed to '$got', not '$1': ${*:2}"
}
completes 'eval' gelu ev
completes 'apply bench compare convert demo diff eval ffn info inspect plot probe verify' gelu help ''
completes 'erf elu' gelu eval --act e
completes 'f32 f64 f16' gelu eval --act erf --dtype f
completes '--grad --grad2' gelu eval --act erf --gr
completes 'quick quick_grad quick_backward quick_grad2' gelu verify qu
completes 'f32 f32-f16 f32-bf16' gelu verify --dtype f3
completes 'first' gelu inspect --gate f
completes '--scale --shift' gelu ffn --s
completes 'linear' gelu bench l
completes 'f32-f16 f32-bf16' gelu bench --dtype f32-
completes '' gelu bench linear --dtype f32-
completes 'bf16-weights bf16' gelu bench ffn --dtype b
completes '--shape --seconds' gelu bench linear --s
completes 'minilm' gelu bench linear --shape m
completes 'en zh' gelu demo --lang ''
: >array.npy
: >array.txt
completes 'array.npy' gelu apply --act erf arr
completes 'array.npy' gelu diff arr
completes 'array.npy' gelu probe --gate arr
completes '--max-ulp' gelu diff --m
completes 'noise' gelu compare --experiment n
completes '--seeds --seed' gelu compare --s
completes 'erf elu' gelu plot e
completes '--error-against' gelu plot --e
completes 'tanh' gelu plot --error-against t
completes 'array.npy array.txt' gelu plot --hist arr

# info
info=$("$gelu" info)
for key in version compiler isa available threads verify; do
    check "info says $key" grep -Eq "^$key: *[^ ]" <<<"$info"
done
check 'info and --version agree' test "gelu $(sed -n 's/^version: *//p' <<<"$info")" = "$version"
check 'scalar is always available' grep -Eq '^available:.* scalar$' <<<"$info"
expect_error 2 "'x'" "$gelu" info x
for isa in $(sed -n 's/^available: *//p' <<<"$info" | tr -d ,); do
    expect 0 "$isa" sed -n 's/^isa: *//p' <(GELU_FORCE_ISA=$isa "$gelu" info)
done
for name in info demo 'eval --act erf 1'; do
    expect_error 2 'GELU_FORCE_ISA=abacus cannot be had here; available: ' \
        env GELU_FORCE_ISA=abacus "$gelu" $name
done
check 'it lists scalar' grep -q scalar stderr.txt
expect 0 "$help" env GELU_FORCE_ISA=abacus "$gelu" --help

# How many threads, where the build has them.
if grep -q 'without OpenMP' <<<"$info"; then
    expect 0 '1 (built without OpenMP)' sed -n 's/^threads: *//p' <(GELU_NUM_THREADS=3 "$gelu" info)
else
    expect 0 1 sed -n 's/^threads: *//p' <("$gelu" info)
    expect 0 3 sed -n 's/^threads: *//p' <(GELU_NUM_THREADS=3 "$gelu" info)
fi
for name in info demo 'eval --act erf 1'; do
    for number in '' 0 many 1025; do
        expect_error 2 "GELU_NUM_THREADS=$number is not a whole number from 1 to 1024" \
            env GELU_NUM_THREADS=$number "$gelu" $name
    done
done
expect 0 "$help" env GELU_NUM_THREADS=many "$gelu" --help

# Output that goes nowhere is noticed, whatever the command.
for name in --help --version demo info 'eval --act erf 1'; do
    to_full() { "$gelu" $name >/dev/full; }
    closed() { "$gelu" $name >&-; }
    [ ! -e /dev/full ] || expect_error 1 'cannot write to standard output' to_full
    expect_error 1 'cannot write to standard output' closed
done
checks=$((checks + 1))
(
    trap '' PIPE
    sleep 0.3
    exec "$gelu" demo 2>stderr.txt
) | true
code=${PIPESTATUS[0]}
[ "$code" = 1 ] || fail "exit $code into a closed pipe"
check_error_line 'cannot write to standard output' 'a closed pipe'
endless() { yes 3f800000 | "$gelu" eval --act erf --bits >/dev/full; }
[ ! -e /dev/full ] || expect_error 1 'cannot write to standard output' timeout 60 bash -c "$(declare -f endless)
    gelu=$gelu; endless"

# A file opened later must not take the place of a closed standard stream.
little_endian 8 3f800000 | npy in.npy '<f4' False '(1,)'
bare() { "$gelu" apply --act erf in.npy out.npy <&- >&- 2>&-; }
checks=$((checks + 1))
bare
[ "$(npy_words out.npy 8)" = 3f57625f ] || fail 'with all standard streams closed'

# Colour is for terminals only.
escape=$(printf '\033')
check 'no escape sequence in a pipe' test -z "$(env TERM=xterm "$gelu" --help | grep "$escape")"
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    on_terminal() { TERM=xterm script -qec "'$gelu' --help" /dev/null </dev/null | grep -c "$escape"; }
    check 'colour on a terminal' test "$(on_terminal)" -gt 0
    check 'NO_COLOR' test "$(NO_COLOR=1 on_terminal)" = 0
fi
finish
