"""A book by an engine that skips words: each sentence is heard, and spoken again until it is whole, or else named."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.cli import main
from voxmatrix.models.style import Style

RATE_HZ = 16000
#: Of different lengths, so that a length tells which words are in it.
SENTENCES = [f"One {'b' * (7 * number + 3)} rang{' the bell' if number % 3 == 0 else ''} then." for number in range(20)]
TITLE = "One"
RETAKE_SEEDS = 1_000_003


def length(text: str) -> int:
    return sum(round(RATE_HZ * (0.04 + 0.02 * len(word))) for word in text.split())


def is_skipped(text: str, seed: int) -> bool:
    own = Style(seed=seed).sentence_seed(text)
    return "bell" in text and own is not None and own % 2 == 0


class WhisperModel:
    """Hears which of the sentences has this length, whole or without a word."""

    asked: ClassVar[list[int]] = []
    supported_languages = ("en",)

    def __init__(self, model: str, **_: object) -> None:
        assert model == "base"

    def transcribe(self, wave: Any, **_: object) -> tuple[list[Any], None]:
        self.asked.append(len(wave))
        texts = [TITLE, *SENTENCES, *(text.replace(" bell", "") for text in SENTENCES)]
        (heard,) = {text for text in texts if length(text) == len(wave)}
        return [SimpleNamespace(text=heard, tokens=[1], avg_logprob=-0.1, compression_ratio=1.0)], None


@pytest.fixture(autouse=True)
def _book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")
    (install_engine() / "SKIPPED").write_text("bell")
    write_toy_voice()
    Path("book.md").write_text("# One\n\n" + "\n\n".join(SENTENCES), encoding="utf-8")
    module = ModuleType("faster_whisper")
    module.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)


def make(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    words = ["book", "book.md", "--voice", "toy/bell", "--out", "B.flac", "--seed", "1", "--json", "--force", *more]
    WhisperModel.asked.clear()
    assert main.run(words) == 0, capsys.readouterr()
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def test_skipped_words_are_found_and_spoken_and_what_stays_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [1 + attempt * RETAKE_SEEDS for attempt in range(3)]
    skipped = [text for text in SENTENCES if is_skipped(text, seeds[0])]
    hopeless = [text for text in skipped if all(is_skipped(text, seed) for seed in seeds)]
    assert len(skipped) > len(hopeless)

    made = make(capsys)

    checked = json.loads(Path("B.manifest.json").read_text())["checked"]
    assert (checked["by"], checked["sentences"], checked["repaired"]) == ("base", 21, len(skipped) - len(hopeless))
    assert [doubt["text"] for doubt in made["doubtful"]] == [doubt["text"] for doubt in checked["doubtful"]] == hopeless
    lengths = {unit["text"]: unit["samples"] for unit in json.loads(Path("B.manifest.json").read_text())["units"]}
    assert lengths == {text: length(text) - (length("bell") if text in hopeless else 0) for text in [TITLE, *SENTENCES]}

    again = make(capsys)
    assert (again["spoken"], WhisperModel.asked) == (0, [])
    assert json.loads(Path("B.manifest.json").read_text())["checked"] == checked


def test_nobody_hears_it_if_that_is_not_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    make(capsys, "--judge", "none")
    assert "checked" not in json.loads(Path("B.manifest.json").read_text()) and not WhisperModel.asked


def test_without_a_recogniser_it_says_how_to_have_one_and_looks_at_the_sound(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    assert main.run(["book", "book.md", "--voice", "toy/bell", "--out", "B.flac"]) == 0
    assert "may skip or invent words" in capsys.readouterr().err
    assert json.loads(Path("B.manifest.json").read_text())["checked"]["by"] == "sound"


@pytest.mark.parametrize("word", ["RESTLESS", "MOODY"])
def test_a_sentence_that_fails_with_a_seed_is_spoken_with_another(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """RESTLESS does not end with every other seed, and MOODY fails."""

    def fails(text: str, attempt: int) -> bool:
        return (Style(seed=1 + attempt * RETAKE_SEEDS).sentence_seed(text) or 0) % 2 == 0

    known = (f"{word} {number} is here." for number in ["one", "two", "six", "nine", "ten", "twelve", "twenty"])
    texts = [text for text in known if not all(fails(text, attempt) for attempt in range(3))]
    assert any(fails(text, 0) for text in texts)
    Path("book.md").write_text("# One\n\n" + "\n\n".join(texts), encoding="utf-8")
    make(capsys, "--judge", "none")
    assert len(json.loads(Path("B.manifest.json").read_text())["units"]) == len(texts) + 1
