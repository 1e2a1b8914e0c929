"""Quotations and emphasis are found in the marks of many languages, and end where they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.passages import Passage, Passages


def spoken(*parts: str, dialogue: str = "D", emphasis: str = "E") -> list[tuple[str, str]]:
    passages = Passages(dialogue, emphasis)
    return [(one.voice, one.text.strip()) for part in parts for one in passages.read(part)]


@pytest.mark.parametrize(
    ("text", "said", "told"),
    [
        ("“Hello,” she said.", "“Hello,”", "she said."),
        ('"Hello," she said.', '"Hello,"', "she said."),
        ("‘Don’t go,’ she said.", "‘Don’t go,’", "she said."),
        ("„Hallo“, sagte sie.", "„Hallo“,", "sagte sie."),
        ("„Cześć” powiedziała.", "„Cześć”", "powiedziała."),
        ("»Hallo«, sagte sie.", "»Hallo«,", "sagte sie."),
        ("›Hallo‹, sagte sie.", "›Hallo‹,", "sagte sie."),
        ("« Bonjour », dit-elle.", "« Bonjour »,", "dit-elle."),
        ("‹ Bonjour ›, dit-elle.", "‹ Bonjour ›,", "dit-elle."),
        ("«Hola», dijo.", "«Hola»,", "dijo."),
        ("”Hej”, sa hon.", "”Hej”,", "sa hon."),
        ("»Hej», sa hon.", "»Hej»,", "sa hon."),
        ("「你好」他说。", "「你好」", "他说。"),
        ("『你好』他说。", "『你好』", "他说。"),
    ],
)
def test_quotation_marks_of_many_languages(text: str, said: str, told: str) -> None:
    assert spoken(text) == [("D", said), ("", told)]
    assert spoken(f"So. {text}")[1:] == [("D", said), ("", told)]


def test_asterisks_are_left_out_and_what_is_within_marks_stays_there() -> None:
    assert spoken('*He smiles.* "I am *really* glad." And left.') == [
        ("E", "He smiles."),
        ("D", '"I am *really* glad."'),
        ("", "And left."),
    ]
    assert spoken('*He says "hi" twice*') == [("E", 'He says "hi" twice')]


@pytest.mark.parametrize(
    "text",
    [
        'A 5" disk, 6\'2" tall',
        "It’s the boys’ house, ’tis",
        "the so-called ‘thing’",
        "2 * 3 and 4*5*6",
        "f*ck, **bold** and ***",
        "* an item",
        "* * *",
        "he said “",
    ],
)
def test_other_marks_are_text(text: str) -> None:
    assert spoken(text) == [("", text)]


def test_what_is_not_closed_ends_with_its_paragraph_and_goes_on_in_the_next_sentence_of_a_stream() -> None:
    assert spoken("He said “this.\n\nAnd left.") == [("", "He said"), ("D", "“this."), ("", "And left.")]
    assert spoken("“One.", " Two.” He left.") == [("D", "“One."), ("D", "Two.”"), ("", "He left.")]
    assert spoken("“One.\n\n", "Two.") == [("D", "“One."), ("", "Two.")]


def test_a_tag_is_stronger_than_marks() -> None:
    passages = Passages("D", "E")
    found = list(passages.read("[voice:Anna] He “said” so [voice] and [pause:1s] “no”, *twice*."))
    assert [(one.voice, one.text.strip(), one.pause) for one in found] == [
        ("Anna", "He “said” so", 0.0),
        ("", "and", 0.0),
        ("D", "“no”,", 1.0),
        ("E", "twice.", 0.0),
    ]


def test_each_voice_can_be_chosen_alone_and_without_them_nothing_is_split() -> None:
    text = "a “b” c *d*"
    assert spoken(text, emphasis="") == [("", "a"), ("D", "“b”"), ("", "c *d*")]
    assert spoken(text, dialogue="") == [("", "a “b” c"), ("E", "d")]
    assert list(Passages().read(text)) == [Passage(text)]


@given(st.text(alphabet='ab1 .,*\n“”„"«»‹›「」‘’'))
def test_no_letter_is_lost_or_doubled(text: str) -> None:
    letters = "".join(part for _, part in spoken(text))
    assert [each for each in letters if each.isalnum()] == [each for each in text if each.isalnum()]
    assert all(any(each.isalnum() for each in part) for _, part in spoken(text)) or not any(map(str.isalnum, text))
