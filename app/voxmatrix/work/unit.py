"""A unit of work: a text with everything that decides how it sounds, and the key that stands for it."""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from voxmatrix.models.style import Output, Style
from voxmatrix.speak.batch.messages import SpeakJob

#: Part of every key. Increase it when the same options begin to mean another sound.
FORMAT = 2
_OUTPUT = Output(force=True)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A text, the voice and the options with which it is spoken. Equal units sound the same, and are spoken once."""

    text: str
    voice: str  # the digest of its card
    options: str  # JSON
    captions: bool = False  # are wanted as well; they change no sound

    @cached_property
    def key(self) -> str:
        """SHA-256 of all of it, in hexadecimal: the name of the unit and of its audio file."""
        parts = json.dumps([FORMAT, self.text, self.voice, self.options])
        return hashlib.sha256(parts.encode()).hexdigest()

    @property
    def style(self) -> Style:
        """How it is spoken."""
        return _read_options(self.options)[0]

    def job(self, out: Path) -> SpeakJob:
        """What a worker has to do, with the file to write."""
        style, whole = _read_options(self.options)
        return SpeakJob(text=self.text, out=out, style=style, output=_OUTPUT, whole=whole, captions=self.captions)


def unit_of(text: str, voice: str, style: Style, *, whole: bool = True) -> Unit:
    """The unit of a sentence or, if it is not `whole`, of a text that the worker splits into sentences.

    Its options have only those entries of the lexicon that the text needs. So a changed pronunciation changes the keys
    of the sentences in which the word occurs, and of no others. A sentence knows of no pauses between sentences.
    """
    text = text.encode("utf-8", "replace").decode()  # lone surrogates cannot be stored, nor spoken
    style = replace(
        style,
        seed=style.seed or 0,  # without one, two workers would speak the same sentence differently
        lexicon=style.lexicon.needed(text),
        pause_seconds=0.0 if whole else style.pause_seconds,
    )
    options = json.dumps({"style": style.to_json(), "whole": whole}, sort_keys=True, separators=(",", ":"))
    return Unit(text=text, voice=voice, options=options)


@lru_cache(maxsize=64)  # most units of a job have the same options
def _read_options(options: str) -> tuple[Style, bool]:
    given = json.loads(options)
    return Style.from_json(given["style"]), given["whole"]
