#!/bin/sh
# Remove the test folders of some libraries, in the layer that installed them.
# (Not part of slim.sh: a change here must not rebuild the large layers that use slim.sh.)
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
rm -rf "$site/onnx/backend/test"
for library in matplotlib mpmath networkx numpy sympy; do
    find "$site/$library" -type d -name tests -prune -exec rm -rf {} +
done
