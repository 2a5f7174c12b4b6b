#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# pragma.sh GELU SCRATCH: base/compiler.h alone keeps a*b+c apart, where the same code without it is fused. (The kernels'
# double-double sums hide most of what fusing does, so same_bits.sh would not notice a header that has lost its effect.)
set -euo pipefail
scratch=$2
. "$(dirname "$0")/lib.bash"
grep -qw fma /proc/cpuinfo 2>/dev/null || { echo "pragma: no fma on this machine, skipped"; exit 77; }

failed=0
for compiler in $(compilers); do
    # clang lets no pragma overrule "fast" (what holds the bits there is same_bits.sh); "on" is its default.
    mode=fast
    if "$compiler" --version | grep -q clang; then mode=on; fi
    for options in "-std=gnu17 -O2 -ffp-contract=$mode" "-std=gnu17 -O3 -ffp-contract=$mode -march=native"; do
        # shellcheck disable=SC2086 # several words
        {
            "$compiler" $options -Isrc tests/contraction/probe.c -o "$scratch/without"
            "$compiler" $options -Isrc -DWITH_OUR_HEADER tests/contraction/probe.c -o "$scratch/with"
        }
        without=$("$scratch/without") with=$("$scratch/with")
        echo "$compiler $options: $without without the header, $with with it"
        [ "$without" = fused ] || { echo "pragma: the probe sees nothing" >&2; failed=1; }
        [ "$with" = apart ] || { echo "pragma: the header does not keep them apart" >&2; failed=1; }
    done
done
exit $failed
