#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# What `gelu inspect`, `ffn`, `convert`, `probe` and `diff` do with what nobody should give them: every case ends with one
# line that says why, and leaves nothing behind.
. "$(dirname "$0")/lib.bash"
models=$source_dir/tests/data/models
bert=$models/bert

little_endian 8 3f800000 bf800000 c0b00000 40000000 3f000000 00000000 | npy x.npy '<f4' False '(1, 6)'
mkfifo pipe
ln -s loop loop
mkdir empty

# Places that hold no checkpoint.
mkdir folder linked
mkdir folder/model.safetensors
ln -s nowhere linked/model.safetensors
ln -s "$bert" link
expect_error 1 'empty: no .safetensors file in this folder' "$gelu" inspect empty
expect_error 1 'cannot open: No such file or directory' "$gelu" inspect ''
expect_error 1 'folder/model.safetensors: cannot read: it is a directory' "$gelu" inspect folder
expect_error 1 'linked/model.safetensors: cannot open: No such file or directory' "$gelu" inspect linked
expect_error 1 'loop: cannot open: Too many levels of symbolic links' "$gelu" inspect loop
expect_error 1 'pipe: cannot read: it is a pipe' "$gelu" inspect pipe
expect_error 1 '/dev/zero: cannot read: it is a device' "$gelu" inspect /dev/zero
check 'a link to a checkpoint is one' "$gelu" inspect link

# Configurations, beside BERT's tensors.
config_fails() { # TEXT JSON
    rm -rf model
    mkdir model
    cp "$bert/model.safetensors" model/
    printf "$2" >model/config.json
    expect_error 1 "model/config.json: $1" "$gelu" inspect model
}
config_is() { # TEXT COMMAND...: what the command makes of model/config.json
    local text=$1
    shift
    rm -rf model
    mkdir model
    cp "$bert/model.safetensors" model/
    "$@" model/config.json
    expect_error 1 "model/config.json: $text" "$gelu" inspect model
}
config_is 'cannot read: it is a directory' mkdir
config_is 'cannot read: it is a pipe' mkfifo
config_is 'cannot open: No such file or directory' ln -s nowhere
config_is 'cannot read: it is a device' ln -s /dev/zero
config_is 'a configuration of more than 16 MiB' truncate -s 17M
config_fails 'at byte 32: bad configuration: nested too deeply' "$(printf '[%.0s' {1..5000})"
config_fails 'at byte 160: bad configuration: nested too deeply' "$(printf '{"a":%.0s' {1..5000})"
config_fails "at byte 28: bad configuration: invalid token near 'NaN'" '{"model_type":"bert","x":NaN}'
config_fails "at byte 46: bad configuration: invalid token near 'Infinity'" \
    '{"model_type":"bert","layer_norm_eps":Infinity}'
config_fails 'at byte 43: bad configuration: real number overflow' '{"model_type":"bert","layer_norm_eps":1e400}'
config_fails 'at byte 55: bad configuration: too big integer' '{"model_type":"bert","hidden_size":99999999999999999999}'
config_fails 'at byte 33: bad configuration: duplicate object key' '{"model_type":"bert","model_type":"gpt2"}'
config_fails 'at byte 0: bad configuration' '\xef\xbb\xbf{"model_type":"bert"}'
config_fails 'at byte 16: bad configuration: unable to decode byte 0xff' '{"model_type":"b\xff"}'
config_fails 'at byte 27: bad configuration: \u0000 is not allowed' '{"model_type":"bert\\u0000x"}'
config_fails "at byte 1: the model_type 'bert?[31m' is not known" '{"model_type":"bert\\u001b[31m"}'
config_fails "at byte 1: 'model_type' is not a string" '{"model_type":["bert"]}'
config_fails "at byte 1: '_class_name' is not a string" '{"_class_name":7,"model_type":"bert"}'
config_fails "at byte 21: 'hidden_size' is not a whole number" '{"model_type":"bert","hidden_size":1e300}'
config_fails "at byte 21: 'hidden_size' is not a whole number" '{"model_type":"bert","hidden_size":"6"}'
config_fails "at byte 21: 'hidden_size' is -6, but by the tensors d_model is 6" '{"model_type":"bert","hidden_size":-6}'
config_fails "at byte 21: 'layer_norm_eps' is not a number that can be the norm's eps" '{"model_type":"bert","layer_norm_eps":-1}'
rm -rf model
mkdir model
cp "$models/albert/model.safetensors" model/
for layers in -1 0 1 10001 9223372036854775807 '"12"' 12.5; do
    echo '{"model_type":"albert","num_hidden_layers":'"$layers"'}' >model/config.json
    expect_error 1 "'num_hidden_layers' is no number of layers" "$gelu" inspect model
