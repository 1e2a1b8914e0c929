"""A small student of a teacher that costs nothing, and a program that ends as if its power were cut.

python -m tests.distil.student.teaching STAGE TEXT OUT
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.distil.student.conftest import SMALL
from voxmatrix.audio.waves import Samples
from voxmatrix.distil import trainer
from voxmatrix.distil.student import align, lesson, run, training
from voxmatrix.distil.student.corpus import RATE_HZ, TeacherSpeech, speech_of, write_corpus
from voxmatrix.distil.student.export import Voice
from voxmatrix.distil.student.run import TeachSettings, teach
from voxmatrix.distil.student.teacher import Teacher
from voxmatrix.distil.trainer import Limits
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix_entrypoint import patches

STEPS = 6


class Humming:
    """A teacher that hums a tone for each symbol; `said` counts its sentences."""

    name, language, speakers, is_person = "humming", "en-us", ("humming",), False

    def __init__(self, sha256: str = "0") -> None:
        self.facts = {"teacher": self.name, "teacher_license": "CC0-1.0", "teacher_sha256": sha256}
        self.said = 0

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        def say(places: range, _missing_seconds: float) -> list[TeacherSpeech]:
            self.said += len(places)
            return [speech_of(self.hummed(sentences[place].ids), RATE_HZ) for place in places]

        write_corpus(folder, len(sentences), say, wanted_seconds, progress)

    def hummed(self, ids: Sequence[int]) -> Samples:
        hz = np.repeat([100 + (7 * number) % 90 for number in ids if number], 1200)
        return (0.2 * np.sin(2 * np.pi * np.cumsum(hz) / RATE_HZ)).astype(np.float32)

    def cpu_seconds(self, texts: Sequence[str]) -> None:
        """Nobody knows."""


def settings_of(text: Path, out: Path, teacher: Teacher | None = None) -> TeachSettings:
    """For a voice that is written however it sounds."""
    return TeachSettings(
        teacher=teacher or Humming(), text=text, out=out, limits=Limits(steps=STEPS), sizes=SMALL, force=True
    )


@contextmanager
def quiet(*_: object) -> Iterator[OnProgress]:
    yield lambda done, of: None


@contextmanager
def small() -> Iterator[pytest.MonkeyPatch]:
    """Align and learn from little at once, and hear no words in tones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "recogniser", lambda language: None)
        patch.setattr(align, "_SEEN", 0)
        patch.setattr(align, "_MIN_PASSES", 1)
        for name in ("BATCH", "RHYTHM_BATCH"):
            patch.setattr(training, name, 2)
        yield patch


def _kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _main(stage: str, text: Path, out: Path) -> None:
    @contextmanager
    def killed(_activity: object, title: str, *_: object) -> Iterator[OnProgress]:
        def progress(done: int, of: int) -> None:
            if title == stage and (stage != "learning" or done > 1):  # what the first step has learned is saved
                _kill()

        yield progress

    def half_written(voice: Voice, metadata: dict[str, str], path: Path) -> None:
        path.write_bytes(b"half of it")
        _kill()

    def one_of_two(onnx: Path, config: VoiceConfig, path: Path) -> None:
        config_path(path).write_bytes(config.encoded())
        _kill()

    with small() as patch:
        patch.setattr(trainer, "SAVE_SECONDS", 0.0)
        patch.setattr(trainer, "READ_EVERY", 1)
        if stage == "exporting":
            patch.setattr(lesson, "write_student", half_written)
        if stage == "writing":
            patch.setattr(lesson, "write_voice", one_of_two)
        teach(settings_of(text, out), killed)


if __name__ == "__main__":
    patches.install()
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
