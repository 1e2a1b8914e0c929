"""The whole way from a teacher to a voice: what it writes, what it refuses, and that nothing is lost."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.distil.teach.conftest import SMALL
from tests.toys.family import tones, voice_of  # noqa: F401 (a fixture)
from voxmatrix.distil.learning import Limits
from voxmatrix.distil.result import Distilled, GatesError
from voxmatrix.distil.teach import align, training
from voxmatrix.distil.teach.corpus import RATE_HZ, Speech, heard, write_corpus
from voxmatrix.distil.teach.run import TeachSettings, teach
from voxmatrix.distil.teach.teacher import VoiceTeacher
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix.text.prompts import sentence_list

pytestmark = pytest.mark.espeak
STEPS = 6


class Humming:
    """A teacher that hums a tone for each symbol; `said` counts its sentences."""

    name, language = "humming", "en-us"

    def __init__(self, sha256: str = "0") -> None:
        self.facts = {"teacher": self.name, "teacher_license": "CC0-1.0", "teacher_sha256": sha256}
        self.said = 0

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        def say(place: int) -> Speech:
            self.said += 1
            hz = np.repeat([100 + (7 * number) % 90 for number in sentences[place].ids if number], 1200)
            return heard((0.2 * np.sin(2 * np.pi * np.cumsum(hz) / RATE_HZ)).astype(np.float32), RATE_HZ)

        write_corpus(folder, len(sentences), say, wanted_seconds, progress)

    def cpu_seconds(self, texts: Sequence[str]) -> None:
        """Nobody knows."""


@contextmanager
def quiet(*_: object) -> Iterator[OnProgress]:
    yield lambda done, of: None


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., TeachSettings]]:
    folder = tmp_path_factory.mktemp("teach")
    text = folder / "text.txt"
    text.write_text("\n\n".join(sentence_list("harvard")[:30]), encoding="utf-8")
    numbers = count()

    def made(**values: object) -> TeachSettings:
        given = {"teacher": Humming(), "text": text, "limits": Limits(steps=STEPS), "sizes": SMALL, "force": True}
        out = folder / str(next(numbers)) / "voice.onnx"
        return TeachSettings(out=out, **{**given, **values})  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(align, "_SEEN", 0)
        patch.setattr(align, "_MIN_PASSES", 1)
        for name in ("BATCH", "RHYTHM_BATCH"):
            patch.setattr(training, name, 2)
        yield made


@pytest.fixture(scope="module")
def whole(settings: Callable[..., TeachSettings]) -> tuple[TeachSettings, Distilled]:
    """A voice that was made without any interruption."""
    given = settings()
    return given, teach(given, quiet)


def test_a_voice_is_written_with_its_origin(whole: tuple[TeachSettings, Distilled]) -> None:
    given, made = whole
    config = VoiceConfig.read(config_path(given.out))
    assert config.rate_hz == RATE_HZ and config.hop == 300 and made.steps == STEPS and made.times_as_fast is None
    assert config.made_by["teacher"] == "humming" and config.made_by["teacher_license"] == "CC0-1.0"
    assert config.made_by["steps"] == STEPS and len(str(config.made_by["text_sha256"])) == 64
    assert sorted(path.name for path in given.out.parent.iterdir()) == ["voice.onnx", "voice.onnx.json"]


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


def test_a_voice_that_does_not_speak_like_its_teacher_is_not_written(settings: Callable[..., TeachSettings]) -> None:
    given = settings(force=False)
    with pytest.raises(GatesError, match="still does not sound like its original"):
        teach(given, quiet)

    assert not given.out.exists() and given.out.with_suffix(".distil").is_dir()


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


def test_with_more_minutes_more_is_said_and_learned(settings: Callable[..., TeachSettings]) -> None:
    given = settings(force=False)
    with pytest.raises(GatesError):
        teach(given, quiet)
    more = replace(given, limits=Limits(steps=STEPS + 20), force=True)  # of which the teacher says more
    made = teach(more, quiet)

    assert isinstance(given.teacher, Humming) and given.teacher.said == 30
    assert made.steps > STEPS


def test_another_teacher_is_not_mixed_with_what_is_there(settings: Callable[..., TeachSettings]) -> None:
    given = settings(force=False)
    with pytest.raises(GatesError):
        teach(given, quiet)

    with pytest.raises(UsageError, match="belongs to another voice or text"):
        teach(replace(given, teacher=Humming("1")), quiet)


def test_what_is_left_damaged_is_made_again(
    settings: Callable[..., TeachSettings], whole: tuple[TeachSettings, Distilled]
) -> None:
    parts = settings(force=False)
    with pytest.raises(GatesError):
        teach(parts, quiet)
    folder = parts.out.with_suffix(".distil")
    for name in ("0000.npz", "durations.npz"):
        (folder / name).write_bytes(b"PK damaged")
    (folder / "state.ckpt").unlink()
    teach(replace(parts, force=True), quiet)

    assert parts.out.read_bytes() == whole[0].out.read_bytes()


@pytest.mark.usefixtures("tones")
def test_a_teacher_whose_licence_is_not_known_to_allow_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="may not teach"):
        VoiceTeacher(voice_of(tmp_path / "a.tones"), 1)
