#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# refresh_performance.sh GELU [PEERS_BUILD_FOLDER]: measures again whatever docs/performance.md shows. Between a line
#   <!-- gelu bench OPTIONS -->    or    <!-- peers -->
# and the next line <!-- end -->, the file holds what that command printed. Without the folder the peers stay as they are.
set -euo pipefail
gelu=$(realpath "$1")
peers=${2:+$(realpath "$2")}
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
    esac
}

keep=1
while IFS= read -r line; do
    case $line in
    '<!-- peers -->' | '<!-- gelu bench '*' -->')
        echo "$line"
        if [ "$line" != '<!-- peers -->' ] || [ -n "$peers" ]; then
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
