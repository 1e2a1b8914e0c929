"""Which sentences are in which file for a shop: a chapter or a part of one, and the retail sample. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voxmatrix.book.content import Chapter
from voxmatrix.book.join.tags import chapter_title
from voxmatrix.book.join.timeline import TimedSentence, Timeline
from voxmatrix.book.shop.credits import is_credits
from voxmatrix.tables.shops import Shop

#: A file is so much shorter than the limit: a part ends with its last sentence, and there is silence at both ends.
_MARGIN_SECONDS = 300.0
#: Of the title of a chapter in several files: names of files are cut, and the number of the part must not be.
_TITLE_CHARACTERS = 30
#: The retail sample ends with the last sentence before this, or where the chapter does.
_SAMPLE_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True)
class Section:
    """What is in a file. A chapter that is too long for one has several, with titles of their own."""

    chapter: Chapter
    sentences: tuple[TimedSentence, ...]


def sections(line: Timeline, shop: Shop) -> list[Section]:
    """The files of a book, in order; none for a chapter without a sentence."""
    most = round((shop.most_seconds - _MARGIN_SECONDS) * line.rate_hz)
    found: list[Section] = []
    for timed in line.chapters:
        parts = _parts(timed.sentences, most)
        for number, sentences in enumerate(parts, start=1):
            title = chapter_title(timed.chapter.title, timed.chapter.index)[:_TITLE_CHARACTERS]
            titled = replace(timed.chapter, title=f"{title}, part {number}") if len(parts) > 1 else timed.chapter
            found.append(Section(chapter=titled, sentences=sentences))
    return found


def retail_sample(line: Timeline, shop: Shop) -> tuple[TimedSentence, ...]:
    """The beginning of the first chapter that is long enough, credits aside; nothing if none is."""
    for timed in line.chapters:
        taken = [one for one in timed.sentences if line.seconds(one.end - timed.start) <= _SAMPLE_SECONDS]
        long_enough = taken and line.seconds(taken[-1].end - timed.start) >= shop.sample_seconds[0]
        if long_enough and not is_credits(timed.chapter):
            return tuple(taken)
    return ()


def _parts(sentences: Sequence[TimedSentence], most: int) -> list[tuple[TimedSentence, ...]]:
    """Sentences in as few parts of about the same length as there must be."""
    if not sentences:
        return []
    first, length = sentences[0].start, sentences[-1].end - sentences[0].start
    count = -(-length // most)
    parts: list[list[TimedSentence]] = [[] for _ in range(count)]
    for sentence in sentences:
        parts[(sentence.start - first) * count // length].append(sentence)
    return [tuple(part) for part in parts if part]