done
echo '{"model_type":"albert","num_hidden_layers":10000}' >model/config.json
check 'many layers of the same weights' grep -q '10000 feed-forward blocks' <("$gelu" inspect model)

# Names of folders: bytes that are no UTF-8, quotes, escape sequences; and more than a message takes.
odd=$'\xff\xed\xa0\x80\xc3\xa4"\\\x1b[31m'
mkdir "$odd"
cp "$bert"/* "$odd/"
check 'no escape sequence is printed' test -z "$("$gelu" inspect "$odd" | tr -d -c '\033')"
expect_error 1 'there is no block 9' "$gelu" ffn "$odd" --layer 9 x.npy y.npy
if command -v python3 >/dev/null; then
    "$gelu" inspect --json "$odd" >odd.json
    check 'inspect --json prints JSON in UTF-8' python3 -c 'import json
source = json.loads(open("odd.json", "rb").read().decode())["blocks"][0]["activation_source"]
assert source.startswith("\ufffd\ufffd\ufffd\ufffd\u00e4\"\\\x1b[31m/config.json says"), source'
fi
long=$(printf 'abcdefghi/%.0s' {1..80})
mkdir -p "$long"
cp "$bert"/* "$long/"
check 'a long path does not hide where it is written' grep -q 'config.json says "hidden_act": "gelu"$' \
    <("$gelu" inspect "$long")
echo '{"model_type":7}' >"$long/config.json"
expect_error 1 "'model_type' is not a string" "$gelu" inspect "$long"
longer=$(printf 'a/%.0s' {1..2100})
expect_error 1 'File name too long' "$gelu" inspect "$longer"
expect_error 1 'File name too long' "$gelu" ffn "$bert" --layer 0 x.npy "${longer}y"
expect_error 1 'cannot make the folder: File name too long' "$gelu" ffn "$bert" --layer 0 --trace "$longer" x.npy y.npy
expect_error 1 'cannot make the folder: No such file or directory' "$gelu" ffn "$bert" --layer 0 --trace '' x.npy y.npy
for layer in 18446744073709551616 -1 1e3 '' ' 1'; do
    expect_error 2 "--layer: '$layer' is not a whole number" "$gelu" ffn "$bert" --layer "$layer" x.npy y.npy
done
expect_error 1 'there is no block 18446744073709551615' "$gelu" ffn "$bert" --layer 18446744073709551615 x.npy y.npy

# Inputs that are no arrays, or say that they are larger than they are.
for file in pipe empty loop /dev/zero; do
    expect_error 1 "$file: cannot " "$gelu" ffn "$bert" --layer 0 $file y.npy
    expect_error 1 "$file: cannot " "$gelu" probe $file x.npy
    expect_error 1 "$file: cannot " "$gelu" diff x.npy $file
    expect_error 1 "$file: cannot " "$gelu" convert --act erf a=$file y.safetensors
done
npy huge.npy '<f4' False '(1099511627776, 6)' </dev/null
npy overflow.npy '<f4' False '(4611686018427387904, 6)' </dev/null
for file in huge overflow; do
    expect_error 1 "$file.npy: " "$gelu" ffn "$bert" --layer 0 $file.npy y.npy
    expect_error 1 "$file.npy: " "$gelu" probe $file.npy $file.npy
    expect_error 1 "$file.npy: " "$gelu" convert --act erf a=$file.npy y.safetensors
done
npy none.npy '<f4' False '(0, 6)' </dev/null
expect 0 '' "$gelu" ffn "$bert" --layer 0 --block none.npy none_y.npy
check 'no rows give no rows' grep -q "'shape': (0, 6)" <(npy_header none_y.npy)

# A trace that would replace what it is made from.
mkdir trace
cp x.npy trace/x.npy
cp x.npy trace/a.npy
cp x.npy before.npy
ln trace/x.npy hard.npy
expect_error 1 'x.npy: the trace would replace it' "$gelu" ffn "$bert" --layer 0 --trace trace trace/x.npy y.npy
expect_error 1 'hard.npy: the trace would replace it' "$gelu" ffn "$bert" --layer 0 --trace trace hard.npy y.npy
expect_error 1 'a.npy: the trace would replace it' \
    "$gelu" ffn "$models/phi" --layer 0 --block --attn trace/../trace/a.npy --trace trace x.npy y.npy
check 'nothing was replaced' cmp trace/x.npy before.npy
check 'nor the other' cmp trace/a.npy before.npy
check 'the result may take the place of the input' "$gelu" ffn "$bert" --layer 0 hard.npy hard.npy

# Places that take no output.
outputs_fail() { # ARGUMENT..., in which OUT stands for the place
    local place
    for place in "/dev/full:cannot write: No space left on device" "empty:cannot create: Is a directory" \
        "new/:cannot create: Is a directory" "loop:cannot create: Too many levels of symbolic links" \
        ":cannot create: No such file or directory" "x.npy/y:cannot create: Not a directory" \
        "/proc/gelu/y:cannot create: No such file or directory" "nowhere/y:cannot create: No such file or directory"; do
        expect_error 1 "${place%%:*}: ${place#*:}" "$gelu" "${@/#OUT/"${place%%:*}"}"
    done
}
outputs_fail ffn "$bert" --layer 0 x.npy OUT
outputs_fail convert "$bert" OUT
outputs_fail convert --act erf a=x.npy OUT
if ! touch /proc/gelu 2>/dev/null; then
    expect_error 1 '/proc/gelu: cannot create' "$gelu" ffn "$bert" --layer 0 x.npy /proc/gelu
    expect_error 1 '/proc/gelu: cannot create' "$gelu" convert "$bert" /proc/gelu
fi
expect_error 1 $'\'a?\xff\' or what belongs to it is not UTF-8' "$gelu" convert --act erf $'a\x01\xff=x.npy' y.safetensors
expect_error 1 "'__metadata__' cannot be the name" "$gelu" convert --act erf __metadata__=x.npy y.safetensors

# A limit on the size of files is an error, with the clean-up that follows one.
npy rows.npy '<f4' False '(10000, 6)' < <(head -c 240000 /dev/zero)
limited() { (ulimit -f 64 && exec "$gelu" "$@"); }
echo old >old.npy
expect_error 1 'cannot write: File too large' limited ffn "$bert" --layer 0 rows.npy y.npy
expect_error 1 'cannot write: File too large' limited ffn "$bert" --layer 0 rows.npy old.npy
expect_error 1 'cannot write: File too large' limited convert --act erf a=rows.npy y.safetensors
check 'what was there stays' test "$(cat old.npy)" = old

# A standard output that takes nothing.
for command in "inspect $bert" "inspect --json $bert" "probe x.npy x.npy" "diff x.npy x.npy" "inspect --help"; do
    expect_error 1 'cannot write to standard output: No space left on device' \
        bash -c '"$0" "$@" >/dev/full' "$gelu" $command
    expect_error 1 'cannot write to standard output: Bad file descriptor' bash -c '"$0" "$@" >&-' "$gelu" $command
done

check 'no output was made' test ! -e y.npy -a ! -e y.safetensors
check 'no temporary file is left' test -z "$(find . -name '*.tmp')"
finish
