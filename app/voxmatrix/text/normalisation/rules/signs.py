"""The digits and signs that are left when all else is read."""

import re
from collections.abc import Mapping
from functools import cache

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.rules.codes import say_serials

_GROWN_TOGETHER = lazy_pattern(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
#: `16:9` is no time; behind a capital letter it is a verse: John 3:1.
_PROPORTION = lazy_pattern(r"(\d{1,4}):(\d)(?![\w:]|[.,-]\d)")
_MAX_WORD = 60
_CAPITALISED = lazy_pattern(r"\b[^\W\d_a-z]\w*\s\Z")
_RATIO = lazy_pattern(r"(?<=\d):(?=\d)")
_VERSION = lazy_pattern(r"\d+(?:\.\d+){2,}")
_OF_TWO = lazy_pattern(r"\d{1,3}\.\d{1,3}(?!\w|\.\w)")
_BEFORE_VERSIONS = ("Python ", "ersion ", "elease ")
_BETWEEN_RUNS = lazy_pattern(r"(?<=\d)[^\w\s](?=\d)")
_RUN = lazy_pattern(r"\d+")
_ALONE = lazy_pattern(r"(\d{1,3})\.")

_FORMULA = lazy_pattern(r"[<>^#*·]")
_TAG = lazy_pattern(r"</?([A-Za-z][^<>\n/]{0,200})/?>")
_TIMES = lazy_pattern(r"(?<=\d)\s?[*·]\s?(?=\d)")
_LESS = lazy_pattern(
    r"^<\s?(?=\d)|(?<=\s)<(?=\d)|(?<=[\w)])\s?<\s?(?=[\w-]*\d)|(?<=\d)\s?<\s?(?=\w)|(?<=\w)\s<\s(?=\w)"
)
_GREATER = lazy_pattern(
    r"^>\s?(?=\d)|(?<=\s)>(?=\d)|(?<=[\w)])\s?>\s?(?=[\w-]*\d)|(?<=\d)\s?>\s?(?=\w)|(?<=\w)\s>\s(?=\w)"
)
_POWER = lazy_pattern(r"(?<=[\w)])\^\(?(-?\w+)\)?")
_SHARP = lazy_pattern(r"(?<![\w#])([A-G])#(?!\w)")
#: Greek letters that are signs, but not in a word of Greek.
_LETTER = {sign: re.compile(rf"(?<![^\W\d_]){sign}(?![^\W\d_])") for sign in "αβγπ"}
_GRADE = lazy_pattern(r"([A-F])-(?![\w-]|\s(?:and|or)\s\w+-)")
_BEFORE_GRADES = (" a ", " an ", " grade ")
_SLASH = lazy_pattern(r"(?<=\w)\s?/\s?(?=\w)")
_SILENT = lazy_pattern(r"[\\/*_^`{}<>|~#\[\]\u00a8\u00af\u00b8\u00a6\u00b6\u2020\u2021\u2022\u2012\u2013]+")


def say_numbers(text: str, language: Language) -> str:
    """Every digit that is left: numbers, versions such as 1.2.3, and numbers grown together with letters (MP3)."""

    def version(match: re.Match[str]) -> str:
        return f" {language.words['dot']} ".join(numbers.cardinal(part, language) for part in match[0].split("."))

    def named_version(match: re.Match[str]) -> str:
        return version(match) if match.string.endswith(_BEFORE_VERSIONS, 0, match.start()) else match[0]

    def proportion(match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - _MAX_WORD) : match.start()]
        if before[-1:].isalnum() or before[-1:] in ("/", ":", ".", ",", "-") or _CAPITALISED.search(before):
            return match[0]
        return f"{match[1]} {language.words['to']} {match[2]}"

    def plain(match: re.Match[str]) -> str:
        noun = language.magnitudes.get(match[2], match[2] or "")
        return numbers.number(match[1], language, numbers.form_before_word(noun, language))

    if language.ordinal_dot and (alone := _ALONE.fullmatch(text.strip())):
        return numbers.ordinal(alone[1], language) + "."
    if any(word in text for word in _BEFORE_VERSIONS):
        text = _OF_TWO.sub(named_version, text)
    if ":" in text:
        text = _PROPORTION.sub(proportion, text)
    text = _RATIO.sub(" ", _GROWN_TOGETHER.sub(" ", say_serials(text, language)))
    text = _plain_number(language).sub(plain, text)
    text = _VERSION.sub(version, text)
    return _RUN.sub(lambda match: numbers.cardinal(match[0], language), _BETWEEN_RUNS.sub(" ", text))


@cache
def _plain_number(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.,])({numbers.pattern(language)})(?!\d|[.,]\d)(?=\s(\w+)|)")


def mark_signs(text: str, language: Language) -> str:
    """Signs of formulas and of markup, before numbers are read."""
    if _FORMULA.search(text) is None:
        return text
    text = _TAG.sub(r" \1 ", text).replace("<=", "≤").replace(">=", "≥").replace("^2", "²").replace("^3", "³")
    text = _TIMES.sub(f" {language.words['times']} ", text)
    for pattern, word in ((_LESS, "less"), (_GREATER, "greater")):
        text = pattern.sub(f" {language.words[word]} ", text)
    text = _POWER.sub(rf" {language.words['power']} \1", text)
    return _SHARP.sub(rf"\1 {language.words['sharp']}", text)


def say_signs(text: str, language: Language) -> str:
    """`&`, `+`, `=`, `°` as words; brackets and the signs of markup as nothing."""

    def grade(match: re.Match[str]) -> str:
        """`an A-`, and `a B-` where no other word with a hyphen follows."""
        is_one = match.string.endswith(_BEFORE_GRADES, 0, match.start())
        return f"{match[1]} {language.words['minus']}" if is_one else match[0]

    for sign, word in _signs(language).items():
        if sign in text:
            text = _LETTER[sign].sub(f" {word} ", text) if sign in _LETTER else text.replace(sign, f" {word} ")
    if "-" in text:
        text = _GRADE.sub(grade, text)
    return _SILENT.sub(" ", _SLASH.sub(" ", text))


@cache
def _signs(language: Language) -> Mapping[str, str]:
    money = {
        written: currency.names[0]
        for currency in language.currencies
        for written in currency.written
        if len(written) == 1 and not written.isalpha()
    }
    return {**money, **language.signs}
