#!/bin/bash
# Build the image of a cluster's computers: workers, and the coordinator with Redis and Flower.
#
#   TORCH_VERSION=cpu scripts/distributed/build-worker-image.sh
#
# TORCH_VERSION   cpu, cuda124 (the CUDA version of torch; others are served by the row for their drivers) or a row of
#                 docker/images.toml; default: what `python3 tools/matrix.py recommend` recommends for this computer
set -euo pipefail

cd -- "$(dirname -- "$0")/../.."
row=$(python3 tools/matrix.py row "${TORCH_VERSION:-}")
./run "build-$row" "cluster-$row"
printf '\nvoxmatrix:%s-cluster is ready\n  → next: COORDINATOR_IP=… REDIS_PASSWORD=… TORCH_VERSION=%s scripts/distributed/start-worker.sh\n' "$row" "$row"
