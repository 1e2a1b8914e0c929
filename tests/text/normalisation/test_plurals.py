import pytest

from voxmatrix.text.normalisation.plurals import plural

UKRAINIAN = {
    "one": "v = 0 and i % 10 = 1 and i % 100 != 11",
    "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
    "many": "v = 0 and i % 10 = 0 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 11..14",
}
FRENCH = {"one": "i = 0,1", "many": "e = 0 and i != 0 and i % 1000000 = 0 and v = 0 or e != 0..5"}


@pytest.mark.parametrize(
    ("rules", "number", "category"),
    [
        (UKRAINIAN, "1", "one"),
        (UKRAINIAN, "21", "one"),
        (UKRAINIAN, "11", "many"),
        (UKRAINIAN, "3", "few"),
        (UKRAINIAN, "13", "many"),
        (UKRAINIAN, "100", "many"),
        (UKRAINIAN, "2.5", "other"),
        (FRENCH, "0.5", "one"),
        (FRENCH, "1.5", "one"),
        (FRENCH, "2", "other"),
        (FRENCH, "3000000", "many"),
        ({"few": "n % 100 = 3..10"}, "3.5", "other"),
        ({"one": "n = 1"}, "1.0", "one"),
        ({}, "1", "other"),
    ],
)
def test_the_category_of_a_number(rules, number, category):
    assert plural(rules, number) == category


def test_a_rule_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"'i is 1' is no relation of CLDR"):
        plural({"one": "i is 1"}, "1")
