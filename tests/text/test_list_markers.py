import pytest

from voxmatrix.text.list_markers import without_list_markers

SENTENCES = ["It was cold.", "She was late.", "Nobody knew.", "They left."]


@pytest.mark.parametrize(
    "form", ["{n}. {s}", "{n}) {s}", "({n}) {s}", "{n:03}. {s}", "{n}: {s}", "- {s}", "* {s}", "• {s}"]
)
def test_the_markers_of_a_list_are_dropped(form: str) -> None:
    items = [form.format(n=number, s=sentence) for number, sentence in enumerate(SENTENCES, start=1)]
    assert without_list_markers(items) == SENTENCES
    assert without_list_markers(["My script", *items]) == ["My script", *SENTENCES]


@pytest.mark.parametrize(
    "paragraphs",
    [
        ["1914. The war begins.", "1915. It goes on.", "1916. It goes on."],
        ["1984 was a cold year.", "1985 was not.", "1986 neither."],
        ["12. was his number.", "7. was hers.", "30. was mine."],
        ["1. He came.", "2. He saw."],
        ["A book.", "1. One.", "2. Two.", "3. Three.", "It goes on.", "And on."],
        ["- Who?", "Nobody.", "- Me."],
        ["- One.", "* Two.", "- Three."],
        [],
    ],
)
def test_what_is_read_stays(paragraphs: list[str]) -> None:
    assert without_list_markers(paragraphs) == paragraphs
