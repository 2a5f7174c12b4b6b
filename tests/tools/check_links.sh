#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# check_links.sh GELU SCRATCH: tools/check_links.sh passes good links, and names every one that leads nowhere.
set -euo pipefail
check=${GELU_SOURCE_DIR:?}/tools/check_links.sh
tree=$2/tree
rm -rf "$tree"
mkdir -p "$tree/docs"
touch "$tree/LICENSE" "$tree/docs/a.md"

failed=0
tried=0
try() { # ok|broken TEXT
    local got=ok output
    printf 'one line\n%s\n' "$2" >"$tree/docs/b.md"
    output=$(bash "$check" "$tree" 2>&1) || got=broken
    if [ "$got" = broken ] && ! grep -q '^\./docs/b\.md:2: there is no ' <<<"$output"; then got='broken without a place'; fi
    if [ "$got" = ok ] && [ "$output" != 'check_links: ok' ]; then got='ok without a word'; fi
    tried=$((tried + 1))
    if [ "$got" != "$1" ]; then
        echo "$2 is $got, not $1: $output" >&2
        failed=1
    fi
}

try ok 'no link, but [brackets] (and more)'
try ok '[a](a.md), [license](../LICENSE) and [folder](../docs/)'
try ok '[a place](a.md#there), [here](#here), [with a title](a.md "the title")'
try ok '[elsewhere](https://example.org/missing.md) and [mail](mailto:a@example.org)'
try broken '[b](missing.md)'
try broken '[license](LICENSE)'
try broken '[a](a.md) [b](../missing/)'
try broken '![picture](missing.png)'
try broken '[a place](missing.md#there)'
[ "$tried" -eq 9 ]

rm -r "$tree"/docs
if bash "$check" "$tree" 2>/dev/null; then
    echo 'a tree without a document passes' >&2
    failed=1
fi
exit $failed
