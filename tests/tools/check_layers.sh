#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_layers.sh GELU SCRATCH: tools/check_layers.sh passes a tree that keeps the include rule, and names every single
# line that breaks it.
set -euo pipefail
check=${GELU_SOURCE_DIR:?}/tools/check_layers.sh
tree=$2/tree
mkdir -p "$tree"/{include,src/{ffn,kernels,io,base},cli,train,verify,examples}
cat >"$tree/src/README.md" <<'TABLE'
| folder | what happens there |
| --- | --- |
| `ffn/` | above |
| `kernels/` | between |
| `io/` | beside |
| `base/` | below |
TABLE
touch "$tree"/include/{gelu.h,gelu_io.h} "$tree"/src/{ffn/ffn.h,kernels/kernels.h,io/npy.h,base/base.h} \
    "$tree"/cli/cli.h "$tree"/train/train.h "$tree"/verify/oracle.h

failed=0
tried=0
try() { # ok|broken FILE INCLUDED
    local want=$1 file=$tree/$2 got=ok output
    printf '#include %s\n' "$3" >"$file"
    output=$(bash "$check" "$tree" 2>&1) || got=broken
    if [ "$got" = broken ] && ! grep -q "^$2" <<<"$output"; then
        got="broken without naming $2"
    fi
    rm "$file"
    tried=$((tried + 1))
    if [ "$got" != "$want" ]; then
        echo "$2 that includes $3 is $got, not $want: $output" >&2
        failed=1
    fi
}

try ok src/ffn/a.c '"gelu.h"'
try ok src/ffn/a.c '"ffn/ffn.h"'
try ok src/ffn/a.c '"kernels/kernels.h"'
try ok src/ffn/a.c '"base/base.h"'
try ok src/ffn/a.c '<string.h>'
try ok src/io/a.c '"gelu_io.h"'
try ok src/io/a.c '"base/base.h"'
try ok src/io/a.c '<stdio.h>'
try ok cli/a.c '"cli.h"'
try ok cli/a.c '"oracle.h"'
try ok cli/a.c '"train.h"'
try ok train/a.c '"train.h"'
try ok train/a.c '"gelu_io.h"'
try ok verify/a.c '"oracle.h"'
try ok examples/a.c '"gelu_io.h"'
try broken src/kernels/a.c '"ffn/ffn.h"'
try broken src/kernels/a.h '"ffn/ffn.h"'
try broken src/kernels/a.inc '"ffn/ffn.h"'
try broken src/kernels/a.c '"../ffn/ffn.h"'
try broken src/kernels/a.c '<ffn/ffn.h>'
try broken src/base/a.c '"kernels/kernels.h"'
try broken src/io/a.c '"kernels/kernels.h"'
try broken src/ffn/a.c '"io/npy.h"'
try broken src/ffn/a.c '"gelu_io.h"'
try broken src/ffn/a.c '<gelu_io.h>'
try broken src/ffn/a.c '<stdio.h>'
try broken src/ffn/a.c '<jansson.h>'
try ok src/io/a.c '<jansson.h>'
try broken src/ffn/a.c '"missing.h"'
try broken src/ffn/a.c 'SOME_MACRO'
try broken cli/a.c '"base/base.h"'
try broken cli/a.c '"../src/base/base.h"'
try broken train/a.c '"base/base.h"'
try broken train/a.c '"../cli/cli.h"'
try broken verify/a.c '"base/base.h"'
try broken verify/a.c '"../cli/cli.h"'
try broken examples/a.c '"kernels/kernels.h"'
mkdir "$tree/src/other"
try broken src/other/a.c '"gelu.h"'

[ "$tried" -eq 38 ]
exit $failed
