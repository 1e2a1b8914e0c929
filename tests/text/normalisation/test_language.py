import pytest

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import WITH_TABLE, language_of

#: The rule sets of numbers that rules ask for.
RULE_SETS = {"cardinal", "ordinal", "day", "ruler", "part", "parts"}
#: Words for what the rows of readings say in other languages, or what they have not.
ENGLISH_WORDS = {
    *("oclock", "hundred_hours", "pound", "pounds", "shilling", "shillings", "penny", "pence"),
}
#: Between an amount and its hundredths; between a million and what is counted.
OWN_WORDS = {"and_parts", "of"}


@pytest.mark.parametrize("tag", ["en", "en-us", "en_US", "EN-GB", "en-gb-scotland", "sv", "sv-SE"])
def test_a_tag_finds_its_table_whatever_its_region(tag):
    assert numbers.cardinal("1", language_of(tag)) == {"en": "one", "sv": "ett"}[tag[:2].lower()]


@pytest.mark.parametrize("tag", ["", "da", "enm", "x", "svx-SE"])
def test_other_languages_have_none(tag):
    assert language_of(tag) is None


def test_only_americans_put_the_month_first():
    assert language_of("en-us").month_first
    assert not language_of("en-gb").month_first


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_a_table_says_the_same_things_as_the_others(tag):
    table, english = language_of(tag), language_of("en")
    assert english.words.keys() - ENGLISH_WORDS <= table.words.keys() <= english.words.keys() | OWN_WORDS
    assert table.signs.keys() >= english.signs.keys()
    assert table.spellout.rule_sets.keys() >= RULE_SETS
    forms = {form for _nouns, form in (*table.agreement_of_names, *table.agreement_of_words)}
    assert table.spellout.rule_sets.keys() >= forms
    assert len(table.months) == len(table.short_months) == 12


@pytest.mark.parametrize("tag", WITH_TABLE)
def test_every_name_has_as_many_forms_as_the_plural_of_the_language(tag):
    table = language_of(tag)
    forms = len(table.plurals) + 1
    assert {len(names) for names in table.units.values()} == {forms}
    assert {len(currency.names) for currency in table.currencies} == {forms}
    assert {len(currency.parts) for currency in table.currencies} <= {0, forms}
    assert all(currency.written for currency in table.currencies)


@pytest.mark.parametrize("tag", [tag for tag in WITH_TABLE if not language_of(tag).dates_in_readings])
def test_what_the_rules_of_dates_and_times_ask_for(tag):
    table = language_of(tag)
    assert table.spellout.rule_sets.keys() >= {"year", "decade"}
    assert table.words.keys() >= {"oclock", "hundred_hours"}


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
