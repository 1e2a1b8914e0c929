"""Print the SBOM of an image, as CycloneDX 1.6 JSON: `sbom.py ROW [FOLDER …] > sbom.cdx.json`. Standard library only.

Python packages come from the metadata of installed distributions, also of those in FOLDER, Debian packages from dpkg,
and programs inside Python packages from these. It runs in the build, after the gate, so it lists what is actually
installed. A Python package has the hash of the file that it was installed from, a program that of its own file, and
Debian's packages none: dpkg keeps none. `sbom.py --notice` prints the notice of programs under the GPL, with where
their source is.
Source: https://cyclonedx.org/docs/1.6/json/ and https://github.com/package-url/purl-spec
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The output format of dpkg-query: tab-separated fields.
_DPKG = "${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n"
#: Where Debian keeps the licence of each package.
_COPYRIGHTS = Path("/usr/share/doc")
#: What docker/install.sh notes: name, version and SHA-256 of every file that was installed.
_HASHES = Path("/opt/voxmatrix/hashes.txt")
_GPL = "GPL-3.0-or-later"
#: Of voxmatrix, torch, and ffmpeg and espeak-ng.
LICENCES = f"Apache-2.0 AND BSD-3-Clause AND {_GPL}"


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program under the GPL inside a Python package."""

    name: str
    version: str  # of its release, as in advisories
    build: str  # what it says of itself
    package: str
    cpe: str  # the vendor and product of CPE 2.3
    source: str
    built_by: str
    sha256: str  # of its file


def programs() -> list[Program]:
    """Those that are installed."""
    found = []
    for path in _files("imageio_ffmpeg", "binaries/ffmpeg-*"):
        said = subprocess.run([str(path), "-version"], capture_output=True, text=True, check=True).stdout
        build = said.split()[2]
        release = re.search(r"\d+(\.\d+)+", build)
        found.append(
            Program(
                name="ffmpeg",
                version=release[0] if release else build,
                build=f"{build}, with x264, x265 and other libraries; `ffmpeg -version` and `-buildconf` name them",
                package="imageio-ffmpeg",
                cpe="ffmpeg:ffmpeg",
                source="https://ffmpeg.org/download.html (the release or commit in its version)",
                built_by="https://github.com/BtbN/FFmpeg-Builds (with the source of each library)",
                sha256=_sha256(path),
            )
        )
    for path in _files("espeakng_loader", "libespeak-ng.so.*.*.*"):
        version = path.name.partition(".so.")[2]
        found.append(
            Program(
                name="espeak-ng",
                version=version,
                build=f"{version}, a library with its data; it runs in a process of its own",
                package="espeakng-loader",
                cpe="espeak-ng:espeak-ng",
                source=f"https://github.com/espeak-ng/espeak-ng (tag {version})",
                built_by="https://github.com/thewh1teagle/espeakng-loader",
                sha256=_sha256(path),
            )
        )
    return found


def _files(module: str, pattern: str) -> list[Path]:
    spec = importlib.util.find_spec(module)
    folders = spec.submodule_search_locations if spec else None
    return sorted(path for path in Path(folders[0]).glob(pattern) if path.is_file()) if folders else []


def program_components(found: Iterable[Program]) -> list[dict[str, Any]]:
    """The programs, as scanners for vulnerabilities know them."""
    return [
        {
            **_component(f"pkg:generic/{program.name}@{_quoted(program.version)}", program.name, program.version, _GPL),
            "hashes": _sha256_of(program.sha256),
            "cpe": f"cpe:2.3:a:{program.cpe}:{program.version}:*:*:*:*:*:*:*",
            "externalReferences": [{"type": "source-distribution", "url": program.source.split()[0]}],
        }
        for program in found
    ]


_NOTICE = """\
voxmatrix has the licence Apache-2.0. This image also contains software of others, each under its own licence:
/opt/voxmatrix/sbom.cdx.json lists all of it. The licences of Python packages are in their .dist-info folders in
/opt/venv/lib/python3*/site-packages (with CUDA: also NVIDIA's terms), those of Debian packages in /usr/share/doc.

These programs are under the GNU General Public License, version 3 or later; its text is
/usr/share/common-licenses/GPL-3 (GPL-3 beside this file in a bundle):
"""
_OFFER = """
Their source, and the scripts that built them, are at the addresses above. Whoever passes this image on must pass on
this notice and the source as well. For three years from the date in its label org.opencontainers.image.created, the
publisher of this image gives the complete corresponding source to anybody who asks, on a medium customarily used for
software interchange, for no more than the cost of doing so: ask at the address in its label
org.opencontainers.image.source.
"""


