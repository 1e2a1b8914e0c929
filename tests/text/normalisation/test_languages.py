"""Sentences of every language with a table, and how a person of that language says them."""

import re

import pytest

from tests.text.languages import SENTENCES
from voxmatrix.text.spoken import spoken_sentences


def folded(text: str) -> str:
    """The letters: capitals, marks and the spaces of compound numbers do not matter."""
    return "".join(re.findall(r"\w", text.lower()))


@pytest.mark.parametrize(("language", "written", "said"), SENTENCES)
def test_a_sentence_is_said_as_people_say_it(language, written, said):
    words = " ".join(sentence.text for sentence in spoken_sentences(written, language))
    assert folded(words) in map(folded, said.split("~")), words
