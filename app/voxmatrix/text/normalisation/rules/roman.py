"""Roman numbers: `Chapter IV`, `Henry VIII`, `Apollo XI`, `Rocky III`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import CAPITAL, SMALL, Rule, any_of, apply

_ANY = re.compile(r"\s[IVXLC]+(?!\w)")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN = r"(?=[IVXLC])(C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?!\w|\.\w|'(?!s\b))"
#: Where a lone I is a number after a name, not a word.
_I_ENDS = r"(?=\s*(?:$|[,;:.!?)]|--|\u2013)|\s(?:of|av)\b)"


def say_roman_numbers(text: str, language: Language) -> str:
    """Roman numbers behind parts of books, names of rulers and other names."""
    return apply(_rules(language), text) if _ANY.search(text) else text


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    parts, rulers = any_of(language.numbered_parts), any_of(language.rulers)

    def part(match: re.Match[str]) -> str:
        return f"{match[1]} {numbers.cardinal(str(_value(match[2])), language)}"

    def ruler(match: re.Match[str]) -> str:
        return f"{match[1]} {language.the_ruler.format(number=numbers.ordinal(str(_value(match[2])), language))}"

    return (
        (re.compile(rf"(?<!\w)((?i:{parts}))\s{_ROMAN}"), part),
        (re.compile(rf"(?<!\w)({rulers})\s(?![IXLCV]\b){_ROMAN}"), ruler),
        (re.compile(rf"(?<!\w)({rulers})\s(?=I\b){_ROMAN}{_I_ENDS}"), ruler),
        (re.compile(rf"(?<!\w)({rulers})\s(?=V\b){_ROMAN}"), ruler),
        (re.compile(rf"(?<![\w.])({CAPITAL}{SMALL}+)\s(?=[IVX]{{2}}){_ROMAN}"), part),
    )


def _value(written: str) -> int:
    values = [_VALUES[letter] for letter in written]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
