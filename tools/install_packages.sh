#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# install_packages.sh PACKAGE...: installs those of these Debian packages that are missing, and nothing else.
# GELU_SKIP_PACKAGES=1 skips it, for systems with other package names.
set -euo pipefail

if [ -n "${GELU_SKIP_PACKAGES:-}" ]; then
    exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is no Debian system, so its packages cannot be checked. What these Debian packages hold is needed:" >&2
    echo "    $*" >&2
    echo "Install the equivalents, then run the same command with GELU_SKIP_PACKAGES=1." >&2
    exit 1
fi

missing=()
for package; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || true
    [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" -eq 0 ]; then
    sudo=()
    echo "Installing as root: $install"
elif command -v sudo >/dev/null; then
    sudo=(sudo)
    echo "Installing with sudo: $install"
else
    echo "Packages are missing, and installing them needs root or sudo, of which there is neither. As root, run" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi
apt() { # apt-get's pages of output only when it fails
    local output
    if ! output=$("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" 2>&1); then
        echo "$output" >&2
        echo "apt-get $1 failed" >&2
        exit 1
    fi
}
apt update
apt install -y --no-install-recommends "${missing[@]}"
