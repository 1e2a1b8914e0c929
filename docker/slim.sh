#!/bin/sh
# Remove files that are only needed to compile or test: slim.sh cuda | torch. Must run in the layer that installed them.
# Licences stay, and so do all shared libraries: which of them a GPU needs is known only at runtime.
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
case $1 in
    cuda)
        # Headers, static libraries, CMake and pkg-config files; device code to link with (nvshmem); the disassemblers
        # of triton.
        for folder in "$site/nvidia" "$site/cusparselt" "$site/triton/backends/nvidia/lib"; do
            [ -d "$folder" ] || continue
            find "$folder" -type d \( -name include -o -name cmake -o -name pkgconfig \) -prune -exec rm -rf {} +
            find "$folder" -type f \( -name '*.a' -o -name '*.h' -o -name 'libnvshmem*.bc' \) -delete
        done
        rm -f "$site"/triton/backends/nvidia/bin/nvdisasm "$site"/triton/backends/nvidia/bin/cuobjdump
        ;;
    torch)
        rm -rf "$site/torch/include" "$site/torch/test" "$site/torch/share/cmake"
        find "$site/torch/bin" -type f ! -name torch_shm_manager -delete
        find "$site/torch/lib" -type f -name '*.a' -delete
        ;;
    *)
        echo "slim.sh: the argument is '$1', must be cuda or torch" >&2
        exit 2
        ;;
esac
