"""Text to sentences, before phonemes: `Dr. Smith paid $5.20.` is one sentence."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.lines import blocks, item_marker
from voxmatrix.text.normalisation.language import language_of
from voxmatrix.text.normalisation.patterns import any_of

#: Some 25 seconds of speech: longer sentences are broken where they pause, so that the memory of a voice stays bounded.
MAX_CHARACTERS = 400

_MARK = lazy_pattern(r"[.!?\u2026\u0589\u061f\u06d4\u0964\u0965\u1362\u3002\uff01\uff0e\uff1f\uff61]")
_LETTER = lazy_pattern(r"\w")
_QUESTION = lazy_pattern("[!?][\"'\u2019\u201d\u00bb]$")
#: Between two pieces of text that are looked at together.
_CUT = "\0"
#: What may stand before an abbreviation or an initial.
_BEFORE = "[\\s(\"'\u2018\u201c\u00ab\u201e\u2014\u2013-]"
_SMALL_START = lazy_pattern(r"[\"'(\[\u2018\u201c\u00ab]*[^\W\d_]")
#: What begins a sentence, quotation marks aside.
_LARGE_START = lazy_pattern(r"[\"'(\[\u2018\u201c\u00ab]*(?=[^\W\d_])(?![a-z\u00df-\u00f6\u00f8-\u00ff\u0430-\u045f])")
#: Where a long sentence may be broken, the better places first.
_BREAKS = (
    re.compile(r"[;:\u061b\uff1a\uff1b]\s?|\s[\u2013\u2014]\s"),
    re.compile(r",\s|[\u060c\u3001\uff0c]\s?"),
    re.compile(r"\s"),
)


def split(text: str, language: str) -> list[str]:
    """The sentences of a text in order, none empty, none longer than MAX_CHARACTERS."""
    return [
        piece for block in blocks(text) for sentence in _sentences(block, language) for piece in shortened(sentence)
    ]


def _sentences(block: str, language: str) -> list[str]:
    marker = item_marker(block)
    paragraph = block[len(marker) :]
    mark = _MARK.search(paragraph)
    if mark is None or _LETTER.search(paragraph, mark.end()) is None:  # one sentence: no library needed
        return [block]
    from sentencex import segment

    found: list[list[str]] = []
    for piece in _ended(segment(_base(language), paragraph), language):
        if found and _belongs("".join(found[-1][-3:]).rstrip(), piece, language):
            found[-1].append(piece)
        elif piece.strip():
            found.append([piece])
    found[0].insert(0, marker)
    return ["".join(pieces).strip() for pieces in found]


def _base(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


def _ended(pieces: Iterable[str], language: str) -> Iterator[str]:
    """The pieces, cut where a capital letter follows on an abbreviation that ends an enumeration: `etc. Puis`."""
    ends = _last_words(language)
    for piece in pieces:
        cuts = [match.end() for match in ends.finditer(piece) if _LARGE_START.match(piece, match.end())] if ends else []
        yield from (piece[start:end] for start, end in zip([0, *cuts], [*cuts, len(piece)], strict=True))


@cache
def _last_words(language: str) -> re.Pattern[str] | None:
    words = _rows().get(_base(language), {}).get("last")
    return re.compile(rf"(?<!\w)(?:{any_of(words)})\.\s+") if words else None


def _belongs(before: str, after: str, language: str) -> bool:
    """Whether a piece only continues the one before: behind an abbreviation, or with a small letter behind a dot."""
    start = _SMALL_START.match(after)
    if before.endswith(".") and start is not None and start.group()[-1].islower():
        return True
    if _QUESTION.search(before) and _said(language).match(after):
        return True
    around = f"{before[-30:]}{_CUT}{after[:10]}"
    return _abbreviated(language, before_digit=after[:1].isdigit()).search(around) is not None


@cache
def _said(language: str) -> re.Pattern[str]:
    """`Holmes asked` and the like, which go on with the sentence of a question in quotation marks."""
    table = language_of(language)
    name = r"(?:I|[^\W\d_a-z][\w.'-]*(?:\s[^\W\d_a-z][\w.'-]*){0,2}|[Tt]he\s\w+(?:\s\w+)?)"
    return re.compile(rf"{name}\s(?:{any_of(table.speech_verbs if table else ())})\b")


@cache
def _abbreviated(language: str, *, before_digit: bool) -> re.Pattern[str]:
    """A piece that breaks off behind an initial, or in or behind an abbreviation that ends no sentence."""
    table = language_of(language)
    row = _rows().get(_base(language), {})
    if table is None or row:
        known = [*row.get("before_names", ()), *(row.get("before_numbers", ()) if before_digit else ())]
        ordinal = rf"|(?:{any_of(row['before_ordinals'])})\s\d{{1,3}}" if "before_ordinals" in row else ""
        within = [
            rf"{re.escape(short[:dot])}{_CUT}\s?{re.escape(short[dot:].strip())}\."
            for short in known
            for dot in range(2, len(short))
            if short[dot - 1] == "."
        ]
        whole = rf"(?:{any_of(known)}|[A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f]{ordinal})\.{_CUT}"
        return re.compile(rf"(?:^|{_BEFORE})(?:{'|'.join([whole, *within])})")
    before_numbers = [*table.before_numbers, *(table.abbreviations if before_digit else ())]
    goes_on = [*table.never_last, *(key[0].upper() + key[1:] for key in table.never_last)]
    shorts = any_of([*table.titles, *goes_on, *(key.rstrip(".") for key in before_numbers)])
    return re.compile(rf"(?:^|{_BEFORE})(?:{shorts}|[A-HJ-Z])\.{_CUT}")


@cache
def _rows() -> dict[str, dict[str, list[str]]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("abbreviations.toml").read_text(encoding="utf-8"))


def shortened(sentence: str, limit: int = MAX_CHARACTERS) -> Iterator[str]:
    """A sentence in pieces of at most so many characters."""
    while len(sentence) > limit:
        cut = next((cut for cut in (_last(pattern, sentence, limit) for pattern in _BREAKS) if cut), limit)
        yield sentence[:cut].strip()
        sentence = sentence[cut:].strip()
    if sentence:
        yield sentence


def _last(pattern: re.Pattern[str], sentence: str, limit: int) -> int:
    """Behind the last match that leaves a piece of bearable length, or 0."""
    ends = [match.end() for match in pattern.finditer(sentence, limit // 4, limit)]
    return ends[-1] if ends else 0
