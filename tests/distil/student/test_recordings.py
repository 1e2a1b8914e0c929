"""`voxmatrix distil RECORDINGS`: a student of what somebody has read."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.dataset.broken import sound
from tests.distil.student.conftest import SMALL
from tests.distil.student.teaching import small
from voxmatrix.cli.main import run as voxmatrix
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PreparedSet, PrepareSettings
from voxmatrix.distil.student import run
from voxmatrix.distil.student.corpus import HOP, RATE_HZ, read_corpus
from voxmatrix.distil.student.recordings import RecordedTeacher
from voxmatrix.errors import BadInputError
from voxmatrix.text.prompts import sentence_list

pytestmark = pytest.mark.espeak


def recordings(folder: Path, count: int, *, speakers: int = 0) -> Path:
    """A table with the sounds that it names."""
    (folder / "wavs").mkdir(parents=True)
    lines = []
    for number, text in enumerate(sentence_list("harvard")[:count]):
        sound(text=text, seed=number)(folder / "wavs" / f"{number:02}.wav")
        lines.append("|".join([f"{number:02}", *([f"p{number % speakers}"] if speakers else []), text]))
    (folder / "metadata.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


def prepared_of(data: Path) -> PreparedSet:
    cache = data.parent / "cache"
    return prepare(data, PrepareSettings(quality="medium", language="en-us", phoneme_type="espeak", cache=cache))


def test_all_that_was_read_is_learned_or_compared_with_silence_around_it(tmp_path: Path) -> None:
    prepared = prepared_of(recordings(tmp_path / "ann", 12))
    teacher = RecordedTeacher("ann", prepared)
    order = [*teacher.texts.train, *teacher.texts.compared]

    teacher.speak(order, tmp_path, 1.0, lambda done, of: None)
    spoken = read_corpus(tmp_path)

    assert {one.text for one in order} == set(sentence_list("harvard")[:12]) and len(spoken) == 12
    assert teacher.texts.compared
    for one in spoken:
        quiet, loud = one.samples[: 5 * HOP], one.samples[8 * HOP : -8 * HOP]
        assert not quiet.any() and not one.samples[-5 * HOP :].any() and np.abs(loud).max() > 1000
    seconds = sum(one.frames for one in spoken) * HOP / RATE_HZ
    assert seconds == pytest.approx(prepared.seconds + 12 * 0.15, abs=12 * HOP / RATE_HZ)


def test_all_takes_of_a_text_are_used_and_none_of_a_compared_one_is_learned(tmp_path: Path) -> None:
    data = recordings(tmp_path / "ann", 12)
    lines = (data / "metadata.csv").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        sound(text=line.partition("|")[2], seed=100 + number)(data / "wavs" / f"again-{number:02}.wav")
    again = [f"again-{number:02}|{line.partition('|')[2]}" for number, line in enumerate(lines)]
    (data / "metadata.csv").write_text("\n".join([*lines, *again]), encoding="utf-8")
    prepared = prepared_of(data)
    teacher = RecordedTeacher("ann", prepared)
    order = [*teacher.texts.train, *teacher.texts.compared]

    teacher.speak(order, tmp_path, 1.0, lambda done, of: None)

    sums = {one.samples.tobytes() for one in read_corpus(tmp_path)}
    assert len(prepared.clips) == len(order) == len(sums) == 24
    assert not {one.text for one in teacher.texts.train} & {one.text for one in teacher.texts.compared}


def test_recordings_of_several_people_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="the recordings are of 2 people: p0, p1"):
        RecordedTeacher("both", prepared_of(recordings(tmp_path / "both", 4, speakers=2)))


def test_the_command_makes_a_voice_of_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, out = recordings(tmp_path / "ann", 40), tmp_path / "ann.onnx"
    words = ["distil", str(data), "--out", str(out), "--steps", "1", "--force", "--threads", "1", "--json"]

    with small() as patch:
        patch.setattr(run, "TeachSettings", partial(run.TeachSettings, sizes=SMALL))
        patch.setattr("voxmatrix.cli.distil.bundled_folders", tuple)  # whose student has other sizes
        assert voxmatrix(words) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    made_by = json.loads(out.with_name("ann.onnx.json").read_text(encoding="utf-8"))["voxmatrix"]

    assert result["steps"] == 1 and result["times_as_fast"] is None
    assert made_by["teacher"] == "ann" and made_by["note"] == "Taught by recordings of a person."
    assert made_by["sentences"] == 40


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        (["--text", "a.txt"], 2, "omit --text"),
        (["--cluster", "redis://127.0.0.1:1/0"], 2, "omit --cluster"),
        ([], 3, "contains no recordings with texts"),
    ],
)
def test_what_does_not_fit_recordings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], code: int, says: str
) -> None:
    data = tmp_path / "nothing"
    data.mkdir()

    assert voxmatrix(["distil", str(data), "--out", str(tmp_path / "a.onnx"), *more]) == code
    assert says in capsys.readouterr().err
