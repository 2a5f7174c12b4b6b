#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_links.sh [ROOT]: every relative link in a Markdown file leads to a file or folder of this project.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

broken=0
files=0
while read -r file; do
    files=$((files + 1))
    while IFS=: read -r line target; do
        target=${target#']('}
        target=${target%%[\)#\ ]*}
        case $target in '' | [a-z]*:*) continue ;; esac # within the page; elsewhere
        if [ ! -e "$(dirname "$file")/$target" ]; then
            echo "$file:$line: there is no $target" >&2
            broken=$((broken + 1))
        fi
    done < <(grep -noE '\]\([^)]*\)' "$file" || true)
done < <(find . -path './build*' -prune -o -path ./.git -prune -o -type f -name '*.md' -print | sort)

if [ "$files" -eq 0 ]; then
    echo "check_links: no Markdown file here" >&2
    exit 1
fi
if [ "$broken" -ne 0 ]; then
    echo "check_links: $broken broken" >&2
    exit 1
fi
echo "check_links: ok"
