#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# `gelu inspect` and `gelu ffn`: every family (models.py), and what they refuse.
. "$(dirname "$0")/lib.bash"
models=$source_dir/tests/data/models

if command -v python3 >/dev/null; then
    mkdir all
    (cd all && python3 "$here/models.py" "$gelu" "$models") || fail 'models.py'
    checks=$((checks + 1))
else
    echo 'no python3: the families are not run through the command'
fi

little_endian 8 3f800000 bf800000 c0b00000 40000000 3f000000 00000000 | npy x.npy '<f4' False '(1, 6)'
little_endian 8 3f800000 bf800000 | npy short.npy '<f4' False '(2,)'
little_endian 8 3f800000 | npy scalar.npy '<f4' False '()'
little_endian 16 3ff0000000000000 | npy f64.npy '<f8' False '(1,)'
little_endian 16 3ff0000000000000 bff0000000000000 c016000000000000 4000000000000000 3fe0000000000000 0000000000000000 |
    npy x64.npy '<f8' False '(6,)'

# What common belief has wrong.
for case in llama qwen qwen2 chatglm2; do
    check "inspect corrects what is believed of $case" grep -q 'often said to use GELU. It does not' \
        <("$gelu" inspect "$models/$case")
    check "$case: not GELU" grep -q 'activation  silu, not GELU' <("$gelu" inspect "$models/$case")
done
check 'bert: a form of GELU' grep -q 'activation  erf, a form of GELU' <("$gelu" inspect "$models/bert")
check 'bert: where that is written' grep -q 'bert/config.json says "hidden_act": "gelu"' <("$gelu" inspect "$models/bert")
check 'no belief is corrected for bert' test -z "$("$gelu" inspect "$models/bert" | grep Note)"

# Said against the checkpoint.
check 'the layer runs' "$gelu" ffn "$models/bert" --layer 0 x.npy right.npy
check 'with another activation' "$gelu" ffn "$models/bert" --layer 0 --act tanh x.npy other.npy
check 'that gives other numbers' test "$(npy_words right.npy 8)" != "$(npy_words other.npy 8)"
check 'the gated layer runs' "$gelu" ffn "$models/sd" --layer 0 x.npy right.npy
check 'with its halves swapped' "$gelu" ffn "$models/sd" --layer 0 --gate first x.npy other.npy
check 'that gives other numbers' test "$(npy_words right.npy 8)" != "$(npy_words other.npy 8)"
check 'the right half can be said' "$gelu" ffn "$models/sd" --layer 0 --gate second x.npy other.npy
check 'that gives the same numbers' test "$(npy_words right.npy 8)" = "$(npy_words other.npy 8)"

# f64 anywhere makes all of it f64.
for option in --attn --scale --shift --gate-vec; do
    arguments=()
    for other in --attn --scale --shift --gate-vec; do
        if [ $other = $option ]; then arguments+=($other x64.npy); else arguments+=($other x.npy); fi
    done
    check "$option in f64" "$gelu" ffn "$models/flux-single" --layer 0 --block "${arguments[@]}" x.npy y.npy
    check "$option in f64 makes the result f64" grep -q "'<f8'.*(1, 6)" <(npy_header y.npy)
