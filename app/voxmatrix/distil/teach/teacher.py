"""Who may teach a student: any voice whose licence allows it."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Protocol

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.distil.acceptance import edits, spoken_words
from voxmatrix.distil.corpus import FULL_SCALE
from voxmatrix.distil.teach.corpus import IN_A_FILE, RATE_HZ, Speech, heard, write_corpus
from voxmatrix.errors import BadInputError
from voxmatrix.judge.sound import doubts, measure
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.progress import OnProgress
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.text.front import Sentence
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice
from voxmatrix.work.executors.base import Workers
from voxmatrix.work.job import JobProgress, OnJobProgress, estimated_seconds, run_job
from voxmatrix.work.ledger import Ledger, open_ledger
from voxmatrix.work.unit import Unit, unit_of

#: Sentences that are looked at, the share of them that may be no speech, and of their words that may not be recognised:
#: pocketsphinx misses a third of those of a natural voice.
_CHECKED, _MAX_STRANGE, _MAX_WORDS_MISSED = 10, 0.5, 0.75
#: How a teacher says sentences, which are in words already: as loud as it is.
STYLE = Style(levelled=False, normalised=False, seed=0)


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

    def __init__(self, card: VoiceCard, workers: Workers) -> None:
        """The workers speak in `STYLE`: processes of this computer, or those of a cluster.

        Raises:
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
        self._card, self._workers = card, workers

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """See `Teacher`. Sentences that it cannot say have no samples.

        Raises:
            BadInputError: it can say none; and what `run_job` raises.
        """
        units = [unit_of(one.text, self._card.digest, STYLE) for one in sentences]
        tried = reached = 0

        def report(done: int, wanted: int) -> None:
            nonlocal reached
            reached = max(reached, done)  # what is spoken, then what of it was measured
            progress(reached, wanted)

        def say(places: range, missing_seconds: float) -> list[Speech]:
            nonlocal tried
            if places.stop > tried:
                ahead = _enough(units[places.start :], missing_seconds)
                tried = places.start + len(ahead)
                said_seconds = wanted_seconds - missing_seconds

                def spoken(job: JobProgress) -> None:
                    report(round(min(wanted_seconds, said_seconds + job.audio_seconds)), round(wanted_seconds))

                self._run(ledger, ahead, spoken)
            return [_speech(ledger, units[place]) for place in places]

        with open_ledger(folder / "speech") as ledger:
            write_corpus(folder, len(units), say, wanted_seconds, report)

    def _run(self, ledger: Ledger, units: Sequence[Unit], progress: OnJobProgress) -> None:
        """Speak the units that the ledger does not have yet."""
        with self._workers(ledger.incoming, len(units)) as executor:
            given_up = run_job(ledger, units, executor, progress).given_up
        if len(given_up) == len(units):
            raise BadInputError(
                f"the voice {self.name} can say none of {len(units)} sentences: {given_up[0].problem}",
                "see whether it speaks at all: `voxmatrix speak`",
            )

    def cpu_seconds(self, texts: Sequence[str]) -> float:
        """See `Teacher`."""
        with closing(open_voice(self._card, runtime=Runtime(threads=1))) as voice:
            voice.load()
            began = time.process_time()
            for text in texts:
                for segment in voice.say(SpokenText(text, text), STYLE, STYLE.seed).segments:
                    segment()
            return time.process_time() - began


def check_teacher(said: Sequence[tuple[str, Samples]], recognise: Callable[[Samples, int], str] | None) -> None:
    """Check that what was said of texts can be learned from, before hours are spent on that.

    Raises:
        BadInputError: most of it is no speech, or of other words.
    """
    said = said[:_CHECKED]
    strange = doubts([measure(wave, RATE_HZ) for _, wave in said], [len(text) for text, _ in said])
    if sum(map(bool, strange)) > _MAX_STRANGE * len(said):
        raise _no_speech(f"most sentences are not, e.g. {next(filter(None, strange))}")
    if recognise:
        words = [spoken_words(text) for text, _ in said]
        heard_words = [spoken_words(recognise(wave, RATE_HZ)) for _, wave in said]
        missed = sum(map(edits, words, heard_words)) / max(1, sum(map(len, words)))
        if missed > _MAX_WORDS_MISSED:
            raise _no_speech(f"of {sum(map(len, words))} words, {min(1.0, missed):.0%} are not recognised")


def _no_speech(problem: str) -> BadInputError:
    return BadInputError(
        f"what the teacher says is no speech that could be learned: {problem}",
        "listen to it with `voxmatrix speak`; add `force` if it is right",
    )


def _enough(units: Sequence[Unit], seconds: float) -> Sequence[Unit]:
    """The first units whose speech is probably as long, for whole files of the corpus."""
    lengths = accumulate(estimated_seconds(unit.text) for unit in units)
    count = 1 + sum(length < seconds for length in lengths)
    return units[: -(-count // IN_A_FILE) * IN_A_FILE]


def _speech(ledger: Ledger, unit: Unit) -> Speech:
    delivery = ledger.delivery(unit.key)
    if delivery is None:
        return heard(np.zeros(0, np.float32), RATE_HZ)
    samples = np.fromfile(ledger.audio(unit.key), "<i2", offset=HEADER_BYTES)
    return heard(samples.astype(np.float32) / np.float32(FULL_SCALE), delivery.rate_hz)
