"""Whether each sentence of a book is spoken as it is written, as far as its sound tells, or a recogniser of words."""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.join.samples import FULL_SCALE, read_speech
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.units import BookUnit
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.files import read_text_or_empty, storage_errors
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.judge.sound import SpeechFacts, Usual, improbable, usual
from voxmatrix.models.card import VoiceCard
from voxmatrix.progress import OnProgress
from voxmatrix.speak.synthesize import in_words
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.wording import pluralise, quoted

#: More of a book than this is the fault of its voice: it is no audiobook.
_MAX_IMPOSSIBLE = 0.01
#: Sentences that an error names.
_NAMED = 3


@dataclass(frozen=True)
class Doubt:
    """A sentence that may not be spoken right."""

    chapter: int
    index: int  # from 1, within the chapter
    text: str
    problem: str
    impossible: bool = False  # whatever the others sound like, it is no speech of its text

    @property
    def place(self) -> tuple[int, int]:
        """Chapter and index."""
        return self.chapter, self.index

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


class SpeechCheck:
    """Judges the sentences of a book. What is usual among them is measured once, so that what is spoken again later is
    compared with the same.
    """

    def __init__(
        self, voice: VoiceCard, listener: Listener | None, *, compared: bool = True, meter: SpeechMeter | None = None
    ) -> None:
        """`compared`: sentences are also compared with each other, and not only with what is possible. `meter` may have
        measured them already.
        """
        self._voice, self._listener, self._compared = voice, listener, compared
        self._meter = meter or SpeechMeter()
        self._usual: Usual | None = None

    def doubts(self, sentences: Sequence[tuple[BookUnit, Spoken]], on_progress: OnProgress) -> list[Doubt]:
        """The sentences in doubt, in order.

        Raises:
            DamagedFileError: the speech of a sentence is not what was delivered.
        """
        facts, impossible, heard = [], [], []
        strict = self._voice.capabilities.autoregressive
        for number, (unit, one) in enumerate(sentences, start=1):
            facts.append(_at_full_volume(self._meter.facts(one), unit.unit.style.volume))
            impossible.append(self._impossible(unit, facts[-1]))
            words = ""
            if self._listener and not impossible[-1]:
                samples = read_speech(one).astype(np.float32) / np.float32(FULL_SCALE)
                words = self._listener.doubt(one, samples, strict=strict)
            heard.append(words)
            on_progress(number, len(sentences))
        unlike = self._unlike(sentences, facts, impossible) if self._compared else [""] * len(facts)
        return [
            Doubt(one.chapter, one.index, one.text, problem, impossible=bool(wrong))
            for (_, one), wrong, other, words in zip(sentences, impossible, unlike, heard, strict=True)
            if (problem := wrong or other or words)
        ]

    def _unlike(
        self, sentences: Sequence[tuple[BookUnit, Spoken]], facts: Sequence[SpeechFacts], impossible: Sequence[str]
    ) -> list[str]:
        """What is wrong with each sentence beside the others that are possible; "" if nothing is."""
        counts = [len(normalise(one.text, self._voice.language)) for _, one in sentences]
        possible = [index for index, problem in enumerate(impossible) if not problem]
        if self._usual is None:
            self._usual = usual([facts[index] for index in possible], [counts[index] for index in possible])
        others = self._usual
        return [others.doubt(one, count) if others else "" for one, count in zip(facts, counts, strict=True)]

    def _impossible(self, unit: BookUnit, facts: SpeechFacts) -> str:
        """Why speech cannot be that of its text; "" if it can be. Silence at no volume is what was asked for."""
        style = unit.unit.style
        if not style.volume:
            return ""
        # Few are, so that few have to be put into words once more.
        if not improbable(unit.unit.text, facts, style.speed):
            return ""
        said = in_words([unit.unit.text], self._voice, replace(style, cast={}), whole=True)
        return improbable(" ".join(one.text for one in said), facts, style.speed)


def _at_full_volume(facts: SpeechFacts, volume: float) -> SpeechFacts:
    return facts._replace(level_dbfs=facts.level_dbfs - 20 * math.log10(volume or 1.0))


def refuse_faulty_voice(voice: str, doubts: Sequence[Doubt], sentences: int) -> None:
    """Refuse a book of which more than single sentences cannot be right.

    Raises:
        BadInputError: the voice is at fault.
    """
    wrong = [doubt for doubt in doubts if doubt.impossible]
    if len(wrong) <= _MAX_IMPOSSIBLE * sentences:
        return
    named = "; ".join(f"{quoted(doubt.text)}: {doubt.problem}" for doubt in wrong[:_NAMED])
    more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
    raise BadInputError(
        f"the voice {voice} is at fault, and no audiobook is written: {len(wrong)} of "
        f"{pluralise(sentences, 'sentence')} cannot be speech of their text: {named}{more}",
        "choose another voice, or repair it and run the same command again; or add `judge=none` if they sound right",
    )
