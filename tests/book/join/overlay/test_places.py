import pytest

from voxmatrix.book.join.overlay.places import find_places, stretches
from voxmatrix.book.join.overlay.words import PARAGRAPH_END, Vocabulary


def found(text: str, *sentences: str) -> list[str]:
    """The pieces of a text that belong to sentences, `sentence: text`."""
    vocabulary = Vocabulary()
    words = vocabulary.words(text)
    places = find_places(sentences, [words], vocabulary)[0]
    return [f"{one.sentence}: {text[one.start : one.end]}" for one in stretches(places, words, text)]


@pytest.mark.parametrize(
    ("text", "sentences", "expected"),
    [
        ("“Yes.” (No.) Why?", ("“Yes.”", "(No.)", "Why?"), ["0: “Yes.”", "1: (No.)", "2: Why?"]),
        ("« Oui ! » Il dit : « Non. »", ("« Oui ! »", "Il dit : « Non. »"), ["0: Oui ! »", "1: Il dit : « Non. »"]),
        (
            "吾輩は猫である。名前はまだ無い。",
            ("吾輩は猫である。", "名前はまだ無い。"),
            ["0: 吾輩は猫である。", "1: 名前はまだ無い。"],
        ),
        ("CHAPTER IV. The sea", ("CHAPTER 4.", "The sea"), ["0: CHAPTER IV.", "1: The sea"]),
        ("an exam\u00adple of ﬁre", ("An example of fire",), ["0: an exam\u00adple of ﬁre"]),
        ("It was [Pg 7] dark. So", ("It was dark.", "So"), ["0: It was [Pg 7] dark.", "1: So"]),
        ("It is 2½ m. So", ("It is 2 1/2 m.", "So"), ["0: It is 2½ m.", "1: So"]),
        (f"The end{PARAGRAPH_END}12{PARAGRAPH_END}of it.", ("The end of it.",), ["0: The end", "0: 12", "0: of it."]),
    ],
)
def test_sentences_with_their_marks(text: str, sentences: tuple[str, ...], expected: list[str]) -> None:
    assert found(text, *sentences) == expected


def test_a_word_elsewhere_is_no_part_of_a_sentence() -> None:
    more = "x y z " * 40
    assert found(f"dark {more} It was a dark night. Then", "It was a dark night.", "Then") == [
        "0: It was a dark night.",
        "1: Then",
    ]


def test_a_sentence_in_two_documents() -> None:
    vocabulary = Vocabulary()
    documents = [vocabulary.words(text) for text in ("The rain fell", "and fell. Then it stopped.")]
    places = find_places(["The rain fell and fell.", "Then it stopped."], documents, vocabulary)
    assert {index: [one.sentence for one in found] for index, found in places.items()} == {0: [0], 1: [0, 1]}
