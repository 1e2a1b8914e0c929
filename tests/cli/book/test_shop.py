"""`voxmatrix book --target acx`, and `voxmatrix book check`."""

import json
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.cli import main

pytestmark = pytest.mark.usefixtures("forked_programs")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    Path("book.md").write_text("# One\n\nIt begins. It goes on.\n\n# Two\n\nIt ends.\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main.run(["book", *words, "--json"])
    return code, dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


@pytest.mark.slow
def test_a_shop_takes_the_book_that_is_made_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    target = ("--target", "acx", "--title", "A Book", "--narrator", "Ann", "--closing-credits", "")
    code, made = run(capsys, "book.md", "--out", "B", *target)
    assert code == 0 and made["shop"]["refused"] == []
    names = ["00 Opening credits.mp3", "01 One.mp3", "02 Two.mp3"]
    assert [Path(path).name for path in made["out"]] == [*names, "A Book.m3u8"]
    manifest = json.loads(Path("B.manifest.json").read_text(encoding="utf-8"))
    assert [unit["text"] for unit in manifest["units"]][:2] == ["A Book.", "Narrated by Ann."]
    assert manifest["shop"] == made["shop"] and [one["file"] for one in manifest["shop"]["files"]] == names
    code, checked = run(capsys, "check", "B", "--target", "acx")
    assert code == 0 and checked == {**made["shop"], "missing": ["closing credits", "retail sample"]}
    code, other = run(capsys, "book.md", "--out", "B", "--force", *target[:-1], "All said.")
    assert code == 0 and other["spoken"] == 1


@pytest.mark.slow
def test_what_a_shop_would_refuse_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "book.md", "--out", "B.mp3")[0] == 0
    code, checked = run(capsys, "check", "B/01 One.mp3")
    assert code == 3 and {"bit-rate", "sample-rate", "head"} <= {one["what"] for one in checked["refused"]}
    assert main.run(["book", "check", "B"]) == 3
    shown = capsys.readouterr()
    assert "01 One.mp3" in shown.out and "its sample rate is" in shown.err
    assert "ACX would refuse 2 of 2 files" in shown.err


@pytest.mark.parametrize(
    ("words", "problem", "remedy"),
    [
        (("--target", "acme"), "the target 'acme' is unknown", "choose one of: acx"),
        (("--target", "acx", "--out", "B.m4b"), "ACX takes no .m4b files", "--out B.mp3"),
        (("--target", "acx", "--bitrate", "96k"), "ACX takes 192k or more", "--bitrate 192k"),
        (("--opening-credits", "Hello."), "there are credits", "--target acx"),
    ],
)
def test_what_does_not_fit_the_target_is_refused_at_once(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str, remedy: str
) -> None:
    code, error = run(capsys, "book.md", *words)
    assert code == 2 and problem in error["problem"] and remedy in error["remedy"]
