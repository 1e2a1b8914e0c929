"""Tags in a text: `[pause:1.5s]`, `[voice:Anna]` … `[voice]`, `[rate:0.8]` … `[rate]`. Other brackets are text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from voxmatrix.text.quotes import Quotes

MAX_PAUSE_SECONDS = 60.0
MIN_RATE, MAX_RATE = 0.1, 10.0
_NUMBER = r"\d{1,5}(?:\.\d{1,5})?"
#: Two brackets are phonemes.
_TAG = re.compile(
    rf"(?<!\[)\[(?:pause:\s*(?P<pause>{_NUMBER})\s*(?P<unit>ms|s)|rate(?::\s*(?P<rate>{_NUMBER})\s*)?"
    r"|voice(?::\s*(?P<voice>[^\[\]\n]{1,256}?)\s*)?)\](?!\])",
    re.IGNORECASE,
)

#: How scripts for models of several speakers are written.
_SPEAKER = re.compile(r"^[ \t]*(Speaker \d{1,2})[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Passage:
    """A part of a text that is spoken in one way."""

    text: str = ""
    voice: str = ""  # as the text names it; "": the voice of the text
    rate: float = 1.0  # times the speed of the text
    pause: float = 0.0  # seconds of silence before it


class Passages:
    """Reads the parts of a text one after the other: what a tag sets lasts until another one of its kind."""

    def __init__(self, dialogue: str = "", emphasis: str = "") -> None:
        """The voices of what is in quotation marks and in *asterisks*, where no tag names one; "": that of the text."""
        self._next = Passage()
        self._voices = {"dialogue": dialogue, "emphasis": emphasis, "": ""}
        self._quotes = Quotes(dialogue=bool(dialogue), emphasis=bool(emphasis)) if dialogue or emphasis else None

    def read(self, text: str) -> Iterator[Passage]:
        """The passages of a further part of the text. None is empty."""
        place = 0
        for tag in _TAG.finditer(text):
            yield from self._passage(text[place : tag.start()])
            self._next = _after(tag, self._next)
            place = tag.end()
        yield from self._passage(text[place:])

    @property
    def voice(self) -> str:
        """The voice that the last tag has named."""
        return self._next.voice

    def rest(self) -> float:
        """The pause at the end of what was read, in seconds; what is read next has it not."""
        pause, self._next = self._next.pause, replace(self._next, pause=0.0)
        return pause

    def _passage(self, text: str) -> Iterator[Passage]:
        parts: list[tuple[str, str]] = [("", text)]
        if self._quotes is not None:
            marked = [*self._quotes.split(text)]  # also where a tag is stronger: what is open goes on behind it
            parts = parts if self._next.voice else [*marked]
        for kind, part in parts:
            if part.strip():
                yield replace(self._next, text=part, voice=self._voices[kind] or self._next.voice)
                self._next = replace(self._next, pause=0.0)


def voice_names(text: str) -> set[str]:
    """The voices that a text names."""
    return {tag["voice"] for tag in _TAG.finditer(text) if tag["voice"]}


def without_tags(text: str) -> str:
    """What a text says, whoever says it."""
    return _TAG.sub(" ", text)


def with_tags(script: str) -> str:
    """A script whose lines begin with `Speaker 1:` … with tags in their place."""
    return _SPEAKER.sub(r"[voice:\1] ", script)


def _after(tag: re.Match[str], before: Passage) -> Passage:
    """What is said behind a tag."""
    if tag["pause"]:
        seconds = float(tag["pause"]) / (1000 if tag["unit"].lower() == "ms" else 1)
        return replace(before, pause=min(before.pause + seconds, MAX_PAUSE_SECONDS))
    if tag[0][1:].lower().startswith("rate"):
        return replace(before, rate=min(max(float(tag["rate"] or 1), MIN_RATE), MAX_RATE))
    return replace(before, voice=tag["voice"] or "")
