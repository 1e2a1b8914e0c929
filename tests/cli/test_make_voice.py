"""`voxmatrix voices make`: from recordings to a voice with its files, each step once."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.dataset.broken import sound
from tests.distil.student.conftest import SMALL
from tests.distil.student.teaching import small
from tests.distil.student.test_recordings import recordings
from voxmatrix.cli import segment
from voxmatrix.cli.main import run
from voxmatrix.distil.acceptance import Pair
from voxmatrix.distil.student import lesson
from voxmatrix.distil.student import run as teaching
from voxmatrix.distil.verdict import Verdict, Words, heard
from voxmatrix.judge.hearing import Heard

QUICK = ("--minutes", "0.001", "--judge", "none", "--threads", "1")


@pytest.fixture
def quick() -> Iterator[pytest.MonkeyPatch]:
    """A small student, which need not be good."""
    with small() as patch:
        patch.setattr(teaching, "TeachSettings", partial(teaching.TeachSettings, sizes=SMALL))
        patch.setattr("voxmatrix.cli.distil.bundled_folders", tuple)  # whose student has other sizes
        patch.setattr(lesson, "failed", lambda gates: [])
        yield patch


@pytest.mark.espeak
@pytest.mark.slow
def test_a_voice_with_all_its_files_is_made_once(
    tmp_path: Path, quick: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = recordings(tmp_path / "ann", 40), tmp_path / "me"
    assert run(["voices", "make", str(data), "--out", str(out), *QUICK, "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    made = (out / "me.onnx").read_bytes()

    assert result["voice"] == str(out / "me.onnx") and result["left_out"] == 0 and result["words"] is None
    assert result["packages"] == [str(out / "homeassistant"), str(out / "sherpa")]
    assert sorted(path.name for path in out.iterdir()) == [
        *("compare.html", "homeassistant", "me.onnx", "me.onnx.json", "sherpa")
    ]
    assert {"me.onnx", "me.onnx.json", "tokens.txt"} <= {path.name for path in (out / "sherpa").iterdir()}
    made_by = json.loads((out / "me.onnx.json").read_text(encoding="utf-8"))["voxmatrix"]
    assert made_by["teacher"] == "ann" and made_by["sentences"] == 40

    quick.setattr(teaching, "teach", None)
    shutil.rmtree(out / "sherpa")  # the command was killed while it wrote that
    assert run(["voices", "make", str(data), "--out", str(out), *QUICK]) == 0
    shown = capsys.readouterr()
    assert (
        "was learned by an earlier command" in shown.err and f"voxmatrix speak --voice {out / 'me.onnx'}" in shown.out
    )
    assert (out / "sherpa" / "me.onnx").exists() and (out / "me.onnx").read_bytes() == made


@pytest.mark.espeak
@pytest.mark.slow
def test_recordings_without_texts_are_cut_once(
    tmp_path: Path, quick: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "phone", tmp_path / "me"
    data.mkdir()
    for number in range(2):
        sound(seed=number)(data / f"New Recording {number}.wav")
    (data / "script.md").write_text("All that is read.", encoding="utf-8")
    cut: list[tuple[list[Path], list[Path] | None]] = []

    def cutting(
        found: list[Path], clips: Path, given: segment.SegmentOptions, *, as_json: bool
    ) -> tuple[list[Path], list[object]]:
        cut.append((found, given.text))
        recordings(clips, 40)
        (clips / "segments.json").write_text("{}", encoding="utf-8")
        return [], []

    quick.setattr(segment, "cut_with_progress", cutting)
    quick.setattr(segment, "show_clips", lambda *_: None)
    words = ["voices", "make", str(data), "--out", str(out), *QUICK]
    assert run(words) == 0 and run(words) == 0

    assert cut == [([data], [data / "script.md"])]
    assert "40 recordings ready" in capsys.readouterr().out


def test_a_text_is_for_recordings_without_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = recordings(tmp_path / "ann", 2)
    assert run(["voices", "make", str(data), "--out", str(tmp_path / "me"), "--text", "script.txt"]) == 2
    assert "omit --text" in capsys.readouterr().err


def test_words_are_counted_for_the_voice_and_for_the_person() -> None:
    class Hears:
        name = "fake"

        def hear(self, samples: list[float], rate_hz: int) -> Heard:
            return Heard("the cat sat" if samples[0] else "the cat", 1.0)

    pairs = [Pair("The cat sat.", [1.0], [0.0]), Pair("The cat sat.", [0.0], [1.0]), Pair("The cat.", [1.0], [0.0])]  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("voxmatrix.distil.verdict.find_spec", lambda name: None)
        found = heard(pairs, 24_000, "en-us", Hears(), lambda done, of: None)  # type: ignore[arg-type]

    assert found == Verdict(words=Words(all=8, wrong=1, wrong_of_original=2))
    assert found.lines() == ["words wrong: 12.5% (in the recordings 25.0%), of 8"]
