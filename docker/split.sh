#!/bin/sh
# Splits locked requirements by what becomes of them: split.sh ALL FOLDER.
#   an image's        cuda.txt, torch.txt and setuptools.txt: layers of their own. CUDA's libraries (and triton) are gigabytes
#                     that change with torch only; setuptools builds what is on no index as a wheel
#   flash-attn's      source.txt, what it needs where it runs (run.txt), and what only compiling needs (compile.txt)
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
take 'nvidia-ml-py' >"$folder/nvml.txt" # looks like one of CUDA's, and is the app's
take 'nvidia-[a-z0-9-]+|cuda-[a-z0-9-]+|triton' | grep -vxFf "$folder/nvml.txt" >"$folder/cuda.txt" || true
rm "$folder/nvml.txt"
for first in torch setuptools; do take "$first" >"$folder/$first.txt"; done
