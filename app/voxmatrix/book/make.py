"""A book to an audiobook: speak what is not spoken yet, then join all of it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.check import Doubt, Listener, SpeechCheck, refuse_faulty_voice
from voxmatrix.book.content import Book
from voxmatrix.book.join.audiobook import Joined, Origin, join_book, manifest_path
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.join.sound_file import PER_CHAPTER, WHOLE_BOOK, check_sound_format
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.partial import PartialChapters, spoken_unit
from voxmatrix.book.shelf import job_folder, note_book, path_digest
from voxmatrix.book.units import BookUnit, book_units
from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.files import digest, write_text
from voxmatrix.judge.hearing import Recogniser
from voxmatrix.lock import locked
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import MAX_SEED, Style
from voxmatrix.progress import OnProgress
from voxmatrix.voices.resolve import resolve
from voxmatrix.wording import pluralise, quoted
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.executor import Workers
from voxmatrix.work.job import JobOutcome, JobProgress, OnJobProgress, run_job
from voxmatrix.work.ledger import Ledger, open_ledger
from voxmatrix.work.unit import unit_of

#: Sentences that an error names.
_NAMED = 5
#: In the folder of a job: what was heard in its speech.
_HEARD = "heard.jsonl"
#: How often a sentence is spoken again.
MAX_RETAKES = 2
#: What is added to its seed: more than the distance of seeds that are chosen for whole books.
_RETAKE_SEED = 1_000_003


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
        """Where finished sentences are kept, for all audiobooks of this file."""
        return job_folder(self.source)


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
        with PartialChapters(request.book, self.units, ledger, folder, request.joining, meter=self._meter) as chapters:

            def progressed(progress: JobProgress) -> None:
                chapters.update(progress.seconds_left)
                on_progress(progress, chapters.complete)

            outcome = self._run(workers, len(self.units), progressed)
            for _ in range(MAX_RETAKES):  # with other random numbers, it may come to an end
                if not outcome.given_up or not request.voice.capabilities.autoregressive:
                    break
                failed = {one.unit.key for one in outcome.given_up}
                self.units = [_retake(unit) if unit.unit.key in failed else unit for unit in self.units]
                again = self._run(workers, len(failed), progressed)
                outcome = replace(again, spoken=outcome.spoken + again.spoken, known=outcome.known)
        if outcome.given_up:
            raise _given_up(outcome, len(self.units))
        return outcome

    def check(
        self, recogniser: Recogniser | None, on_progress: OnProgress, *, again: Workers | None = None, full: bool = True
    ) -> list[Doubt]:
        """The sentences that may not be spoken right, by their sound and by the words that are heard in it.

        Args:
            recogniser: hears the words.
            on_progress: is called with the sentences that are checked, and their number.
            again: speak what is in doubt again with other random numbers; what is not better then stays as it was.
            full: else only what cannot be the speech of its text is in doubt.

        Raises:
            BadInputError: the voice is at fault.
            DamagedFileError: the speech of a sentence is not what was delivered.
            And what `run_job` raises.
        """
        listener = Listener(recogniser, self._request.job_folder / _HEARD) if recogniser else None
        check = SpeechCheck(self._request.voice, listener, compared=full, meter=self._meter)
        before = self.units
        doubts = check.doubts(self._sentences(), on_progress)
        if again:
            doubts = self._speak_again(check, doubts, again, on_progress)
        self._refuse(doubts)
        if full or doubts:
            retaken = {"sentences": len(before), "repaired": _changed(before, self.units)} if again else {}
            self._checked = {**_figures(recogniser, doubts), **retaken}
        return doubts

    def _speak_again(
        self, check: SpeechCheck, doubts: list[Doubt], workers: Workers, on_progress: OnProgress
    ) -> list[Doubt]:
        """Take the speech of other seeds for sentences in doubt, where it is better. The rest stays in doubt."""
        before = {unit.place: unit for unit in self.units}
        for attempt in range(1, MAX_RETAKES + 1):
            if not doubts:
                break
            places = {doubt.place for doubt in doubts}
            self.units = [_retake(unit, attempt) if unit.place in places else unit for unit in self.units]
            self._run(workers, len(places), lambda progress: None)
            spoken = [pair for pair in self._sentences() if pair[0].place in places]
            wrong = {doubt.place for doubt in check.doubts(spoken, on_progress)}
            left = places - {unit.place for unit, _ in spoken if unit.place not in wrong}
            self.units = [before[unit.place] if unit.place in left else unit for unit in self.units]
            doubts = [doubt for doubt in doubts if doubt.place in left]
        return doubts

    def _refuse(self, doubts: Sequence[Doubt]) -> None:
        """Refuse a book whose voice is at fault, and forget what it has said wrong: the voice may be repaired."""
        try:
            refuse_faulty_voice(self._request.voice.id, doubts, len(self.units))
        except BadInputError:
            wrong = {doubt.place for doubt in doubts if doubt.impossible}
            units = [unit for unit in self.units if unit.place in wrong]
            attempts = range(MAX_RETAKES + 1)
            self._ledger.forget(_retake(unit, attempt).unit.key for unit in units for attempt in attempts)
            raise

    def _run(self, workers: Workers, count: int, on_progress: OnJobProgress) -> JobOutcome:
        """Speak the units that the job does not have yet, about so many."""
        with workers(self._ledger.incoming, count) as executor:
            return run_job(self._ledger, (unit.unit for unit in self.units), executor, on_progress)

    def join(self, on_progress: OnProgress) -> Joined:
        """Join the sentences, and remove `B.partial`.

        Raises:
            As `join_book`.
        """
        request = self._request
        joining = _joining(request.source, request.out)
        write_text(joining, "")
        joined = join_book(
            request.book,
            self._spoken(),
            request.out,
            request.joining,
            source=Origin(request.source.name, digest(request.source), path=request.source),
            voice=Origin(request.voice.path.name, self._checksum, self._provenance()),
            cast=self._cast(),
            meter=self._meter,
            checked=self._checked,
            on_progress=on_progress,
        )
        joining.unlink(missing_ok=True)
        shutil.rmtree(partial_folder(request.out), ignore_errors=True)
        return joined

    def _provenance(self) -> dict[str, Any]:
        """What the certificate says of the voice. The workers of a cluster may compute it in several ways."""
        computed = sorted({delivery.computed for _, delivery in self._delivered()} - {""})
        return {**_of_card(self._request.voice), **({"computed": computed} if computed else {})}

    def _cast(self) -> list[Origin]:
        """The voices that speak beside the narrator's."""
        roles = {unit.voice: unit.unit.style.cast[""] for unit in self.units if unit.voice}
        return [Origin(name, role.digest, _of_card(resolve(role.voice))) for name, role in sorted(roles.items())]

    def _spoken(self) -> Iterator[Spoken]:
        return (spoken for _, spoken in self._sentences())

    def _sentences(self) -> list[tuple[BookUnit, Spoken]]:
        return [(unit, spoken_unit(unit, self._ledger, delivery)) for unit, delivery in self._delivered()]

    def _delivered(self) -> Iterator[tuple[BookUnit, Delivery]]:
        delivered = {delivery.key: delivery for _, delivery in self._ledger.deliveries()}
        for unit in self.units:
            # A missing one is found when the sentences are joined.
            if delivery := delivered.get(unit.unit.key) or self._ledger.delivery(unit.unit.key):
                yield unit, delivery


