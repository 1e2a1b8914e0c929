"""Where names and speakers stand in the sentences of a language: patterns made of the expressions of its table.

Every repetition in a pattern has a limit, so that a long line takes no longer than many short ones.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

#: A word with a capital: O'Brien, Anglo-Saxon.
_CAPITAL = r"[A-Z\u00c0-\u00de\u0152]\w{0,30}(?:['\u2019][A-Z]\w{1,30})?(?:-[A-Za-z\u00c0-\u00ff]\w{1,30}){0,2}"
_START = r"^[\s,;.\u2014-]{0,5}"
#: Speech that ends with a comma, as its sentence goes on: `"Yes," Bob said`.
_BEHIND_SPEECH = r"""(?<=,["'\u201d\u2019\u00bb] )"""
_ASIDE = r"(?:,[^,.;]{1,60},)?"


@dataclass(frozen=True, kw_only=True)
class Patterns:
    """Where names and speakers stand. `name`, `pronoun` and `noun` are groups of those that find a subject."""

    name: re.Pattern[str]
    capital: re.Pattern[str]  # a word with a capital within a sentence
    determined: re.Pattern[str]  # one behind `the`, in languages whose nouns have capitals
    pronoun_next: re.Pattern[str]  # the pronoun that follows a name in its sentence, before another name
    said_name: re.Pattern[str]  # a name beside a verb of saying
    place: re.Pattern[str]  # a name behind `in`, `at` …
    said_to: re.Pattern[str]  # `said to Anna`
    verb_first: re.Pattern[str]  # behind speech: `said Anna`
    subject_first: re.Pattern[str]  # behind speech: `Anna, my aunt, then said`
    before: re.Pattern[str]  # before speech: `Anna said to her mother:`
    before_verb_first: re.Pattern[str]
    does: re.Pattern[str]  # behind speech: `Anna shook her head`
    begins: re.Pattern[str]  # a sentence
    said_nouns: tuple[re.Pattern[str], ...]  # `said the old man`: the determiner and the noun


def patterns_of(table: dict[str, Any]) -> Patterns:
    """The patterns of a language."""
    grammar = {
        "particle": "",
        "joint": r"\s+",
        "goes_on": "",
        "clitic": "",
        "within": "",
        "behind_speech": "",
        "first": "",
    }
    grammar |= table["grammar"]
    titles = _any_of(title_forms(table))
    said = f"{grammar['clitic']}(?:{_any_of(table['verbs']['said'].split())})"
    never_first = table["capitals"].get("never_first", "").split()
    no_name = [*([rf"(?:{_any_of(never_first)})\b"] if never_first else []), *grammar.get("no_name", [])]
    name_begins = f"(?!{'|'.join(no_name)})" if no_name else ""
    name = (
        rf"\b{name_begins}(?:(?:(?:{titles})\.?\s+){{1,3}}{grammar['particle']})?{_CAPITAL}"
        rf"(?:\s+{grammar['between']}{_CAPITAL}){{0,3}}"
    )
    pronouns = table["pronouns"]
    next_pronoun = _any_of(f"{pronouns['his']} {pronouns['hers']}".split())
    patterns = {
        "name": name,
        "capital": rf"(?:(?<=[a-z,;] )|{_BEHIND_SPEECH}{grammar['within']})({_CAPITAL})",
        "pronoun_next": rf"{grammar['sentence']}{{0,80}}?\b({next_pronoun})\b",
        "determined": rf"\b{grammar.get('before_noun', '(?!)')}\s+({_CAPITAL})",
        "place": rf"\b{grammar['place']}\s+({name})",
        **_beside_speech(grammar, said, name, _subject(grammar, pronouns, name)),
    }
    return Patterns(
        **{key: re.compile(pattern) for key, pattern in patterns.items()},
        said_nouns=tuple(re.compile(rf"{grammar['behind_speech']}\b{said}\s+{noun}") for noun in grammar["said_nouns"]),
    )


def title_forms(table: dict[str, Any]) -> dict[str, str]:
    """The titles as names have them, by all their forms: `monsieur` for M, Monsieur and monsieur."""
    titles = " ".join(table["titles"][row] for row in ("male", "female", "either")).split()
    forms = {form: title for title, forms in table.get("title_forms", {}).items() for form in forms.split()}
    return {title: title for title in titles} | {title[0].upper() + title[1:]: title for title in titles} | forms


def _subject(grammar: dict[str, Any], pronouns: dict[str, str], name: str) -> str:
    both = [word for row in ("he", "she", "others") for word in pronouns[row].split()]
    pronoun = "|".join([*both, *(word[0].upper() + word[1:] for word in both), *pronouns["i"].split()])
    return rf"(?:{grammar['article']}(?P<name>{name})|(?P<pronoun>\b(?:{pronoun})\b)|(?P<noun>\b{grammar['noun']}))"


def _beside_speech(grammar: dict[str, Any], said: str, name: str, subject: str) -> dict[str, str]:
    manner, joint = grammar["manner"], grammar["joint"]
    return {
        "said_name": (
            rf"{grammar['behind_speech']}\b{said}\s+{grammar['article']}({name})"
            rf"|{grammar['first']}({name})\s+(?:{manner}\s+)?{said}\b"
        ),
        "said_to": (rf"\b{said}\b[^.!?\"]{{0,40}}?\b{grammar['to']}\s+({name})|\b{grammar['told']}\s+({name})"),
        "verb_first": rf"{_START}{grammar['and_verb']}(?:{manner}\s+)?{said}{joint}(?:{manner}\s+)?{subject}",
        "subject_first": (
            rf"{_START}{grammar['and_subject']}{subject}{_ASIDE}{grammar['goes_on']}\s+(?:{manner}\s+){{0,2}}{said}\b"
        ),
        "before": rf"{subject}{_ASIDE}{grammar['goes_on']}\s+(?:{manner}\s+){{0,2}}{said}\b[^.!?]{{0,120}}$",
        "before_verb_first": rf"\b{said}{joint}{subject}[^.!?]{{0,80}}[,:]\s*$",
        "does": rf"{_START}{grammar['and_subject']}{subject}(?=\s+(?:{manner}\s+)?{grammar['finite']}\b)",
        "begins": rf"{_START}{grammar['opens']}{subject}",
    }


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(set(words), key=lambda word: (-len(word), word)))
