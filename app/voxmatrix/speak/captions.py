"""Captions: SubRip (SRT), WebVTT, lyrics (LRC) and JSON with the time of every word."""

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from voxmatrix.errors import UsageError
from voxmatrix.files import check_not_folder, write_text

MAX_LINES = 2
MAX_CHARACTERS = 42
#: SRT cannot escape: an invisible character that forbids a line break keeps players from seeing a tag or an arrow.
_WORD_JOINER = "\u2060"
_MARKUP = re.compile(r"(?<=-)(?=->)|(?<=[<{])|(?<=&)(?=[#\w])")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class CaptionWord:
    """A word with the marks on it, as it is written."""

    text: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Caption:
    """A sentence as it is written, and when it is heard. Its words are known if the voice tells their times."""

    text: str
    start_ms: int
    end_ms: int
    words: tuple[CaptionWord, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cue:
    """What is shown for a while."""

    start_ms: int
    end_ms: int
    lines: tuple[str, ...]


def cues(captions: Iterable[Caption]) -> Iterator[Cue]:
    """At most two lines each: those of a long sentence begin with their first words or, if the times of these are not
    known, share its time by their characters.
    """
    for caption in captions:
        lines = textwrap.wrap(" ".join(_UNPRINTABLE.sub(" ", caption.text).split()), MAX_CHARACTERS)
        shown = [tuple(lines[at : at + MAX_LINES]) for at in range(0, len(lines), MAX_LINES)]
        ends = [0, *accumulate(_visible("".join(cue)) for cue in shown)]
        times = [_time(caption, place, ends[-1]) for place in ends]
        for cue, (start, end) in zip(shown, pairwise(times), strict=True):
            if start < end:
                yield Cue(start_ms=start, end_ms=end, lines=cue)


def srt(captions: Iterable[Caption]) -> str:
    """SubRip."""
    return "".join(
        f"{number}\n{_clock(cue.start_ms, ',')} --> {_clock(cue.end_ms, ',')}\n"
        + "\n".join(_MARKUP.sub(_WORD_JOINER, text) for text in cue.lines)
        + "\n\n"
        for number, cue in enumerate(cues(captions), start=1)
    )


def vtt(captions: Iterable[Caption]) -> str:
    """WebVTT."""
    shown = (
        f"{_clock(cue.start_ms, '.')} --> {_clock(cue.end_ms, '.')}\n" + "\n".join(map(_escaped, cue.lines)) + "\n"
        for cue in cues(captions)
    )
    return "\n".join(["WEBVTT\n", *shown])


def lrc(captions: Iterable[Caption]) -> str:
    """Lyrics, a line for each sentence; words have times of their own where the voice tells them (enhanced LRC)."""
    lines = []
    for caption in captions:
        words = [f"<{_lyrics_clock(word.start_ms)}> {word.text}" for word in caption.words]
        lines.append(f"[{_lyrics_clock(caption.start_ms)}] {' '.join(words) or ' '.join(caption.text.split())}\n")
    return "".join(lines)


def as_json(captions: Iterable[Caption]) -> str:
    """An object with the text, and times in seconds, of sentences and words, as in OpenAI's transcriptions."""
    found = list(captions)
    content = {
        "text": " ".join(caption.text for caption in found),
        "segments": [{"text": one.text, **_seconds(one.start_ms, one.end_ms)} for one in found],
        "words": [word_json(word) for caption in found for word in caption.words],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def word_json(word: CaptionWord) -> dict[str, Any]:
    """A word with its times in seconds, as in OpenAI's transcriptions."""
    return {"word": word.text, **_seconds(word.start_ms, word.end_ms)}


#: What writes captions, by the extension of the file.
FORMATS: Mapping[str, Callable[[Sequence[Caption]], str]] = {"srt": srt, "vtt": vtt, "lrc": lrc, "json": as_json}


def check_captions(path: Path, *, force: bool) -> None:
    """Check that captions can be written to this file, before the work that they are for.

    Raises:
        UsageError: its extension is not known, or it exists and `force` is not set.
    """
    if _format(path) not in FORMATS:
        raise UsageError(f"`captions` is {path}", f"choose one of: {', '.join(f'.{name}' for name in FORMATS)}")
    check_not_folder(path)
    if path.exists() and not force:
        raise UsageError(f"{path} already exists", "add `force` to overwrite it, or choose another name")


def write_captions(path: Path, captions: Sequence[Caption]) -> None:
    """Write captions in the format of the extension.

    Raises:
        UnreachableError: the file cannot be written.
    """
    write_text(path, FORMATS[_format(path)](captions))


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _time(caption: Caption, place: int, characters: int) -> int:
    """When the visible character of this number is heard."""
    if place == characters:
        return caption.end_ms
    if not caption.words or place == 0:
        return caption.start_ms + (caption.end_ms - caption.start_ms) * place // characters
    ends = accumulate(_visible(word.text) for word in caption.words)
    return next((word.start_ms for word, end in zip(caption.words, ends, strict=True) if end > place), caption.end_ms)


def _visible(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _seconds(start_ms: int, end_ms: int) -> dict[str, float]:
    return {"start": start_ms / 1000, "end": end_ms / 1000}


def _clock(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{rest:03}"


def _lyrics_clock(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds // 10, 100)
    return f"{seconds // 60:02}:{seconds % 60:02}.{rest:02}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
