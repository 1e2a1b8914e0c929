"""Pack an image for a computer without a network: `python -m tools.images.bundle ROW`, run by `./run bundle-ROW`.

dist/voxmatrix-VERSION-ROW/ holds the image, its SBOM and licences, `load.sh`, and a checksum for each of them.
"""

import gzip
import hashlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tools import matrix
from tools.images import sbom

OUT = matrix.ROOT / "dist"
SUMS = "SHA256SUMS"
#: Some artifact stores and file systems limit the size of a file (FAT32: 4 GiB).
PART_BYTES = 2_000_000_000
_BLOCK = 1 << 20
_FROM_IMAGE = {
    "sbom.cdx.json": sbom.IN_IMAGE,
    "THIRD-PARTY": "/usr/share/doc/voxmatrix/THIRD-PARTY",
    "GPL-3": "/usr/share/common-licenses/GPL-3",
}
_LOAD = """#!/bin/sh
# Verify the checksums of all files, then load the image into Docker or Podman.
set -eu
cd -- "$(dirname -- "$0")"
sha256sum --check --quiet {sums} || {{
    echo "load.sh: a file is corrupt or missing: copy the folder again" >&2
    exit 9
}}
engine=docker
command -v docker >/dev/null || engine=podman
cat image.tar.gz.* | gzip -dc | "$engine" load
echo "Try it: $engine run --rm --network none {image} doctor"
"""


def bundle(image: str, folder: Path) -> None:
    """Write the bundle to `folder` atomically, replacing an existing one.

    Raises:
        SystemExit: the image does not exist.
    """
    sbom.check_image(image)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".bundle-", dir=folder.parent) as scratch:
        made = Path(scratch, folder.name)
        made.mkdir(mode=0o755)
        save(image, made)
        for name, path in _FROM_IMAGE.items():
            (made / name).write_bytes(sbom.read(image, path))
        shutil.copy(matrix.ROOT / "LICENSE", made)
        (made / "load.sh").write_text(_LOAD.format(sums=SUMS, image=image), encoding="utf-8")
        (made / "load.sh").chmod(0o755)
        (made / SUMS).write_text(checksums(sorted(made.iterdir())), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)


def save(image: str, folder: Path, part_bytes: int = PART_BYTES) -> None:
    """Write the image to image.tar.gz.0000, .0001 … of at most `part_bytes` each. Reproducible, byte for byte."""
    with subprocess.Popen(["docker", "image", "save", image], stdout=subprocess.PIPE) as saving:
        assert saving.stdout is not None
        with _Parts(folder, part_bytes) as parts, gzip.GzipFile("", "wb", 1, parts, mtime=0) as zipped:
            shutil.copyfileobj(saving.stdout, zipped, _BLOCK)
    if saving.returncode:
        raise SystemExit("docker could not save the image; see its output above")


class _Parts:
    """A writable file object that is split into parts of limited size."""

    def __init__(self, folder: Path, part_bytes: int) -> None:
        self._folder = folder
        self._most = part_bytes
        self._number = 0
        self._file = self._path.open("wb")

    @property
    def _path(self) -> Path:
        return self._folder / f"image.tar.gz.{self._number:04}"

    def __enter__(self) -> "_Parts":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, content: bytes) -> int:
        """Write all of `content`, starting new parts as needed."""
        left = memoryview(content)
        while left:
            room = self._most - self._file.tell()
            if not room:
                self._file.close()
                self._number += 1
                self._file = self._path.open("wb")
                room = self._most
            self._file.write(left[:room])
            left = left[room:]
        return len(content)

    def flush(self) -> None:
        """Flush the current part."""
        self._file.flush()


def checksums(paths: Iterable[Path]) -> str:
    """Checksum lines in the format of sha256sum."""
    return "".join(f"{_sha256(path)}  {path.name}\n" for path in paths)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(row: matrix.Row) -> None:
    """Write the bundle of a row and print its folder."""
    version = tomllib.loads((matrix.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    folder = OUT / f"voxmatrix-{version}-{row.name}"
    bundle(row.image, folder)
    sizes = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder.relative_to(matrix.ROOT)}: {sizes / 1e9:.2f} GB; copy the folder and run ./load.sh there")


if __name__ == "__main__":
    main(matrix.rows()[sys.argv[1]])
