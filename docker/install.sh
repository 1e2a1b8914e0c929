#!/bin/bash
# Install locked requirements into VENV (/opt/venv) with the pip of another stage, so that the image itself has no pip.
#   install.sh REQUIREMENTS [INDEX [INSTEAD]]
#   install.sh --download REQUIREMENTS FOLDER      only download the files, verified by hash
# Wheels come from /wheelhouse if it has any, else from INDEX, else from pip's default index.
# INSTEAD is the stable row to suggest when a nightly is gone.
set -euo pipefail

do=(install --no-compile)
if [[ $1 == --download ]]; then
    do=(download --dest "$3")
    set -- "$2"
    export FLASH_ATTENTION_SKIP_CUDA_BUILD=TRUE # pip runs setup.py to get the name and version
fi
requirements=$1
index=${2:-}
instead=${3:-}

[[ -s $requirements ]] || exit 0 # a torch without CUDA needs no CUDA libraries
if [[ -s /run/secrets/ca ]]; then
    export PIP_CERT=/run/secrets/ca
fi
words=(--require-hashes --no-deps --no-build-isolation --requirement "$requirements")
if compgen -G '/wheelhouse/*.whl' >/dev/null; then
    words+=(--no-index --find-links /wheelhouse)
elif [[ -n $index ]]; then
    words+=(--index-url "$index")
fi
log=$(mktemp)
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    /opt/pip/bin/python -m pip --python "${VENV:-/opt/venv}/bin/python" "${do[@]}" "${words[@]}" 2>&1 | tee "$log" || {
    code=$?
    if [[ -n $instead ]] && grep -qE 'No matching distribution found|DO NOT MATCH THE HASHES' "$log"; then
        printf '\n%s is gone from the index: nightlies vanish after some weeks. Use the stable row %s: ./run build-%s\n' \
            "$(grep -oE '^[a-z0-9._-]+==[^ ]+' "$requirements" | head -n 1)" "$instead" "$instead" >&2
    fi
    exit "$code"
}
rm -f "$log"
