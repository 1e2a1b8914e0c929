"""The times of characters: all of the text, each once, in order."""

import pytest

from voxmatrix.serve.speech.alignment import CharacterAlignment
from voxmatrix.speak.captions import Caption, CaptionWord


def test_characters_share_the_time_of_their_word_and_of_what_is_between() -> None:
    words = (CaptionWord("Hi", 100, 300), CaptionWord("you.", 400, 800))
    found = CharacterAlignment("Hi you.\n").whole([Caption("Hi you.", 0, 900, words)])
    assert "".join(found["characters"]) == "Hi you.\n"
    assert found["character_start_times_seconds"] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert found["character_end_times_seconds"] == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.8]


def test_marks_that_are_not_read_out_have_the_time_between_words() -> None:
    text = "**Well** &amp; [good](https://example.org) \ud800 day"
    words = tuple(
        CaptionWord(word, 100 * number, 100 * number + 50) for number, word in enumerate(["Well", "&", "good", "day"])
    )
    found = CharacterAlignment(text).whole([Caption("Well & good day", 0, 400, words)])
    assert "".join(found["characters"]) == text.replace("\ud800", "?")
    assert found["character_start_times_seconds"][text.index("day")] == 0.3
    for name in ("start", "end"):
        times = found[f"character_{name}_times_seconds"]
        assert times == sorted(times)


def test_without_times_of_words_those_of_the_sentence_are_shared() -> None:
    found = CharacterAlignment("One. Two.")
    first = found.next([Caption("One.", 0, 400)])
    assert first is not None and first["character_end_times_seconds"] == [0.1, 0.2, 0.3, 0.4]
    assert found.next([]) is None
    second = found.next([Caption("Two.", 500, 900)])
    assert second is not None and "".join(second["characters"]) == " Two."
    assert found.rest() is None


@pytest.mark.parametrize("text", ["", "...", "other words altogether"])
def test_a_text_of_which_nothing_was_heard_is_there_as_well(text: str) -> None:
    found = CharacterAlignment(text).whole([Caption("Hello.", 0, 400)])
    assert "".join(found.get("characters", [])) == text
