#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# install_packages.sh GELU SCRATCH: what tools/install_packages.sh runs and says, with a stand-in for every command that
# it calls.
set -euo pipefail
script=${GELU_SOURCE_DIR:?}/tools/install_packages.sh
bash=$(command -v bash)
bin=$2/bin
mkdir "$bin"
for command in cat env; do ln -s "$(command -v $command)" "$bin/$command"; done

stand_in() { # NAME TEXT
    printf '#!%s\n%s\n' "$bash" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}
fail() {
    echo "install_packages: $*" >&2
    exit 1
}
run() { PATH=$bin "$bash" "$script" "$@"; }

# There is no Debian.
if output=$(run gcc cmake 2>&1); then fail "passes without dpkg-query"; fi
[[ $output == *"gcc cmake"* ]] || fail "does not say what is needed: $output"
output=$(GELU_SKIP_PACKAGES=1 run gcc) || fail "GELU_SKIP_PACKAGES does not skip"

# gcc is there, half is not, nor is anything else.
stand_in dpkg-query 'case ${*: -1} in gcc) echo installed ;; half) echo config-files ;; *) exit 1 ;; esac'
stand_in apt-get "echo \"apt-get \$*\" >>'$2/calls'"
stand_in id 'echo 0'
output=$(run gcc) || fail "fails with nothing to do"
[ -z "$output" ] || fail "says something with nothing to do: $output"
[ ! -e "$2/calls" ] || fail "runs apt-get with nothing to do"

run gcc half cmake >"$2/output"
grep -qxF "Installing as root: apt-get install -y --no-install-recommends half cmake" "$2/output" || fail "as root"
diff "$2/calls" - <<'CALLS'
apt-get -q update
apt-get -q install -y --no-install-recommends half cmake
CALLS

# A user without sudo, and one with it.
stand_in id 'echo 1000'
if output=$(run gcc cmake 2>&1); then fail "passes without root or sudo"; fi
[[ $output == *"apt-get install -y --no-install-recommends cmake"* ]] || fail "does not say the command: $output"
stand_in sudo "echo \"sudo\" >>'$2/calls'; exec \"\$@\""
: >"$2/calls"
run cmake >"$2/output"
grep -q "^Installing with sudo: " "$2/output" || fail "does not say sudo"
[ "$(grep -c '^sudo$' "$2/calls")" -eq 2 ] || fail "apt-get does not run by sudo"

# apt-get that fails is a failure.
stand_in apt-get 'echo because; exit 100'
if output=$(run cmake 2>&1); then fail "passes though apt-get failed"; fi
[[ $output == *because* ]] || fail "does not say why apt-get failed: $output"
