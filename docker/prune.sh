#!/bin/sh
# Remove tests, sources, debug information, and files that no import needs, of some libraries, in the layer that installed
# them. /pip is the stage with the program strip.
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
# Debug information, ten times as large as the code.
for library in fontTools kiwisolver; do
    [ -d "$site/$library" ] || continue
    find "$site/$library" -type f -name '*.so' -print0 |
        LD_LIBRARY_PATH=/pip/usr/lib/$(uname -m)-linux-gnu xargs --null --no-run-if-empty /pip/usr/bin/strip --strip-unneeded
done
