"""How English names people and says who speaks: the words of people.toml, and patterns of them.

Every repetition in a pattern has a limit, so that a long line takes no longer than many short ones.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from voxmatrix.tables import rows

#: m: he; f: she; "": unknown.
Sex = Literal["m", "f", ""]
Words = frozenset[str]

#: A word with a capital: O'Brien, Anglo-Saxon.
_CAPITAL = r"[A-Z\u00c0-\u00de]\w{0,30}(?:['\u2019][A-Z]\w{1,30})?(?:-[A-Za-z]\w{1,30}){0,2}"
_BETWEEN = r"(?:de|von|van|du|la|le|di|of\s+the|of)"
_MANNER = (
    r"(?:\w{1,20}ly|then|at\s+last|again|now|only|also|still|never|just|too|quickly|would|had|has|could|did|was|"
    r"must|might)"
)
#: What ends the noun of `the old man with the beard`.
_ENDS_NOUN = (
    r"(?:with|in|as|and|to|of|who|at|from|on|after|for|when|but|by|into|over|or|that|which|if|while|looking|had|was|"
    r"is|were|would|could|did|then|again|once|upon|without|through|turning|himself|herself|presently|now|"
    r"\w{1,20}ly|\w{1,20}ing)\b"
)
_DETERMINER = r"(?:[Tt]he|[Hh]is|[Hh]er|[Mm]y|[Aa]n?|[Tt]heir|[Oo]ne\s+of\s+the|[Aa]nother|[Tt]hat|[Tt]his)"
_NOUN = rf"{_DETERMINER}(?:\s+(?!{_ENDS_NOUN})[A-Za-z][\w-]{{1,30}}){{1,3}}"
_START = r"^[\s,;.\u2014-]{0,5}"
_ASIDE = r"(?:,[^,.;]{1,60},)?"
_MALE_PRONOUNS = frozenset({"he", "him", "his", "himself"})

#: The pronoun that follows a name in its sentence, before another name.
PRONOUN_NEXT = re.compile(r"[^.!?;\"A-Z]{0,80}?\b(he|him|his|himself|she|her|hers|herself)\b")
CAPITAL = re.compile(rf"(?<=[a-z,;] )({_CAPITAL})")


def pronoun_sex(pronoun: str) -> Sex:
    """The sex of `he`, `her` …"""
    return "m" if pronoun.lower() in _MALE_PRONOUNS else "f"


@dataclass(frozen=True, kw_only=True)
class Patterns:
    """Where names and speakers stand. `name`, `pronoun` and `noun` are groups of those that find a subject."""

    name: re.Pattern[str]
    said_name: re.Pattern[str]  # a name beside a verb of saying
    place: re.Pattern[str]  # a name behind `in`, `at` …
    said_the: re.Pattern[str]  # `said the old man`
    said_his: re.Pattern[str]  # `said her mother`
    said_to: re.Pattern[str]  # `said to Anna`
    verb_first: re.Pattern[str]  # behind speech: `said Anna`
    subject_first: re.Pattern[str]  # behind speech: `Anna, my aunt, then said`
    before: re.Pattern[str]  # before speech: `Anna said to her mother:`
    before_verb_first: re.Pattern[str]
    does: re.Pattern[str]  # behind speech: `Anna shook her head`
    begins: re.Pattern[str]  # a sentence


@dataclass(frozen=True, kw_only=True)
class English:
    """The words of people.toml."""

    male_titles: Words
    female_titles: Words
    titles: Words
    fond: Words  # `dear`: no part of a name
    nobody: Words
    places: Words
    with_given_name: Words  # titles before given names
    again: Words  # nouns that stand for somebody who was named before
    general: Words
    nouns: dict[str, Sex]
    long_forms: dict[str, str]  # of given names
    patterns: Patterns

    def noun_sex(self, noun: str) -> Sex:
        """The sex of whom a noun names: `uncle`."""
        return self.nouns.get(noun.lower(), "")

    def title_sex(self, title: str) -> Sex:
        """The sex of whom a title names: `Mrs`."""
        return "m" if title in self.male_titles else "f" if title in self.female_titles else ""

    def long_form(self, name: str) -> str:
        """A given name in small letters as it is in a register: `elizabeth` for Lizzy."""
        return self.long_forms.get(name.lower(), name.lower())


@cache
def english() -> English:
    """The words and patterns."""
    table = rows.read("people.toml")
    male, female = _words(table, "titles", "male"), _words(table, "titles", "female")
    titles = male | female | _words(table, "titles", "either")
    nouns: dict[str, Sex] = dict.fromkeys(_words(table, "nouns", "male"), "m")
    nouns |= dict.fromkeys(_words(table, "nouns", "female"), "f")
    return English(
        male_titles=male,
        female_titles=female,
        titles=titles,
        fond=_words(table, "titles", "fond"),
        nobody=_words(table, "capitals", "none"),
        places=_words(table, "capitals", "places"),
        with_given_name=_words(table, "titles", "with_given_name"),
        again=_words(table, "nouns", "again"),
        general=_words(table, "nouns", "general"),
        nouns=nouns,
        long_forms={short: long for long, forms in table["short_forms"].items() for short in forms.split()},
        patterns=_patterns(_any_of(titles), _any_of(_words(table, "verbs", "said"))),
    )


def _patterns(titles: str, said: str) -> Patterns:
    name = rf"\b(?:(?:{titles})\.?\s+){{0,3}}{_CAPITAL}(?:\s+(?:{_BETWEEN}\s+)?{_CAPITAL}){{0,3}}"
    subject = (
        rf"(?:(?:[Tt]he\s+)?(?P<name>{name})|(?P<pronoun>\b(?:he|she|He|She|I|they|They|we|We)\b)|(?P<noun>\b{_NOUN}))"
    )
    patterns = {
        "name": name,
        "said_name": rf"\b(?:{said})\s+(?:the\s+)?({name})|({name})\s+(?:{_MANNER}\s+)?(?:{said})\b",
        "place": rf"\b(?:in|at|from|near|of)\s+({name})",
        "said_the": rf"\b(?:{said})\s+the\s+(?:[a-z]{{1,20}}\s+){{0,2}}([a-z]{{1,20}})\b",
        "said_his": rf"\b(?:{said})\s+(his|her|my)\s+(?:[a-z]{{1,20}}\s+)?([a-z]{{1,20}})\b",
        "said_to": (
            rf"\b(?:{said})\b[^.!?\"]{{0,40}}?\b(?:to|at)\s+({name})|\b(?:told|asked|assured|answered)\s+({name})"
        ),
        "verb_first": rf"{_START}(?:and\s+|then\s+)?(?:{_MANNER}\s+)?(?:{said})\s+(?:{_MANNER}\s+)?{subject}",
        "subject_first": rf"{_START}(?:and\s+|but\s+)?{subject}{_ASIDE}\s+(?:{_MANNER}\s+){{0,2}}(?:{said})\b",
        "before": rf"{subject}{_ASIDE}\s+(?:{_MANNER}\s+){{0,2}}(?:{said})\b[^.!?]{{0,120}}$",
        "before_verb_first": rf"\b(?:{said})\s+{subject}[^.!?]{{0,80}}[,:]\s*$",
        "does": rf"{_START}(?:and\s+|but\s+)?{subject}(?=\s+(?:{_MANNER}\s+)?[a-z]{{1,20}}(?:ed|t|d|e|n|k|w)\b)",
        "begins": (rf"{_START}(?:[A-Z]\w{{1,20}}ly,?\s+|But\s+|And\s+|Then\s+|At\s+this\s+|When\s+)?{subject}"),
    }
    return Patterns(**{key: re.compile(pattern) for key, pattern in patterns.items()})


def _words(table: dict[str, Any], part: str, row: str) -> Words:
    return frozenset(table[part][row].split())


def _any_of(words: Words) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))
