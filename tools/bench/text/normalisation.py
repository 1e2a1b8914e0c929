"""Text normalisation on a public test set: in how many cases the words and the phonemes are those expected."""

import csv
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

from tools.bench.text.peers import ours, pipers

#: Words that are optional: `one hundred (and) five`, `(ett) tusen`.
_OPTIONAL = re.compile(r"\b(?:and|och)\b|\bett? ?(?=tusen|hundra)|(?<=tusen)ett(?=hundra)|\ben (?=miljon\b|miljard\b)")
_SAME = {"oh": "zero"}


class Case(NamedTuple):
    """A written text, and the ways in which it may be spoken."""

    language: str
    kind: str
    written: str
    spoken: list[str]


def figures(file: Path) -> dict[str, Any]:
    """Compare each case of a table of language, class, written and spoken (alternatives are separated by ~)."""
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    cases = [Case(language, kind, written, spoken.split("~")) for language, kind, written, spoken in rows]
    languages = sorted({case.language for case in cases})
    return {language: _compared([case for case in cases if case.language == language]) for language in languages}


def _compared(cases: list[Case]) -> dict[str, int]:
    other_words = same_phonemes = same_in_piper = 0
    for case in cases:
        sentences = ours(case.written, case.language)
        words = " ".join(text for text, _ in sentences)
        if folded(words) not in [folded(spoken) for spoken in case.spoken]:
            other_words += 1
            print(f"  {case.language} {case.kind}: {case.written!r} → {words!r}, not {case.spoken}", file=sys.stderr)
        expected = ["".join(phonemes for _, phonemes in ours(spoken, case.language)) for spoken in case.spoken]
        same_phonemes += "".join(phonemes for _, phonemes in sentences) in expected
        expected = ["".join(pipers(spoken, case.language)) for spoken in case.spoken]
        same_in_piper += "".join(pipers(case.written, case.language)) in expected
    return {
        "cases": len(cases),
        "other_words": other_words,
        "expected_phonemes": same_phonemes,
        "expected_phonemes_by_piper": same_in_piper,
    }


def folded(text: str) -> str:
    """A text without differences that do not matter: case, punctuation, spaces, `and`."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace(".", "")
    words = " ".join(_SAME.get(word, word) for word in re.findall(r"\w+", plain))
    return "".join(_OPTIONAL.sub("", words).split())
