"""A book to an audiobook: speak what is not spoken yet, then join all of it."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.check import Doubt, check_speech
from voxmatrix.book.content import Book
from voxmatrix.book.join.audiobook import Joined, Origin, join_book, manifest_path
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.join.sound_file import PER_CHAPTER, WHOLE_BOOK, check_sound_format
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.partial import PartialChapters, spoken_unit
from voxmatrix.book.units import book_units
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.files import digest, write_text
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.progress import OnProgress
from voxmatrix.wording import pluralise, quoted
from voxmatrix.work.executors.base import Workers
from voxmatrix.work.job import JobOutcome, JobProgress, run_job
from voxmatrix.work.ledger import Ledger, open_ledger

#: Sentences that an error names.
_NAMED = 5
#: In the folder of a job while its audiobook is written.
_JOINING = "joining"


@dataclass(frozen=True, kw_only=True)
class BookRequest:
    """What is to be made of which file."""

    source: Path
    book: Book  # with the chapters that are wanted
    language: str  # in which the book is split into sentences
    voice: VoiceCard
    out: Path
    style: Style
    joining: JoinSettings

    @property
    def job_folder(self) -> Path:
        """Where finished sentences are kept, for this output file."""
        return job_folder(self.out)


#: Called with the progress of the job and the number of chapters that are complete.
OnBookProgress = Callable[[JobProgress, int], None]


class BookJob:
    """The making of one audiobook: first `speak`, then `join`. Made by `open_book_job`."""

    def __init__(self, request: BookRequest, ledger: Ledger) -> None:
        self._request, self._ledger = request, ledger
        #: What was found when the job was opened: damage, or speech of an earlier version.
        self.findings = tuple(ledger.findings)
        self._meter: SpeechMeter | None = None
        self._checked: dict[str, Any] | None = None
        self._checksum = request.voice.digest
        self.units = list(book_units(request.book, request.language, self._checksum, request.style))
        if not self.units:
            raise BadInputError(
                f"{request.source} has no sentence to speak",
                f"see what is in it: voxmatrix book inspect {request.source}",
            )

    def speak(self, workers: Workers, on_progress: OnBookProgress) -> JobOutcome:
        """Speak the sentences that the job does not have yet. Meanwhile, complete chapters are in `B.partial`.

        Raises:
            BadInputError: sentences cannot be spoken; the others are kept.
            InterruptedRunError: Ctrl-C or SIGTERM; what is spoken is kept.
            And what `run_job` raises.
        """
        request, ledger = self._request, self._ledger
        folder, self._meter = partial_folder(request.out), SpeechMeter()
        with PartialChapters(request.book, self.units, ledger, folder, request.joining, meter=self._meter) as partial:

            def progressed(progress: JobProgress) -> None:
                partial.update()
                on_progress(progress, partial.complete)

            with workers(ledger.incoming, len(self.units)) as executor:
                outcome = run_job(ledger, (unit.unit for unit in self.units), executor, progressed)
        if outcome.given_up:
            raise _given_up(outcome, len(self.units))
        return outcome

    def check(self, recogniser: Recogniser | None, on_progress: OnProgress) -> list[Doubt]:
        """The sentences that may not be spoken right, by their sound and by the words that are heard in it.

        Raises:
            As `check_speech`.
        """
        self._checked = {"by": recogniser.name if recogniser else "sound"}
        doubts = check_speech(list(self._spoken()), self._request.voice.language, recogniser, on_progress)
        self._checked["doubtful"] = [asdict(doubt) for doubt in doubts]
        return doubts

    def join(self, on_progress: OnProgress) -> Joined:
        """Join the sentences, and remove `B.partial`.

        Raises:
            As `join_book`.
        """
        request, joining = self._request, self._request.job_folder / _JOINING
        write_text(joining, "")
        joined = join_book(
            request.book,
            self._spoken(),
            request.out,
            request.joining,
            source=Origin(request.source.name, digest(request.source)),
            voice=Origin(request.voice.path.name, self._checksum, request.voice.provenance),
            meter=self._meter,
            checked=self._checked,
            on_progress=on_progress,
        )
        joining.unlink(missing_ok=True)
        shutil.rmtree(partial_folder(request.out), ignore_errors=True)
        return joined

    def _spoken(self) -> Iterator[Spoken]:
        delivered = {delivery.key: delivery for _, delivery in self._ledger.deliveries()}
        for unit in self.units:
            if delivery := delivered.get(unit.unit.key):  # a missing one is found when the sentences are joined
                yield spoken_unit(unit, self._ledger, delivery)


@contextmanager
def open_book_job(request: BookRequest) -> Iterator[BookJob]:
    """Open or create the job of an audiobook; what it has spoken already is kept.

    Raises:
        BadInputError: there is no such voice, or nothing to speak.
        UsageError: the extension or bit rate is not supported, or another process is making this audiobook.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: the folder of the job cannot be written.
    """
    # Known now, not after hours of speech.
    check_sound_format(request.out, request.joining.bitrate, (*WHOLE_BOOK, *PER_CHAPTER))
    ffmpeg_program()
    with open_ledger(request.job_folder) as ledger:
        if ledger.begun_anew:
            shutil.rmtree(partial_folder(request.out), ignore_errors=True)
        yield BookJob(request, ledger)


def is_unfinished(out: Path) -> bool:
    """Whether an audiobook was being written when its command ended: it has no certificate yet."""
    return (job_folder(out) / _JOINING).exists() and not manifest_path(out).exists()


def job_folder(out: Path) -> Path:
    """The folder in which the finished sentences of an audiobook are kept."""
    place = str(out.absolute())
    return home() / "jobs" / f"book-{hashlib.sha256(place.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def partial_folder(out: Path) -> Path:
    """The folder of chapters that are complete before the book is."""
    return out.with_name(f"{out.stem}.partial")


def _given_up(outcome: JobOutcome, total: int) -> BadInputError:
    named = "; ".join(f"{quoted(one.unit.text)}: {one.problem}" for one in outcome.given_up[:_NAMED])
    rest = len(outcome.given_up) - _NAMED
    more = f"; and {rest} more" if rest > 0 else ""
    return BadInputError(
        f"{pluralise(len(outcome.given_up), 'sentence')} of {total} cannot be spoken, the others are kept: "
        f"{named}{more}",
        "change them in the book, or give their words a pronunciation (`lexicon`), and run the same command again",
    )
