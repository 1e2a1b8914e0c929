"""Who may teach a student: any voice whose licence allows it."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Protocol

import numpy as np

from voxmatrix.audio.waves import INT16_MAX, Samples
from voxmatrix.distil.acceptance import edits, spoken_words
from voxmatrix.distil.student.corpus import IN_A_FILE, RATE_HZ, TeacherSpeech, speech_of, write_corpus
from voxmatrix.errors import BadInputError
from voxmatrix.judge.sound import measure, suspected_failures
from voxmatrix.models.card import VoiceCard, joint_digest
from voxmatrix.models.style import Runtime, Style
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.cast import role_of
from voxmatrix.voices.resolve import open_voice
from voxmatrix.work.estimate import estimated_seconds
from voxmatrix.work.executor import Workers
from voxmatrix.work.job import JobProgress, OnJobProgress, run_job
from voxmatrix.work.ledger import Ledger, open_ledger
from voxmatrix.work.unit import Unit, unit_of

#: Sentences that are looked at, the share of them that may be no speech, and of their words that may not be recognised:
#: pocketsphinx misses a third of those of a natural voice.
_CHECKED, _MAX_FAILURES, _MAX_WORDS_MISSED = 10, 0.5, 0.75
#: Sentences that one of several speakers says before it is the next one's turn. The first is only compared.
TURN = 5
#: How a teacher says sentences, which are in words already: as loud as it is.
STYLE = Style(levelled=False, normalised=False, seed=0)
#: What the config of a student says whose teacher is no person.
SYNTHETIC = "Taught by synthetic speech only; no recordings of people."


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
    def speakers(self) -> Sequence[str]:
        """The names of those that speak in turn, most often one (`speaker_of`)."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """About its origin, for the config of the student; with a hash of all that it speaks with."""
        ...

    @property
    def is_person(self) -> bool:
        """Whether it is somebody's recordings, who can say nothing else."""
        ...

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """Write the speech of the first sentences to the folder, as `read_corpus` reads it; what is there is kept."""
        ...

    def cpu_seconds(self, texts: Sequence[str]) -> float | None:
        """What it takes to say these texts; None if that cannot be measured here."""
        ...


def speaker_of(place: int, speakers: int) -> int:
    """Who of so many says the sentence at this place."""
    return place // TURN % speakers


class VoiceTeacher:
    """Voices of any family, of which only samples are known: the speakers of one student."""

    is_person = False

    def __init__(self, cards: Sequence[VoiceCard], workers: Workers) -> None:
        """The workers speak with the first voice in `STYLE`: processes of this computer, or those of a cluster.

        Raises:
            BadInputError: a licence is not known to allow it, the languages differ, or two have the same name.
        """
        for card in cards:
            _check_may_teach(card)
        full = [card.id for card in cards]
        names = [name.rpartition("/")[2] for name in full]
        if len(set(full)) < len(full):
            raise BadInputError(f"two of these voices have the same name: {', '.join(full)}", "name each voice once")
        self.speakers = names if len(set(names)) == len(names) else full
        self.name, self.language = " + ".join(full), cards[0].language
        if other := next((card for card in cards if card.language != self.language), None):
            raise BadInputError(
                f"the voice {cards[0].id} speaks {self.language}, and {other.id} {other.language}",
                "choose voices of one language",
            )
        digests = [card.digest for card in cards]
        self.facts: Mapping[str, str] = {
            "teacher": self.name,
            "teacher_license": " + ".join(dict.fromkeys(card.license for card in cards)),
            "teacher_sha256": digests[0] if len(cards) == 1 else joint_digest(digests),
            "note": SYNTHETIC,
        }
        self._card, self._workers = cards[0], workers
        self._styles = [STYLE, *(replace(STYLE, cast={"": role_of(card)}) for card in cards[1:])]

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """See `Teacher`. Sentences that it cannot say have no samples.

        Raises:
            BadInputError: it can say none; and what `run_job` raises.
        """
        styles = [self._styles[speaker_of(place, len(self._styles))] for place in range(len(sentences))]
        units = [unit_of(one.text, self._card.digest, how) for one, how in zip(sentences, styles, strict=True)]
        tried = reached = 0
        expected = min(wanted_seconds, sum(estimated_seconds(unit.text) for unit in units))

        def report(done: float, _wanted: float) -> None:
            nonlocal reached
            reached = max(reached, round(done))  # what is spoken, then what of it was measured
            progress(reached, max(reached, round(expected)))

        def say(places: range, missing_seconds: float) -> list[TeacherSpeech]:
            nonlocal tried
            if places.stop > tried:
                ahead = _enough(units[places.start :], missing_seconds)
                tried = places.start + len(ahead)
                said_seconds = wanted_seconds - missing_seconds

                def spoken(job: JobProgress) -> None:
                    nonlocal expected
                    if job.done and job.audio_seconds:  # there may be fewer sentences than are wanted
                        whole = said_seconds + job.audio_seconds / job.done * (len(units) - places.start)
                        expected = min(wanted_seconds, whole)
                    report(min(expected, said_seconds + job.audio_seconds), wanted_seconds)

                self._run(ledger, ahead, spoken)
            return [_speech(ledger, units[place]) for place in places]

        with open_ledger(folder / "speech") as ledger:
            write_corpus(folder, len(units), say, wanted_seconds, report)
        progress(reached, reached)

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


