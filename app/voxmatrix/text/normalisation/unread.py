"""Signs and numbers that espeak-ng leaves out or says in English, in words, for languages without rules.

The words are in signs/LANGUAGE.toml, which `python -m tools.cldr` writes: what espeak-ng reads itself is not there.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.numbers import MAX_DIGITS
from voxmatrix.text.normalisation.patterns import Rule, any_of, apply
from voxmatrix.text.normalisation.plurals import plural
from voxmatrix.text.normalisation.spellout import read_spellout, spell

_ANYTHING = lazy_pattern("[\\d\u221e&=\u00a7\u00d7\u00f7\u2212]")
_TAG = lazy_pattern(r"([a-z]{2,3})(?:-(?![a-z]{4}(?:-|$)).*)?")
_FRACTION = lazy_pattern("(\\d?)\\s?([\u00bd\u00bc\u00be])")
#: Letters of languages that put no spaces between words: Thai, Burmese, Japanese, Chinese, Korean.
_UNSPACED = "\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_NO_LETTER_BEFORE = rf"(?<![^\W{_UNSPACED}])"
_NO_LETTER_BEHIND = rf"(?![^\W{_UNSPACED}])"
_ANYWHERE = "\u00d7\u00f7=\u00b1\u2248\u2264\u2265\u00a7\u221a\u221e&"
_BEFORE_DIGITS = "#~<>+"


@dataclass(frozen=True, kw_only=True, eq=False)
class _Table:
    """The words of one language: for fractions, and for what is looked for in this order."""

    fractions: Mapping[str, str]
    rules: tuple[Rule, ...]


def say_unread_fractions(text: str, language: str) -> str:
    """`2½` in words, before `repair_for_espeak` makes `2 1/2` of it."""
    if _FRACTION.search(text) is None or (table := _table_of(language)) is None:
        return text
    words = table.fractions

    def spoken(match: re.Match[str]) -> str:
        whole, sign = match.groups()
        said = words.get(f"{sign}+" if whole else sign, words.get(sign))
        return f"{whole} {said}" if said else match[0]

    return _FRACTION.sub(spoken, text)


def say_unread(text: str, language: str) -> str:
    """Signs and numbers in words, as far as the language's words for them are known."""
    if _ANYTHING.search(text) is None or (table := _table_of(language)) is None:
        return text
    return apply(table.rules, text)


def _table_of(language: str) -> _Table | None:
    """The table of a language; none where a tag says that it is written in other letters, such as `fa-latn`."""
    match = _TAG.fullmatch(language.lower().replace("_", "-"))
    return _read(match[1]) if match else None


@cache
def _read(base: str) -> _Table | None:
    path = Path(__file__).parent / "signs" / f"{base}.toml"
    if not path.exists():
        return None
    row = tomllib.loads(path.read_text(encoding="utf-8"))
    signs: Mapping[str, str] = row.get("signs", {})
    point, group = re.escape(row["decimal"]), re.escape(row["group"])
    whole = rf"\d+(?:{group}\d{{3}})*" if group else r"\d+"
    rules = [
        *([_joined(group)] if row.get("joined") else []),
        *_ranges(signs),
        *_minus(signs),
        *_plain_signs(signs),
        *_units(row, rf"{whole}(?:{point}\d+)?"),
        *([_decimal(point, whole, signs[row["decimal"]])] if row["decimal"] in signs else []),
        *([_spelled(row, whole)] if "spelled" in row else []),
    ]
    return _Table(fractions={sign: word for sign, word in signs.items() if sign[0] in "½¼¾"}, rules=tuple(rules))


def _joined(group: str) -> Rule:
    """`20.000` without the mark, where espeak-ng takes it for the end of a number."""
    pattern = rf"(?<![\d.,])[1-9]\d{{0,2}}(?:{group}\d{{3}})+(?!\d|{group}\d)"
    return re.compile(pattern), lambda match: re.sub(r"\D", "", match[0])


def _ranges(signs: Mapping[str, str]) -> list[Rule]:
    """`10–12` and `1990-1995`, the less first; a score such as `2–1` is none, and with `-` hardly a `1-2`."""
    if "–" not in signs:
        return []
    number = r"\d{1,9}(?:[.,:]\d{1,9})?"
    ends = r"(?![\d/–-]|[.,:]\d|\s?[–=])"
    dash = rf"(?<![\d.,:/–-])({number})(\s?[%°€]?)\s?–\s?([€$£¥]?)({number}){ends}"
    hyphen = rf"(?<![\w.,:/–-])([1-9]\d?|[12]\d{{3}})()-()([1-9]\d|[12]\d{{3}}){ends}(?!\w)"

    def spoken(match: re.Match[str]) -> str:
        first, unit, sign, last = match.groups()
        values = [float(re.sub("[,:]", ".", end)) for end in (first, last)]
        return f"{first}{unit} {signs['–']} {sign}{last}" if values[0] < values[1] else match[0]

    return [(re.compile(dash), spoken), (re.compile(hyphen), spoken)]


