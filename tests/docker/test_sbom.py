"""The list of what is in an image: valid CycloneDX, complete, and the same for the same image."""

import importlib.metadata
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).parent.parent.parent / "docker" / "sbom.py"
MODULE = runpy.run_path(str(SCRIPT))


def wrong(document: dict[str, Any]) -> object:
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document))


def test_the_list_of_this_environment_is_valid_and_names_what_is_installed() -> None:
    said = subprocess.run([sys.executable, str(SCRIPT), "cpu"], capture_output=True, text=True, check=True)
    document = json.loads(said.stdout)
    assert wrong(document) is None
    references = [component["purl"] for component in document["components"]]
    assert f"pkg:pypi/numpy@{importlib.metadata.version('numpy')}" in references
    assert len(references) == len(set(references)) > 20
    assert document["metadata"]["component"]["name"] == "voxmatrix:cpu"
    again = subprocess.run([sys.executable, str(SCRIPT), "cpu"], capture_output=True, text=True, check=True)
    assert again.stdout == said.stdout


def test_debians_packages_have_their_architecture_and_only_installed_ones_count() -> None:
    listing = (
        "libc6\t2.36-9+deb12u10\tamd64\tinstalled\nold\t1\tall\tconfig-files\nespeak-ng\t1:1.51~x\tamd64\tinstalled\n"
    )
    found = MODULE["debian_components"](listing)
    assert [component["purl"] for component in found] == [
        "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64",
        "pkg:deb/debian/espeak-ng@1:1.51~x?arch=amd64",
    ]
    assert wrong(MODULE["sbom"]("cpu", "1", found)) is None


def test_an_image_without_dpkg_has_no_debian_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert MODULE["debian_components"](MODULE["installed_debian"]()) == []


@given(st.text(alphabet=st.characters(blacklist_characters="\t\n\r", codec="utf-8"), min_size=1, max_size=20))
def test_any_version_becomes_a_valid_reference(version: str) -> None:
    if "\t" in version or len(f"x{version}x".splitlines()) != 1:
        return
    found = MODULE["debian_components"](f"a\t{version}\tall\tinstalled")
    assert found[0]["purl"].isascii() and " " not in found[0]["purl"]
