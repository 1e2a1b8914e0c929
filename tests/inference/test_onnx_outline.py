"""A file that is cut off anywhere, or is something else, is told from an ONNX file by its outline."""

from pathlib import Path

import pytest

from tests.kokoro.conftest import write_network
from voxmatrix.errors import DamagedFileError
from voxmatrix.inference.onnx_outline import check_whole


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return write_network(tmp_path / "network.onnx")


def test_a_whole_file_is_accepted(network: Path) -> None:
    check_whole(network)


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_file_is_refused(kept: int, network: Path) -> None:
    network.write_bytes(network.read_bytes()[:kept])
    with pytest.raises(DamagedFileError, match=r"network\.onnx is corrupt"):
        check_whole(network)


@pytest.mark.parametrize("content", [b"\x00" * 64, b"<html></html>", b"\xff" * 64, b"\x08\x07"])
def test_another_file_is_refused(content: bytes, network: Path) -> None:
    network.write_bytes(content)
    with pytest.raises(DamagedFileError):
        check_whole(network)
