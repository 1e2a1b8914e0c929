#!/bin/bash
# Makes a Docker engine answer on this machine: does nothing when one does, else installs it (Debian, Ubuntu) and starts it.
# Needs root. Run by .ci/run; a person with Docker needs it never.
set -euo pipefail

log=/var/log/voxmatrix-dockerd.log
packages=(docker.io docker-cli docker-buildx docker-compose)

say() { printf 'docker-engine: %s\n' "$*" >&2; }

answers() { docker info >/dev/null 2>&1; }

# Debian 12 has no docker-buildx; the packages of the release after it install on 12 and leave its libc alone.
add_trixie() {
    local mirror
    # shellcheck disable=SC2016 # apt fills these in
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' |
        awk '$1 !~ /-/ && !found { print $2; found = 1 }')
    [[ -n $mirror ]] || { say "no docker-buildx here, and no Debian mirror to take it from"; exit 7; }
    say "adding Debian trixie for the engine's packages only"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' "$mirror" \
        >/etc/apt/sources.list.d/voxmatrix-trixie.list
    printf 'Package: *\nPin: release n=trixie\nPin-Priority: 100\n\nPackage: %s\nPin: release n=trixie\nPin-Priority: 900\n' \
        "${packages[*]}" >/etc/apt/preferences.d/voxmatrix-trixie
    apt-get update -qq
}

install_engine() {
    [[ $(id -u) == 0 ]] || { say "no Docker engine answers, and only root can install one"; exit 7; }
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    [[ -n $(apt-cache madison docker-buildx) ]] || add_trixie
    say "installing ${packages[*]}"
    apt-get install -y -qq --no-install-recommends "${packages[@]}" iptables ca-certificates >/dev/null
}

# start_engine [FLAG …]: true when the engine answers within half a minute.
start_engine() {
    say "starting dockerd $*"
    setsid dockerd "$@" >"$log" 2>&1 </dev/null &
    local engine=$!
    for _ in {1..60}; do
        answers && return 0
        kill -0 "$engine" 2>/dev/null || break
        sleep 0.5
    done
    kill "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
    return 1
}

answers && exit 0
if ! command -v dockerd >/dev/null || ! docker buildx version >/dev/null 2>&1 || ! docker compose version >/dev/null 2>&1; then
    install_engine
fi
# Plain first; then for kernels without overlayfs, and for those without the tables that bridges need.
answers || start_engine || start_engine --storage-driver=vfs \
    || start_engine --storage-driver=vfs --iptables=false --ip6tables=false --bridge=none || {
    say "dockerd does not start; the end of $log:"
    tail -n 20 "$log" >&2
    exit 8
}
say "$(docker version --format 'engine {{.Server.Version}}'), storage $(docker info --format '{{.Driver}}')"
