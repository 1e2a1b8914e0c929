"""A text is without its tags as its author would write it, and its parts are found in the text with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.passages import TAG
from voxmatrix.text.speech.untagged import untagged


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.", "Yes."),
        ("Yes, [pause:1s] he said.", "Yes, he said."),
        ("Yes,[pause:1s] he said.", "Yes, he said."),
        ("Yes, he said [pause:1s]. No.", "Yes, he said. No."),
        ("[voice:Anna] – Yes.", "– Yes."),
        ('"[rate:2][pause:1s] Yes. [rate]", he said.', '"Yes.", he said.'),
        ("The “News”[pause:1s] came.", "The “News” came."),
        ("Yes [aside], [[jˈɛs]] [/voice][rate] ", "Yes [aside], [[jˈɛs]] "),
        ("[voice] [rate]", ""),
    ],
)
def test_a_text_is_as_it_would_be_without_tags(text: str, expected: str) -> None:
    assert untagged(text).text == expected


@given(st.lists(st.sampled_from(["a", "bc", " ", " ", '"', "[pause:1s]", "[voice:a b]", "[rate]", "[[", "]", "."])))
def test_a_part_is_found_in_the_text_with_tags(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = untagged(text)
    assert len(plain.text) == len(plain.places)
    assert "".join(plain.text.split()) == "".join(TAG.sub("", text).split())
    for end in range(1, len(plain.text) + 1):
        start, stop = plain.span(0, end)
        assert TAG.sub("", text[start:stop]).split() == [] or text[stop - 1] == plain.text[end - 1]
        assert all(tag.end() <= stop or tag.start() >= stop for tag in TAG.finditer(text))
