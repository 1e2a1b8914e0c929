"""Print the SBOM of an image, as CycloneDX 1.6 JSON: `sbom.py ROW > sbom.cdx.json`. Standard library only.

Python packages come from the metadata of the installed distributions, Debian packages from dpkg. It runs in the build,
after the gate, so it lists what is actually installed.
Source: https://cyclonedx.org/docs/1.6/json/ and https://github.com/package-url/purl-spec
"""

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterable
from typing import Any

#: The output format of dpkg-query: tab-separated fields.
_DPKG = "${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n"


def sbom(row: str, version: str, components: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The whole document, reproducible: it has no date and no serial number."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "container",
                "bom-ref": f"voxmatrix:{row}",
                "name": f"voxmatrix:{row}",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": sorted(components, key=lambda component: str(component["bom-ref"])),
    }


def python_components() -> list[dict[str, Any]]:
    """Every project installed for this Python, once."""
    found = {}
    for distribution in importlib.metadata.distributions():
        name, version = distribution.metadata["Name"], distribution.version
        if not name or not version:  # left over from a broken installation
            continue
        plain = re.sub(r"[-_.]+", "-", name).lower()
        found[plain] = _component(f"pkg:pypi/{plain}@{_quoted(version)}", name, version, _licence(distribution))
    return list(found.values())


def debian_components(listing: str) -> list[dict[str, Any]]:
    """The installed packages in the output of dpkg-query."""
    rows = (line.split("\t") for line in listing.splitlines())
    return [
        _component(f"pkg:deb/debian/{_quoted(name)}@{_quoted(version)}?arch={architecture}", name, version, "")
        for name, version, architecture, status in rows
        if status == "installed"
    ]


def installed_debian() -> str:
    """The output of dpkg-query, or "" if there is no dpkg."""
    if shutil.which("dpkg-query") is None:
        return ""
    command = ["dpkg-query", "--show", f"--showformat={_DPKG}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _component(reference: str, name: str, version: str, licence: str) -> dict[str, Any]:
    known: dict[str, Any] = {"licenses": [{"expression": licence}]} if licence else {}
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, **known, "purl": reference}


def _licence(distribution: importlib.metadata.Distribution) -> str:
    """The SPDX expression (PEP 639), or ""; older licence texts and classifiers are not expressions."""
    return distribution.metadata.get("License-Expression") or ""  # type: ignore[attr-defined]  # an email message


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe=".-~:")


def main(row: str) -> None:
    """Print the SBOM of this image."""
    version = importlib.metadata.version("voxmatrix")
    document = sbom(row, version, [*python_components(), *debian_components(installed_debian())])
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
