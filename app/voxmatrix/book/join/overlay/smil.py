"""The overlays: which sound belongs to which element of which document, and when."""

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from voxmatrix.book.join.overlay.spans import Mark
from voxmatrix.book.join.timeline import TimedSentence, Timeline
from voxmatrix.errors import BadInputError

#: A shorter part of a sentence is not shown on its own.
SHORTEST_SECONDS = 0.15
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass
class Clip:
    """A piece of the sound of a chapter, in samples from the start of the chapter, with the element that shows it."""

    chapter: int
    anchor: str
    start: int
    end: int


@dataclass
class Overlay:
    """The clips of a document."""

    document: str
    clips: list[Clip] = field(default_factory=list)

    @property
    def samples(self) -> int:
        """How long it lasts."""
        return sum(clip.end - clip.start for clip in self.clips)


def overlays(line: Timeline, marks: Mapping[str, Sequence[Mark]]) -> tuple[list[Overlay], int]:
    """The overlays of the documents with marks, and the number of sentences that have none.

    All sound is played: a sentence without a mark shows the element of the one before it, or behind it. A sentence with
    several is shown in each for as long as its letters are spoken.

    Raises:
        BadInputError: there are no marks.
    """
    of_sentence: dict[int, list[tuple[str, Mark]]] = defaultdict(list)
    for document, found in marks.items():
        for mark in found:
            of_sentence[mark.sentence].append((document, mark))
    if not of_sentence:
        raise BadInputError("no page that is spoken can be kept", "convert the book: ebook-convert OLD.epub NEW.epub")
    made = {document: Overlay(document) for document in marks}
    number, lost, shortest = 0, 0, round(SHORTEST_SECONDS * line.rate_hz)
    last = next(iter(of_sentence.values()))[:1]
    for chapter in line.chapters:
        numbers = range(number, number + len(chapter.sentences))
        number = numbers.stop
        last = next((of_sentence[one][:1] for one in numbers if one in of_sentence), last)
        for one, sentence in zip(numbers, chapter.sentences, strict=True):
            shown = of_sentence.get(one, last)
            lost += one not in of_sentence
            last = shown[-1:]
            for document, clip in _clips(sentence, chapter.start, shown, shortest):
                made[document].clips.append(clip)
    return [overlay for overlay in made.values() if overlay.clips], lost


def _clips(
    sentence: TimedSentence, start: int, marks: Sequence[tuple[str, Mark]], shortest: int
) -> Iterator[tuple[str, Clip]]:
    """A clip lasts until the next one, with its pause: readers that jump between clips play without a break."""
    length = sentence.pause_end - sentence.start
    letters = sum(mark.letters for _, mark in marks)
    shown = [one for one in marks if length * one[1].letters >= shortest * letters] or marks[:1]
    done = list(accumulate((mark.letters for _, mark in shown), initial=0))
    times = [sentence.start - start + length * part // done[-1] for part in done]
    for (document, mark), (begin, end) in zip(shown, pairwise(times), strict=True):
        yield document, Clip(sentence.spoken.chapter, mark.anchor, begin, end)


def smil(overlay: Overlay, name: str, sounds: Mapping[int, str], rate_hz: int) -> str:
    """The file `name` of an overlay; `sounds` are the files of the chapters."""
    folder = posixpath.dirname(name)
    text = relative(overlay.document, folder)
    clips = "\n".join(
        f"<par id={quoteattr(f'p{number}')}><text src={quoteattr(f'{text}#{quote(clip.anchor)}')}/>"
        f"<audio src={quoteattr(relative(sounds[clip.chapter], folder))}"
        f' clipBegin="{clock(clip.start, rate_hz)}" clipEnd="{clock(clip.end, rate_hz)}"/></par>'
        for number, clip in enumerate(overlay.clips, start=1)
    )
    return f'{XML}<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">\n<body>\n{clips}\n</body>\n</smil>\n'


def relative(name: str, folder: str) -> str:
    """The link to a file of the archive in a file of this folder."""
    return quote(posixpath.relpath(name, folder or "."))


def clock(samples: int, rate_hz: int) -> str:
    """A time as hours, minutes, seconds and milliseconds."""
    seconds, milliseconds = divmod(round(1000 * samples / rate_hz), 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}"
