import pytest

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import language_of

ENGLISH, SWEDISH = language_of("en-us"), language_of("sv")


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [
        ("0", "zero", "noll"),
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
    [("1", "first", "första"), ("20", "twentieth", "tjugonde"), ("43", "forty-third", "fyrtiotredje")],
)
def test_ordinals(digits, english, swedish):
    assert numbers.ordinal(digits, ENGLISH) == english
    assert numbers.ordinal(digits, SWEDISH) == swedish


@pytest.mark.parametrize(
    ("digits", "english", "swedish"),
    [
        ("1066", "ten sixty-six", "ettusensextiosex"),
        ("1984", "nineteen eighty-four", "nittonhundraåttiofyra"),
        ("1900", "nineteen hundred", "nittonhundra"),
        ("2005", "two thousand and five", "tvåtusenfem"),
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
    ("tag", "text", "said"),
    [
        ("de", "Ich habe 21 Äpfel.", "Ich habe einundzwanzig Äpfel."),
        ("fr-fr", "21 ans", "vingt et un ans"),
        ("pt-br", "1100", "mil e cem"),
        ("nb", "21 år", "tjueen år"),
        ("de", "3,5 und 1.000", "3,5 und 1.000"),
        ("cmn", "我有21个", "我有21个"),
        ("xx", "21", "21"),
        ("", "21", "21"),
        ("de", "9" * 40, "9" * 40),
    ],
)
def test_other_languages_have_their_whole_numbers_read_where_somebody_can(tag, text, said):
    assert numbers.read_numbers(text, tag) == said
