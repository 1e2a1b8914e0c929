"""An image on its way to a computer without a network: in parts, with checksums, loaded by a script."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import matrix
from tools.images import bundle

IMAGE = "voxmatrix-test:bundle"


@given(st.lists(st.binary(max_size=50), max_size=12), st.integers(1, 40))
def test_parts_joined_are_what_was_written_and_none_is_too_large(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], most: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    with bundle._Parts(folder, most) as parts:
        for piece in pieces:
            assert parts.write(piece) == len(piece)
    written = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert b"".join(written) == b"".join(pieces)
    assert all(len(content) <= most for content in written)


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a b").write_bytes(b"one")
    (tmp_path / "SUMS").write_text(bundle.checksums([tmp_path / "a b"]))
    assert subprocess.run(["sha256sum", "--check", "--quiet", "SUMS"], cwd=tmp_path, check=False).returncode == 0


@pytest.mark.docker
def test_an_image_that_is_not_there_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"\./run build-nothing"):
        bundle.bundle("voxmatrix:nothing", tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def image(tmp_path: Path) -> Iterator[str]:
    """A small image that has an SBOM, on the base of the matrix: it has `cat`."""
    base = matrix.rows()["cpu"].base
    if subprocess.run(["docker", "image", "inspect", base], capture_output=True, check=False).returncode:
        pytest.skip(f"the base {base} is not here")
    (tmp_path / "sbom.json").write_text('{"bomFormat": "CycloneDX"}')
    copied = "".join(f"COPY sbom.json {path}\n" for path in bundle._FROM_IMAGE.values())
    (tmp_path / "Dockerfile").write_text(f"FROM {base}\n{copied}")
    subprocess.run(["docker", "build", "--quiet", "--tag", IMAGE, str(tmp_path)], check=True, capture_output=True)
    yield IMAGE
    subprocess.run(["docker", "image", "rm", "--force", IMAGE], check=False, capture_output=True)


@pytest.mark.docker
def test_a_bundle_loads_where_it_is_copied_to_and_damage_is_found(
    image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle.save, "__defaults__", (20_000_000,))
    folder = tmp_path / "dist" / "bundle"
    bundle.bundle(image, folder)
    names = {path.name for path in folder.iterdir()}
    assert {
        "LICENSE",
        "GPL-3",
        "THIRD-PARTY",
        "load.sh",
        "sbom.cdx.json",
        bundle.SUMS,
        "image.tar.gz.0000",
        "image.tar.gz.0001",
    } <= names
    assert (folder / "sbom.cdx.json").read_text() == '{"bomFormat": "CycloneDX"}'

    subprocess.run(["docker", "image", "rm", "--force", image], check=True, capture_output=True)
    done = subprocess.run([str(folder / "load.sh")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode == 0

    with (folder / "image.tar.gz.0001").open("r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    broken = subprocess.run([str(folder / "load.sh")], capture_output=True, text=True, check=False)
    assert broken.returncode == 9 and "copy the folder again" in broken.stderr


def test_the_same_archive_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as file:
        file.addfile(tarfile.TarInfo("layer"))
    program = tmp_path / "docker"
    (tmp_path / "archive").write_bytes(archive.getvalue())
    program.write_text(f"#!/bin/sh\ncat '{tmp_path}/archive'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        bundle.save("any", tmp_path / name)
    first, second = ((tmp_path / name / "image.tar.gz.0000").read_bytes() for name in ("one", "two"))
    assert first == second
