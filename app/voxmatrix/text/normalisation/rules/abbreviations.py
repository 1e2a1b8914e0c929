"""Abbreviations in full, addresses and Roman numbers: `Dr. Smith`, `e.g.`, `1428 Elm St`, `Henry VIII`."""

import re
from collections.abc import Mapping
from functools import cache

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import CAPITAL, SMALL, TEXT_ENDS, Rule, any_of, apply
from voxmatrix.text.normalisation.rules.roman import value_of


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
    """`No. 5`, `No. 05`, `kl. 8`, `ch. iii`."""
    table = language.before_numbers
    parts = [key for key, spoken in table.items() if spoken.title() in language.numbered_parts]
    dotted = any_of(key for key in (*parts, "p.", "pp.") if key.endswith(".") and key in table)
    number = rf"(?<![\w.])({any_of(table)})\.?\s?{_ZEROS}(?=\d)|(?<![\w.])({any_of(parts)})\.?\s(?!I\b)(?=[IVXLC]+\b)"

    def small(match: re.Match[str]) -> str:
        return f"{table[match[1]]} {numbers.cardinal(str(value_of(match[2])), language)}"

    return [
        (re.compile(number), lambda match: f"{table[match[1] or match[2]]} "),
        (re.compile(rf"(?<![\w.])({dotted})\s{_SMALL_ROMAN}"), small),
    ]


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
    """`etc.`, `t.ex.`; those with a dot inside need none at the end. Some end no sentence, whatever follows."""
    table = {_capitalised(key): _capitalised(spoken) for key, spoken in language.abbreviations.items()}
    table |= language.abbreviations
    dotted = [key for key in table if "." in key]
    going_on = {each for key in language.never_last for each in (key, _capitalised(key))}
    pattern, spoken = _with_dot(rf"(?<![\w.])({any_of(table)})\.(?!\w)", table, _before_any(language))
    return [
        (pattern, lambda match: table[match[1]] if match[1] in going_on else spoken(match)),
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


_CAPITALS = rf"{CAPITAL}(?:{CAPITAL}|')*(?!\w)"
_IN_CAPITALS = lazy_pattern(rf"(?<!\w)(?:{_CAPITALS}[^\w\n]{{1,3}}){{2,}}{_CAPITALS}")


def lower_words_in_capitals(text: str, language: Language) -> str:
    """Words that espeak-ng would spell, in small letters where all around is in capitals: `TO US AT HOME`."""
    if not language.words_like_abbreviations:
        return text
    words = _like_abbreviations(language)

    def lowered(match: re.Match[str]) -> str:
        return words.sub(lambda word: word[0].lower(), match[0])

    return words.sub(lambda word: word[0].lower(), text) if _only_capitals(text) else _IN_CAPITALS.sub(lowered, text)


@cache
def _like_abbreviations(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.'])(?:{any_of(language.words_like_abbreviations)})(?![\w.]\w|\w)")


def _only_capitals(text: str) -> bool:
    return text.isupper() and len(text.split()) > 1


#: States whose sign is also a word in capitals.
_WORDS_TOO = frozenset({"HI", "IN", "ME", "OH", "OK", "OR"})


def say_addresses(text: str, language: Language) -> str:
    """House numbers in pairs, streets and states in full, zip codes digit by digit."""
    return apply(_address_rules(language), text)


@cache
def _address_rules(language: Language) -> tuple[Rule, ...]:
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


_ANY = lazy_pattern(r"\s(?:[IVXLC]+|[ivxlc]{2,})(?!\w)|\s0\d")
_ROMAN = r"(?=[IVXLC])(C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?!\w|\.\w|'(?!s\b))"
#: `05`, but `0.5` and the beginning of a telephone number as they are.
_ZEROS = r"(?:0+(?=[1-9]\d?(?!\w|[.,-]\d|\s\d)))?"
_SMALL_ROMAN = r"(?=[ivxlc])(c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))(?!\w|\.\w|')"
_GENITIVE = r"(:s(?!\w))?"
#: Where a lone I is a number after a name, not a word.
_I_ENDS = r"(?=\s*(?:$|[,;:.!?)]|--|\u2013)|\s(?:of|av)\b)"


def say_roman_numbers(text: str, language: Language) -> str:
    """Roman numbers behind parts of books, names of rulers and other names; `Chapter 01` without its zero."""
    return apply(_roman_rules(language), text) if _ANY.search(text) else text


@cache
def _roman_rules(language: Language) -> tuple[Rule, ...]:
    parts, rulers = any_of(language.numbered_parts), any_of(language.rulers)

    def part(match: re.Match[str]) -> str:
        return f"{match[1]} {numbers.cardinal(str(value_of(match[2])), language)}"

    def ruler(match: re.Match[str]) -> str:
        form = "queen" if numbers.form_before_name(match[1], language) == "queen" else "ruler"
        genitive = "s" if match[3] else ""  # Gustav III:s
        return f"{match[1]} {numbers.ordinal(str(value_of(match[2])), language, form)}{genitive}"

    words = any_of(word.lower() for word in language.starters)  # Swedish vi is no number
    return (
        (re.compile(rf"(?<!\w)((?i:{parts}))\s0+(?=[1-9]\d?(?!\w|[.,]\d))"), lambda match: f"{match[1]} "),
        (re.compile(rf"(?<!\w)((?i:{parts}))\s{_ROMAN}"), part),
        (re.compile(rf"(?<!\w)((?i:{parts}))\s(?=\w\w)(?!(?:{words})\b){_SMALL_ROMAN}"), part),
        (re.compile(rf"(?<!\w)({rulers})\s(?![IXLCV]\b){_ROMAN}{_GENITIVE}"), ruler),
        (re.compile(rf"(?<!\w)({rulers})\s(?=I\b){_ROMAN}{_I_ENDS}{_GENITIVE}"), ruler),
        (re.compile(rf"(?<!\w)({rulers})\s(?=V\b){_ROMAN}{_GENITIVE}"), ruler),
        (re.compile(rf"(?<![\w.])({CAPITAL}{SMALL}+)\s(?=[IVX]{{2}}){_ROMAN}"), part),
    )
