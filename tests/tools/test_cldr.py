import tomllib

import pytest

from tools.cldr import asking
from tools.cldr.__main__ import _at_home, _toml
from tools.cldr.data import spellout


def test_rules_of_cldr_become_those_of_a_table():
    rules = {
        "%spellout-cardinal": [["-x", "âm →→;"], ["0", "không;"], ["10", "mười[ →%%teen→];"], ["20", "=#,##0=;"]],
        "%%teen": [["0", "=%spellout-cardinal=;"], ["5", "lăm;"]],
        "%spellout-ordinal": [["0", "thứ =%spellout-cardinal=;"]],
    }
    assert spellout(rules) == {
        "cardinal": {"0": "không", "10": "mười[ >%teen>]"},
        "teen": {"0": "=%cardinal=", "5": "lăm"},
    }
    assert spellout({}) == {}


def test_money_is_called_by_its_name_at_home():
    forms = {"one": "{0} Česká koruna", "other": "{0} českých korun"}
    assert _at_home(forms, -1) == {"one": "{0} koruna", "other": "{0} korun"}
    assert _at_home(forms, "lira") == {"other": "{0} lira"}


@pytest.mark.parametrize(
    ("read", "without", "unread"),
    [
        ("pjˈat", "pjat", True),  # silent
        ("(en)mˈaɪnəs(uk) pjˈat", "pjat", True),
        ("mˈinus pjˈat", "pjat", False),
        ("(en)fˈaɪv mˈaɪnəs", "(en)fˈaɪv", False),  # all of the language is read so
    ],
)
def test_what_is_silent_or_in_english_is_not_read(read, without, unread):
    assert asking.is_unread({"uk": {"-5": read, "5": without}}, "-5", "5") is unread


def test_words_of_another_script_or_in_english_are_of_no_use():
    said = {"uk": {"до": "dˈo", "京": "dʒˈiŋ", "x": "(en)ˈɛks(uk)", "·": ""}}
    assert [asking.is_readable(said, word) for word in said["uk"]] == [True, False, False, False]


def test_a_table_is_written_as_it_is_read():
    table = {
        "decimal": ",",
        "units": [{"written": ["₴", "грн"], "before": [], "one": "{0} гривня", "other": '{0} "гривні"'}],
        "plurals": {"one": "i = 1"},
        "signs": {"½+": "з половиною"},
        "spelled": r"\d+",
        "spellout": {"cardinal": {"0": "нуль"}},
    }
    assert tomllib.loads(_toml(table)) == table
