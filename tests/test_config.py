"""What stands in files of the working directory: .env sets what nobody set, and only what is ours."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voxmatrix.cli import main
from voxmatrix.config import load_dotenv
from voxmatrix.errors import UsageError


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOXMATRIX_")}
    monkeypatch.setattr(os, "environ", {**kept, "VOXMATRIX_BATCH_SIZE": "4"})


def write(folder: Path, text: str) -> None:
    (folder / ".env").write_text(text, encoding="utf-8")


def test_ours_are_set_and_those_of_others_left(tmp_path: Path) -> None:
    ours = "VOXMATRIX_DEVICE=cpu\n# a word\nexport GPU_ID='1'\r\n"
    write(tmp_path, f'\ufeff{ours}DATABASE=secret\n]]]\nVOXMATRIX_PRECISION="fp32" # x\n')
    load_dotenv(tmp_path)
    assert os.environ["VOXMATRIX_DEVICE"] == "cpu"
    assert os.environ["GPU_ID"] == "1"
    assert os.environ["VOXMATRIX_PRECISION"] == "fp32"
    assert "DATABASE" not in os.environ


def test_the_environment_is_stronger(tmp_path: Path) -> None:
    write(tmp_path, "VOXMATRIX_BATCH_SIZE=8\n")
    load_dotenv(tmp_path)
    assert os.environ["VOXMATRIX_BATCH_SIZE"] == "4"


def test_no_file_is_no_trouble(tmp_path: Path) -> None:
    load_dotenv(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A=1\nVOXMATRIX_DEVICE\n", "line 2: the value of VOXMATRIX_DEVICE"),
        (b"VOXMATRIX_DEVICE='cpu\n", "line 1: the value of VOXMATRIX_DEVICE"),
        (b"VOXMATRIX_DEVICE=a\0b\n", "line 1"),
        (b"\xff\xfe=1", "cannot be read"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        load_dotenv(tmp_path)
    assert caught.value.remedy


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_file_is_taken_or_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content + b"\nVOXMATRIX_PORT=7\n")
    try:
        load_dotenv(tmp_path)
    except UsageError as error:
        assert error.problem and error.remedy


def test_a_command_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "VOXMATRIX_PRECISION=fp32\nVIBEVOICE_DEVICE=cpu\n")
    assert main.run(["plan"]) == 0
    said = capsys.readouterr().out
    assert "VIBEVOICE_DEVICE" in said and "VOXMATRIX_PRECISION" in said
