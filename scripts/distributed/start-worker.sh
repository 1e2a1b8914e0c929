#!/bin/bash
# Start a worker of a cluster, in a container that starts again with this computer.
#
#   COORDINATOR_IP=192.168.1.10 REDIS_PASSWORD=… scripts/distributed/start-worker.sh
#   GPU_ID=1 WORKER_ID=left COORDINATOR_IP=192.168.1.10 REDIS_PASSWORD=… scripts/distributed/start-worker.sh
#
# COORDINATOR_IP, REDIS_PASSWORD, or REDIS_URL   where Redis is; start-coordinator.sh prints what to type
# GPU_ID                   the number of a GPU (default: one worker for each GPU)
# USE_GPU                  auto (default), yes, or no; yes without a GPU is a warning, and the CPU is used
# CUDA_VISIBLE_DEVICES     "" for the CPU, or numbers of GPUs
# WORKER_ID                the name of the worker (default: the host name, and the number of the GPU)
# TORCH_VERSION            cpu, cuda124 or a row: which image (default: the one recommended for this computer)
# DOCKER_NETWORK           a network of Docker (default: Docker's own)
# Arguments are options of `voxmatrix worker`.
set -euo pipefail

root=$(cd -- "$(dirname -- "$0")/../.." && pwd)

fail() {
    printf 'start-worker: %s\n  → %s\n' "$2" "$3" >&2
    exit "$1"
}

[[ -n ${REDIS_URL:-}${COORDINATOR_IP:-} ]] ||
    fail 2 "neither COORDINATOR_IP nor REDIS_URL is set" "run scripts/distributed/start-coordinator.sh on the coordinator; it prints what to type here"
row=$(python3 "$root/tools/matrix.py" row "${TORCH_VERSION:-}")
image=voxmatrix:$row-cluster
docker image inspect "$image" >/dev/null 2>&1 ||
    fail 7 "there is no image $image" "run TORCH_VERSION=$row scripts/distributed/build-worker-image.sh"

gpus=${GPU_ID:-${CUDA_VISIBLE_DEVICES:-}}
name=${WORKER_ID:-$(hostname)${GPU_ID:+-gpu$GPU_ID}}
container=voxmatrix-worker-$name
flags=(--network "${DOCKER_NETWORK:-bridge}" --hostname "${name//[^A-Za-z0-9-]/-}" --env "WORKER_ID=$name")
for variable in COORDINATOR_IP REDIS_PASSWORD REDIS_URL; do
    if [[ -n ${!variable:-} ]]; then flags+=(--env "$variable"); fi # its value is not in the list of processes
done
if [[ ${USE_GPU:-auto} == no || ${CUDA_VISIBLE_DEVICES-unset} == "" ]]; then
    flags+=(--env USE_GPU=no)
elif [[ -e /dev/kfd && $row == rocm ]]; then
    flags+=(--device /dev/kfd --device /dev/dri --env "USE_GPU=${USE_GPU:-auto}" --env "GPU_ID=${GPU_ID:-}")
elif [[ -d /dev/dri && $row == xpu ]]; then
    flags+=(--device /dev/dri --env "USE_GPU=${USE_GPU:-auto}" --env "GPU_ID=${GPU_ID:-}")
elif command -v nvidia-smi >/dev/null && [[ $row != cpu ]]; then
    # In the container, the chosen GPU is the only one.
    if [[ -n $gpus ]]; then gpus="\"device=$gpus\""; fi
    flags+=(--gpus "${gpus:-all}" --env "USE_GPU=${USE_GPU:-auto}")
else
    flags+=(--env "USE_GPU=${USE_GPU:-auto}")
fi

if [[ $(docker container inspect --format '{{.State.Running}}' "$container" 2>/dev/null) == true ]]; then
    fail 2 "a worker $name is already running here" "stop it with docker stop $container, or choose another WORKER_ID"
fi
docker rm --force "$container" >/dev/null 2>&1 || true
# shellcheck disable=SC2016 # the container's shell fills in WORKER_ID
# Like `stop_grace_period` in docker/cluster.yaml.
docker run --detach --name "$container" --restart unless-stopped --stop-timeout 60 "${flags[@]}" \
    --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --volume voxmatrix-voices:/data \
    --health-cmd 'voxmatrix workers "$WORKER_ID"' --health-interval 60s --health-timeout 20s --health-start-period 60s \
    "$image" worker "$@" >/dev/null
if ! docker exec "$container" voxmatrix workers "$name" --wait 1; then
    docker logs --tail 20 "$container" >&2
    fail 8 "the worker $name does not answer" "read its log above; docker rm --force $container removes it"
fi
printf '\n  → its log: docker logs --follow %s\n  → to stop it: docker stop %s\n' "$container" "$container"
