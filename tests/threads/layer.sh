#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# layer.sh GELU SCRATCH: ThreadSanitizer finds nothing while threads share one layer. Built without OpenMP, of whose
# runtime it knows nothing. Skipped where the compiler has no ThreadSanitizer, or it cannot run.
set -euo pipefail
scratch=$2
. "$(dirname "$0")/../contraction/lib.bash"
options="-std=gnu11 -O1 -g -fsanitize=thread"
echo 'int main(void) { return 0; }' >"$scratch/probe.c"
# shellcheck disable=SC2086 # several words
if ! "$CC" $options "$scratch/probe.c" -o "$scratch/probe" 2>/dev/null || ! "$scratch/probe"; then
    echo "skipped: no ThreadSanitizer"
    exit 77
fi
printf '%s\n' "${core[@]}" tests/unit/test_layer_threads.c | xargs -P 2 -I FILE sh -c \
    'exec $1 $2 -Iinclude -Isrc -Itests -c "$4" -o "$3/$(echo "$4" | tr / _).o"' sh "$CC" "$options" "$scratch" FILE
"$CC" -fsanitize=thread "$scratch"/*.o -lcmocka -lm -lpthread -o "$scratch/test_layer_threads"
GELU_TEST_SERIAL=1 "$scratch/test_layer_threads"
