"""`voxmatrix profiles`: listed, exported, imported, removed; damaged and hostile ones."""

import json
from pathlib import Path

import pytest

from tests.machine.measured import RTX_3060, measurement
from voxmatrix.cli import main
from voxmatrix.machine.profile import Profile
from voxmatrix.machine.profile_store import keep, place

NAME = "nvidia-geforce-rtx-3060-12gib"
PROFILE = Profile(device=RTX_3060, measurements=(measurement(),))


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main.run(["profiles", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_nothing_is_listed_where_nothing_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--tune" in said(capsys, "list")
    assert json.loads(said(capsys, "list", "--json")) == {"profiles": [], "findings": []}


def test_what_was_measured_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    keep(PROFILE)
    shown = said(capsys, "list")
    assert f"{NAME}: NVIDIA GeForce RTX 3060" in shown
    assert "medium, fp32: 4 clips of 10 s (torch 2.13.0+cu130, 2026-11-21, 3 batches measured)" in shown
    (row,) = json.loads(said(capsys, "list", "--json"))["profiles"]
    assert row == json.loads(json.dumps({"name": NAME, **PROFILE.to_json()}))


def test_a_damaged_one_is_listed_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    keep(PROFILE)
    place("another-8gib").write_text("{")
    assert main.run(["profiles", "list"]) == 0
    captured = capsys.readouterr()
    assert NAME in captured.out
    assert "another-8gib.json" in captured.err
    (finding,) = json.loads(said(capsys, "list", "--json"))["findings"]
    assert finding["severity"] == "warning"


def test_what_is_exported_is_imported_elsewhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(PROFILE)
    out = tmp_path / "ünter wegs.json"
    assert str(out) in said(capsys, "export", NAME, "--out", str(out))
    assert said(capsys, "export", NAME) == out.read_text(encoding="utf-8")
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "elsewhere"))
    assert f"{NAME}: 1 measurement added" in said(capsys, "import", str(out))
    assert json.loads(said(capsys, "import", str(out), "--json")) == {
        "name": NAME, "path": str(place(NAME)), "added": 0, "replaced": 0, "left": 1,
    }  # fmt: skip
    assert place(NAME).read_bytes() == out.read_bytes()


def test_a_hostile_file_stays_in_the_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    content = PROFILE.to_json() | {"gpu": {"name": "../../../../tmp/显卡", "memory_mib": 8192}}
    (tmp_path / "hostile.json").write_text(json.dumps(content), encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    kept = Path(json.loads(said(capsys, "import", str(tmp_path / "hostile.json"), "--json"))["path"])
    assert kept.is_file()
    assert kept.parent == place(NAME).parent
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"{", "not JSON"),
        (b"[" * 99_999, "not JSON"),
        (b" " * 2_000_000, "larger than"),
        (b'{"format": 1, "x": 2}', "x"),
    ],
)
def test_a_wrong_file_is_bad_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, word: str
) -> None:
    (tmp_path / "wrong.json").write_bytes(content)
    assert word in said(capsys, "import", str(tmp_path / "wrong.json"), code=3)
    assert not place(NAME).parent.exists()


def test_a_file_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "cannot read" in said(capsys, "import", str(tmp_path / "nowhere.json"), code=3)
    assert "cannot read" in said(capsys, "import", str(tmp_path), code=3)


@pytest.mark.parametrize("command", ["export", "remove"])
@pytest.mark.parametrize("name", ["nobody", "../settings", "/etc/passwd"])
def test_a_name_that_is_not_there_is_usage_and_those_that_are_are_named(
    capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    keep(PROFILE)
    assert NAME in said(capsys, command, name, code=2)


def test_an_export_that_cannot_be_written_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    keep(PROFILE)
    (tmp_path / "file").write_text("")
    assert "cannot write" in said(capsys, "export", NAME, "--out", str(tmp_path / "file" / "out.json"), code=8)


def test_a_removed_one_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    keep(PROFILE)
    assert str(place(NAME)) in said(capsys, "remove", NAME)
    assert not place(NAME).exists()
