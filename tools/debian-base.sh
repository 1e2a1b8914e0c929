#!/bin/bash
# debian-base.sh IMAGE: ensure that the base image (debian:SUITE-slim) exists. If it cannot be pulled, debootstrap
# builds it from Debian's packages, as slim as the official image; this needs root.
set -euo pipefail

image=${1:?which image, e.g. debian:bookworm-slim}
suite=${image#debian:}
suite=${suite%-slim}

say() { printf 'debian-base: %s\n' "$*" >&2; }

docker image inspect "$image" >/dev/null 2>&1 && exit 0
timeout 60 docker pull --quiet "$image" >/dev/null 2>&1 && exit 0

say "$image cannot be pulled; building it with debootstrap"
if ! command -v debootstrap >/dev/null; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
fi
# The mirrors of this computer, also for another release of Debian than its own.
# shellcheck disable=SC1091,SC2016 # apt fills these in
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main' 'Origin: Debian' 'Created-By: Packages' |
    sed "s/ $(. /etc/os-release && printf %s "${VERSION_CODENAME-}")\\(-[a-z]*\\)\\{0,1\\} main/ $suite\\1 main/" |
    grep -E " $suite(-[a-z]+)? main" | sort -u)
mirror=$(awk -v suite="$suite" '$3 == suite { print $2; exit }' <<<"$sources")
[[ -n $mirror ]] || { say "apt has no mirror of Debian $suite: pull $image by hand"; exit 8; }

root=$(mktemp -d)
chmod 755 "$root" # it is the image's /: Podman's storage vfs keeps its mode, and other users than root could start nothing
trap 'rm -rf -- "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
printf '%s\n' "$sources" >"$root/etc/apt/sources.list"

# Exclude what the official slim image excludes, now and in later installations. Copyright files stay.
left_out=(/usr/share/doc /usr/share/info /usr/share/linda /usr/share/lintian /usr/share/locale /usr/share/man)
{
    printf 'path-exclude %s/*\n' "${left_out[@]}"
    printf 'path-include /usr/share/doc/*/copyright\n'
} >"$root/etc/dpkg/dpkg.cfg.d/docker"
(cd "$root" && find "${left_out[@]/#/.}" ! -type d ! -path '*/doc/*/copyright' -delete 2>/dev/null) || true
printf 'Acquire::Languages "none";\n' >"$root/etc/apt/apt.conf.d/docker-no-languages"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/var/log/apt/*

tar --directory "$root" --create --numeric-owner . | docker import --change 'CMD ["bash"]' - "$image" >/dev/null
say "$image: $(docker image inspect --format '{{.Size}}' "$image" | awk '{ printf "%.0f MB", $1 / 1e6 }')"
