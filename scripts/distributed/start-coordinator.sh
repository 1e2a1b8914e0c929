#!/bin/bash
# Start Redis and Flower on this computer; with arguments, then make an audiobook with the workers that join.
#
#   scripts/distributed/start-coordinator.sh
#   NUM_WORKERS=3 scripts/distributed/start-coordinator.sh book.epub --voice my-voice.onnx --out book.m4b
#
# The arguments are those of `voxmatrix book`; its files are in the working directory (or VOXMATRIX_DATA).
#
# NUM_WORKERS      wait until so many workers answer
# COORDINATOR_IP   the address of this computer at which Redis and Flower listen; default: its first one
# REDIS_PASSWORD   default: a new one, kept in docker/.env
# VOXMATRIX_ROW    the image is voxmatrix:ROW-cluster; default: cpu, since the coordinator needs no GPU
set -euo pipefail

root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
dotenv=$root/docker/.env
export VOXMATRIX_ROW=${VOXMATRIX_ROW:-cpu}
export VOXMATRIX_DATA=${VOXMATRIX_DATA:-$PWD}
export VOXMATRIX_UID=${VOXMATRIX_UID:-$(id -u)}

fail() {
    printf 'start-coordinator: %s\n  → %s\n' "$2" "$3" >&2
    exit "$1"
}

# password: REDIS_PASSWORD, or that of docker/.env, which is written if there is none.
password() {
    if [[ -n ${REDIS_PASSWORD:-} ]]; then
        printf '%s' "$REDIS_PASSWORD"
        return
    fi
    if ! grep -qs '^REDIS_PASSWORD=' "$dotenv"; then
        (umask 077 && printf 'REDIS_PASSWORD=%s\n' "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" >>"$dotenv")
    fi
    sed -n 's/^REDIS_PASSWORD=//p' "$dotenv" | tail -n 1
}

# addresses: those of this computer, the one that others reach first.
addresses() {
    hostname -I 2>/dev/null || hostname -i
}

compose() {
    docker compose --file "$root/docker/cluster.yaml" "$@"
}

docker image inspect "voxmatrix:$VOXMATRIX_ROW-cluster" >/dev/null 2>&1 ||
    fail 7 "there is no image voxmatrix:$VOXMATRIX_ROW-cluster" "run TORCH_VERSION=$VOXMATRIX_ROW scripts/distributed/build-worker-image.sh"
REDIS_PASSWORD=$(password)
read -r first _ <<<"$(addresses)"
COORDINATOR_IP=${COORDINATOR_IP:-$first}
export REDIS_PASSWORD COORDINATOR_IP
[[ $REDIS_PASSWORD =~ ^[A-Za-z0-9_-]+$ ]] || fail 2 "REDIS_PASSWORD has other characters than letters, digits, - and _" "choose another one"

compose up --detach --wait redis flower
cat >&2 <<TEXT

Redis and Flower are running on $COORDINATOR_IP.
  → on every computer that helps: COORDINATOR_IP=$COORDINATOR_IP REDIS_PASSWORD=$REDIS_PASSWORD scripts/distributed/start-worker.sh
  → the workers in a browser: http://$COORDINATOR_IP:5555 (user voxmatrix, the same password)
  → to stop both: docker compose -p voxmatrix-cluster down

TEXT
if [[ -n ${NUM_WORKERS:-} ]]; then
    # Each try waits for a minute, and then says how many there are.
    until compose run --rm coordinator workers --wait "$NUM_WORKERS"; do
        code=$?
        ((code == 8)) || exit "$code"
    done
fi
if (($#)); then
    compose run --rm coordinator book "$@"
fi
