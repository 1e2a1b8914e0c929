"""All languages of espeak-ng that have no rules of our own, each asked in a process of its own."""

import re
import unicodedata
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.text.normalisation.language import language_of
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer
from voxmatrix.text.phonemes.scripts import parts

#: A word in each script. The first that a language reads without naming its letters is used.
WORDS = (
    *("mama", "xin", "мама", "μαμα", "मामा", "মামা", "مَامَا", "ማማ", "მამა", "մամա", "妈妈", "ママ", "마마"),
    *("ਮਾਮਾ", "મામા", "ମାମା", "மாமா", "మామా", "ಮಾಮಾ", "മാമാ", "මාමා", "มา", "မမ", "אמא", "𐑥𐑭𐑥𐑭", "ᏍᏓᏓ"),
)


@cache
def languages() -> dict[str, tuple[EspeakPhonemizer, str]]:
    """Every language without rules of our own that espeak-ng has, opened, with a word of its script."""
    spec = find_spec("espeakng_loader")
    assert spec is not None and spec.origin is not None
    files = (Path(spec.origin).parent / "espeak-ng-data" / "lang").rglob("*")
    names = [re.search(r"^language\s+(\S+)", file.read_text("utf-8"), re.M) for file in files if file.is_file()]
    found = {}
    for name in sorted({match[1] for match in names if match}):
        espeak = _open.enter_context(EspeakPhonemizer(name))
        try:
            read = espeak.espeak.ask(list(WORDS)) if language_of(name) is None else []
        except UsageError:  # a file that the library does not list
            continue
        plain = [
            word
            for word, clauses in zip(WORDS, read, strict=False)
            if clauses[0][0] and "(" not in clauses[0][0] and parts(word, name) == [("", word)]
        ]
        if plain:
            found[name] = (espeak, plain[0])
    return found


def close() -> None:
    """End the processes."""
    _open.close()
    languages.cache_clear()


_open = ExitStack()


def ours(name: str, texts: list[str]) -> list[str]:
    """The sounds of texts as they are handed to espeak-ng."""
    return [
        sounds("".join(found)) for found in languages()[name][0].phonemes([normalise(text, name) for text in texts])
    ]


def raw(name: str, texts: list[str]) -> list[str]:
    """The sounds that espeak-ng gives by itself; in Japanese, without dashes, which it names as letters."""
    texts = [text.replace("–", "-") if name == "ja" else text for text in texts]
    clauses = languages()[name][0].espeak.ask(texts)
    return [sounds(re.sub(r"\([^)]*\)", "", "".join(phonemes for phonemes, _ in text))) for text in clauses]


def sounds(phonemes: str) -> str:
    """Phonemes without marks and stress."""
    letters = (sound for sound in unicodedata.normalize("NFD", phonemes) if unicodedata.category(sound)[0] == "L")
    return "".join(letters).translate(dict.fromkeys(map(ord, "ˈˌ")))


def clauses(name: str, texts: list[str]) -> list[str]:
    """The phonemes that espeak-ng gives by itself, with its marks of changes to another language."""
    return [" ".join(phonemes for phonemes, _ in read) for read in languages()[name][0].espeak.ask(texts)]
