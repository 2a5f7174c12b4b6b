#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# run.sh PROGRAM SECONDS CORPUS: fuzzes for that long, beginning with the seeds and with what earlier runs left in the
# folder CORPUS. An input that breaks something is left beside CORPUS, and the exit code is not 0.
set -euo pipefail
program=$1 seconds=$2 corpus=$3
here=$(cd "$(dirname "$0")" && pwd)
name=${program##*/fuzz_}
mkdir -p "$corpus"
shopt -s nullglob
# The defaults keep hundreds of megabytes of freed memory.
export ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1
# libFuzzer takes folders only.
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
cp "$here/seeds/$name"/* "$here/../data/files"/*."$name" "$seeds"

status=0
"$program" "$corpus" "$seeds" -max_total_time="$seconds" -max_len=2048 -timeout=10 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -print_final_stats=1 -artifact_prefix="$corpus-" >"$seeds.log" 2>&1 || status=$?
stat() { sed -n "s/^stat::$1: *//p" "$seeds.log"; }
if [ $status -ne 0 ]; then
    tail -n 60 "$seeds.log"
else
    echo "fuzz: $name: $(stat number_of_executed_units) executions in $seconds s," \
        "$(find "$corpus" -type f | wc -l) inputs kept, $(stat peak_rss_mb) MB at most"
fi
rm -f "$seeds.log"
exit $status
