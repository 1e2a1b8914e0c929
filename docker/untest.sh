#!/bin/sh
# Removes the tests of libraries that keep them apart from what they do, in the layer that installed them.
# (A file of its own: a change here must not make the layers of gigabytes that use slim.sh anew.)
set -eu

site=$(echo /opt/venv/lib/python3*/site-packages)
rm -rf "$site/onnx/backend/test"
for library in matplotlib mpmath networkx numpy sympy; do
    find "$site/$library" -type d -name tests -prune -exec rm -rf {} +
done