def _check_may_teach(card: VoiceCard) -> None:
    if not card.capabilities.may_teach:
        raise BadInputError(
            f"the voice {card.id} may not teach: its licence ({card.license or 'unknown'}) is not known to allow "
            "voices made from its speech",
            "choose a voice of Piper or Kokoro, or record your own: `voxmatrix train`",
        )


def check_teacher(
    said: Sequence[tuple[str, Samples]], recognise: Callable[[Samples, int], str] | None, *, is_person: bool = False
) -> None:
    """Check that what was said of texts can be learned from, before hours are spent on that.

    Raises:
        BadInputError: most of it is no speech, or of other words.
    """
    said = said[:_CHECKED]
    failures = suspected_failures([measure(wave, RATE_HZ) for _, wave in said], [len(text) for text, _ in said])
    if sum(map(bool, failures)) > _MAX_FAILURES * len(said):
        problem = f"most sentences are not, e.g. {next(filter(None, failures))}"
        raise _no_speech(problem, is_person=is_person)
    if recognise:
        words = [spoken_words(text) for text, _ in said]
        heard_words = [spoken_words(recognise(wave, RATE_HZ)) for _, wave in said]
        missed = sum(map(edits, words, heard_words)) / max(1, sum(map(len, words)))
        if missed > _MAX_WORDS_MISSED:
            problem = f"of {sum(map(len, words))} words, {min(1.0, missed):.0%} are not recognised"
            raise _no_speech(problem, is_person=is_person)


def _no_speech(problem: str, *, is_person: bool) -> BadInputError:
    if is_person:
        return BadInputError(
            f"what is recorded is no speech that could be learned: {problem}",
            "listen to the recordings, and compare them with their texts; add `force` if they are right",
        )
    return BadInputError(
        f"what the teacher says is no speech that could be learned: {problem}",
        "listen to it with `voxmatrix speak`; add `force` if it is right",
    )


def _enough(units: Sequence[Unit], seconds: float) -> Sequence[Unit]:
    """The first units whose speech is probably as long, for whole files of the corpus."""
    lengths = accumulate(estimated_seconds(unit.text) for unit in units)
    count = 1 + sum(length < seconds for length in lengths)
    return units[: -(-count // IN_A_FILE) * IN_A_FILE]


def _speech(ledger: Ledger, unit: Unit) -> TeacherSpeech:
    delivery = ledger.delivery(unit.key)
    if delivery is None:
        return speech_of(np.zeros(0, np.float32), RATE_HZ)
    samples = ledger.samples(unit.key)
    return speech_of(samples.astype(np.float32) / np.float32(INT16_MAX), delivery.rate_hz)
