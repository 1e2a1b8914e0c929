"""`book --check` names a sentence that was damaged on purpose, and no other."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.cli import main

SENTENCES = [
    "The harbour was quiet.",
    "Nobody came that day.",
    "A bell rang twice.",
    "The boats went out.",
    "It rained.",
]


@pytest.fixture(autouse=True)
def _book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")
    Path("book.md").write_text("# One\n\n" + " ".join(SENTENCES), encoding="utf-8")
    Path("damage.txt").write_text(f"twice|{'and again it rang ' * 12}\n", encoding="utf-8")


def make(capsys: pytest.CaptureFixture[str], voice: Path, *more: str) -> dict[str, Any]:
    command = ["book", "book.md", "--voice", str(voice), "--out", "B.mp3", "--json", "--force", "--seed", "1", *more]
    assert main.run(command) == 0, capsys.readouterr()
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def test_a_sentence_that_says_much_more_is_named(capsys: pytest.CaptureFixture[str], make_onnx: Any) -> None:  # noqa: F811
    voice = make_onnx("tiny", 1, "text")
    assert make(capsys, voice, "--check")["doubtful"] == []
    made = make(capsys, voice, "--check", "--lexicon", "damage.txt")
    assert made["spoken"] == 1
    (doubt,) = made["doubtful"]
    assert (doubt["chapter"], doubt["text"]) == (1, "A bell rang twice.") and "times as long" in doubt["problem"]
    manifest = json.loads(Path("B.manifest.json").read_text(encoding="utf-8"))
    assert manifest["checked"] == {"by": "sound", "doubtful": [doubt]}
    unchecked = make(capsys, voice)
    assert "doubtful" not in unchecked and "checked" not in json.loads(Path("B.manifest.json").read_text())


def test_a_recogniser_hears_the_words(
    capsys: pytest.CaptureFixture[str],
    make_onnx: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = iter(["One.", *SENTENCES[:2], "A ball sank at night.", "the boats went out", "It rained"])

    class WhisperModel:
        supported_languages = ("en",)

        def __init__(self, model: str, **_: object) -> None:
            assert model == "base"

        def transcribe(self, wave: Any, **options: Any) -> tuple[list[Any], None]:
            assert options["language"] == "en" and len(wave) > 1000
            return [SimpleNamespace(text=next(heard), tokens=[1], avg_logprob=-0.1, compression_ratio=1.0)], None

    module = ModuleType("faster_whisper")
    module.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    made = make(capsys, make_onnx("tiny", 1, "text"), "--judge", "base")
    (doubt,) = made["doubtful"]
    assert doubt["index"] == 4 and doubt["problem"] == "4 of its 4 words are not heard, but: A ball sank at night."


def test_without_the_recogniser_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str],
    make_onnx: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    command = ["book", "book.md", "--voice", str(make_onnx("tiny", 1, "text")), "--out", "B.mp3", "--judge", "base"]
    assert main.run(command) == 7
    said = capsys.readouterr().err
    assert 'pip install "voxmatrix[judge]"' in said and "sentences spoken" not in said
