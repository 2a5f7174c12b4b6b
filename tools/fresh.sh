#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# fresh.sh [TARGET...]: makes a bare Debian 12 in a temporary folder, clones the committed project into it, and runs
# `make demo` and `make test` there (or the targets given), each from what the one before it left. Needs root.
# The mirror and proxies are those of this machine's apt; FRESH_KEEP=1 keeps the folder.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
targets=("${@:-demo}")
[ $# -gt 0 ] || targets=(demo test)

if [ "$(id -u)" -ne 0 ]; then
    echo "fresh: making a Debian system and entering it needs root: sudo make fresh" >&2
    exit 1
fi
"$project/tools/install_packages.sh" debootstrap git ca-certificates

# This machine's sources of Debian 12, one "URI suite" a line; Debian's own mirror when it has none.
debian_sources() {
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk '$(NF) == "main" && $(NF - 1) ~ /^bookworm(-updates|-security)?$/ &&
             ($1 == "Debian" || $(NF - 2) ~ /\/debian(-security)?\/?$/) { print $(NF - 2), $(NF - 1) }' | sort -u
}
sources=$(debian_sources)
mirror=$(awk '$2 == "bookworm" { print $1; exit }' <<<"$sources")
case $mirror in
http://* | https://*) ;;
*)
    mirror=http://deb.debian.org/debian
    sources="$mirror bookworm"
    ;;
esac

# apt's own proxy serves debootstrap too, which knows the environment only.
eval "$(apt-config shell apt_http Acquire::http::Proxy apt_https Acquire::https::Proxy)"
export http_proxy=${http_proxy:-${apt_http:-}} https_proxy=${https_proxy:-${apt_https:-}}
[ -n "$http_proxy" ] || unset http_proxy
[ -n "$https_proxy" ] || unset https_proxy

system=$(mktemp -d "${TMPDIR:-/tmp}/gelu-fresh.XXXXXX")
chmod 755 "$system" # apt downloads as a user of its own
unmount_all() {
    local place
    for place in proc dev/pts dev/shm; do
        if mountpoint -q "$system/$place"; then
            umount "$system/$place" || umount -l "$system/$place"
        fi
    done
}
clean_up() {
    trap - EXIT INT TERM
    unmount_all
    rm -f "$system.log"
    if [ -n "${FRESH_KEEP:-}" ]; then
        echo "fresh: kept $system" >&2
    else
        rm -rf --one-file-system "$system"
    fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

times=()
timed() { # NAME COMMAND...
    local name=$1 begin=$SECONDS status=0
    shift
    echo "fresh: $name"
    "$@" || status=$?
    times+=("$name: $((SECONDS - begin)) s$([ $status -eq 0 ] || echo ", failed")")
    return $status
}

bootstrap() {
    local log=$system.log
    if ! debootstrap --variant=minbase --include=make,git,ca-certificates bookworm "$system" "$mirror" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        return 1
    fi
    sed 's/\(.*\) \(.*\)/deb \1 \2 main/' <<<"$sources" >"$system/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(https?|Retries|Check-Valid-Until|AllowInsecureRepositories)\b' |
        grep -v ' "";$' >"$system/etc/apt/apt.conf.d/90host" || true
    cp -a /etc/apt/trusted.gpg.d/. "$system/etc/apt/trusted.gpg.d/"
    # The certificates that this machine trusts beyond Debian's: a mirror may have its own.
    if [ -n "$(ls -A /usr/local/share/ca-certificates 2>/dev/null)" ]; then
        cp -a /usr/local/share/ca-certificates/. "$system/usr/local/share/ca-certificates/"
        chroot "$system" update-ca-certificates >/dev/null
    fi
    cp -L /etc/resolv.conf "$system/etc/resolv.conf"
    cp -L /etc/hosts "$system/etc/hosts"
    mount -t proc proc "$system/proc"
    mount -t tmpfs tmpfs "$system/dev/shm"
    mount -t devpts devpts "$system/dev/pts" -o newinstance,ptmxmode=0666
}

# Nothing of this machine's environment but the proxies and what the terminal is.
inside() {
    local pass=() name
    for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY TERM; do
        [ -z "${!name:-}" ] || pass+=("$name=${!name}")
    done
    chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "${pass[@]}" "$@"
}

status=0
timed "debootstrap" bootstrap
git clone --quiet --no-hardlinks "$project" "$system/root/libgelu"
echo "fresh: $(git -C "$system/root/libgelu" log -1 --format='%h %s')"
for target in "${targets[@]}"; do
    timed "make $target" inside make -C /root/libgelu "$target" || status=1
done
printf 'fresh: %s\n' "${times[@]}"
exit $status
