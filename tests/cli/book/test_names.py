"""`voxmatrix book names` lists what a voice may say wrong."""

import json
from pathlib import Path

import pytest

from voxmatrix.cli import main
from voxmatrix.text.lexicon_file import read_lexicon

BOOK = "Lady Mowbray came early. I said that Mowbray was tired, and so was Mowbray's dog. The tired dog slept."


@pytest.fixture(autouse=True)
def _book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.md").write_text(f"# One\n\n{BOOK}\n", encoding="utf-8")


def test_a_lexicon_is_printed_or_written_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["book", "names", "book.md"]) == 0
    printed = capsys.readouterr().out
    assert "#Mowbray|[[" in printed and "3 times: Lady Mowbray came early." in printed
    assert main.run(["book", "names", "book.md", "--out", "names.txt"]) == 0
    assert Path("names.txt").read_text(encoding="utf-8").strip() == printed.strip()
    assert not read_lexicon(Path("names.txt")).sections
    assert main.run(["book", "names", "book.md", "--out", "names.txt"]) == 2


def test_json_has_counts_sentences_and_phonemes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["book", "names", "book.md", "--json"]) == 0
    (name,) = json.loads(capsys.readouterr().out)["names"]
    assert (name["word"], name["count"], name["sentence"]) == ("Mowbray", 3, "Lady Mowbray came early.")
    assert name["phonemes"]
