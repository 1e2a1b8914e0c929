"""The form of an ordinal number by the words around it, where a language declines it: `am dritten Mai`."""

import re

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.language import Declension, Language

_LAST_WORDS = lazy_pattern(r"(?:\b([^\W\d_]+)[\s,]+)?\b([^\W\d_]+)[\s(\"'-]*$")
_NEXT_NOUN = lazy_pattern(r"\.?\s(?:[a-zäöüß]+e[mnrs]?\s){0,2}([A-ZÄÖÜ][\wäöüß-]*)")
#: The ending of an ordinal before, as in `der erste und 2. Tag`.
_JOINED = lazy_pattern(r"(?:te|ste|rte)(n|r|s|m)?\s+(?:und|oder|bis)\s*$")


def ordinal_form(match: re.Match[str], group: str | int, language: Language) -> str:
    """The rule set of the ordinal in a group of the match; `ordinal` in a language without declension."""
    if language.declension is None:
        return "ordinal"
    ending = _ending(match.string[: match.start(group)], match.string[match.end(group) :], language.declension)
    return f"ordinal_{ending}" if ending else "ordinal"


def _ending(before: str, after: str, declension: Declension) -> str:
    """The ending behind the -e: weak behind an article, else strong, as German has them."""
    joined = _JOINED.search(before)
    if joined:
        return joined[1] or ""
    words = _LAST_WORDS.search(before)
    earlier, last = ((words[1] or "").lower(), words[2].lower()) if words else ("", "")
    following = _NEXT_NOUN.match(after)
    noun = following[1] if following else ""
    is_feminine = declension.feminine.search(noun) is not None
    if last == "der":  # of a masculine noun, or the genitive and dative of a feminine one
        return "n" if is_feminine or earlier in declension.dative | declension.genitive else ""
    if last in declension.weak_n | declension.weak_e:
        return "n" if last in declension.weak_n else ""
    return _strong(noun, is_feminine=is_feminine, is_dative=last in declension.dative, declension=declension)


def _strong(noun: str, *, is_feminine: bool, is_dative: bool, declension: Declension) -> str:
    if is_feminine:
        return "r" if is_dative else ""
    if is_dative and noun:
        return "m"
    return "s" if declension.neuter.search(noun) else "r"
