"""Whether each sentence of a book is spoken as it is written, as far as its sound tells, or a recogniser of words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from voxmatrix.book.join.samples import read_speech
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import Finding
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.judge.sound import doubts, measure
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


def check_speech(
    spoken: Sequence[Spoken], language: str, recogniser: Recogniser | None, on_progress: OnProgress
) -> list[Doubt]:
    """The sentences in doubt, in order.

    Raises:
        DamagedFileError: the speech of a sentence is not what was delivered.
    """
    facts, heard = [], []
    for number, one in enumerate(spoken, start=1):
        samples = read_speech(one).astype(np.float32) / np.float32(32768.0)
        facts.append(measure(samples, one.rate_hz))
        heard.append(recogniser.doubt(one.text, samples, one.rate_hz) if recogniser else "")
        on_progress(number, len(spoken))
    characters = [len(normalise(one.text, language)) for one in spoken]
    problems = [by_sound or words for by_sound, words in zip(doubts(facts, characters), heard, strict=True)]
    return [Doubt(one.chapter, one.index, one.text, what) for one, what in zip(spoken, problems, strict=True) if what]
