#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu demo` against golden/ (its README names the origin), in both languages and under another locale.
. "$(dirname "$0")/lib.bash"

# Every printed array and shape, in order, without the text around them.
values() {
    sed -n -e 's/^.*\(torch\.Size(.*)\)$/\1/p' -e '/^ *\[/p' -e '/^tensor(/p' -e '/^ *grad_fn=/p' "$1"
}

run() {
    checks=$((checks + 1))
    "$@" >out.txt 2>stderr.txt || fail "exit $?: $*"
    [ ! -s stderr.txt ] || fail "standard error: $(cat stderr.txt)"
    values out.txt >values.txt
}

same() {
    checks=$((checks + 1))
    diff "$1" "$2" || fail "$3"
}

run "$gelu" demo
same "$here/golden/demo_exact.txt" values.txt 'the values of seed 42'
cp out.txt english.txt
cp values.txt english_values.txt
run "$gelu" demo --seed 42 --lang en
same english.txt out.txt 'the defaults are seed 42 and, in the C locale, English'
check 'it says which seed it uses, in both random steps' test "$(grep -c 'Seed: 42' english.txt)" = 2
check 'and that step 1 uses none' grep -q 'Seed: none' english.txt

readme_shows() { case $(cat "$source_dir/$1") in *"$(cat "$2")"*) ;; *) return 1 ;; esac; }
check 'README.md shows this output' readme_shows README.md english.txt

# What PyTorch prints differs only where its float32 arithmetic does: the three lines of digits in NumPy's form.
checks=$((checks + 1))
[ "$(diff "$here/golden/demo_torch.txt" values.txt | grep -c '^>')" = 3 ] || fail 'three lines differ from PyTorch'
check 'the lines that differ are lines 2 to 4' \
    cmp <(sed 2,4d "$here/golden/demo_torch.txt") <(sed 2,4d values.txt)

# Chinese: other words, the same numbers; chosen by the first of LC_ALL, LC_MESSAGES, LANG that is set.
run "$gelu" demo --lang zh
same english_values.txt values.txt 'the numbers do not depend on the language'
check 'it speaks Chinese' grep -q '种子：42' out.txt
cp out.txt chinese.txt
check 'README.zh-CN.md shows this output' readme_shows README.zh-CN.md chinese.txt
for setting in LC_ALL=zh_CN.UTF-8 'LC_ALL= LC_MESSAGES=zh_CN.UTF-8 LANG=en_US.UTF-8' 'LC_ALL= LANG=zh_TW.UTF-8'; do
    run env $setting "$gelu" demo
    same chinese.txt out.txt "Chinese under $setting"
done
for setting in LC_ALL=C 'LC_ALL=en_US.UTF-8 LANG=zh_CN.UTF-8' 'LC_ALL= LC_MESSAGES=de_DE LANG=zh_CN' 'LC_ALL= LANG='; do
    run env $setting "$gelu" demo
    same english.txt out.txt "English under $setting"
done
run env LC_ALL=zh_CN.UTF-8 "$gelu" demo --lang en
same english.txt out.txt '--lang wins'

for locale in de_DE.UTF-8 zh_CN.UTF-8; do
    if have_locale $locale; then
        run env LC_ALL=$locale "$gelu" demo --lang en
        same english.txt out.txt "numbers do not change under $locale"
    else
        echo "skipped: no locale $locale and no localedef"
    fi
done

# The generator takes the low 32 bits of the seed.
run "$gelu" demo --seed 4294967338
same english_values.txt values.txt 'seed 2^32 + 42'
run "$gelu" demo --seed 18446744073709551615
run "$gelu" demo --seed 0
check 'another seed, other numbers' test "$(sed -n '3,$p' values.txt)" != "$(sed -n '3,$p' english_values.txt)"
check 'step 1 is the same' cmp <(head -n 2 values.txt) <(head -n 2 english_values.txt)

for bad in -1 18446744073709551616 '' 4x '+1' ' 1' 1e3; do
    expect_error 2 "'$bad' is not a seed" "$gelu" demo --seed "$bad"
done
expect_error 2 "unknown language 'fr'; known: en, zh" "$gelu" demo --lang fr
expect_error 2 "'42'" "$gelu" demo 42
finish
