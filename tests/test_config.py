"""What stands in files of the working directory: .env sets what nobody set, and only what is ours."""

import json
import os
import re
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voxmatrix.cli import main
from voxmatrix.cli.parameters.unknown import unknown_names
from voxmatrix.config import load_dotenv
from voxmatrix.errors import UsageError

MACHINES = Path(__file__).parent / "machines"


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    assert main.run(["plan", "--json"]) == 0
    said = capsys.readouterr().out
    assert "VIBEVOICE_DEVICE" in said and "VOXMATRIX_PRECISION in .env" in said
    assert json.loads(said)["settings"]["precision"]["source"] == ".env"


def test_unknown_variables_and_keys_are_warned_about_with_the_nearest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "VOXMATRIX_PRECISON", "fp32")
    monkeypatch.setitem(os.environ, "VOXMATRIX_NEW_KEY", "1")
    write(tmp_path, "VOXMATRIX_BATCHSIZE=4\nPRECISON=mine\n")
    (tmp_path / "voxmatrix.toml").write_text('batch-size = 4\nqwertz = 1\nprecision = "fp32"\n', encoding="utf-8")
    assert main.run(["devices", "--machine", str(MACHINES / "no-gpu.json"), "--json"]) == 0
    shown = capsys.readouterr()
    json.loads(shown.out)
    assert shown.err.splitlines() == [
        "warning: VOXMATRIX_BATCHSIZE in .env is not a setting; it is ignored",
        "  → did you mean VOXMATRIX_BATCH_SIZE?",
        "warning: VOXMATRIX_NEW_KEY is ignored: that is set on the command line only",
        "  → give --new-key",
        "warning: VOXMATRIX_PRECISON is not a setting; it is ignored",
        "  → did you mean VOXMATRIX_PRECISION?",
        "warning: batch-size in voxmatrix.toml is not a setting; it is ignored",
        "  → did you mean batch_size?",
        "warning: qwertz in voxmatrix.toml is not a setting; it is ignored",
        "  → remove it; `voxmatrix COMMAND --help` lists the settings",
    ]


def test_every_variable_named_in_the_repository_is_known() -> None:
    root = MACHINES.parents[1]
    files = [
        *(
            path
            for folder in ("app", "entrypoint", "docker", "tools")
            for path in (root / folder).rglob("*.*")
            if path.suffix != ".pyc"
        ),
        *(*root.glob("Dockerfile*"), *root.glob("*.md"), *root.glob("*.py"), *(root / "docs").glob("*.md")),
    ]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file()]
    named = {name for text in texts for name in re.findall(r"\bVOXMATRIX_[A-Z_]*[A-Z]\b", text)}
    assert len(named) > 15
    assert [finding.problem for finding in unknown_names(typer.main.get_command(main.cli), named, ())] == []
