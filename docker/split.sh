#!/bin/sh
# Split locked requirements into files: split.sh ALL FOLDER.
#   for an image      cuda.txt, torch.txt and setuptools.txt, which get separate steps. CUDA's libraries (and triton,
#                     which for ROCm and XPU only torch's index has) are gigabytes that change only with torch; setuptools builds what has no wheel
#   for flash-attn    source.txt (the source), run.txt (needed at runtime) and compile.txt (needed only to compile)
set -eu

all=$1
folder=$2

take() {
    sed -nE "/^($1)==/,/[^\\\\]\$/p" "$all"
}

mkdir -p "$folder"
if grep -q '^flash-attn==' "$all"; then
    take 'flash-attn' >"$folder/source.txt"
    take 'einops' >"$folder/run.txt"
    cat "$folder/source.txt" "$folder/run.txt" >"$folder/.taken"
    grep -vxFf "$folder/.taken" "$all" >"$folder/compile.txt"
    rm "$folder/.taken"
    exit 0
fi
take 'nvidia-ml-py' >"$folder/nvml.txt" # named like a CUDA library, but a requirement of the app
take 'nvidia-[a-z0-9-]+|cuda-[a-z0-9-]+|triton(-rocm|-xpu)?' | grep -vxFf "$folder/nvml.txt" >"$folder/cuda.txt" || true
rm "$folder/nvml.txt"
for first in torch setuptools; do take "$first" >"$folder/$first.txt"; done
