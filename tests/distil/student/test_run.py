"""The whole way from a teacher to a voice: what it writes, what it refuses, and that nothing is lost."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from tests.distil.student.teaching import STEPS, Humming, quiet, settings_of, small
from voxmatrix.audio.waves import Samples
from voxmatrix.distil import trainer
from voxmatrix.distil.result import Distilled
from voxmatrix.distil.session import check_out
from voxmatrix.distil.student import lesson
from voxmatrix.distil.student.corpus import RATE_HZ
from voxmatrix.distil.student.export import read_student
from voxmatrix.distil.student.run import TeachSettings, teach
from voxmatrix.distil.trainer import Limits
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.files import digest
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path
from voxmatrix.progress import OnProgress
from voxmatrix.text.prompts import sentence_list

pytestmark = pytest.mark.espeak


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., TeachSettings]]:
    folder = tmp_path_factory.mktemp("teach")
    text = folder / "text.txt"
    text.write_text("\n\n".join(sentence_list("harvard")[:30]), encoding="utf-8")
    numbers = count()

    def made(**values: object) -> TeachSettings:
        return replace(settings_of(text, folder / str(next(numbers)) / "voice.onnx"), **values)  # type: ignore[arg-type]

    with small():
        yield made


@pytest.fixture(scope="module")
def whole(settings: Callable[..., TeachSettings]) -> tuple[TeachSettings, Distilled]:
    """A voice that was made without any interruption."""
    given = settings()
    return given, teach(given, quiet)


def test_a_voice_is_written_with_its_origin(whole: tuple[TeachSettings, Distilled]) -> None:
    given, made = whole
    config = VoiceConfig.read(config_path(given.out))
    assert (
        config.rate_hz == RATE_HZ
        and config.hop == 300
        and config.noise_scale == 0
        and made.steps == STEPS
        and made.times_as_fast is None
    )
    assert config.noise_scale == 0 and config.noise_w > 0
    assert config.made_by["teacher"] == "humming" and config.made_by["teacher_license"] == "CC0-1.0"
    assert config.made_by["steps"] == STEPS and len(str(config.made_by["text_sha256"])) == 64
    assert sorted(path.name for path in given.out.parent.iterdir()) == ["voice.distil", "voice.onnx", "voice.onnx.json"]


@pytest.mark.parametrize("speakers", [("humming",), ("low", "high")])
def test_it_begins_with_the_weights_of_another_student(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled], speakers: tuple[str, ...]
) -> None:
    teacher, start = Humming(), whole[0].out
    teacher.speakers = speakers  # type: ignore[assignment]
    given = settings(teacher=teacher, start=start, limits=Limits(steps=1))
    teach(given, quiet)

    config = VoiceConfig.read(config_path(given.out))
    assert config.made_by["started_from"] == "voice" and config.made_by["start_sha256"] == digest(start)
    before, after = read_student(start), read_student(given.out)
    kept = {name: value for name, value in before.items() if not name.startswith("sound.head.")}  # which is widened
    assert all(torch.allclose(after[name], value, atol=0.01) for name, value in kept.items())
    assert not all(torch.equal(after[name], value) for name, value in kept.items())


def test_of_many_sentences_the_first_that_are_said_are_learned_and_compared(
    settings: Callable[..., TeachSettings],
) -> None:
    given = settings()
    text = given.out.parent / "many.txt"
    text.parent.mkdir(exist_ok=True)
    text.write_text("\n\n".join(sentence_list("harvard")[:240]), encoding="utf-8")

    made = teach(replace(given, text=text, limits=Limits(steps=1)), quiet)

    assert isinstance(given.teacher, Humming) and given.teacher.said < 40  # which would all be compared
    assert 3 <= len(made.pairs) < 15


def test_a_voice_that_lacks_something_is_written_and_the_same_command_learns_further(
    settings: Callable[..., TeachSettings],
) -> None:
    given = settings(force=False)
    made = teach(given, quiet)
    first, said, finding = given.out.read_bytes(), given.teacher.said, made.warning()  # type: ignore[attr-defined]

    assert finding is not None and "distance of mel bands" in finding.problem and "--" not in finding.remedy
    assert f"after {STEPS} steps it does not sound like its original yet" in finding.problem
    assert made.kept == given.out.with_suffix(".distil") and made.kept.is_dir()
    assert teach(given, quiet).steps == 2 * STEPS
    assert given.out.read_bytes() != first
    assert given.teacher.said == said  # type: ignore[attr-defined]

    given.out.write_bytes(b"somebody's own")
    with pytest.raises(UsageError, match="already exists"):
        teach(given, quiet)


def test_of_a_voice_that_lacks_nothing_only_the_voice_is_left(
    settings: Callable[..., TeachSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "failed", lambda gates: [])
    given = settings(force=False)

    assert teach(given, quiet).kept is None
    assert sorted(path.name for path in given.out.parent.iterdir()) == ["voice.onnx", "voice.onnx.json"]


def test_it_can_be_heard_while_it_learns_and_learns_the_same(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "PREVIEW_SECONDS", 0.0)
    teacher, told = Humming(), list[str]()
    teacher.is_person = True
    given = settings(teacher=teacher)
    teach(given, quiet, told.append)

    names = [f"1-{one}.wav" for one in ("recorded", *(f"step-{step:05}" for step in range(1, STEPS)))]
    folder = given.out.with_suffix(".distil") / "previews"
    assert sorted(path.name for path in folder.glob("1-*")) == names
    assert f"{folder}: 1-step-00001.wav" in told[0] and len(told) == STEPS - 1
    for name in names:
        samples, rate_hz = soundfile.read(folder / name)
        assert rate_hz == RATE_HZ and len(samples) > RATE_HZ / 4
    assert given.out.read_bytes() == whole[0].out.read_bytes()


@pytest.mark.slow
def test_until_it_is_good_it_learns_on_while_something_else_does_not_hold(
    settings: Callable[..., TeachSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "FLAT_EVALUATIONS", 2)
    monkeypatch.setattr(trainer, "FLAT_SHARE", 0.99)  # nothing is ever so much better
    given, told = settings(limits=Limits(good=1000.0, evaluate_every=2)), list[str]()
    made = teach(given, quiet, told.append)

    # Good after 2 steps, and 2 more while the rate falls. Then 2 to the first evaluation, 4 without a better one, and
    # as many while the rate falls.
    assert made.steps == 16 and made.best_step == 6
    assert sum("it learns on until it gets no better" in one for one in told) == 1
    finding = made.warning()
    assert finding is not None and "it got no better since step 6" in finding.problem


@pytest.mark.parametrize("when", ["speaking", "aligning", "learning", "comparing"])
def test_an_interrupted_command_goes_on_and_ends_equal(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled], when: str
) -> None:
    @contextmanager
    def interrupting(_activity: object, title: str, *_: object) -> Iterator[OnProgress]:
        def progress(done: int, of: int) -> None:
            if title == when:
                raise KeyboardInterrupt

        yield progress

    parts = settings()
    with pytest.raises((InterruptedRunError, KeyboardInterrupt)):
        teach(parts, interrupting)
    teach(parts, quiet)

    assert parts.out.read_bytes() == whole[0].out.read_bytes()
    assert parts.teacher.said == whole[0].teacher.said  # type: ignore[attr-defined]


@pytest.mark.usefixtures("forked_programs")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("stage", ["speaking", "aligning", "learning", "exporting", "comparing", "writing"])
def test_a_killed_command_goes_on_and_ends_equal(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled], stage: str
) -> None:
    parts = settings()
    words = [sys.executable, "-m", "tests.distil.student.teaching", stage, str(parts.text), str(parts.out)]
    assert subprocess.Popen(words).wait(120) == -signal.SIGKILL
    assert not parts.out.exists()

    made = teach(parts, quiet)

    assert parts.out.read_bytes() == whole[0].out.read_bytes() and made.steps == STEPS
    assert config_path(parts.out).read_bytes() == config_path(whole[0].out).read_bytes()


def test_a_json_without_its_voice_is_of_a_killed_command(tmp_path: Path) -> None:
    out, made = tmp_path / "voice.onnx", tmp_path / "made.onnx"
    config_path(out).write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="already exists"):
        check_out(out, made, force=False)

    made.write_bytes(b"the voice")
    check_out(out, made, force=False)
    out.write_bytes(b"the voice, or another")
    with pytest.raises(UsageError, match="already exists"):
        check_out(out, made, force=False)


def test_with_more_minutes_more_is_said_and_learned(settings: Callable[..., TeachSettings]) -> None:
    given = settings(force=False)
    teach(given, quiet)
    more = replace(given, limits=Limits(steps=STEPS + 20), force=True)  # of which the teacher says more
    made = teach(more, quiet)

    assert isinstance(given.teacher, Humming) and given.teacher.said == 30
    assert made.steps > STEPS


def test_noise_is_no_speech(settings: Callable[..., TeachSettings]) -> None:
    class Hissing(Humming):
        def hummed(self, ids: Sequence[int]) -> Samples:
            return np.random.default_rng(len(ids)).standard_normal(1200 * len(ids)).astype(np.float32) / 10

    with pytest.raises(BadInputError, match="humming said 0 sentences with a pitch"):
        teach(settings(teacher=Hissing()), quiet)


def test_another_teacher_is_not_mixed_with_what_is_there(settings: Callable[..., TeachSettings]) -> None:
    given = settings(force=False)
    teach(given, quiet)

    with pytest.raises(UsageError, match="belongs to another voice or text"):
        teach(replace(given, teacher=Humming("1")), quiet)


def test_what_is_left_damaged_is_made_again(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled]
) -> None:
    parts = settings(force=False)
    teach(parts, quiet)
    folder = parts.out.with_suffix(".distil")
    for name in ("0000.npz", "durations.npz"):
        (folder / name).write_bytes(b"PK damaged")
    (folder / "state.ckpt").unlink()
    teach(replace(parts, force=True), quiet)

    assert parts.out.read_bytes() == whole[0].out.read_bytes()
