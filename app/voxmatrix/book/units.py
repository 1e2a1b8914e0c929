"""What a book is spoken in: its sentences, as units of work."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from voxmatrix.book.content import Book, Speech
from voxmatrix.errors import BadInputError
from voxmatrix.text.lines import unwrap
from voxmatrix.text.passages import Passage, Passages, joined, speakers_of
from voxmatrix.text.sentences import split
from voxmatrix.text.speech.quotes import pieces_with_words

if TYPE_CHECKING:  # who only wants to know the sentences of a book needs neither voices nor numpy
    from voxmatrix.models.style import Role, Style
    from voxmatrix.work.unit import Unit

#: How a text of unknown language is split.
_DEFAULT_LANGUAGE = "en"
#: A whole book may be one line. The splitter's time grows with the square of the length.
_MAX_PART = 100_000
_SEARCHED = 10_000
_END = re.compile(r"[.!?\u2026\u3002][\"')\]\u2019\u201d\u00bb]*\s")


@dataclass(frozen=True)
class BookSentence:
    """A sentence as it is written, at most MAX_CHARACTERS of text.sentences long, and where a longer pause belongs."""

    text: str
    starts_paragraph: bool
    voice: str = ""  # as the text names it; "": the narrator
    rate: float = 1.0  # times the speed of the book
    pause: float = 0.0  # seconds of silence behind it, besides those of every sentence
    continues: bool = False  # it goes on with the sentence before it, in another voice or at another rate
    breaks_off: bool = False  # the next one goes on with it
    who: str = ""  # who says it, but for the narrator's words beside, and the rule by which that is known
    rule: str = ""


def sentences(
    paragraphs: Iterable[str],
    language: str,
    voices: Mapping[str, object] = MappingProxyType({}),
    speeches: Iterable[Speech] = (),
    dialogue: str = "",
) -> list[BookSentence]:
    """The sentences of paragraphs in order. What has neither letter nor digit, e.g. `* * *`, is left out.

    Tags (`text.passages`) are no text. A pause before the first sentence has no effect.

    Args:
        paragraphs: the text of a chapter.
        language: e.g. `sv` or `en-US`; empty if it is unknown.
        voices: by names in small letters; names of the same voice have equal values (`passages.joined`).
        speeches: what persons say in the paragraphs. Those whose names are in `voices` have that voice.
        dialogue: the name of the voice of other speeches; "": they are the narrator's.
    """
    found: list[BookSentence] = []
    passages = Passages()
    said_in: dict[int, list[Speech]] = defaultdict(list)
    for speech in speeches:
        said_in[speech.paragraph].append(speech)
    for index, paragraph in enumerate(paragraphs):
        starts = True
        text = paragraph if index in said_in else unwrap(paragraph)  # places of speeches are those of the paragraph
        own = said_in.pop(index, [])
        for part in _cut(text, own, _unread_name(own, voices)):
            for passage in joined(_voiced(part, passages, voices, dialogue), voices):
                _add_pause(found, passage.pause)
                said = [one for one in split(passage.text, language or _DEFAULT_LANGUAGE) if _has_word(one)]
                for one, (who, rule) in zip(said, speakers_of(said, passage), strict=True):
                    found.append(BookSentence(one, starts, passage.voice, passage.rate, who=who, rule=rule))
                    starts = False
                if said and passage.continues:
                    found[-len(said)] = replace(found[-len(said)], continues=True)
                if said and passage.breaks_off:
                    found[-1] = replace(found[-1], breaks_off=True)
    _add_pause(found, passages.rest())
    return found


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _add_pause(found: list[BookSentence], seconds: float) -> None:
    if found and seconds:
        found[-1] = replace(found[-1], pause=found[-1].pause + seconds)


def _unread_name(speeches: Sequence[Speech], voices: Mapping[str, object]) -> int:
    """How many characters the name before the lines of a play has that is not read: its own voice tells who speaks."""
    return speeches[0].head if speeches and speeches[0].who and speeches[0].who.casefold() in voices else 0


def _cut(paragraph: str, speeches: Iterable[Speech], place: int = 0) -> Iterator[Iterable[tuple[Speech | None, str]]]:
    """The parts of a paragraph from a place, each in pieces: those of speeches, and what is between them."""
    left = deque(speeches)
    end = 0
    for part in _parts(paragraph):
        end += len(part)
        pieces: list[tuple[Speech | None, str]] = []
        while left and left[0].start < end:
            start, stop = max(place, left[0].start), min(left[0].end, end)
            pieces += [(None, paragraph[place:start]), (left[0], paragraph[start:stop])]
            place = max(place, stop)
            if left[0].end > end:
                break
            left.popleft()
        yield pieces_with_words([*pieces, (None, paragraph[place:end])])
        place = end


def _voiced(
    pieces: Iterable[tuple[Speech | None, str]], passages: Passages, voices: Mapping[str, object], dialogue: str
) -> Iterator[Passage]:
    """The passages of pieces; a tag is stronger than who says them."""
    for speech, text in pieces:
        for passage in passages.read(text):
            if speech is None or passage.voice:
                yield passage
            else:
                name = speech.who if speech.who and speech.who.casefold() in voices else dialogue
                yield replace(passage, voice=name, who=speech.who, rule=speech.rule)


def _parts(paragraph: str) -> Iterator[str]:
    """A paragraph in pieces that are split in bearable time, cut behind a sentence or else a word."""
    start = 0
    while len(paragraph) - start > _MAX_PART:
        part = paragraph[start : start + _MAX_PART]
        ends = [match.end() for match in _END.finditer(part, _MAX_PART - _SEARCHED)]
        length = ends[-1] if ends else part.rfind(" ") + 1 or _MAX_PART
        yield part[:length]
        start += length
    yield paragraph[start:]


@dataclass(frozen=True, kw_only=True)
class BookUnit:
    """A sentence of a book, with its place."""

    chapter: int  # index of the chapter
    index: int  # from 1, within the chapter
    starts_paragraph: bool
    unit: "Unit"
    pause: float = 0.0  # seconds of silence behind it, besides those of every sentence
    voice: str = ""  # the file of its voice, and perhaps the speaker; "": the narrator
    who: str = ""  # who says it, and the rule by which that is known
    rule: str = ""
    continues: bool = False  # it goes on with the sentence before it

    @property
    def place(self) -> tuple[int, int]:
        """Chapter and index."""
        return self.chapter, self.index


def book_units(book: Book, language: str, voice: str, style: "Style") -> Iterator[BookUnit]:
    """The units of all chapters in order.

    Args:
        book: what is spoken.
        language: how it is split into sentences, e.g. `sv` or `en-US`.
        voice: the digest of the voice.
        style: how sentences are spoken.

    Raises:
        BadInputError: the cast lacks a voice that the book names.
    """
    from voxmatrix.work.unit import unit_of

    voices = {"": (voice, style.speaker)} | {name: (role.digest, role.speaker) for name, role in style.cast.items()}
    dialogue = style.dialogue_voice
    for chapter in book.chapters:
        found = sentences(chapter.paragraphs, language, voices, chapter.speeches, dialogue)
        for index, sentence in enumerate(found, start=1):
            unit = unit_of(sentence.text, voice, _style_of(sentence, style))
            yield BookUnit(
                chapter=chapter.index,
                index=index,
                starts_paragraph=sentence.starts_paragraph,
                unit=unit,
                pause=sentence.pause,
                voice=_voice_name(unit.style.cast.get("")),
                who=sentence.who,
                rule=sentence.rule,
                continues=sentence.continues,
            )


def _style_of(sentence: BookSentence, style: "Style") -> "Style":
    """The style of a sentence: the unit of a narrator is the same with any cast.

    Raises:
        BadInputError: the cast lacks its voice.
    """
    from voxmatrix.models.style import MAX_SPEED

    role = style.cast.get(sentence.voice.casefold())
    if role is None and sentence.voice:
        raise BadInputError(
            f"the book names the voice {sentence.voice!r}, which is not in the cast",
            "add it to the table of `cast`, or remove the tag",
        )
    speed = min(max(style.speed * sentence.rate, 1 / MAX_SPEED), MAX_SPEED)
    cast = {"": role} if role else {}
    return replace(
        style,
        cast=cast,
        speed=speed,
        dialogue_voice="",
        emphasis_voice="",
        continues=sentence.continues,
        breaks_off=sentence.breaks_off,
    )


def _voice_name(role: "Role | None") -> str:
    return "" if role is None else "#".join(filter(None, [Path(role.voice).name, role.speaker]))
