"""Words that are divided at the end of a line, and initials, as the rest of the book has them."""

import pytest

from voxmatrix.book.read.pdf.document import Run
from voxmatrix.book.read.pdf.lines import Line
from voxmatrix.book.read.pdf.words import Words


def line(text, initial=""):
    return Line([Run(text, 0, 100, 0, 10)], 1, 0, 100, 0, 10, initial=initial, text=text)


@pytest.mark.parametrize(
    ("divided", "elsewhere", "expected"),
    [
        (("a gram-", "mar book"), "", "a grammar book"),
        (("a well-", "known man"), "He was well-known.", "a well-known man"),
        (("a well-", "known man"), "He was wellknown, a wellknown man, well-known.", "a wellknown man"),
        (("the head-", "quarters"), "The head-master and the head-waiter had quarters.", "the head-quarters"),
        (("dit-", "il alors"), "fit-il, et va-t-il; on dit que oui", "dit-il alors"),
        (("a bright-", "eyed boy"), "bright bright eyed eyed", "a bright-eyed boy"),
        (("Jean-", "Pierre"), "", "Jean-Pierre"),
        (("Nord-", "und Ostsee"), "", "Nord- und Ostsee"),
        (("die neu-", "en Leute"), "die neuen Leute", "die neuen Leute"),
        (("1914-", "1918"), "", "1914-1918"),
        (("a gram\u00ad", "mar book"), "gram-mar", "a grammar book"),
        (("the house\u2014", "and he"), "", "the house\u2014and he"),
        (("the house \u2014", "and he"), "", "the house \u2014 and he"),
        (("\u543e\u8f29\u306f", "\u732b\u3067"), "", "\u543e\u8f29\u306f\u732b\u3067"),
        (("the of\ufb01ce", "\ufb02oor"), "", "the office floor"),
    ],
)
def test_lines_are_joined(divided, elsewhere, expected):
    lines = [line(text) for text in divided]
    assert Words([*lines, line(elsewhere)]).text(lines) == expected


def test_where_words_are_divided_by_a_sign_of_its_own_a_hyphen_is_one():
    lines = [
        line("a gram\u2010"),
        line("mar and a bitter\u2010"),
        line("ly cold new\u2010"),
        line("born and an arm-"),
        line("chair"),
    ]
    assert Words(lines).text(lines) == "a grammar and a bitterly cold newborn and an arm-chair"


def test_where_no_word_is_divided_all_hyphens_are_of_words():
    lines = [line("a hackney-"), line("coach and a well-"), line("known man")]
    assert Words([*lines, line("well-known")]).text(lines) == "a hackney-coach and a well-known man"


@pytest.mark.parametrize(
    ("initial", "rest", "elsewhere", "expected"),
    [
        ("O", "nce upon a time", "", "Once upon a time"),
        ("A", "man came in", "The man and a man.", "A man came in"),
        ("A", "bout noon", "It was about noon.", "About noon"),
        ("\u201cI", "t is late", "", "\u201cIt is late"),
        ("M", "an is free", "an an an", "Man is free"),
    ],
)
def test_an_initial_is_part_of_its_word_unless_it_is_one(initial, rest, elsewhere, expected):
    lines = [line(rest, initial)]
    assert Words([*lines, line(elsewhere)]).text(lines) == expected
