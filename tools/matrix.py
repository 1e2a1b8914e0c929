"""The rows of docker/images.toml, and what is derived from them. Standard library only: it runs on a bare machine."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docker" / "images.toml"

CHANNELS = ("stable", "nightly")
STATUSES = ("tested", "build-only")

#: Field → what its text must look like, and how that is said to a person.
_SHAPES = {
    "name": (r"[a-z][a-z0-9-]*", "lower-case letters, digits and dashes"),
    "base": (r"[a-z0-9./:-]+:[A-Za-z0-9._-]+", "NAME:TAG"),
    "base_digest": (r"(sha256:[0-9a-f]{64})?", "sha256: and 64 hexadecimal digits"),
    "python": (r"3\.\d+", "3.MINOR"),
    "torch": (r"\d+\.\d+\.\d+(\.dev\d{8})?", "X.Y.Z, or X.Y.Z.devYYYYMMDD for a nightly"),
    "torchaudio": (r"\d+\.\d+\.\d+(\.dev\d{8})?", "X.Y.Z, or X.Y.Z.devYYYYMMDD for a nightly"),
    "cuda": (r"(\d+\.\d+)?", 'MAJOR.MINOR, or ""'),
    "index": (r"(https://\S+)?", 'an https address, or ""'),
    "oldest_driver": (r"(\d+(\.\d+)*)?", 'a driver version, or ""'),
}


class MatrixError(Exception):
    """A row of the table is wrong; the sentence names the row, the field and the value seen."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One image."""

    name: str
    dockerfile: str
    base: str
    python: str
    channel: str
    torch: str
    torchaudio: str
    cuda: str
    index: str
    capabilities: tuple[str, ...]
    oldest_driver: str
    platforms: tuple[str, ...]
    extras: tuple[str, ...]
    size_mb: int
    status: str
    base_digest: str = ""

    def __post_init__(self) -> None:
        for field, (pattern, words) in _SHAPES.items():
            value = getattr(self, field)
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise MatrixError(f"[{self.name}] {field} is {value!r}, must be {words}")
        for field, known in (("channel", CHANNELS), ("status", STATUSES)):
            if getattr(self, field) not in known:
                raise MatrixError(
                    f"[{self.name}] {field} is {getattr(self, field)!r}, must be one of {', '.join(known)}"
                )
        if (".dev" in self.torch) != (self.channel == "nightly"):
            raise MatrixError(f"[{self.name}] channel is {self.channel!r} but torch is {self.torch!r}")
        if bool(self.capabilities) != bool(self.cuda):
            raise MatrixError(f"[{self.name}] capabilities and cuda must be given together, or neither")
        if type(self.size_mb) is not int or self.size_mb <= 0:
            raise MatrixError(f"[{self.name}] size_mb is {self.size_mb!r}, must be a number of 10^6 bytes")
        for field in ("capabilities", "platforms", "extras"):
            if not isinstance(value := getattr(self, field), tuple):
                raise MatrixError(f"[{self.name}] {field} is {value!r}, must be a list")
        if not self.platforms:
            raise MatrixError(f"[{self.name}] platforms is empty")

    @property
    def image(self) -> str:
        """The name that the tasks give to the built image."""
        return f"voxmatrix:{self.name}"

    @property
    def base_reference(self) -> str:
        """What stands behind FROM."""
        return f"{self.base}@{self.base_digest}" if self.base_digest else self.base

    @property
    def torch_local(self) -> str:
        """The local part of the version of this row's torch: `cpu`, `cu124`."""
        return f"cu{self.cuda.replace('.', '')}" if self.cuda else "cpu"

    @property
    def pins(self) -> str:
        """The locked requirements, from the root of the repository."""
        return f"docker/pins/{self.name}.txt"

    @property
    def wheelhouse(self) -> str:
        """Where wheels are looked for first, from the root of the repository."""
        return f"wheelhouse/{self.name}"


