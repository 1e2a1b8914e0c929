"""Recordings in any order, of one text: the clips of each find their words."""

import random

import pytest

from voxmatrix.dataset.segment.order import told_in_any_order
from voxmatrix.dataset.segment.texts import Script

SENTENCES = (
    "Alice was beginning to get very tired of sitting by her sister.",
    "Once or twice she had peeped into the book her sister was reading.",
    "There was nothing so very remarkable in that.",
    "In another moment down went Alice after the rabbit.",
    "The rabbit hole went straight on like a tunnel for some way.",
    "Either the well was very deep, or she fell very slowly.",
    "First, she tried to look down and make out what was below.",
    "She took down a jar from one of the shelves as she passed.",
    "I wonder how many miles I have fallen by this time.",
    "Presently she began again, and there was nobody to hear her.",
    "Dinah will miss me very much tonight, I should think.",
    "The old sailor had seen many storms in his life.",
)
SCRIPT = Script.of(" ".join(SENTENCES), "en-us")


def said(order: list[int], texts: tuple[str, ...] = SENTENCES, script: Script = SCRIPT) -> list[list[tuple[str, str]]]:
    heard = [[(texts[number], 0.9)] for number in order]
    found = told_in_any_order(heard, [f"New Recording {number + 1}.m4a" for number in order], script, "en-us")
    return [[(one.text, one.reason) for one in some] for some in found]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_a_shell_or_any_other_loses_no_clip(seed: int) -> None:
    order = sorted(range(len(SENTENCES)), key=lambda number: str(number + 1))
    if seed:
        random.Random(seed).shuffle(order)
    assert said(order) == [[(SENTENCES[number], "")] for number in order]


def test_several_takes_of_a_sentence_are_all_of_the_text() -> None:
    order = [3, 3, 7, 3, 0]
    assert said(order) == [[(SENTENCES[number], "")] for number in order]


def test_words_that_were_heard_wrong_do_not_move_a_clip() -> None:
    wrong = tuple(text.replace("very", "fairy").replace("down", "town") for text in SENTENCES)
    order = [*range(len(SENTENCES) - 1, -1, -1)]
    assert [one[0][0] for one in said(order, wrong)] == [SENTENCES[number] for number in order]


def test_what_is_of_another_text_stays_outside() -> None:
    texts = (*SENTENCES[:3], "Completely unrelated speech about quarterly earnings.")
    found = said([2, 3, 0], texts)
    assert [some[0][1] for some in found] == ["", "not-in-text", ""]


def test_a_place_is_found_in_a_long_text() -> None:
    numbers = random.Random(1)
    words = [f"{first}{second}" for first in ("ba", "ce", "di", "fo", "gu") for second in ("lan", "mer", "nit", "pon")]
    book = [" ".join(numbers.choices(words, k=9)).capitalize() + "." for _ in range(300)]
    book[40:40], book[220:220] = SENTENCES[:2], SENTENCES[2:4]
    script = Script.of(" ".join(book), "en-us")
    assert said([2, 0, 3], script=script) == [[(SENTENCES[number], "")] for number in (2, 0, 3)]


def test_a_recording_in_which_nothing_is_heard_has_no_place() -> None:
    heard = [[("", 0.0)], [], [(SENTENCES[1], 0.9)], [(SENTENCES[0], 0.9)]]
    found = told_in_any_order(heard, ["a", "b", "c", "d"], SCRIPT, "en-us")
    assert [[one.reason for one in some] for some in found] == [["nothing-heard"], [], [""], [""]]
