#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_format.sh [--fix]: every C and C++ file is as clang-format-14 writes it, and every source file begins with the
# two SPDX lines. --fix formats the files.
set -euo pipefail
cd "$(dirname "$0")/.."
format=${CLANG_FORMAT:-clang-format-14}
command -v "$format" >/dev/null || { echo "check_format: no $format" >&2; exit 1; }

list() { # PATTERN...: the project's files of these names, committed or about to be
    if [ -e .git ]; then
        git ls-files --cached --others --exclude-standard -- "$@"
    else
        local names=() pattern
        for pattern; do names+=(-o -name "$pattern"); done
        find . -path './build*' -prune -o -type f \( "${names[@]:1}" \) -print
    fi | while read -r file; do [ -f "$file" ] && echo "$file"; done
}

mapfile -t files < <(list '*.c' '*.h' '*.cc')
if [ "${1:-}" = --fix ]; then
    "$format" -i "${files[@]}"
    exit
fi

broken=0
"$format" --dry-run --Werror "${files[@]}" || broken=1
mapfile -t sources < <(list '*.c' '*.h' '*.cc' '*.inc' '*.sh' '*.bash' '*.py' '*.cmake' '*.in' 'CMakeLists.txt' \
    'Makefile' '.clang-format' '.gitignore' '*.1')
for file in "${sources[@]}"; do
    case $file in tests/data/* | ./tests/data/*) continue ;; esac
    head=$(head -n 3 "$file")
    if [[ $head != *"SPDX-License-Identifier: MIT"* || $head != *"SPDX-FileCopyrightText:"* ]]; then
        echo "$file: does not begin with the two SPDX lines" >&2
        broken=1
    fi
done
if [ "$broken" -ne 0 ]; then
    echo "check_format: broken (\`make format\` formats)" >&2
    exit 1
fi
echo "check_format: ok"
