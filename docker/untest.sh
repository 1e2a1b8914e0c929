#!/bin/sh
# Remove tests, sources, and files that no import needs, of some libraries, in the layer that installed them.
# (Not part of slim.sh: a change here must not rebuild the large layers that use slim.sh.)
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
rm -rf "$site/onnx/backend/test"
for library in contourpy fontTools google grpc kiwisolver matplotlib mpmath networkx numpy soxr sympy tensorboard torchmetrics; do
    [ -d "$site/$library" ] || continue
    find "$site/$library" -type d -name tests -prune -exec rm -rf {} +
done
# Sources that were compiled, of this layer only, and the headers to compile against lxml.
/opt/layer.sh new "$site" | grep --extended-regexp '\.(c|cpp|pyx)$' | tr '\n' '\0' | xargs --null --no-run-if-empty rm
rm -rf "$site/lxml/includes"
# Metrics of the fonts that PostScript printers have; figures are SVG and PNG here.
rm -rf "$site/matplotlib/mpl-data/fonts/afm" "$site/matplotlib/mpl-data/fonts/pdfcorefonts"
# The library for C programs: the Python module has its own copy.
rm -f "$site"/onnxruntime/capi/libonnxruntime.so.*
# TensorBoard's faster reader of logs: it reads them itself without.
rm -f "$site/tensorboard_data_server/bin/server"
