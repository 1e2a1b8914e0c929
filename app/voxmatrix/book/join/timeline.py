"""When each sentence and chapter of an audiobook starts and ends, in samples. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Protocol

from voxmatrix.book.content import SOMEBODY, Chapter
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.speak.captions import Caption
from voxmatrix.text.passages import JOINT_SECONDS
from voxmatrix.wording import quoted

MAX_PAUSE_SECONDS = 60.0
#: A chapter without sentences (a picture, a page with a motto that was left out) keeps its mark and this much silence.
EMPTY_CHAPTER_SECONDS = 1.0
_REMEDY = "run the same command again: missing speech is made, and what is complete is kept"


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """A sentence whose speech is finished: a mono file of 16 bits (FLAC or WAV)."""

    chapter: int  # index of the chapter
    index: int  # from 1, within the chapter
    text: str
    path: Path
    samples: int
    rate_hz: int
    sha256: str  # of the file
    starts_paragraph: bool = False
    pause: float = 0.0  # seconds of silence behind it, besides those of every sentence
    voice: str = ""  # the file of its voice, and perhaps the speaker; "": the narrator
    who: str = ""  # who says it in the book, and the rule by which that is known
    rule: str = ""
    continues: bool = False  # it goes on with the sentence before it

    @property
    def place(self) -> tuple[int, int]:
        """Chapter and index."""
        return self.chapter, self.index

    def __str__(self) -> str:
        return f"chapter {self.chapter}, sentence {self.index} ({quoted(self.text)})"


class Follower(Protocol):
    """A sentence behind another one."""

    @property
    def starts_paragraph(self) -> bool:
        """Whether it does."""
        ...

    @property
    def continues(self) -> bool:
        """Whether it goes on with the sentence before it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Pauses:
    """Silence in seconds behind a sentence: within a paragraph, before the next paragraph, at the end of a chapter."""

    sentence: float = 0.3
    paragraph: float = 0.7
    chapter: float = 2.0

    def __post_init__(self) -> None:
        for name, seconds in (("sentence", self.sentence), ("paragraph", self.paragraph), ("chapter", self.chapter)):
            if not 0 <= seconds <= MAX_PAUSE_SECONDS:
                problem = f"the pause after a {name} is {seconds} seconds"
                raise UsageError(problem, f"choose a number from 0 to {MAX_PAUSE_SECONDS:g}")

    def before(self, following: "Follower | None") -> float:
        """The pause before a sentence that is not the first of its chapter; None: the end of the chapter."""
        if following is None:
            return self.chapter
        if following.continues:
            return min(self.sentence, JOINT_SECONDS)
        return self.paragraph if following.starts_paragraph else self.sentence


@dataclass(frozen=True, kw_only=True)
class TimedSentence:
    """A sentence in the sound of the whole book, in samples; the pause behind it lasts until `pause_end`."""

    spoken: Spoken
    start: int
    end: int
    pause_end: int


