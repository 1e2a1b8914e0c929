import re
from dataclasses import replace

import pytest

from tests.text.languages import SENTENCES
from voxmatrix.text.normalisation.language import WITH_TABLE, language_of
from voxmatrix.text.normalisation.rules import readings
from voxmatrix.text.normalisation.rules.readings import say_readings

#: Not names of rule sets.
SPECIAL = {"declined", "silent", "number", "month", "digits", "list", "pairs"}


def said(text: str, *rows: tuple[str, str], language: str = "fr") -> str:
    return say_readings(text, replace(language_of(language), readings=rows))


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("12 et 3", (r"(\d+) et (\d+)", "{2:cardinal} puis {1:feminine}"), "trois puis douze"),
        ("le XIV", ("<roman>", "{roman:cardinal}"), "le quatorze"),
        ("le xiv", (r"(?P<roman>x?iv)", "{roman:cardinal}"), "le quatorze"),
        ("007", (r"(\d+)", "{1:cardinal}"), "sept"),
        ("1 000e", ("<integer>e", "{integer:nth}"), "millième"),
        ("2,5", ("<number>", "{number:number}"), "deux virgule cinq"),
        ("3 mars", ("<day> <month>", "{month} {day:day}"), "mars trois"),
        ("03/04", ("<day>/<month_number>", "{day:day} {month:month}"), "trois avril"),
        ("3 sept.", (r"<day> <month>\.", "{day:day} {month:month}"), "trois septembre"),
        ("1 h", (r"(\d) h", "{1:feminine} {1|heure|heures}"), "une heure"),
        ("2 h", (r"(\d) h", "{1:feminine} {1|heure|heures}"), "deux heures"),
        ("06 12", (r"[\d ]+", "{0:pairs}"), "zéro six douze"),
        ("1/2/3", (r"[\d/]+", "{0:list}"), "un deux trois"),
        ("+33 12", (r"\+[\d ]+", "{0:digits}"), "plus trois trois, un deux"),
        ("5 a", (r"(\d)(?: (a)| (b))?", "{1:cardinal}[ {2:silent}premier][ {3:silent}second]"), "cinq premier"),
        ("5 b", (r"(\d)(?: (a)| (b))?", "{1:cardinal}[ {2:silent}premier][ {3:silent}second]"), "cinq second"),
        ("5", (r"(\d)(?: (a)| (b))?", "{1:cardinal}[ {2:silent}premier][ {3:silent}second]"), "cinq"),
        ("au 5, du 5", (r"<after:au|chez>(\d)", "{1:cardinal}"), "au cinq, du 5"),
        ("Au 5", (r"<after:au>(\d)", "{1:cardinal}"), "Au cinq"),
        ("au 5, du 5", (r"<not after:au|chez>(\d)", "{1:cardinal}"), "au 5, du cinq"),
        ("a1 1", (r"<starts>(\d)", "{1:cardinal}"), "a1 un"),
        ("1a 1,5 1", (r"(\d)<ends>", "{1:cardinal}"), "1a 1,cinq un"),
        ("Louis X", ("<ruler> <roman>", "{ruler} {roman:ruler}"), "Louis dix"),
        ("acte X", ("<part> <roman>", "{part} {roman:cardinal}"), "acte dix"),
    ],
)
def test_the_notation(text, row, expected):
    assert said(text, row) == expected


def test_rows_apply_one_after_the_other():
    assert said("1", (r"1", "2"), (r"2", "{0:cardinal}")) == "deux"


def test_an_ordinal_agrees_with_the_words_around_it():
    assert said("am 3. Mai", (r"(\d)\.", "{1:declined}"), language="de") == "am dritten Mai"


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_rows_name_rule_sets_that_are_there(tag):
    language = language_of(tag)
    named = {name for _, row in language.readings for name in re.findall(r"\{\w+:(\w+)\}", row)}
    assert named - SPECIAL <= language.spellout.rule_sets.keys()


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_rows_name_groups_and_places_that_are_there(tag):
    language = language_of(tag)
    for written, row in language.readings:
        pattern = readings._pattern(written, language)
        assert "<starts" not in pattern.pattern and "<after" not in pattern.pattern
        for name in re.findall(r"\{(\w+)[:|}]", row):
            assert name in pattern.groupindex if not name.isdigit() else int(name) <= pattern.groups


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_a_name_behind_a_number_has_the_forms_of_the_language(tag):
    language = language_of(tag)
    forms = len(language.plurals) + 1
    for _, row in language.readings:
        assert all(names.count("|") == forms - 1 for names in re.findall(r"\{\w+\|([^{}]*)\}", row))


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        (r"(\d+)\sUhr", "Uhr"),
        (r"(?<!x)(\d):(\d)(?!y)", ":"),
        (r"<starts>(\d)s?te(?!\w)", "te"),
        (r"(\d)(?:er|ra)", ""),
        (r"ab?cd", "cd"),
        (r"a|b", ""),
        (r"[:.]00(?=\sh)", "00"),
        (r"(\d)\.?(?P<x>(a(b)))", ""),
        (r"x{2,3}y", "y"),
        (r"\d{1,2}h+", "h"),
        (r"\(xx\)\.", "xx"),
        (r"<ruler>s <roman>", "s "),
    ],
)
def test_what_every_match_has(written, literal):
    assert readings._literal_of(written) == literal


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_no_row_is_left_out_where_it_matches(tag):
    language = language_of(tag)
    sentences = [said for row in SENTENCES for said in row[1:]]
    for written, _ in language.readings:
        pattern, needed = readings._pattern(written, language), readings._literal_of(written)
        assert all(needed in match[0] for sentence in sentences for match in pattern.finditer(sentence))
