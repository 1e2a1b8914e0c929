"""Who may teach a student: any voice whose licence allows it."""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.distil.teach.corpus import Speech, heard, write_corpus
from voxmatrix.errors import BadInputError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Runtime, Style
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice


class Teacher(Protocol):
    """Whose speech is learned."""

    @property
    def name(self) -> str:
        """As the config of the student has it."""
        ...

    @property
    def language(self) -> str:
        """As espeak-ng names it."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """About its origin, for the config of the student; with a hash of all that it speaks with."""
        ...

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """Write the speech of the first sentences to the folder, as `read_corpus` reads it; what is there is kept."""
        ...

    def cpu_seconds(self, texts: Sequence[str]) -> float | None:
        """What it takes to say these texts; None if that cannot be measured here."""
        ...


class VoiceTeacher:
    """A voice of any family, of which only samples are known."""

    def __init__(self, card: VoiceCard, threads: int) -> None:
        """Raises:
        BadInputError: its licence is not known to allow it.
        """
        if not card.capabilities.may_teach:
            raise BadInputError(
                f"the voice {card.id} may not teach: its licence ({card.license or 'unknown'}) is not known to allow "
                "voices made from its speech",
                "choose a voice of Piper or Kokoro, or record your own: `voxmatrix train`",
            )
        self.name, self.language = card.id, card.language
        self.facts: Mapping[str, str] = {
            "teacher": card.id,
            "teacher_license": card.license,
            "teacher_sha256": card.digest,
        }
        self._card, self._threads = card, threads

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """See `Teacher`."""
        with closing(open_voice(self._card, runtime=Runtime(threads=self._threads))) as voice:

            def say(place: int) -> Speech:
                return heard(_say(voice, sentences[place].text), self._card.rate_hz)

            write_corpus(folder, len(sentences), say, wanted_seconds, progress)

    def cpu_seconds(self, texts: Sequence[str]) -> float:
        """See `Teacher`."""
        with closing(open_voice(self._card, runtime=Runtime(threads=1))) as voice:
            voice.load()
            began = time.process_time()
            for text in texts:
                _say(voice, text)
            return time.process_time() - began


def _say(voice: OpenVoice, text: str) -> Samples:
    segments = voice.say(SpokenText(text, text), Style(), 0).segments
    return np.concatenate([segment() for segment in segments]) if segments else np.zeros(0, np.float32)
