#!/bin/sh
# Remove tests, and files that no import needs, of some libraries, in the layer that installed them.
# (Not part of slim.sh: a change here must not rebuild the large layers that use slim.sh.)
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
rm -rf "$site/onnx/backend/test"
for library in contourpy fontTools google grpc kiwisolver matplotlib mpmath networkx numpy soxr sympy tensorboard torchmetrics; do
    [ -d "$site/$library" ] || continue
    find "$site/$library" -type d -name tests -prune -exec rm -rf {} +
done
# The library for C programs: the Python module has its own copy.
rm -f "$site"/onnxruntime/capi/libonnxruntime.so.*
# TensorBoard's faster reader of logs: it reads them itself without.
rm -f "$site/tensorboard_data_server/bin/server"
