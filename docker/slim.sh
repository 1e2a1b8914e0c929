#!/bin/sh
# Remove files that are only needed to compile or test: slim.sh cuda | torch. Must run in the layer that installed them.
# Licences stay, and so do all shared libraries that another file names: which of them a GPU needs is known at runtime.
# /pip is the stage with the program strip.
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)

# Only files whose debug information is large: numpy's OpenBLAS breaks when it is stripped.
strip_debug() {
    for file in "$@"; do
        [ -f "$file" ] || continue
        LD_LIBRARY_PATH=/pip/usr/lib/$(uname -m)-linux-gnu /pip/usr/bin/strip --strip-unneeded "$file"
    done
}

case $1 in
    cuda)
        # Headers, static libraries, CMake and pkg-config files; device code to link with (nvshmem); the disassemblers
        # of triton.
        for folder in "$site/nvidia" "$site/cusparselt" "$site/triton/backends/nvidia/lib"; do
            [ -d "$folder" ] || continue
            find "$folder" -type d \( -name include -o -name cmake -o -name pkgconfig \) -prune -exec rm -rf {} +
            find "$folder" -type f \( -name '*.a' -o -name '*.h' -o -name 'libnvshmem*.bc' \) -delete
            # cuSOLVER for several GPUs, and the alternative compiler of NVRTC: no library names them.
            find "$folder" -type f \( -name 'libcusolverMg.so*' -o -name 'libnvrtc*.alt.so*' \) -delete
        done
        # Sources that Cython compiled.
        if [ -d "$site/cuda" ]; then find "$site/cuda" -type f \( -name '*.pyx*' -o -name '*.pxd*' -o -name '*.pxi*' \) -delete; fi
        rm -f "$site"/triton/backends/nvidia/bin/nvdisasm "$site"/triton/backends/nvidia/bin/cuobjdump
        strip_debug "$site/triton/_C/libtriton.so"
        ;;
    torch)
        rm -rf "$site/torch/include" "$site/torch/test" "$site/torch/share/cmake"
        find "$site/torch/bin" -type f ! -name torch_shm_manager -delete
        find "$site/torch/lib" -type f -name '*.a' -delete
        rm -f "$site"/torch/lib/lib*_test.so
        strip_debug "$site/torch/lib/libtorch_cpu.so" "$site/torch/lib/libtorch_python.so"
        ;;
    *)
        echo "slim.sh: the argument is '$1', must be cuda or torch" >&2
        exit 2
        ;;
esac
