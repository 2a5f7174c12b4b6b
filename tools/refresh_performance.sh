#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# refresh_performance.sh GELU [PEERS_BUILD_FOLDER [TEXT]]: measures again whatever docs/performance.md shows. Between a
# line
#   <!-- gelu bench OPTIONS -->,   <!-- peers -->   or   <!-- linear_peers ARGUMENTS -->
# and the next line <!-- end -->, the file holds what that command printed. Without the folder ('' will do) the peers
# stay as they are; with TEXT, all but the lines that contain it.
set -euo pipefail
gelu=$(realpath "$1")
peers=${2:+$(realpath "$2")}
text=${3:-}
cd "$(dirname "$0")/.."
file=docs/performance.md
new=$(mktemp "$file.XXXXXX")
trap 'rm -f "$new"' EXIT

measure() { # MARKER
    local options
    case $1 in
    '<!-- gelu bench '*' -->')
        options=${1#'<!-- gelu bench '}
        echo "gelu bench ${options% -->}" >&2
        # Options hold no spaces of their own.
        "$gelu" bench ${options% -->} --markdown
        ;;
    '<!-- peers -->')
        echo 'peers' >&2
        cmake --build "$peers" --target run_needs >/dev/null
        cmake --build "$peers" --target run -- --quiet
        ;;
    '<!-- linear_peers '*' -->')
        options=${1#'<!-- '}
        echo "${options% -->}" >&2
        cmake --build "$peers" --target linear_peers >/dev/null
        "$peers"/${options% -->} 2>/dev/null
        ;;
    esac
}

keep=1
while IFS= read -r line; do
    case $line in
    '<!-- peers -->' | '<!-- linear_peers '*' -->' | '<!-- gelu bench '*' -->')
        echo "$line"
        if [[ $line == *"$text"* && ($line == *gelu* || -n $peers) ]]; then
            echo
            measure "$line"
            echo
            keep=0
        fi
        ;;
    '<!-- end -->')
        keep=1
        echo "$line"
        ;;
    *) [ $keep = 0 ] || echo "$line" ;;
    esac
done <"$file" >"$new"
chmod 644 "$new"
mv "$new" "$file"