done
check 'the trace of f64' "$gelu" ffn "$models/llama" --layer 0 --block --trace trace64 x64.npy y.npy
check 'is f64' grep -q "'<f8'.*(10,)" <(npy_header trace64/gate.npy)
# Weights of f64, all of them or those of fc2 alone, with the numbers that f32 has.
widen() { # PATTERN FILE: the checkpoint of bert with the tensors of these names in F64
    python3 - "$models/bert/model.safetensors" "$@" <<'END'
import json, re, struct, sys
data = open(sys.argv[1], "rb").read()
(length,) = struct.unpack_from("<Q", data)
header, at, out = json.loads(data[8:8 + length]), 0, b""
for name, tensor in header.items():
    begin, end = tensor["data_offsets"]
    part = data[8 + length + begin:8 + length + end]
    if re.search(sys.argv[2], name):
        part = struct.pack(f"<{len(part) // 4}d", *struct.unpack(f"<{len(part) // 4}f", part))
        tensor["dtype"] = "F64"
    tensor["data_offsets"] = [at, at + len(part)]
    out += part
    at += len(part)
text = json.dumps(header).encode()
open(sys.argv[3], "wb").write(struct.pack("<Q", len(text)) + text + out)
END
}
mkdir f64
cp "$models/bert/config.json" f64/
for pattern in . output.dense; do
    command -v python3 >/dev/null && widen $pattern f64/model.safetensors || continue
    check "weights of f64, $pattern" "$gelu" ffn f64 --layer 0 --block x.npy y.npy
    "$gelu" ffn "$models/bert" --layer 0 --block x64.npy other.npy
    check 'give f64' grep -q "'<f8'" <(npy_header y.npy)
    check 'the same bits as f32 ones widened' test "$(npy_words y.npy 16)" = "$(npy_words other.npy 16)"
done
# Of a norm's tensors alone: the block uses them, the layer does not.
for pattern in LayerNorm.weight LayerNorm.bias; do
    command -v python3 >/dev/null && widen $pattern f64/model.safetensors || continue
    check "a norm of f64, $pattern" "$gelu" ffn f64 --layer 0 --block x.npy y.npy
    check 'makes the block f64' grep -q "'<f8'" <(npy_header y.npy)
    "$gelu" ffn "$models/bert" --layer 0 --block x64.npy other.npy
    check 'with the bits of f32 widened' test "$(npy_words y.npy 16)" = "$(npy_words other.npy 16)"
    "$gelu" ffn f64 --layer 0 x.npy y.npy
    check 'and leaves the layer alone f32' grep -q "'<f4'" <(npy_header y.npy)
done

# Mistakes on the command line.
expect_error 2 'needs one PATH; got 0' "$gelu" inspect
expect_error 2 "unknown family 'bart'; known: transformer, bert" "$gelu" inspect --family bart "$models/bert"
expect_error 2 "unknown activation 'gelu9'" "$gelu" inspect --act gelu9 "$models/bert"
expect_error 2 "'third' is neither first nor second" "$gelu" inspect --gate third "$models/sd"
expect_error 2 'needs PATH, IN.npy and OUT.npy; got 1' "$gelu" ffn --layer 0 "$models/bert"
expect_error 2 '--layer is missing' "$gelu" ffn "$models/bert" x.npy y.npy
expect_error 2 "'one' is not a whole number" "$gelu" ffn --layer one "$models/bert" x.npy y.npy
expect_error 2 '--attn is for a block: --block is missing' "$gelu" ffn --layer 0 --attn x.npy "$models/phi" x.npy y.npy

# Files that cannot be used; nothing is written.
ffn_fails() { # TEXT ARGUMENT...
    local text=$1
    shift
    rm -f y.npy
    expect_error 1 "$text" "$gelu" ffn "$@"
    [ ! -e y.npy ] || fail "y.npy was written: $*"
}
expect_error 1 '/nonexistent: ' "$gelu" inspect /nonexistent
expect_error 1 'no gate' "$gelu" inspect --gate first "$models/bert"
ffn_fails 'there is no block 2, only 0 to 1' "$models/bert" --layer 2 x.npy y.npy
ffn_fails 'missing.npy' "$models/bert" --layer 0 missing.npy y.npy
ffn_fails 'short.npy: its last dimension is 2, but d_model of bert.encoder.layer.0 is 6' "$models/bert" --layer 0 \
    short.npy y.npy
