"""How a language names people and says who speaks: its table in `tables/people`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from voxmatrix.book.people.patterns import Patterns, patterns_of, title_forms
from voxmatrix.tables import rows

#: m: he; f: she; "": unknown.
Sex = Literal["m", "f", ""]
Words = frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Language:
    """The words of a language."""

    male_titles: Words
    female_titles: Words
    titles: Words
    title_forms: Mapping[str, str]  # by other forms of a title: the one that names have
    common_titles: Words  # those which tell that a last name is a person's
    wives: Words  # titles of women with their husbands' names
    maidens: Words  # titles of unmarried women
    fond: Words  # `dear`: no part of a name
    called: tuple[str, ...]  # stand before a name that is called
    nobody: Words
    places: Words
    with_given_name: Words  # titles before given names
    particles: Words  # `von`: parts of a name that many names share
    nouns: Mapping[str, Sex]
    general_nouns: Words | None  # nouns that no one person is called by; None: people are not called by nouns
    noun_ends: tuple[tuple[re.Pattern[str], Sex], ...]
    articles: Mapping[str, str]  # by determiners: the article in the label of somebody without a name
    article_sex: Mapping[str, Sex]
    subjects: Mapping[str, Sex]  # pronouns in small letters; "": who tells the book
    pronouns: Mapping[str, Sex]  # those which tell the sex of somebody who was named before
    long_forms: Mapping[str, str]  # of given names
    given_names: Mapping[str, Sex]
    nouns_have_capitals: bool
    several_speak: bool  # in one paragraph
    least_pronouns: int  # by which the pronouns of one sex must be more than those of the other, to tell it
    elided: re.Pattern[str] | None  # `l'`, before a name
    elides_before: re.Pattern[str] | None  # the letters before which an article is `l'`
    genitive: str  # the letters that a name ends with in the genitive
    patterns: Patterns

    def noun(self, phrase: str) -> tuple[str, str]:
        """The determiner and the noun of a phrase such as `the old man`."""
        words = self._words(phrase)
        return words[0], words[-1]

    def label(self, phrase: str) -> str:
        """The phrase by which somebody without a name is known: `the man` for `an old man`."""
        words = self._words(phrase)
        article = self.articles.get(words[0].lower())
        if article is None:
            first, *rest = (words[0].lower(), *words[1:]) if self.nouns_have_capitals else phrase.lower().split()
            return " ".join([first, *rest])
        noun = words[-1] if self.nouns_have_capitals else words[-1].lower()
        if self.elides_before and self.elides_before.match(noun):
            return f"l'{noun}"
        return f"{article} {noun}"

    def noun_sex(self, phrase: str) -> Sex:
        """The sex of whom a noun, with its determiner or without, names: `uncle`, `the uncle`."""
        determiner, noun = self.noun(phrase)
        for key in (f"{self.articles.get(determiner.lower(), '')} {noun}".lower(), noun.lower()):
            if key in self.nouns:
                return self.nouns[key]
        return next((sex for ends, sex in self.noun_ends if ends.search(noun)), "")

    def speaker_sex(self, phrase: str) -> Sex:
        """The sex of somebody who speaks, by the noun, else by its article."""
        article = self.articles.get(self.noun(phrase)[0].lower(), "")
        return self.noun_sex(phrase) or self.article_sex.get(article, "")

    def title_sex(self, title: str) -> Sex:
        """The sex of whom a title names: `Mrs`."""
        return "m" if title in self.male_titles else "f" if title in self.female_titles else ""

    def long_form(self, name: str) -> str:
        """A given name in small letters as it is in a register: `elizabeth` for Lizzy."""
        return self.long_forms.get(name.lower(), name.lower())

    def _words(self, phrase: str) -> list[str]:
        if self.elided and (match := self.elided.match(phrase)):
            return [match[0].replace("\u2019", "'"), *phrase[match.end() :].split()]
        return phrase.split()


@cache
def languages() -> Words:
    """The languages that have a table, by their codes."""
    folder = files("voxmatrix.tables").joinpath("people")
    return frozenset(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


@cache
def language_of(code: str) -> Language:
    """The words and patterns of a language that has a table."""
    table = rows.read(f"people/{code}.toml")
    titles, nouns, grammar = table["titles"], table["nouns"], table["grammar"]
    male, female = _words(titles, "male"), _words(titles, "female")
    articles = {word: article for article, words in table["determiners"].items() for word in words.split()}
    article_sex = _sexes(table.get("article_sex", {}))
    return Language(
        male_titles=male,
        female_titles=female,
        titles=male | female | _words(titles, "either"),
        title_forms=title_forms(table),
        common_titles=_words(titles, "common"),
        wives=_words(titles, "wife"),
        maidens=_words(titles, "maiden"),
        fond=_words(titles, "fond"),
        called=tuple(titles["called"].split()),
        nobody=_words(table["capitals"], "none"),
        places=_words(table["capitals"], "places"),
        with_given_name=_words(titles, "with_given_name"),
        particles=_words(table["capitals"], "particles"),
        nouns=_sexes(nouns) | _by_article(nouns.get("by_article", ""), article_sex),
        general_nouns=_words(nouns, "general") if "general" in nouns else None,
        noun_ends=tuple((re.compile(f"(?:{ends})$"), _SEXES[row]) for row, ends in table.get("noun_ends", {}).items()),
        articles=articles,
        article_sex=article_sex,
        subjects=_pronouns(table["pronouns"], "he", "she") | dict.fromkeys(table["pronouns"]["i"].lower().split(), ""),
        pronouns=_pronouns(table["pronouns"], "his", "hers"),
        long_forms={short: long for long, forms in table["short_forms"].items() for short in forms.split()},
        given_names=_sexes(table.get("given_names", {})),
        nouns_have_capitals=grammar.get("nouns_have_capitals", False),
        several_speak=grammar.get("several_speak", False),
        least_pronouns=grammar.get("least_pronouns", 1),
        elided=_pattern(grammar, "elided"),
        elides_before=_pattern(grammar, "elides_before"),
        genitive=grammar.get("genitive", ""),
        patterns=patterns_of(table),
    )


_SEXES: Mapping[str, Sex] = {"male": "m", "female": "f"}


def _pattern(grammar: dict[str, Any], row: str) -> re.Pattern[str] | None:
    return re.compile(grammar[row]) if row in grammar else None


def _words(part: dict[str, Any], row: str) -> Words:
    return frozenset(part.get(row, "").split())


def _sexes(part: dict[str, str]) -> dict[str, Sex]:
    return {word: sex for row, sex in _SEXES.items() for word in part.get(row, "").split()}


def _by_article(nouns: str, article_sex: Mapping[str, Sex]) -> dict[str, Sex]:
    """Nouns whose article tells the sex: `der Alte`, `die Alte`."""
    return {f"{article} {noun}": sex for article, sex in article_sex.items() for noun in nouns.split()}


def _pronouns(part: dict[str, str], male: str, female: str) -> dict[str, Sex]:
    rows: tuple[tuple[str, Sex], ...] = ((male, "m"), (female, "f"))
    return {re.split(r"[^\w-]", word)[0]: sex for row, sex in rows for word in part[row].split()}