@contextmanager
def open_book_job(request: BookRequest) -> Iterator[BookJob]:
    """Open or create the job of an audiobook; what it has spoken already is kept.

    Raises:
        BadInputError: there is no such voice, or nothing to speak.
        InterruptedRunError: Ctrl-C or SIGTERM.
        UsageError: the extension or bit rate is not supported, or another process is making this audiobook.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: the folder of the job cannot be written.
    """
    # Known now, not after hours of speech.
    check_sound_format(request.out, request.joining.bitrate, (*WHOLE_BOOK, *PER_CHAPTER))
    ffmpeg_program()
    of_output = request.job_folder.with_name(f"out-{path_digest(request.out)}")
    with (
        locked(of_output, "job", "wait until it has finished, or choose another `out`"),
        open_ledger(request.job_folder) as ledger,
    ):
        note_book(request.job_folder, request.source, request.book)
        if ledger.begun_anew:
            shutil.rmtree(partial_folder(request.out), ignore_errors=True)
        try:
            yield BookJob(request, ledger)
        except KeyboardInterrupt as error:
            problem = f"interrupted; what is spoken is kept in {request.job_folder}"
            raise InterruptedRunError(problem, "run the same command again to continue") from error


def is_unfinished(source: Path, out: Path) -> bool:
    """Whether an audiobook was being written when its command ended: it has no certificate yet."""
    return _joining(source, out).exists() and not manifest_path(out).exists()


def _joining(source: Path, out: Path) -> Path:
    """The file that is there while an audiobook of a job is written."""
    return job_folder(source) / f"joining-{path_digest(out)}"


def partial_folder(out: Path) -> Path:
    """The folder of chapters that are complete before the book is."""
    return out.with_name(f"{out.stem}.partial")


def _of_card(voice: VoiceCard) -> dict[str, Any]:
    """What a certificate says of a voice: its licence, as far as it is known, and what made it."""
    return {**({"license": voice.license} if voice.license else {}), **voice.provenance}


def _figures(recogniser: Recogniser | None, doubts: Sequence[Doubt]) -> dict[str, Any]:
    by = recogniser.name if recogniser else "sound"
    return {"by": by, "doubtful": [asdict(doubt) for doubt in doubts]}


def _changed(before: Sequence[BookUnit], after: Sequence[BookUnit]) -> int:
    return sum(old is not new for old, new in zip(before, after, strict=True))


def _retake(unit: BookUnit, attempt: int = 1) -> BookUnit:
    """The sentence with another seed, which is the same in every run of the same command."""
    if not attempt:
        return unit
    style = unit.unit.style
    own = replace(style, seed=((style.seed or 0) + attempt * _RETAKE_SEED) % MAX_SEED)
    return replace(unit, unit=unit_of(unit.unit.text, unit.unit.voice, own))


def _given_up(outcome: JobOutcome, total: int) -> BadInputError:
    named = "; ".join(f"{quoted(one.unit.text)}: {one.problem}" for one in outcome.given_up[:_NAMED])
    rest = len(outcome.given_up) - _NAMED
    more = f"; and {rest} more" if rest > 0 else ""
    return BadInputError(
        f"{pluralise(len(outcome.given_up), 'sentence')} of {total} cannot be spoken, the others are kept: "
        f"{named}{more}",
        "change them in the book, or give their words a pronunciation (`lexicon`), and run the same command again",
    )
