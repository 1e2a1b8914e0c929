"""What `say-as` says a text is, in words: by the table of a language, and nothing where there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text.normalisation.language import WITH_TABLE
from voxmatrix.text.normalisation.say_as import marked, said_as, without_marks


@pytest.mark.parametrize(
    ("form", "written", "said"),
    [
        ("dmy", "3/5/1998", "the third of May, nineteen ninety-eight"),
        ("mdy", "3/5/1998", "March fifth, nineteen ninety-eight"),
        ("ymd", "1998-05-03", "May third, nineteen ninety-eight"),
        ("ydm", "1998.3.5", "the third of May, nineteen ninety-eight"),
        ("yyyymmdd", "19980503", "May third, nineteen ninety-eight"),
        ("yyyymmdd", "????0503", "May third"),
        ("ddmmyy", "030500", "the third of May, oh zero"),
        ("dm", "3.5.", "the third of May"),
        ("md", "5/3", "May third"),
        ("my", "05/1998", "May nineteen ninety-eight"),
        ("ym", "1998-5", "May nineteen ninety-eight"),
        ("y", "1998", "nineteen ninety-eight"),
        ("y", "98", "ninety-eight"),
        ("m", "5", "May"),
        ("d", "3", "third"),
    ],
)
def test_the_format_says_which_number_of_a_date_is_which(form, written, said):
    assert said_as(written, "date", form, "en-us") == said


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("mdy", "19/10/2016"),  # there is no month 19
        ("dmy", "32/1/2016"),
        ("dmy", "3/5"),
        ("dmy", "3 May 1998"),  # the rules of the language know better
        ("yyyymmdd", "1998053"),
        ("yyyymmdd", "19??0503"),
        ("dy", "3 1998"),
        ("", "3/5/1998"),
        ("xyz", ""),
    ],
)
def test_what_does_not_fit_its_format_is_no_date(form, written):
    assert said_as(written, "date", form, "en-us") is None


@pytest.mark.parametrize(
    ("kind", "written", "said"),
    [
        ("cardinal", "1998", "one thousand nine hundred and ninety-eight"),
        ("number", "-3.5", "minus three point five"),
        ("cardinal", "1,234", "one thousand two hundred and thirty-four"),
        ("ordinal", "3", "third"),
        ("ordinal", "21st", "twenty-first"),
        ("fraction", "3/8", "three eighths"),
        ("fraction", "1+1/2", "one and a half"),
        ("time", "4:00am", "four a.m"),
        ("time", "2:30:10 PM", "two thirty p.m and ten seconds"),
        ("time", "21:05", "twenty-one oh five"),
        ("time", "1'21\u2033", "one minute and twenty-one seconds"),
        ("duration", "01:18:30", "one hour eighteen minutes and thirty seconds"),
        ("currency", "EUR 27.50", "twenty-seven euros and fifty cents"),
        ("currency", "99.9 USD", "ninety-nine dollars and ninety cents"),
        ("currency", "$5", "five dollars"),
        ("currency", "5,20 €", "five euros and twenty cents"),
        ("unit", "10 km", "ten kilometers"),
        ("unit", "6'2\u2033", "six feet two inches"),
        ("address", "150th CT NE, Redmond, WA", "one hundred and fiftieth Court Northeast, Redmond, Washington"),
        (
            "address",
            "12 N St Paul St., Troy, NY 12180",
            "twelve North St Paul Street, Troy, New York one two one eight zero",
        ),
    ],
)
def test_each_kind_of_number_is_said_as_that_in_english(kind, written, said):
    assert said_as(written, kind, "", "en-us") == said


@pytest.mark.parametrize(
    ("kind", "form", "written", "said"),
    [
        ("date", "mdy", "3/5/1998", "femte mars nittonhundranittioåtta"),
        ("date", "dm", "3/5", "tredje maj"),
        ("cardinal", "", "3.5", "tre komma fem"),
        ("ordinal", "", "3", "tredje"),
        ("currency", "", "EUR 27.50", "tjugosju euro och femtio cent"),
        ("duration", "ms", "01:18", "en minut och arton sekunder"),
        ("address", "", "150th CT NE", None),
    ],
)
def test_each_language_says_it_by_its_table(kind, form, written, said):
    assert said_as(written, kind, form, "sv") == said


@pytest.mark.parametrize(
    ("kind", "written"),
    [("cardinal", "many"), ("ordinal", "x"), ("fraction", "3"), ("time", "now"), ("duration", "1:18"), ("bleep", "3")],
)
def test_what_is_nothing_of_its_kind_is_not_said_as_it(kind, written):
    assert said_as(written, kind, "", "en-us") is None


def test_no_digit_is_left_in_what_is_said():
    kinds = ("cardinal", "ordinal", "fraction", "date", "time", "duration", "currency", "unit", "address")
    written = ("0", "007", "3/5/1998", "12:59", "1:2:3", "$1,000.05", "12 km/h", "1600 Main St", "½", "9" * 30)
    for language in WITH_TABLE:
        for kind in kinds:
            said = [said_as(text, kind, form, language) for text in written for form in ("", "dmy", "y", "hms12")]
            assert not any(character.isdigit() for one in said if one for character in one)


@settings(max_examples=examples(300))
@given(
    st.sampled_from(["cardinal", "ordinal", "fraction", "date", "time", "duration", "currency", "unit", "address"]),
    st.text("0123456789/.:-?,' \u2033apmhst$\u20ac\u0663", max_size=12) | st.text(max_size=8) | st.just("9" * 5000),
    st.text("dmyhs12", max_size=8),
    st.sampled_from(WITH_TABLE),
)
def test_any_text_is_said_or_is_nothing_of_its_kind(kind, written, form, language):
    said = said_as(written, kind, form, language)
    assert said is None or not any(character.isdecimal() for character in said)


def test_a_language_without_a_table_says_nothing_of_its_own():
    assert said_as("3", "ordinal", "", "fi") is None


def test_a_mark_holds_what_is_written_and_nothing_that_would_end_it():
    assert marked(" 3/5/\n1998 ", "date", "dmy") == "[say-as:date dmy|3/5/ 1998]"
    assert marked("[3|5]", "date", "dm") == "[say-as:date dm|3 5]"
    assert without_marks("on [say-as:date dmy|3/5/1998]!") == "on 3/5/1998!"


@pytest.mark.parametrize(("written", "kind"), [("", "date"), ("3", "name"), ("3", ""), ("9" * 201, "cardinal")])
def test_what_cannot_be_said_as_something_gets_no_mark(written, kind):
    assert marked(written, kind, "") is None
