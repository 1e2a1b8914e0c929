"""A unit of work: one sentence with everything that decides how it sounds, and the key that stands for it."""

import hashlib
import json
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from voxmatrix.piper.files import config_path, find_voice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.text.lexicon import Lexicon

#: Settings that do not change the samples of a unit.
_IRRELEVANT = {"threads", "force", "raw", "bitrate", "lexicon"}
#: Part of every key: to be increased when the same options begin to mean another sound.
_FORMAT = 1
_SEED_BYTES = 4  # onnxruntime uses no more


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A text, the voice and the options with which it is spoken. Equal units sound the same, and are spoken once."""

    text: str
    voice: str  # the checksum of `voice_digest`
    options: str  # the JSON of `unit_options`

    @cached_property
    def key(self) -> str:
        """SHA-256 of all of it, in hexadecimal: the name of the unit and of its audio file."""
        parts = json.dumps([_FORMAT, self.text, self.voice, self.options])
        return hashlib.sha256(parts.encode()).hexdigest()

    def settings(self, threads: int = 0) -> SpeakSettings:
        """The settings to speak it with. Its seed is its own, so that it sounds the same wherever it is spoken."""
        settings = _settings(self.options)
        seed = int.from_bytes(hashlib.sha256(f"{settings.seed} {self.key}".encode()).digest()[:_SEED_BYTES])
        return replace(settings, seed=seed, threads=threads, force=True)


def unit_of(text: str, voice: str, settings: SpeakSettings) -> Unit:
    """The unit of a text; its options have only those entries of the lexicon that the text needs.

    So a changed pronunciation changes the keys of the sentences in which the word occurs, and of no others.
    """
    text = text.encode("utf-8", "replace").decode()  # lone surrogates cannot be stored, nor spoken
    return Unit(text=text, voice=voice, options=_options(settings, _relevant(settings.lexicon, text)))


def voice_digest(voice: Path) -> str:
    """A checksum of the files of a voice: equal on all computers that have the same voice.

    Raises:
        BadInputError: there is no such voice.
    """
    found = find_voice(voice)
    parts = hashlib.sha256()
    for path in (found, config_path(found)):
        if path.exists():
            with path.open("rb") as file:
                parts.update(hashlib.file_digest(file, "sha256").digest())
    return parts.hexdigest()


def _options(settings: SpeakSettings, lexicon: tuple[tuple[str, str], ...]) -> str:
    relevant: dict[str, Any] = {
        field.name: getattr(settings, field.name) for field in fields(settings) if field.name not in _IRRELEVANT
    }
    # Without a seed, two workers would speak the same sentence differently.
    relevant["seed"] = settings.seed or 0
    return json.dumps({**relevant, "lexicon": lexicon}, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=64)  # most units of a job have the same options
def _settings(options: str) -> SpeakSettings:
    given = json.loads(options)
    lexicon = Lexicon(tuple((word, spoken) for word, spoken in given.pop("lexicon")))
    return SpeakSettings(**given, lexicon=lexicon)


def _relevant(lexicon: Lexicon, text: str) -> tuple[tuple[str, str], ...]:
    if not lexicon.entries:
        return ()
    folded = text.casefold()
    return tuple((word, spoken) for word, spoken in lexicon.entries if word.casefold() in folded)
