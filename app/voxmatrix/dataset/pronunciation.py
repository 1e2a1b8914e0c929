"""The pronunciation of a text, and the key under which it is cached."""

import hashlib
import importlib.util
import queue
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from voxmatrix.errors import BadInputError

if TYPE_CHECKING:
    from voxmatrix.text.phonemes.phonemizer import Phonemizer

#: A longer text is more than one sentence; it is rejected without being pronounced.
MAX_CHARACTERS = 2000
#: Packages that affect the pronunciation, by version: the module, and the name in its metadata.
_FRONT_END_PACKAGES = {"sentencex": "sentencex", "piper": "piper_tts"}


class Pronunciation(NamedTuple):
    """The phonemes of a text, one code point each, and its length; or why it cannot be pronounced."""

    phonemes: str = ""
    characters: int = 0  # letters and digits after text normalisation
    problem: str = ""
    remedy: str = ""


class Pronouncer:
    """Pronounce texts, safe for several threads: each uses a phonemizer process of its own, until `close`."""

    def __init__(self, language: str, phoneme_type: str) -> None:
        self._language = language
        self._phoneme_type = phoneme_type
        self._free: queue.LifoQueue[Phonemizer] = queue.LifoQueue()
        self._open = ExitStack()

    def pronounce(self, text: str) -> Pronunciation:
        """The pronunciation of a text as one utterance, with `problem` set if it cannot be pronounced.

        Raises:
            MissingProgramError: espeak-ng is needed and not installed.
            UsageError: espeak-ng does not support the language.
        """
        from voxmatrix.text.markup import without_markup
        from voxmatrix.text.spoken import spoken_sentences

        sentences = [sentence.text for sentence in spoken_sentences(without_markup(text), self._language)]
        with self._borrowed() as phonemizer_:
            try:
                parts = phonemizer_.phonemes(sentences)
            except BadInputError as error:
                return Pronunciation(problem=error.problem, remedy=error.remedy)
        phonemes = "".join(phoneme for part in parts for phoneme in part)
        characters = sum(char.isalnum() for sentence in sentences for char in sentence)
        return Pronunciation(phonemes=phonemes, characters=characters)

    def close(self) -> None:
        """Stop all phonemizer processes."""
        self._open.close()

    @contextmanager
    def _borrowed(self) -> Iterator["Phonemizer"]:
        from voxmatrix.text.phonemes.phonemizer import phonemizer

        try:
            borrowed = self._free.get_nowait()
        except queue.Empty:
            borrowed = phonemizer(self._phoneme_type, self._language)
            self._open.callback(borrowed.close)
        try:
            yield borrowed
        finally:
            self._free.put(borrowed)


def is_pronounceable(text: str) -> bool:
    """Whether a text is neither empty nor too long to be pronounced."""
    return 0 < len(text) <= MAX_CHARACTERS


@lru_cache(maxsize=1 << 16)
def pronunciation_key(text: str, language: str, phoneme_type: str) -> str:
    """The cache key of a text for this version of the front end."""
    version = front_end_version(phoneme_type)
    return hashlib.sha256("\0".join(("text", version, language, phoneme_type, text)).encode()).hexdigest()


@cache
def front_end_version(phoneme_type: str) -> str:
    """A digest of everything that affects the pronunciation: our code, the packages it uses, espeak-ng."""
    parts = [f"{name} {_package_version(name, package)}" for name, package in _FRONT_END_PACKAGES.items()]
    sources = sorted(path for path in Path(str(files("voxmatrix.text"))).rglob("*") if path.suffix in (".py", ".toml"))
    parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
    if phoneme_type == "espeak":
        from voxmatrix.text.phonemes.espeak import espeak_version

        parts.append(espeak_version() or "none")  # reported when it is needed
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _package_version(name: str, package: str) -> str:
    """The name of a package's dist-info folder (`importlib.metadata` is slower: it parses the metadata)."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return "none"
    folders = Path(spec.origin).parent.parent.glob(f"{package}-*.dist-info")
    return ", ".join(sorted(folder.name for folder in folders))
