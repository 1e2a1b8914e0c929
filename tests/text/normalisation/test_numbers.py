import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import language_of

ENGLISH, SWEDISH, POLISH = language_of("en-us"), language_of("sv"), language_of("pl")


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [
        ("0", "zero", "noll"),
        ("1005", "one thousand and five", "ettusen fem"),
        ("21", "twenty-one", "tjugoett"),
        ("40", "forty", "fyrtio"),
        ("101", "one hundred and one", "etthundraett"),
        ("1000", "one thousand", "ettusen"),
        ("12345", "twelve thousand three hundred and forty-five", "tolvtusen trehundrafyrtiofem"),
        ("2000001", "two million and one", "två miljoner ett"),
        ("007", "zero zero seven", "noll noll sju"),
        ("1" * 17, " ".join(["one"] * 17), " ".join(["ett"] * 17)),
    ],
)
def test_cardinals(digits, english, swedish):
    assert numbers.cardinal(digits, ENGLISH) == english
    assert numbers.cardinal(digits, SWEDISH) == swedish


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [
        ("1", "first", "första"),
        ("20", "twentieth", "tjugonde"),
        ("43", "forty-third", "fyrtiotredje"),
        ("17", "seventeenth", "sjuttonde"),
    ],
)
def test_ordinals(digits, english, swedish):
    assert numbers.ordinal(digits, ENGLISH) == english
    assert numbers.ordinal(digits, SWEDISH) == swedish


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [
        ("1066", "ten sixty-six", "ettusen sextiosex"),
        ("1984", "nineteen eighty-four", "nittonhundraåttiofyra"),
        ("1900", "nineteen hundred", "nittonhundra"),
        ("2005", "two thousand and five", "tvåtusen fem"),
        ("2024", "twenty twenty-four", "tjugohundratjugofyra"),
    ],
)
def test_years(digits, english, swedish):
    assert numbers.year(digits, ENGLISH) == english
    assert numbers.year(digits, SWEDISH) == swedish


def test_numbers_with_separators_are_the_languages_own():
    assert numbers.number("1,234.50", ENGLISH) == "one thousand two hundred and thirty-four point five zero"
    assert numbers.number("1.234,50", SWEDISH) == "ettusen tvåhundratrettiofyra komma femtio"
    assert numbers.number("3,05", SWEDISH) == "tre komma noll fem"


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [("1000000", "one million", "en miljon"), ("21000", "twenty-one thousand", "tjugoettusen")],
)
def test_large_numbers_have_the_gender_of_their_scale(digits, english, swedish):
    assert numbers.cardinal(digits, ENGLISH) == english
    assert numbers.cardinal(digits, SWEDISH) == swedish


def test_swedish_has_a_form_for_nouns_of_common_gender():
    assert numbers.cardinal("21", SWEDISH, "common") == "tjugoen"
    assert numbers.cardinal("22", SWEDISH, "common") == "tjugotvå"


@pytest.mark.parametrize(
    ("upper", "digits", "english", "swedish", "polish"),
    [
        ("1", "2", "half", "halv", "druga"),
        ("2", "3", "thirds", "tredjedelar", "trzecie"),
        ("1", "8", "eighth", "åttondel", "ósma"),
        ("5", "32", "thirty-seconds", "trettioandradelar", "trzydziestych drugich"),
    ],
)
def test_the_parts_of_a_whole(upper, digits, english, swedish, polish):
    assert numbers.denominator(digits, upper, ENGLISH) == english
    assert numbers.denominator(digits, upper, SWEDISH) == swedish
    assert numbers.denominator(digits, upper, POLISH) == polish


@pytest.mark.parametrize(
    ("language", "written", "chosen"),
    [
        ("en", "1", 0),
        ("en", "0", 1),
        ("en", "1.5", 1),
        ("fr", "0", 0),
        ("fr", "1,9", 0),
        ("fr", "2", 1),
        ("pt", "1,5", 0),
        ("pl", "1", 0),
        ("pl", "2", 1),
        ("pl", "4", 1),
        ("pl", "5", 2),
        ("pl", "12", 2),
        ("pl", "22", 1),
        ("pl", "112", 2),
        ("pl", "1.234", 1),
        ("pl", "2,5", 3),
    ],
)
def test_the_name_behind_a_number(language, written, chosen):
    assert (
        numbers.plural(written, ("one", "two", "three", "four"), language_of(language))
        == ("one", "two", "three", "four")[chosen]
    )


def test_a_telephone_number_is_said_in_blocks_or_in_pairs():
    assert numbers.in_blocks("+49 12-3", language_of("de")) == "plus vier neun, eins zwei, drei"
    assert numbers.in_pairs("06 12 34", language_of("fr")) == "zéro six douze trente-quatre"
    assert numbers.one_after_another("17/18", language_of("fr")) == "dix-sept dix-huit"


@pytest.mark.parametrize(
    ("digits", "said"),
    [("12", "twelve"), ("321", "three twenty-one"), ("708", "seven oh eight"), ("54321", "five four three two one")],
)
def test_the_numbers_of_houses_and_models_are_read_in_groups(digits, said):
    assert numbers.in_groups(digits, ENGLISH) == said


_VALUES = {numbers.cardinal(str(value), ENGLISH): value for value in (*range(20), *range(20, 100, 10))}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def value_of(words: str) -> int:
    total = group = 0
    for word in words.replace("-", " ").replace(" and ", " ").split():
        if word == "hundred":
            group *= 100
        elif word in _SCALES:
            total, group = total + group * _SCALES[word], 0
        else:
            group += _VALUES[word]
    return total + group


@given(st.integers(0, 10**numbers.MAX_DIGITS - 1))
def test_the_words_of_any_number_give_the_number_back(value):
    assert value_of(numbers.cardinal(str(value), ENGLISH)) == value


@given(st.integers(0, 10**numbers.MAX_DIGITS - 1))
def test_two_swedish_numbers_never_sound_the_same(value):
    words = numbers.cardinal(str(value), SWEDISH)
    assert words == words.strip() and "  " not in words and "ttt" not in words
    assert words != numbers.cardinal(str(value + 1), SWEDISH)
