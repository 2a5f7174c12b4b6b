#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# A hundred steps of training end at the same weights on every instruction set and for every number of threads, in a
# block that is large enough for threads; and both optimisers bring the loss down to a tenth.
. "$(dirname "$0")/lib.bash"
export OMP_WAIT_POLICY=passive # there may be more threads than processors
program=${GELU_BUILD_DIR:-$source_dir/build}/examples/05_train
size=(128 32 128)
reference=$(GELU_FORCE_ISA=scalar GELU_NUM_THREADS=1 "$program" "${size[@]}")
[ "$(grep -c weights <<<"$reference")" = 2 ] || fail "it prints: $reference"
for isa in scalar avx2 avx512 neon; do
    GELU_FORCE_ISA=$isa "$gelu" info >/dev/null 2>&1 || continue
    for threads in 1 2 3; do
        [ $isa-$threads != scalar-1 ] && [ $isa-$threads != scalar-2 ] || continue # the slowest; it is the reference
        checks=$((checks + 1))
        got=$(GELU_FORCE_ISA=$isa GELU_NUM_THREADS=$threads "$program" "${size[@]}")
        [ "$got" = "$reference" ] || fail "$isa with $threads threads: $got"
    done
done
for optimiser in sgd adam; do
    awk -v name=$optimiser '$1 == name && $2 == "step" { loss[$3] = $5 } END { exit !(loss[100] < loss[0] / 10) }' \
        <<<"$reference" || fail "$optimiser does not learn: $reference"
done
finish
