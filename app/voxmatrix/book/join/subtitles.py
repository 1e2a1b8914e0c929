"""Subtitles: SubRip (SRT) and WebVTT, with cues of at most two lines. Pure."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from voxmatrix.book.join.tags import one_line
from voxmatrix.book.join.timeline import TimedSentence, Timeline

MAX_LINES = 2
MAX_CHARACTERS = 42
#: SRT cannot escape: an invisible character that forbids a line break keeps players from seeing a tag or an arrow.
_WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"(?<=-)(?=->)|(?<=[<{])|(?<=&)(?=[#\w])")


@dataclass(frozen=True, kw_only=True)
class Cue:
    """What is shown for a while."""

    start_ms: int
    end_ms: int
    lines: tuple[str, ...]


def cues(line: Timeline) -> Iterator[Cue]:
    """The cues of a book: those of a long sentence share its time by their characters."""
    for sentence in line.sentences:
        yield from (cue for cue in _of_sentence(sentence, line.rate_hz) if cue.start_ms < cue.end_ms)


def srt(line: Timeline) -> str:
    """The book as SubRip."""
    return "".join(
        f"{number}\n{_clock(cue.start_ms, ',')} --> {_clock(cue.end_ms, ',')}\n"
        + "\n".join(_MARKUP.sub(_WORD_JOINER, text) for text in cue.lines)
        + "\n\n"
        for number, cue in enumerate(cues(line), start=1)
    )


def vtt(line: Timeline) -> str:
    """The book as WebVTT."""
    shown = (
        f"{_clock(cue.start_ms, '.')} --> {_clock(cue.end_ms, '.')}\n" + "\n".join(map(_escaped, cue.lines)) + "\n"
        for cue in cues(line)
    )
    return "\n".join(["WEBVTT\n", *shown])


def _of_sentence(sentence: TimedSentence, rate_hz: int) -> Iterator[Cue]:
    lines = textwrap.wrap(one_line(sentence.spoken.text, most_bytes=1 << 20), MAX_CHARACTERS)
    shown = [tuple(lines[at : at + MAX_LINES]) for at in range(0, len(lines), MAX_LINES)]
    characters = [sum(map(len, cue)) for cue in shown]
    start_ms, end_ms = (round(1000 * samples / rate_hz) for samples in (sentence.start, sentence.end))
    said = 0
    for cue, length in zip(shown, characters, strict=True):
        begin, said = said, said + length
        span = end_ms - start_ms
        yield Cue(
            start_ms=start_ms + span * begin // sum(characters),
            end_ms=start_ms + span * said // sum(characters),
            lines=cue,
        )


def _clock(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{rest:03}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
