"""The list of what is in an image: valid CycloneDX, complete, and the same for the same image."""

import email
import importlib.metadata
import json
import runpy
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).parent.parent.parent / "docker" / "sbom.py"
MODULE = runpy.run_path(str(SCRIPT))


def wrong(document: dict[str, Any]) -> object:
    from cyclonedx.schema import SchemaVersion  # seconds, for grammars
    from cyclonedx.validation.json import JsonStrictValidator

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


def test_programs_inside_python_packages_are_listed_with_their_licence_and_where_scanners_look_them_up() -> None:
    found = MODULE["programs"]()
    assert {program.name for program in found} == {"ffmpeg", "espeak-ng"}
    components = MODULE["program_components"](found)
    assert wrong(MODULE["sbom"]("cpu", "1", components)) is None
    for component in components:
        assert component["licenses"] == [{"expression": "GPL-3.0-or-later"}]
        assert component["cpe"].startswith(f"cpe:2.3:a:{component['name']}:{component['name']}:{component['version']}:")


def test_a_python_package_has_the_hash_of_the_file_it_came_from_and_a_program_its_own() -> None:
    version = importlib.metadata.version("numpy")
    hashes = MODULE["file_hashes"](f"NumPy {version} {'a' * 64}\ntypeguard_x 1 {'b' * 64}\n")
    assert hashes["typeguard-x", "1"] == "b" * 64
    found = {one["name"]: one for one in MODULE["python_components"](hashes=hashes)}
    assert found["numpy"]["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]
    assert "hashes" not in found["pytest"]  # nothing is invented for what was not noted
    programs = MODULE["program_components"](MODULE["programs"]())
    assert all(len(one["hashes"][0]["content"]) == 64 for one in programs)
    assert wrong(MODULE["sbom"]("cpu", "1", [*found.values(), *programs])) is None


def test_the_notice_names_the_programs_their_source_and_the_offer() -> None:
    said = subprocess.run([sys.executable, str(SCRIPT), "--notice"], capture_output=True, text=True, check=True).stdout
    for program in MODULE["programs"]():
        assert f"{program.name} {program.build.split()[0]}" in said
        assert program.source in said
    assert "GPL-3" in said and "three years" in said


def test_older_ways_to_name_a_licence_are_read() -> None:
    for lines, expected in (
        (["License-Expression: MIT"], ("MIT", [])),
        (["Classifier: License :: OSI Approved :: BSD License", "License: long"], ("", ["BSD License"])),
        (["License: Apache-2.0"], ("", ["Apache-2.0"])),
        (["License-File: COPYING"], ("", ["see COPYING"])),
        ([], ("", [])),
    ):
        metadata = email.message_from_string("\n".join(lines))
        assert MODULE["_licences"](types.SimpleNamespace(metadata=metadata)) == expected


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
