"""Addresses: `1428 Elm St`, `708 N 1st St`, `Santa Clara, CA 95051`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import CAPITAL, TEXT_ENDS, Rule, any_of, apply

#: States whose sign is also a word in capitals.
_WORDS_TOO = frozenset({"HI", "IN", "ME", "OH", "OK", "OR"})


def say_addresses(text: str, language: Language) -> str:
    """House numbers in pairs, streets and states in full, zip codes digit by digit."""
    return apply(_rules(language), text)


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    if not language.streets:
        return ()
    directions, states = any_of(language.directions), language.states
    name = rf"(?:(?:{CAPITAL}[\w'-]*|\d{{1,3}}(?:st|nd|rd|th))\s){{1,3}}"

    def house(match: re.Match[str]) -> str:
        direction = f"{language.directions[match[2]]} " if match[2] else ""
        end = "." if match[0].endswith(".") and TEXT_ENDS.match(match.string, match.end()) else ""
        street = language.streets[match[4].lower()]
        return f"{numbers.in_groups(match[1], language)} {direction}{match[3]}{street}{end}"

    def numbered(match: re.Match[str]) -> str:
        end = "." if match[0].endswith(".") and TEXT_ENDS.match(match.string, match.end()) else ""
        return f"{match[1]} {language.streets[match[2].lower()]}{end}"

    def state(match: re.Match[str]) -> str:
        code = ", ".join(numbers.one_by_one(part, language) for part in match[3].split("-"))
        return f"{states[match[1]]}{match[2]}{code}"

    streets = rf"(?i:({any_of(language.streets)}))(?!\w|\.?\s{CAPITAL})\.?"
    alone = any_of(states.keys() - _WORDS_TOO)
    return (
        (re.compile(rf"(?<![\w.,$£€-])(\d{{1,5}})\s(?:({directions})\.?\s)?({name}){streets}"), house),
        (re.compile(rf"(?<!\w)(\d{{1,3}}(?:st|nd|rd|th))\s{streets}"), numbered),
        (re.compile(rf"(?<=,\s)({any_of(states)})(,?\s)(\d{{5}}(?:-\d{{4}})?)(?!\w)"), state),
        (re.compile(rf"(?<=[a-z],\s)({alone})(?=\s*$|[,;])"), lambda match: states[match[1]]),
    )