@dataclass(frozen=True, kw_only=True)
class TimedChapter:
    """A chapter in the sound of the whole book, in samples, with the pause behind it."""

    chapter: Chapter
    start: int
    end: int
    sentences: tuple[TimedSentence, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The sound of a book, or of some of its chapters."""

    rate_hz: int
    chapters: tuple[TimedChapter, ...]

    @property
    def samples(self) -> int:
        """The length of the book in samples."""
        return self.chapters[-1].end

    @property
    def sentences(self) -> list[TimedSentence]:
        """All sentences in order."""
        return [sentence for chapter in self.chapters for sentence in chapter.sentences]

    @property
    def captions(self) -> list[Caption]:
        """Its sentences as captions."""
        return [
            Caption(one.spoken.text, self._milliseconds(one.start), self._milliseconds(one.end))
            for one in self.sentences
        ]

    def captions_with_speakers(self) -> list[Caption]:
        """Its sentences as captions; the name of a person stands before the first of those that they say."""
        return [
            replace(caption, text=f"{who}: {caption.text}") if who else caption
            for who, caption in zip(self.named_speakers(), self.captions, strict=True)
        ]

    def named_speakers(self) -> list[str]:
        """The person whose first sentence each one is; "": they go on speaking, or nobody who is known speaks."""
        people = ["" if one.spoken.who in SOMEBODY.values() else one.spoken.who for one in self.sentences]
        return [who if who != before else "" for before, who in pairwise(["", *people])]

    def _milliseconds(self, samples: int) -> int:
        return round(1000 * samples / self.rate_hz)

    def seconds(self, samples: int) -> float:
        """The time of a position that is counted in samples."""
        return samples / self.rate_hz


def timeline(chapters: Sequence[Chapter], spoken: Iterable[Spoken], pauses: Pauses | None = None) -> Timeline:
    """The timeline of `chapters` with their sentences; those of a chapter must come in order, without a gap.

    Raises:
        BadInputError: nothing is spoken, a sentence is missing or spoken twice or belongs to no chapter, or sample
            rates differ.
    """
    by_chapter: dict[int, list[Spoken]] = defaultdict(list)
    for sentence in spoken:
        by_chapter[sentence.chapter].append(sentence)
    rate_hz = _rate_hz(by_chapter.values())
    _check_chapters(chapters, by_chapter)
    timed: list[TimedChapter] = []
    at = 0
    for chapter in chapters:
        timed.append(_timed(chapter, by_chapter[chapter.index], at, rate_hz, pauses or Pauses()))
        at = timed[-1].end
    return Timeline(rate_hz=rate_hz, chapters=tuple(timed))


def _timed(chapter: Chapter, spoken: Sequence[Spoken], at: int, rate_hz: int, pauses: Pauses) -> TimedChapter:
    _check_sentences(spoken)
    sentences: list[TimedSentence] = []
    start = at
    for sentence, following in zip_longest(spoken, spoken[1:]):
        pause = pauses.before(following) + sentence.pause
        end = at + sentence.samples
        pause_end = end + round(pause * rate_hz)
        sentences.append(TimedSentence(spoken=sentence, start=at, end=end, pause_end=pause_end))
        at = pause_end
    end = at if sentences else at + round(EMPTY_CHAPTER_SECONDS * rate_hz)
    return TimedChapter(chapter=chapter, start=start, end=end, sentences=tuple(sentences))


def _rate_hz(chapters: Iterable[Sequence[Spoken]]) -> int:
    first: Spoken | None = None
    for sentence in (sentence for chapter in chapters for sentence in chapter):
        first = first or sentence
        if sentence.rate_hz != first.rate_hz:
            problem = f"{sentence} has {sentence.rate_hz} samples per second, and {first} has {first.rate_hz}"
            raise BadInputError(problem, "speak the whole book with the same voice")
    if first is None:
        raise BadInputError("no sentence of this book was spoken", "check with `voxmatrix book inspect` what is in it")
    return first.rate_hz


def _check_chapters(chapters: Sequence[Chapter], spoken: Iterable[int]) -> None:
    indexes = [chapter.index for chapter in chapters]
    if any(after <= before for before, after in pairwise(indexes)):
        raise BadInputError("the chapters are out of order, or one appears twice", "number them from 1")
    unknown = sorted(set(spoken) - set(indexes))
    if unknown:
        raise BadInputError(f"speech belongs to chapter {unknown[0]}, which the book does not have", _REMEDY)


def _check_sentences(spoken: Sequence[Spoken]) -> None:
    for expected, sentence in enumerate(spoken, start=1):
        if sentence.index > expected:
            raise BadInputError(f"chapter {sentence.chapter}, sentence {expected} is missing", _REMEDY)
        if sentence.index < expected:
            raise BadInputError(f"{sentence} is out of order, or appears twice", _REMEDY)
        if sentence.samples < 1:
            raise BadInputError(f"{sentence} contains no sound", _REMEDY)