def notice(found: Iterable[Program]) -> str:
    """What an image says of the programs under the GPL in it, with the offer of their source."""
    entries = [
        f"\n{program.name} {program.build}\n    from the package {program.package}, built by {program.built_by}\n"
        f"    source: {program.source}\n"
        for program in found
    ]
    return _NOTICE + "".join(entries) + _OFFER


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
                "licenses": [{"expression": LICENCES}],
            }
        },
        "components": sorted(components, key=lambda component: str(component["bom-ref"])),
    }


def file_hashes(text: str) -> dict[tuple[str, str], str]:
    """The SHA-256 of the file that each version of a project was installed from, by its plain name."""
    lines = (line.split() for line in text.splitlines())
    return {(_plain(name), version): digest for name, version, digest in lines}


def python_components(
    folders: Iterable[str] = (), hashes: Mapping[tuple[str, str], str] | None = None
) -> list[dict[str, Any]]:
    """Every project installed for this Python and in these folders, each version once."""
    found = {}
    for distribution in importlib.metadata.distributions(path=[*sys.path, *folders]):
        name, version = distribution.metadata["Name"], distribution.version
        if not name or not version:  # left over from a broken installation
            continue
        plain = _plain(name)
        expression, names = _licences(distribution)
        component = _component(f"pkg:pypi/{plain}@{_quoted(version)}", name, version, expression, names)
        digest = (hashes or {}).get((plain, version))
        found[plain, version] = component | ({"hashes": _sha256_of(digest)} if digest else {})
    return list(found.values())


def debian_components(listing: str) -> list[dict[str, Any]]:
    """The installed packages in the output of dpkg-query."""
    rows = (line.split("\t") for line in listing.splitlines())
    return [
        _component(
            f"pkg:deb/debian/{_quoted(name)}@{_quoted(version)}?arch={architecture}",
            name,
            version,
            names=_debian_licences(name),
        )
        for name, version, architecture, status in rows
        if status == "installed"
    ]


def installed_debian() -> str:
    """The output of dpkg-query, or "" if there is no dpkg."""
    if shutil.which("dpkg-query") is None:
        return ""
    command = ["dpkg-query", "--show", f"--showformat={_DPKG}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _debian_licences(package: str) -> list[str]:
    """The names of the licences in Debian's machine-readable copyright file, or where the licence is to be read."""
    path = _COPYRIGHTS / package / "copyright"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    names = [name.strip() for name in re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE)]
    return list(dict.fromkeys(names)) or [f"see {path}"]


def _component(
    reference: str, name: str, version: str, expression: str = "", names: Iterable[str] = ()
) -> dict[str, Any]:
    licences: list[dict[str, Any]] = [{"license": {"name": known}} for known in names]
    known: dict[str, Any] = {"licenses": [{"expression": expression}] if expression else licences}
    known = known if known["licenses"] else {}
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, **known, "purl": reference}


_MAX_NAME = 60


def _licences(distribution: importlib.metadata.Distribution) -> tuple[str, list[str]]:
    """The SPDX expression (PEP 639) or, of older packages, names of licences: classifiers, else a short text."""
    metadata: Any = distribution.metadata  # an email message
    if expression := metadata.get("License-Expression"):
        return expression, []
    classified = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or [] if "License ::" in line]
    text = (metadata.get("License") or "").strip()
    written = [text] if text and len(text) <= _MAX_NAME and "\n" not in text else []
    filed = [f"see {name}" for name in metadata.get_all("License-File") or []][:1]
    return "", classified or written or filed


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_of(digest: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": digest}]


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe=".-~:")


def main(row: str, *folders: str) -> None:
    """Print the SBOM of this image, or its notice."""
    if row == "--notice":
        sys.stdout.write(notice(programs()))
        return
    version = importlib.metadata.version("voxmatrix")
    hashes = file_hashes(_HASHES.read_text(encoding="utf-8")) if _HASHES.exists() else {}
    python = python_components(folders, hashes)
    components = [*python, *debian_components(installed_debian()), *program_components(programs())]
    document = sbom(row, version, components)
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
