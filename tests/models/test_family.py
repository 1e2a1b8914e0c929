"""When words are heard."""

from voxmatrix.models.family import TimedWord, timed
from voxmatrix.text.words import Word


def test_a_word_is_heard_from_the_space_before_it_on_but_a_pause_is_not_its_own() -> None:
    phonemes = list("a b, c")
    words = [Word("a", 0, 1), Word("b,", 2, 3), Word("-", 4, 4), Word("c", 5, 6)]
    starts, ends = [0, 100, 140, 240, 300, 700], [100, 140, 240, 300, 700, 800]
    assert timed(words, phonemes, starts, ends, 1000) == [
        TimedWord("a", 0, 100),
        TimedWord("b,", 100, 240),
        TimedWord("-", 300, 300),
        TimedWord("c", 640, 800),
    ]
