import pytest

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import WITH_TABLE, language_of

#: The rule sets of numbers that rules ask for.
RULE_SETS = {"cardinal", "ordinal", "day", "ruler", "part", "parts", "year", "decade", "house"}


@pytest.mark.parametrize("tag", ["en", "en-us", "en_US", "EN-GB", "en-gb-scotland", "sv", "sv-SE"])
def test_a_tag_finds_its_table_whatever_its_region(tag):
    assert numbers.cardinal("1", language_of(tag)) == {"en": "one", "sv": "ett"}[tag[:2].lower()]


@pytest.mark.parametrize("tag", ["", "de", "enm", "x", "svx-SE"])
def test_other_languages_have_none(tag):
    assert language_of(tag) is None


def test_only_americans_put_the_month_first():
    assert language_of("en-us").month_first
    assert not language_of("en-gb").month_first


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_a_table_says_the_same_things_as_the_others(tag):
    table, english = language_of(tag), language_of("en")
    assert table.words.keys() == english.words.keys()
    assert table.signs.keys() >= english.signs.keys()
    assert table.spellout.rule_sets.keys() >= RULE_SETS
    forms = {form for _nouns, form in (*table.agreement_of_names, *table.agreement_of_words)}
    assert table.spellout.rule_sets.keys() >= forms
    assert len(table.months) == len(table.short_months) == 12
    assert all(len(currency.names) == 4 and currency.written for currency in table.currencies)


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_what_is_said_needs_no_reading_itself(tag):
    table = language_of(tag)
    for group in (
        table.words,
        table.titles,
        table.abbreviations,
        table.before_numbers,
        table.magnitudes,
        table.signs,
        table.fixed,
        table.streets,
    ):
        for said in group.values():
            assert not any(character.isdigit() for character in said)
