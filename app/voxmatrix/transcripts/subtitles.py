"""Subtitles: SubRip (`.srt`) and WebVTT (`.vtt`), https://www.w3.org/TR/webvtt1/."""

import html
import re
from collections.abc import Iterator

from voxmatrix.transcripts.label import Label

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s|$)")
#: `<i>`, `<v Anna>`, `<00:00:01.500>`, and the positions of SubStation: `{\an8}`.
_MARKUP = re.compile(r"</?[A-Za-z0-9][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
#: What begins the words of another speaker in the same cue.
_DASH = re.compile(r"(?m)^\s*[-\u2013\u2014]\s*(?=\w)")


def read_subtitles(text: str) -> Iterator[Label]:
    """A label for each cue, without markup. Lines that belong to no cue (numbers, notes, styles) are left out."""
    times: re.Match[str] | None = None
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        following = _TIMES.match(line)
        if times is not None and (following or not line.strip()):
            if following and lines and lines[-1].strip().isdecimal():
                lines.pop()  # the number of the next cue, where the blank line is missing
            yield Label(_seconds(times.groups()[:4]), _seconds(times.groups()[4:]), _words(lines))
            times, lines = None, []
        if following:
            times = following
        elif times is not None:
            lines.append(line)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction}")


def _words(lines: list[str]) -> str:
    return html.unescape(_DASH.sub("", _MARKUP.sub("", "\n".join(lines))))
