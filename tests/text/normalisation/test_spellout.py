import re
import tomllib
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import language_of
from voxmatrix.text.normalisation.rules.signs import say_numbers
from voxmatrix.text.normalisation.spellout import read_spellout, spell


def spelled(rows: dict[str, str], value: int) -> str:
    return spell(read_spellout({"numbers": {"0": "zero", "1": "one", **rows}}, {}), "numbers", value)


@pytest.mark.parametrize(
    ("rows", "value", "said"),
    [
        ({"10": "ten[ and >>]"}, 11, "ten and one"),
        ({"10": "ten[ and >>]"}, 10, "ten"),
        ({"10": "<< ten[>>]"}, 10, "one ten"),
        ({"10": "[>>|no rest]"}, 10, "no rest"),
        ({"10": "[>>|no rest]"}, 11, "one"),
        ({"20/20": "score[ >>]"}, 21, "score one"),
        ({"30/20": "<< score >>"}, 40, "two score zero"),
        ({"2": "two", "100": "<< hundred[ >>]"}, 201, "two hundred one"),
        ({"101": "more >>", "100": "hundred"}, 101, "more one"),
    ],
)
def test_the_notation(rows, value, said):
    assert spelled({"2": "two", **rows}, value) == said


def test_a_rule_set_says_a_part_by_another_one():
    spellout = read_spellout(
        {
            "whole": {"0": "none", "10": "<%count<x >%rest> =%count="},
            "count": {"0": "c", "10": "C"},
            "rest": {"0": "r", "5": "R"},
        },
        {},
    )
    assert spell(spellout, "whole", 15) == "cx R C"


def test_a_rule_set_that_is_like_another_differs_in_its_own_rows_alone():
    tables = {"one": {"0": "o", "1": "un", "20": "vingt[ >>]"}, "feminine": {"like": "one", "1": "une"}}
    assert spell(read_spellout(tables, {}), "feminine", 21) == "vingt une"
    assert spell(read_spellout(tables, {}), "one", 21) == "vingt un"


def test_the_longest_ending_is_replaced():
    tables = {"ordinal": {"0": "x", "1": "sone", "2": "one", "endings": {"one": "1st", "sone": "S", "": "th"}}}
    assert [spell(read_spellout(tables, {}), "ordinal", value) for value in range(3)] == ["xth", "S", "1st"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [({"1": "one"}, "no row for 0"), ({"0": "=%other="}, "names a rule set that is missing: %other")],
)
def test_a_table_that_cannot_be_right_is_told_so(rows, said):
    with pytest.raises(ValueError, match=said):
        read_spellout({"numbers": rows}, {})


ONES = [first + last for first in ("ba", "de", "gi", "ko") for last in "lmnrs"]
TENS = [f"{word}ty" for word in ONES[:10]]
SCORES = [f"{word}sco" for word in ONES[:5]]


@dataclass(frozen=True)
class Toy:
    """A made-up language with the properties of real ones, which says its numbers both by a table and by itself."""

    ones_first: bool  # German and Dutch: one and twenty
    vigesimal: bool  # French and Danish: four score ten
    irregular: frozenset[int]  # Spanish and Portuguese: quinientos
    feminine_hundreds: bool  # doscientas
    joined: bool  # Swedish and Italian: letters that meet fall together

    def table(self) -> str:
        step, names = (20, SCORES) if self.vigesimal else (10, TENS)
        tens = {
            step * n: f"[>>-u-]{names[n]}" if self.ones_first else f"{names[n]}[-u->>]"
            for n in range(20 // step, 100 // step)
        }
        hundreds = {100 * n: f"{self.hundred(n)}[ >>]" for n in range(1, 10)}
        feminine = {100 * n: f"{self.hundred(n, feminine=True)}[ >>]" for n in range(1, 10)}
        return "\n".join(
            [
                "[spellout.cardinal]",
                *(f'{value} = "{word}"' for value, word in enumerate(ONES)),
                *(f'"{value}/{step}" = "{rule}"' for value, rule in tens.items()),
                *(f'{value} = "{rule}"' for value, rule in hundreds.items()),
                '1000 = "<%cardinal< mil[ >>]"',
                "[spellout.feminine]",
                'like = "cardinal"',
                f'1 = "{ONES[1]}a"',
                *(f'{value} = "{rule}"' for value, rule in feminine.items()),
                "[spellout.genitive]",
                '0 = "=%feminine="',
                f'endings = {{ {TENS[3]} = "three", "" = "gen" }}',
                "[joins]",
                '"m (?=m)" = ""' if self.joined else "",
            ]
        )

    def hundred(self, n: int, *, feminine: bool = False) -> str:
        word = f"irr{ONES[n]}" if n in self.irregular else f"{ONES[n]}hun"
        return f"{word}as" if feminine and self.feminine_hundreds else word

    def cardinal(self, value: int, *, feminine: bool = False) -> str:
        thousands, below = divmod(value, 1000)
        hundreds, rest = divmod(below, 100)
        words = [f"{self.cardinal(thousands)} mil"] if thousands else []
        words += [self.hundred(hundreds, feminine=feminine)] if hundreds else []
        words += [self._below_hundred(rest, feminine=feminine)] if rest or not words else []
        said = " ".join(words)
        return said.replace("m m", "m") if self.joined else said

    def genitive(self, value: int) -> str:
        words = self.cardinal(value, feminine=True)
        return words.removesuffix(TENS[3]) + "three" if words.endswith(TENS[3]) else f"{words}gen"

    def _below_hundred(self, value: int, *, feminine: bool) -> str:
        if value < 20:
            return f"{ONES[1]}a" if feminine and value == 1 else ONES[value]
        step, names = (20, SCORES) if self.vigesimal else (10, TENS)
        above, rest = divmod(value, step)
        if not rest:
            return names[above]
        ones = self._below_hundred(rest, feminine=feminine)
        return f"{ones}-u-{names[above]}" if self.ones_first else f"{names[above]}-u-{ones}"


TOYS = st.builds(
    Toy,
    ones_first=st.booleans(),
    vigesimal=st.booleans(),
    irregular=st.frozensets(st.integers(1, 9)),
    feminine_hundreds=st.booleans(),
    joined=st.booleans(),
)


@given(TOYS, st.integers(0, 999_999))
def test_a_language_of_any_shape_is_a_table(toy, value):
    rows = tomllib.loads(toy.table())
    language = replace(
        language_of("en"),
        spellout=read_spellout(rows["spellout"], rows["joins"]),
        agreement_of_words=((re.compile(".*moons?"), "feminine"), (re.compile("of"), "genitive")),
    )
    assert numbers.cardinal(str(value), language) == toy.cardinal(value)
    assert numbers.ordinal(str(value), language, "genitive") == toy.genitive(value)
    assert say_numbers(f"{value} moons", language) == f"{toy.cardinal(value, feminine=True)} moons"
    assert say_numbers(f"{value} of", language) == f"{toy.genitive(value)} of"
    assert say_numbers(f"{value} suns", language) == f"{toy.cardinal(value)} suns"