ffn_fails 'scalar.npy: its last dimension is 1' "$models/bert" --layer 0 scalar.npy y.npy
ffn_fails 'f64.npy: its last dimension is 1' "$models/bert" --layer 0 f64.npy y.npy
ffn_fails 'takes --attn, ' "$models/phi" --layer 0 --block x.npy y.npy
ffn_fails 'takes --attn, ' "$models/neox" --layer 0 --block x.npy y.npy
ffn_fails 'takes --scale, ' "$models/flux" --layer 0 --block x.npy y.npy
ffn_fails 'takes --shift, ' "$models/flux" --layer 0 --block --scale x.npy x.npy y.npy
ffn_fails 'takes --gate-vec, ' "$models/sd3" --layer 0 --block --scale x.npy --shift x.npy x.npy y.npy
for case in flux-single flux-single-diffusers; do
    ffn_fails 'takes --attn, ' "$models/$case" --layer 0 --block --scale x.npy --shift x.npy --gate-vec x.npy x.npy y.npy
    ffn_fails 'takes --scale, ' "$models/$case" --layer 0 --block --attn x.npy --shift x.npy --gate-vec x.npy x.npy y.npy
    ffn_fails 'takes --shift, ' "$models/$case" --layer 0 --block --attn x.npy --scale x.npy --gate-vec x.npy x.npy y.npy
    ffn_fails 'takes --gate-vec, ' "$models/$case" --layer 0 --block --attn x.npy --scale x.npy --shift x.npy x.npy y.npy
done
for option in attn scale shift gate-vec; do
    ffn_fails "this block takes no --$option: y = norm(x + f(x))" "$models/bert" --layer 0 --block --$option x.npy \
        x.npy y.npy
done
ffn_fails 'this block takes no --attn: y = x + gate' "$models/flux" --layer 0 --block --attn x.npy x.npy y.npy
ffn_fails 'this block takes no --scale: y = x + attn' "$models/neox" --layer 0 --block --attn x.npy --scale x.npy \
    x.npy y.npy
ffn_fails 'short.npy: --attn takes 6 values here, not 2' "$models/phi" --layer 0 --block --attn short.npy x.npy y.npy
ffn_fails 'cannot make the folder' "$models/bert" --layer 0 --trace /nonexistent/folder x.npy y.npy
# OUT is no file of the trace, whether that is there already or not.
"$gelu" ffn "$models/bert" --layer 0 --block --trace steps x.npy right.npy >/dev/null
cp steps/h.npy h.npy
ln -s steps/h.npy link.npy
for out in steps/h.npy ./steps/../steps/h.npy link.npy "$PWD/steps/x.npy" steps/y.npy; do
    expect_error 1 'the result would replace the trace' "$gelu" ffn "$models/bert" --layer 0 --block --trace steps \
        x.npy "$out"
done
check 'the trace stays' cmp steps/h.npy h.npy
expect_error 1 "new/h.npy: the result would replace the trace's h.npy" "$gelu" ffn "$models/bert" --layer 0 --trace new \
    x.npy new/h.npy
check 'no folder is left' test ! -e new
cd steps && expect_error 1 "replace the trace's a.npy" "$gelu" ffn "$models/bert" --layer 0 --trace . ../x.npy a.npy
cd ..
check 'a file that this trace does not have may be there' "$gelu" ffn "$models/bert" --layer 0 --trace new x.npy new/y.npy
check 'and has the result' cmp new/y.npy new/left.npy

mkdir broken
cp "$models/bert/model.safetensors" broken/
echo '{"model_type": "bert", "hidden_act": "gelu_10"}' >broken/config.json
expect_error 1 "broken/config.json: at byte 23: 'hidden_act' says 'gelu_10'" "$gelu" inspect broken
check 'an activation can be given' "$gelu" inspect --act erf broken
rm broken/config.json
expect_error 1 'the activation is not written anywhere' "$gelu" inspect broken
check 'a family can be given' "$gelu" inspect --family bert broken/model.safetensors

if [ -e "${GELU_TEST_DATA:-/nonexistent}/rxnmapper-albert/model.safetensors" ]; then
    check 'the trained ALBERT' "$gelu" ffn "$GELU_TEST_DATA/rxnmapper-albert" --layer 11 --block \
        "$GELU_TEST_DATA/rxnmapper-albert/x.npy" albert.npy
    check 'keeps its shape' grep -q "'shape': (19, 256)" <(npy_header albert.npy)
fi
finish