def read(text: str) -> dict[str, Row]:
    """The rows of a table, by name.

    Raises:
        MatrixError: the text is not such a table.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MatrixError(f"not TOML: {error}") from error
    return {name: _row(name, columns) for name, columns in table.items()}


def rows() -> dict[str, Row]:
    """The rows of docker/images.toml."""
    return read(TABLE.read_text(encoding="utf-8"))


def _row(name: str, columns: Any) -> Row:
    if not isinstance(columns, dict):
        raise MatrixError(f"{name} stands outside a row")
    known = {field.name for field in fields(Row)} - {"name"}
    optional = {"base_digest"}
    if unknown := sorted(columns.keys() - known):
        raise MatrixError(f"[{name}] has unknown fields: {', '.join(unknown)}")
    if absent := sorted(known - optional - columns.keys()):
        raise MatrixError(f"[{name}] lacks: {', '.join(absent)}")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in columns.items()}
    return Row(name=name, **values)


@dataclass(frozen=True, kw_only=True)
class Build:
    """What a build takes from the checkout and the machine, and not from the row."""

    version: str
    revision: str = ""
    created: str = ""
    wheelhouse: bool = False
    torch_index: str | None = None
    ca: str = ""
    network: str = "default"


def this_build(row: Row, environment: Mapping[str, str] = os.environ) -> Build:
    """The build that this checkout and this machine make of a row."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    certificates = (environment.get(name, "") for name in ("VOXMATRIX_CA", "PIP_CERT", "SSL_CERT_FILE"))
    return Build(
        version=project["version"],
        revision=_git("rev-parse", "HEAD"),
        created=_git("log", "-1", "--format=%cI"),
        wheelhouse=any((ROOT / row.wheelhouse).glob("*.whl")),
        torch_index=environment.get("VOXMATRIX_TORCH_INDEX"),
        ca=next((path for path in certificates if path and Path(path).is_file()), ""),
        network=environment.get("VOXMATRIX_BUILD_NETWORK", "default"),
    )


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def arguments(row: Row, build: Build) -> dict[str, str]:
    """The build arguments of a row's Dockerfile."""
    index = row.index if build.torch_index is None else build.torch_index
    return {
        "BASE": row.base_reference,
        "ROW": row.name,
        "TORCH": row.torch,
        "TORCH_INDEX": "" if build.wheelhouse else index,
    }


def labels(row: Row, build: Build) -> dict[str, str]:
    """OCI's labels, and ours. What is not known is left out."""
    title = "org.opencontainers.image"
    given = {
        f"{title}.title": "voxmatrix",
        f"{title}.description": f"One voice app, every GPU: the image '{row.name}'",
        f"{title}.version": build.version,
        f"{title}.revision": build.revision,
        f"{title}.created": build.created,
        f"{title}.licenses": "Apache-2.0",
        f"{title}.base.name": row.base,
        f"{title}.base.digest": row.base_digest,
        "voxmatrix.row": row.name,
        "voxmatrix.torch": row.torch,
        "voxmatrix.cuda": row.cuda,
    }
    return {key: value for key, value in given.items() if value}


def command(row: Row, build: Build) -> list[str]:
    """The words that build a row. (No bake file: old bakes know no network, new ones ask before reading a secret.)"""
    flags = {
        "--file": [row.dockerfile],
        "--tag": [row.image],
        "--platform": [",".join(row.platforms)],
        "--network": [build.network],
        "--build-arg": [f"{name}={value}" for name, value in arguments(row, build).items()],
        "--label": [f"{name}={value}" for name, value in labels(row, build).items()],
        "--build-context": [f"wheelhouse={row.wheelhouse}"] if build.wheelhouse else [],
        "--secret": [f"id=ca,src={build.ca}"] if build.ca else [],
    }
    words = [word for flag, values in flags.items() for value in values for word in (flag, value)]
    return ["docker", "buildx", "build", "--load", *words, "."]


def main(words: list[str]) -> int:
    """`list` the rows, or print the `command` that builds one."""
    parser = argparse.ArgumentParser(prog="tools/matrix.py", description="The rows of docker/images.toml.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="the images, one a line")
    listing.add_argument("--json", action="store_true", help="every field of every row")
    building = commands.add_parser("command", help="the line that builds an image from here")
    building.add_argument("row", metavar="ROW")
    asked = parser.parse_args(words)
    try:
        table = rows()
        if asked.command == "list":
            print(_listing(table, as_json=asked.json))
        else:
            row = _chosen(table, asked.row)
            print(shlex.join(command(row, this_build(row))))
    except MatrixError as error:
        print(f"{TABLE.name}: {error}", file=sys.stderr)
        return 2
    return 0


def _listing(table: Mapping[str, Row], *, as_json: bool) -> str:
    if as_json:
        return json.dumps({name: asdict(row) for name, row in table.items()}, indent=2)
    return "\n".join(
        f"{row.name:12} torch {row.torch:10} {f'CUDA {row.cuda}' if row.cuda else 'no CUDA':10} "
        f"Python {row.python}  {row.status}  {row.dockerfile}"
        for row in table.values()
    )


def _chosen(table: Mapping[str, Row], name: str) -> Row:
    if name not in table:
        raise MatrixError(f"no row is called {name}; there are {', '.join(table)}")
    return table[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
