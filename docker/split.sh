#!/bin/sh
# Splits locked requirements by layer: split.sh ALL FOLDER writes cuda.txt, torch.txt and setuptools.txt there.
# CUDA's libraries (and triton) are gigabytes that change with torch only; setuptools builds what is on no index as a wheel.
set -eu

take() {
    sed -nE "/^($1)==/,/[^\\\\]\$/p" "$all"
}

all=$1
folder=$2
take 'nvidia-ml-py' >"$folder/nvml.txt" # looks like one of CUDA's, and is the app's
take 'nvidia-[a-z0-9-]+|cuda-[a-z0-9-]+|triton' | grep -vxFf "$folder/nvml.txt" >"$folder/cuda.txt" || true
rm "$folder/nvml.txt"
for first in torch setuptools; do take "$first" >"$folder/$first.txt"; done
