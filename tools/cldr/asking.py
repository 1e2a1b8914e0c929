"""What espeak-ng reads of a language, asked of all its voices."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.text.phonemes.espeak import Espeak
from voxmatrix.text.phonemes.scripts import parts

#: The clauses of each text in phonemes.
Read = Mapping[str, str]

_FLAG = re.compile(r"\([^)]*\)")
_ENGLISH = "(en)"


def voices() -> dict[str, list[str]]:
    """The voices of espeak-ng by language without region. Left out: those for a language in letters not its own."""
    spec = find_spec("espeakng_loader")
    assert spec is not None and spec.origin is not None
    files = (Path(spec.origin).parent / "espeak-ng-data" / "lang").rglob("*")
    names = [re.search(r"^language\s+(\S+)", file.read_text("utf-8"), re.M) for file in files if file.is_file()]
    found: dict[str, list[str]] = {}
    for name in sorted({match[1] for match in names if match}):
        if "-latn" not in name:
            found.setdefault(name.partition("-")[0], []).append(name)
    return found


def ask(names: Sequence[str], texts: Iterable[str]) -> dict[str, Read]:
    """How each voice says each text; without voices that the library does not list."""
    wanted = list(dict.fromkeys(texts))
    found: dict[str, Read] = {}
    for name in names:
        with Espeak(name) as espeak:
            try:
                answers = espeak.ask(wanted)
            except UsageError:
                continue
        found[name] = {
            text: " ".join(phonemes for phonemes, _ in clauses) for text, clauses in zip(wanted, answers, strict=True)
        }
    return found


def is_unread(said: Mapping[str, Read], text: str, without: str) -> bool:
    """Whether a voice says nothing for what a text has more than another, or says it in English."""
    return any(
        sounds(read[text]) == sounds(read[without]) or (_ENGLISH in read[text] and _ENGLISH not in read[without])
        for read in said.values()
    )


def is_readable(said: Mapping[str, Read], words: str) -> bool:
    """Whether all voices say these words in their language."""
    return all(
        sounds(read[words]) != "" and _ENGLISH not in read[words] and parts(words, name) == [("", words)]
        for name, read in said.items()
    )


def sounds(phonemes: str) -> str:
    """Phonemes without stress, length and spaces."""
    letters = unicodedata.normalize("NFD", _FLAG.sub("", phonemes))
    return "".join(sound for sound in letters if unicodedata.category(sound)[0] == "L" and sound not in "ˈˌː")
