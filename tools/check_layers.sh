#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_layers.sh [ROOT]: holds the include rule of src/README.md, and says what breaks it.
#   src/<folder>/  includes public headers, its own folder, and folders below it in the table of src/README.md
#   libgelu        (all of src/ but io/, text/ and model/) includes neither those three, nor gelu_io.h, <stdio.h> or
#                  <jansson.h>
#   cli/           includes public headers, cli/, bench/, train/ and verify/
#   bench/         includes public headers and bench/ (bench/peers/: what it measures, too)
#   train/         includes public headers and train/
#   verify/        includes public headers and verify/
#   examples/      includes public headers
set -euo pipefail
root=$(cd "${1:-$(dirname "$0")/..}" && pwd)
cd "$root"

declare -A rank
order=0
while read -r folder; do
    rank[$folder]=$((++order))
done < <(sed -n 's/^| `\([a-z]*\)\/` |.*/\1/p' src/README.md)
if [ "$order" -eq 0 ]; then
    echo "src/README.md: no table of folders" >&2
    exit 1
fi

broken=0
complain() { # FILE:LINE WHAT
    echo "$1: $2" >&2
    broken=$((broken + 1))
}

# The folder that an include in FILE comes from: "public", "src/x", "cli", ... or "" when there is no such file.
origin() { # FILE HEADER
    if [ -f "$(dirname "$1")/$2" ]; then
        realpath --relative-to=. "$(dirname "$1")/$2" | cut -d/ -f1-2
    elif [ -f "include/$2" ]; then
        echo public
    elif [ -f "src/$2" ]; then
        echo "src/${2%%/*}"
    elif [ -f "verify/$2" ]; then
        echo verify/
    elif [ -f "bench/$2" ]; then
        echo bench/
    elif [ -f "train/$2" ]; then
        echo train/
    fi
}

check_src() { # FILE LINE HEADER ORIGIN
    local from=${1#src/} to=${4#src/}
    from=${from%%/*}
    if [ -z "${rank[$from]:-}" ]; then
        complain "$1" "the folder src/$from is not in the table of src/README.md"
        return
    fi
    case $from in
    io | text | model) ;;
    *)
        case $4/$3 in
        public/gelu_io.h | */stdio.h | */jansson.h | src/io/* | src/text/* | src/model/*)
            complain "$1:$2" "libgelu knows no files or text, so it must not include $3"
            ;;
        esac
        ;;
    esac
    case $4 in
    public | system) ;;
    src/*)
        if [ "$from" != "$to" ] && [ "${rank[$to]:-0}" -le "${rank[$from]}" ]; then
            complain "$1:$2" "$from/ must not include $3: $to/ is not below it in src/README.md"
        fi
        ;;
    *) complain "$1:$2" "src/ must not include $3" ;;
    esac
}

check_outside() { # FILE LINE HEADER ORIGIN
    case ${1%%/*}:$4 in
    *:public | *:system | cli:cli/* | cli:bench/* | cli:train/* | cli:verify/* | bench:bench/* | \
        train:train/* | verify:verify/*) ;;
    *) complain "$1:$2" "${1%%/*}/ must not include $3" ;;
    esac
}

folders=(src)
for folder in cli bench train verify examples; do
    [ -d "$folder" ] && folders+=("$folder")
done
while IFS=: read -r file line text; do
    if [[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*([\<\"])([^\>\"]+)[\>\"] ]]; then
        header=${BASH_REMATCH[2]}
        from=$(origin "$file" "$header")
        if [ -z "$from" ] && [ "${BASH_REMATCH[1]}" = '<' ]; then
            from=system
        elif [ -z "$from" ]; then
            complain "$file:$line" "there is no $header"
            continue
        fi
    else
        complain "$file:$line" "an include must name its file"
        continue
    fi
    if [ "${file%%/*}" = src ]; then
        check_src "$file" "$line" "$header" "$from"
    else
        check_outside "$file" "$line" "$header" "$from"
    fi
done < <(grep -rnE --include='*.c' --include='*.h' --include='*.inc' '^[[:space:]]*#[[:space:]]*include' "${folders[@]}")

if [ "$broken" -ne 0 ]; then
    echo "check_layers: $broken broken" >&2
    exit 1
fi
echo "check_layers: ok"
