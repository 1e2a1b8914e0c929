#!/bin/bash
# Ensure that a Docker engine is running: if none is, install one (Debian, Ubuntu) and start it. Needs root.
# Run by .ci/run; not needed on a machine with Docker.
set -euo pipefail

log=/var/log/voxmatrix-dockerd.log
wait_for_lock=(-o DPkg::Lock::Timeout=300) # another apt may be running
packages=(docker.io docker-cli docker-buildx docker-compose)

say() { printf 'docker-engine: %s\n' "$*" >&2; }

answers() { docker info >/dev/null 2>&1; }

# Debian 12 has no docker-buildx; the packages of Debian 13 install on it without replacing libc. Their source is removed
# at the end, so that nothing else comes from there.
add_trixie() {
    local mirror
    # shellcheck disable=SC2016 # apt fills these in
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' |
        awk '$1 !~ /-/ && !found { print $2; found = 1 }')
    [[ -n $mirror ]] || { say "docker-buildx is not available, and apt has no Debian mirror to install it from"; exit 7; }
    say "adding Debian trixie until the packages of the engine are installed"
    trap 'rm -f /etc/apt/sources.list.d/voxmatrix-trixie.list /etc/apt/preferences.d/voxmatrix-trixie' EXIT
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' "$mirror" \
        >/etc/apt/sources.list.d/voxmatrix-trixie.list
    printf 'Package: *\nPin: release n=trixie\nPin-Priority: 100\n\nPackage: %s\nPin: release n=trixie\nPin-Priority: 900\n' \
        "${packages[*]}" >/etc/apt/preferences.d/voxmatrix-trixie
    apt-get "${wait_for_lock[@]}" update -qq
}

install_engine() {
    [[ $(id -u) == 0 ]] || { say "no Docker engine is running, and installing one needs root"; exit 7; }
    export DEBIAN_FRONTEND=noninteractive
    apt-get "${wait_for_lock[@]}" update -qq
    [[ -n $(apt-cache madison docker-buildx) ]] || add_trixie
    say "installing ${packages[*]}"
    apt-get "${wait_for_lock[@]}" install -y -qq --no-install-recommends "${packages[@]}" iptables ca-certificates >/dev/null
}

# start_engine [FLAG …]: start dockerd; succeeds if the engine answers within 30 seconds.
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
# The defaults first, then fallbacks for kernels without overlayfs and for kernels without iptables.
answers || start_engine || start_engine --storage-driver=vfs \
    || start_engine --storage-driver=vfs --iptables=false --ip6tables=false --bridge=none || {
    say "dockerd did not start; the end of $log:"
    tail -n 20 "$log" >&2
    exit 8
}
say "$(docker version --format 'engine {{.Server.Version}}'), storage $(docker info --format '{{.Driver}}')"