def _minus(signs: Mapping[str, str]) -> list[Rule]:
    if "-" not in signs:
        return []
    between = r"(?<=[\w)])\s?\u2212\s?(?=\w)"
    before = rf"{_NO_LETTER_BEFORE}(?<![)\u00bd%\u2212-])[\u2212-](?=[€$£¥]?\d)"

    def spoken(match: re.Match[str]) -> str:
        behind = match.string[match.start() - 1 : match.start()]
        return f"{' ' if behind.isalnum() or behind == ')' else ''}{signs['-']} "

    return [(re.compile(pattern), spoken) for pattern in (before, between)]


def _plain_signs(signs: Mapping[str, str]) -> list[Rule]:
    patterns = {sign: re.escape(sign) for sign in _ANYWHERE}
    patterns |= {sign: rf"(?<![=<>-]){re.escape(sign)}\s?(?=\d)" for sign in _BEFORE_DIGITS}
    patterns |= {"+": r"(?<!\w)\+\s?(?=\d)|(?<=\d)\s?\+(?![\w+])|(?<=\d)\+(?=\d)"}
    patterns |= {"/": r"(?<![\d/.,]\d{4})(?<=\d)(?<!/\d)(?<!/\d\d)\s?/\s?(?=\d{1,4}(?![\d/.,]))"}
    return [(re.compile(pattern), _always(f" {signs[sign]} ")) for sign, pattern in patterns.items() if sign in signs]


def _always(said: str) -> Callable[[re.Match[str]], str]:
    return lambda _match: said


def _units(row: Mapping[str, Any], number: str) -> list[Rule]:
    """Units and money behind a number or before it, in the form that the number asks for."""
    if not row["units"]:
        return []
    forms = {written: unit for unit in row["units"] for written in unit["written"]}
    before = any_of({written for unit in row["units"] for written in unit.get("before", ())})
    large = rf"(?:\s?(?:{any_of(row['magnitudes'])})\b\.?)?"
    plurals, decimal = row.get("plurals", {}), row["decimal"]

    def said(counted: str, written: str) -> str:
        unit = forms[written]
        digits = counted.replace(row["group"], "") if row["group"] else counted
        plain = re.fullmatch(r"[\d.]+", digits.replace(decimal, "."))
        category = plural(plurals, plain[0] if plain else "1000000")
        return f" {unit.get(category, unit['other']).format(counted)} "

    def behind(match: re.Match[str]) -> str:
        dot = match[3] if match[3] and not _goes_on(match) else ""
        return said(match[1], match[2]) + dot

    return [
        (
            re.compile(rf"(?<!\w)(?<!\d\s)({before})\s?({number}{large})(?![\d]|[.,]\d)"),
            lambda match: said(match[2], match[1]),
        ),
        (
            re.compile(rf"{_NO_LETTER_BEFORE}(?<![.,])({number}{large})\s?({any_of(forms)}){_NO_LETTER_BEHIND}(\.?)"),
            behind,
        ),
    ]


def _goes_on(match: re.Match[str]) -> bool:
    """Whether the dot of `5 руб.` ends no sentence: a small letter, a digit or another mark follows."""
    following = match.string[match.end() :].lstrip()[:1]
    return match[2][-1].isalpha() and (following.islower() or following.isdigit() or following in (*",;:!?)", "-"))


def _decimal(point: str, whole: str, word: str) -> Rule:
    """A word for the decimal mark, and more than two decimals, or with a zero before them, one by one."""

    def spoken(match: re.Match[str]) -> str:
        digits = match[2]
        return f"{match[1]} {word} {' '.join(digits) if len(digits) > 2 or digits[0] == '0' else digits}"

    return re.compile(rf"(?<![\d.,])({whole}){point}(\d+)(?![\d]|[.,]\d)"), spoken


def _spelled(row: Mapping[str, Any], whole: str) -> Rule:
    """Numbers in words, where espeak-ng reads them one digit at a time or says more than is there."""
    spellout, wanted = read_spellout(row["spellout"], {}), re.compile(row["spelled"])

    def spoken(match: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", match[0])
        is_number = len(digits) <= MAX_DIGITS and (digits[0] != "0" or digits == "0")
        return spell(spellout, "cardinal", int(digits)) if is_number and wanted.fullmatch(digits) else match[0]

    return re.compile(rf"{_NO_LETTER_BEFORE}(?<![\d.,])({whole})(?![\d]|[.,]\d)"), spoken
