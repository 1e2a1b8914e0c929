#!/bin/sh
# Removes what only compiling or testing needs: slim.sh cuda | torch. In the layer that installed it, or nothing is won.
# Licences stay, and every shared library stays: which of them a GPU asks for is known only on that GPU.
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
case $1 in
    cuda)
        # Headers, static libraries, CMake's and pkg-config's files; code to link into code for GPUs (nvshmem's); of triton
        # the programs that print machine code.
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
        echo "slim.sh: $1 is neither cuda nor torch" >&2
        exit 2
        ;;
esac
