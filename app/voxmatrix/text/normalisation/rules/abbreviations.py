"""Abbreviations in full: `Dr. Smith`, `Baker St.`, `e.g.`, `No. 5`, `the U.S. Army`, `J. Smith`."""

import re
from collections.abc import Mapping
from functools import cache

from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import CAPITAL, SMALL, TEXT_ENDS, Rule, any_of, apply


def expand(text: str, language: Language) -> str:
    """Every abbreviation of the language's table in full. A dot that also ends a sentence stays."""
    return apply(_rules(language), text)


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    fixed = language.fixed
    return (
        (re.compile(rf"(?<![\w./-])({any_of(fixed)})(?![\w/-]|[.,]\d)"), lambda match: fixed[match[1]]),
        *_numbered(language),
        *_names(language),
        *_everyday(language),
        *_initials(language),
    )


def _numbered(language: Language) -> list[Rule]:
    """`No. 5`, `kl. 8`."""
    table = language.before_numbers
    parts = any_of(key for key, spoken in table.items() if spoken.title() in language.numbered_parts)
    number = rf"(?<![\w.])({any_of(table)})\.?\s?(?=\d)|(?<![\w.])({parts})\.?\s(?!I\b)(?=[IVXLC]+\b)"
    return [(re.compile(number), lambda match: f"{table[match[1] or match[2]]} ")]


def _names(language: Language) -> list[Rule]:
    """`Baker St.` before `St. Paul`: what can be both is a street only where no name follows."""
    behind = {key: spoken for key, spoken in language.after_names.items() if key not in language.titles}
    either = {key: spoken for key, spoken in language.after_names.items() if key in language.titles}
    rules = [_with_dot(rf"(?<=[\w,&] )({any_of(behind)})\.(?!\w)", behind, _before_any(language))]
    if either:
        no_name = rf"(?=\s*$|\s*[^\w\s]|\s+{SMALL}|\s+(?:{any_of(language.starters)})\b)"
        ends = _before_starter(language)
        rules.append(_with_dot(rf"(?<={SMALL} )({any_of(either)})\.(?!\w){no_name}", either, ends))
    titles, dotless = language.titles, any_of(language.dotless_titles)
    dotted = rf"(?<![\w.])({any_of(titles)})\.(?!\w)"
    bare = rf"(?<![\w.])({dotless})(?=\s{CAPITAL})"
    return [*rules, *((re.compile(pattern), lambda match: titles[match[1]]) for pattern in (dotted, bare))]


def _everyday(language: Language) -> list[Rule]:
    """`etc.`, `t.ex.`; those with a dot inside need none at the end."""
    table = {_capitalised(key): _capitalised(spoken) for key, spoken in language.abbreviations.items()}
    table |= language.abbreviations
    dotted = [key for key in table if "." in key]
    return [
        _with_dot(rf"(?<![\w.])({any_of(table)})\.(?!\w)", table, _before_any(language)),
        (re.compile(rf"(?<![\w.])({any_of(dotted)})(?![\w.])"), lambda match: table[match[1]]),
    ]


def _initials(language: Language) -> list[Rule]:
    """`U.S. Army` without its last dot, `J. Smith` without any, but `It was I. He left.` as it is."""
    starters = any_of(language.starters)
    return [
        _with_dot(rf"(?<![\w.])({CAPITAL}(?:\.{CAPITAL})+)\.(?!\w)", {}, _before_starter(language)),
        (
            re.compile(rf"(?<![\w.'])((?!I\b){CAPITAL})\.(?=\s(?!(?:{starters})\b){CAPITAL}(?:{SMALL}|\.))"),
            lambda match: match[1],
        ),
    ]


def _with_dot(pattern: str, table: Mapping[str, str], ends: re.Pattern[str]) -> Rule:
    """Replaced from the table (or left as it is), with a dot where a sentence ends behind it."""

    def spoken(match: re.Match[str]) -> str:
        ended = TEXT_ENDS.match(match.string, match.end()) or ends.match(match.string, match.end())
        return table.get(match[1], match[1]) + ("." if ended else "")

    return re.compile(pattern), spoken


def _before_any(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\s+[\"'(]*{CAPITAL}")


def _before_starter(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\s+[\"'(]*(?:{any_of(language.starters)})\b")


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
