"""Whether each sentence of a book is spoken as it is written, as far as its sound tells, or a recogniser of words."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.book.join.samples import read_speech
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import Finding
from voxmatrix.files import read_text_or_empty, storage_errors
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.judge.sound import measure, suspected_failures
from voxmatrix.progress import OnProgress
from voxmatrix.text.normalisation.normalise import normalise


@dataclass(frozen=True)
class Doubt:
    """A sentence that may not be spoken right."""

    chapter: int
    index: int  # from 1, within the chapter
    text: str
    problem: str

    def finding(self) -> Finding:
        """For the user."""
        return Finding(
            problem=f"chapter {self.chapter}, sentence {self.index} ({self.text[:60]!r}): {self.problem}",
            remedy="listen to it; if it is wrong, change its words or their pronunciation (`lexicon`)",
            severity="warning",
        )


class Listener:
    """What a recogniser hears in speech. It is remembered in a file, so that nothing is heard twice."""

    def __init__(self, recogniser: Recogniser, memory: Path) -> None:
        self.recogniser = recogniser
        self._memory = memory
        self._heard: dict[tuple[str, str], str] = {}
        for line in read_text_or_empty(memory).splitlines():
            with suppress(ValueError, TypeError):  # the last line of a process that was killed
                model, sha256, heard = json.loads(line)
                self._heard[model, sha256] = heard

    def doubt(self, one: Spoken, samples: Samples, *, strict: bool) -> str:
        """What is wrong with the words of a sentence; "" if nothing is.

        Raises:
            UnreachableError: the file cannot be written.
        """
        key = self.recogniser.name, one.sha256
        if key not in self._heard:
            self._heard[key] = self.recogniser.hear(samples, one.rate_hz).text
            with storage_errors(self._memory), self._memory.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*key, self._heard[key]]) + "\n")
        return self.recogniser.doubt(one.text, self._heard[key], strict=strict)


def check_speech(
    spoken: Sequence[Spoken], language: str, listener: Listener | None, on_progress: OnProgress, *, strict: bool = False
) -> list[Doubt]:
    """The sentences in doubt, in order. `strict`: a single word that is not heard is enough.

    Raises:
        DamagedFileError: the speech of a sentence is not what was delivered.
    """
    facts, heard = [], []
    for number, one in enumerate(spoken, start=1):
        samples = read_speech(one).astype(np.float32) / np.float32(32768.0)
        facts.append(measure(samples, one.rate_hz))
        heard.append(listener.doubt(one, samples, strict=strict) if listener else "")
        on_progress(number, len(spoken))
    characters = [len(normalise(one.text, language)) for one in spoken]
    problems = [by_sound or words for by_sound, words in zip(suspected_failures(facts, characters), heard, strict=True)]
    return [Doubt(one.chapter, one.index, one.text, what) for one, what in zip(spoken, problems, strict=True) if what]
