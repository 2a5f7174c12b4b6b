#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu convert`: the same numbers, and metadata that later readers are held to.
. "$(dirname "$0")/lib.bash"
models=$source_dir/tests/data/models

# The header of a safetensors file.
header() { tail -c +9 "$1" | head -c "$(od -An -t u8 -N 8 "$1" | tr -d ' ')"; }

little_endian 8 3f800000 bf800000 c0b00000 40000000 3f000000 00000000 | npy x.npy '<f4' False '(1, 6)'
for case in bert gpt2 llama qwen sd t5-1.1 phi3 flux; do
    rm -f out.safetensors
    expect 0 '' "$gelu" convert "$models/$case" out.safetensors
    act=$("$gelu" inspect "$models/$case" | sed -n 's/^  activation *\([a-z]*\),.*/\1/p' | head -n 1)
    check "$case: the activation is named" grep -q "\"gelu.activation\":\"$act\"" <(header out.safetensors)
    family=$("$gelu" inspect --json "$models/$case" | sed -n 's/^  "family": "\(.*\)",/\1/p')
    "$gelu" ffn "$models/$case" --layer 1 x.npy before.npy
    check "$case: the layer runs from the file" "$gelu" ffn out.safetensors --family "$family" --layer 1 x.npy after.npy
    check "$case: the same bits" cmp before.npy after.npy
done
check 'no gate is named where there is none' test -z "$("$gelu" convert "$models/bert" out.safetensors &&
    header out.safetensors | grep gelu.gate)"

gate_is() { # CASE GATE
    "$gelu" convert "$models/$1" out.safetensors
    check "$1: the gate is the $2" grep -q "\"gelu.gate\":\"$2\"" <(header out.safetensors)
}
gate_is llama first
gate_is qwen second
gate_is sd second
gate_is phi3 first

# The metadata stand in for a config.json, and against one that says otherwise.
mkdir model
"$gelu" convert "$models/bert-tanh" model/model.safetensors
check 'the activation is known without config.json' grep -q 'activation  tanh' <("$gelu" inspect model)
cp "$models/bert/config.json" model/
expect_error 1 "'gelu.activation' is 'tanh', but the activation is erf" "$gelu" inspect model
expect_error 1 "'gelu.activation' is 'tanh', but the activation is erf" "$gelu" ffn model --layer 0 x.npy y.npy
check 'what is given wins' "$gelu" inspect --act erf model
"$gelu" convert --act erf model model/model.safetensors
check 'and replaces what was there, in place' grep -q 'activation  erf' <("$gelu" inspect model)
check 'once' test "$(header model/model.safetensors | grep -o gelu.activation | wc -l)" = 1

# .npy files.
little_endian 8 3f800000 40000000 | npy a.npy '<f4' False '(2, 1)'
little_endian 4 3c00 | npy b.npy '<f2' False '()'
expect 0 '' "$gelu" convert --act gelu_new --gate second a.weight=a.npy b=b.npy out.safetensors
check 'the names, types and shapes' grep -q '"a.weight":{"dtype":"F32","shape":\[2,1\]' <(header out.safetensors)
check 'of both' grep -q '"b":{"dtype":"F16","shape":\[\]' <(header out.safetensors)
check 'and what was said' grep -q '"gelu.activation":"tanh","gelu.gate":"second"' <(header out.safetensors)

# Nothing is written where something is wrong.
convert_fails() { # STATUS TEXT ARGUMENT...
    local status=$1 text=$2
    shift 2
    rm -f bad.safetensors
    expect_error "$status" "$text" "$gelu" convert "$@"
    [ ! -e bad.safetensors ] || fail "bad.safetensors was written: $*"
}
convert_fails 2 'got 1' bad.safetensors
convert_fails 2 '--act is missing' a=a.npy bad.safetensors
convert_fails 2 '--family is for a checkpoint' --act erf --family bert a=a.npy bad.safetensors
convert_fails 2 "'b.npy' is not NAME=FILE.npy" --act erf a=a.npy b.npy bad.safetensors
convert_fails 2 "'=a.npy' has no tensor's name before the '='" --act erf =a.npy bad.safetensors
convert_fails 2 "'=b.npy' has no tensor's name" --act erf a=a.npy =b.npy bad.safetensors
convert_fails 1 'missing.npy' --act erf a=missing.npy bad.safetensors
convert_fails 1 "'a'" --act erf a=a.npy a=b.npy bad.safetensors
convert_fails 1 'no single activation can be named' "$models/clip" bad.safetensors
convert_fails 1 'down_blocks.0.attentions.0.transformer_blocks.0: in Stable Diffusion 1.5 and XL (diffusers) the gate is the second' \
    --gate first "$models/sd" bad.safetensors
convert_fails 1 'in LLaMA the gate is the first' --gate second "$models/llama" bad.safetensors
convert_fails 1 'the activation is erf, and no reader' --act tanh "$models/sd" bad.safetensors
convert_fails 1 '/nonexistent' /nonexistent bad.safetensors
convert_fails 1 '/nonexistent/out' "$models/bert" /nonexistent/out

# What agrees with the family can be said, also to mend metadata that do not.
check 'what agrees can be said' "$gelu" convert --gate second --act erf "$models/sd" out.safetensors
check 'and a reader takes it' "$gelu" inspect --family sd out.safetensors
mkdir wrong
python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
assert data.count(b"\"gelu.gate\":\"second\"") == 1
open(sys.argv[2], "wb").write(data.replace(b"\"gelu.gate\":\"second\"", b"\"gelu.gate\":\"first\" "))' \
    out.safetensors wrong/model.safetensors && {
    expect_error 1 "'gelu.gate' is 'first', but in" "$gelu" inspect --family sd wrong
    convert_fails 1 'the gate is the second' --family sd --gate first wrong bad.safetensors
    check 'it can be mended' "$gelu" convert --family sd --gate second wrong mended.safetensors
    check 'as it was' "$gelu" inspect --family sd mended.safetensors
}
finish
