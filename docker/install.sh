#!/bin/sh
# Installs locked requirements into /opt/venv, with the pip of another stage: no pip stays in the image.
#   install.sh REQUIREMENTS [INDEX]
# Wheels come from /wheelhouse when it holds any, else from INDEX, else from where pip is configured to look.
set -eu

requirements=$1
index=${2:-}

if [ -s /run/secrets/ca ]; then
    export PIP_CERT=/run/secrets/ca
fi
set -- --require-hashes --no-deps --no-build-isolation --requirement "$requirements"
if [ -n "$(find /wheelhouse -maxdepth 1 -name '*.whl' -print -quit 2>/dev/null)" ]; then
    set -- "$@" --no-index --find-links /wheelhouse
elif [ -n "$index" ]; then
    set -- "$@" --index-url "$index"
fi
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    /opt/pip/bin/python -m pip --python /opt/venv/bin/python install "$@"
