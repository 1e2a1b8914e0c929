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
# Sources that were compiled and stubs for type checkers, of this layer only, and the headers to compile against lxml.
/opt/layer.sh new "$site" | grep --extended-regexp '\.(c|cpp|pyx|pyi)$' | tr '\n' '\0' | xargs --null --no-run-if-empty rm
rm -rf "$site/lxml/includes"
# Metrics of the fonts that PostScript printers have; figures are SVG and PNG here.
rm -rf "$site/matplotlib/mpl-data/fonts/afm" "$site/matplotlib/mpl-data/fonts/pdfcorefonts"
# To compile Fortran and C against numpy. The module f2py stays: `from numpy import *`, as scipy does, imports it.
rm -rf "$site/numpy/distutils" "$site/numpy/f2py/src" "$site/numpy/_core/include" "$site/numpy/random/lib" "$site/../../../bin/f2py" "$site/../../../bin/numpy-config"
find "$site/numpy" -type f -name '*.a' -delete
# The decoder of transcripts that needs CUDA, where torch has none.
if [ ! -e "$site/torch/lib/libtorch_cuda.so" ]; then rm -f "$site"/torchaudio/lib/torchaudio_prefixctc*.so; fi
# The same library three times, where there were links.
for copy in libespeak-ng.so libespeak-ng.so.1; do
    cmp --silent "$site/espeakng_loader/$copy" "$site/espeakng_loader/libespeak-ng.so.1.52.0" || continue
    ln --symbolic --force libespeak-ng.so.1.52.0 "$site/espeakng_loader/$copy"
done
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
