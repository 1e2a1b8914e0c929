#!/bin/bash
# Install locked requirements into VENV (/opt/venv) with the pip of another stage, so that the image itself has no pip.
#   install.sh REQUIREMENTS [INDEX [INSTEAD]]
#   install.sh --download REQUIREMENTS FOLDER      only download the files, verified by hash
# Wheels come from /wheelhouse if it has any, else from INDEX, else from pip's default index.
# INSTEAD is the stable row to suggest when a nightly is gone.
# What was installed, with the hash of the file that it came from, is added to /opt/voxmatrix/hashes.txt, for the SBOM.
set -euo pipefail

log=$(mktemp)
report=$(mktemp)
trap 'rm -f -- "$log" "$report"' EXIT
do=(install --no-compile --report "$report")
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
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
    /opt/pip/bin/python -m pip --python "${VENV:-/opt/venv}/bin/python" "${do[@]}" "${words[@]}" 2>&1 | tee "$log" || {
    code=$?
    if [[ -n $instead ]] && grep -qE 'No matching distribution found|DO NOT MATCH THE HASHES' "$log"; then
        printf '\n%s is gone from the index: nightlies vanish after some weeks. Use the stable row %s: ./run build-%s\n' \
            "$(grep -oE '^[a-z0-9._-]+==[^ ]+' "$requirements" | head -n 1)" "$instead" "$instead" >&2
    fi
    exit "$code"
}
[[ -s $report ]] || exit 0
mkdir -p /opt/voxmatrix
/opt/pip/bin/python - "$report" >>/opt/voxmatrix/hashes.txt <<'PYTHON'
import json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    installed = json.load(file)["install"]
for one in sorted(installed, key=lambda one: one["metadata"]["name"].lower()):
    archive = one["download_info"]["archive_info"]
    digest = archive.get("hashes", {}).get("sha256") or archive["hash"].removeprefix("sha256=")
    print(one["metadata"]["name"], one["metadata"]["version"], digest)
PYTHON
