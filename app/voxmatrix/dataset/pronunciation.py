"""One text → how it is spoken, remembered by its content."""

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

#: A text so long is no sentence; it is refused by its length and not pronounced.
MAX_CHARACTERS = 2000
#: Packages whose new version may read a text in another way.
_READERS = ("num2words", "sentencex")


class Pronunciation(NamedTuple):
    """The phonemes of a text, one code point each, and how much there is to say."""

    phonemes: str = ""
    characters: int = 0  # letters and digits of the text once numbers are words
    problem: str = ""
    remedy: str = ""


class Pronouncer:
    """Pronounces texts for several threads at a time: each uses its own program, and all are closed at the end."""

    def __init__(self, language: str, phoneme_type: str) -> None:
        self._language = language
        self._phoneme_type = phoneme_type
        self._free: queue.LifoQueue[Phonemizer] = queue.LifoQueue()
        self._open = ExitStack()

    def pronounce(self, text: str) -> Pronunciation:
        """How a text is spoken as one utterance; a text that cannot be is said so in the answer.

        Raises:
            MissingProgramError: espeak-ng is needed and not installed.
            UsageError: espeak-ng has no such voice.
        """
        from voxmatrix.text.normalisation.normalise import normalise
        from voxmatrix.text.sentences import split

        normalised = normalise(text, self._language)
        with self._borrowed() as phonemizer_:
            try:
                parts = [phonemizer_.phonemes(part) for part in split(normalised, self._language)]
            except BadInputError as error:
                return Pronunciation(problem=error.problem, remedy=error.remedy)
        phonemes = "".join(phoneme for part in parts for phoneme in part)
        return Pronunciation(phonemes=phonemes, characters=sum(sign.isalnum() for sign in normalised))

    def close(self) -> None:
        """End every program."""
        self._open.close()

    @contextmanager
    def _borrowed(self) -> Iterator["Phonemizer"]:
        from voxmatrix.text.phonemes.phonemizer import phonemizer

        try:
            one = self._free.get_nowait()
        except queue.Empty:
            one = phonemizer(self._phoneme_type, self._language)
            self._open.callback(one.close)
        try:
            yield one
        finally:
            self._free.put(one)


def is_sayable(text: str) -> bool:
    """Whether it is worth asking how a text is pronounced: there is one, and it may be a sentence."""
    return 0 < len(text) <= MAX_CHARACTERS


@lru_cache(maxsize=1 << 16)
def pronunciation_key(text: str, language: str, phoneme_type: str) -> str:
    """The key of a text as this version of the front end speaks it."""
    front = front_version(phoneme_type)
    return hashlib.sha256("\0".join(("text", front, language, phoneme_type, text)).encode()).hexdigest()


@cache
def front_version(phoneme_type: str) -> str:
    """Changes with everything that may read a text in another way: our code, the packages it asks, espeak-ng."""
    parts = [f"{name} {_package_version(name)}" for name in _READERS]
    sources = sorted(path for path in Path(str(files("voxmatrix.text"))).rglob("*") if path.suffix in (".py", ".toml"))
    parts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
    if phoneme_type == "espeak":
        from voxmatrix.text.phonemes.espeak import espeak_version

        parts.append(espeak_version() or "none")  # reported when it is needed
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _package_version(name: str) -> str:
    """The name of the folder that pip writes beside a package (`importlib.metadata` would read mail headers for it)."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return "none"
    beside = Path(spec.origin).parent.parent.glob(f"{name}-*.dist-info")
    return ", ".join(sorted(folder.name for folder in beside))
