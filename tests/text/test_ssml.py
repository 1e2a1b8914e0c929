"""SSML: what is no comment is refused, in a time that grows with the length of the text and not with its square."""

import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.text.ssml import from_ssml


class Counted(str):
    """A text that counts the characters in which something was looked for."""

    searched = 0

    def find(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        found = super().find(part, start)
        self.searched += (len(self) if found < 0 else found) - start
        return found


def work(text: str) -> float:
    """How often each character of a text is looked at."""
    counted = Counted(text)
    with pytest.raises(BadInputError):
        from_ssml(counted)
    assert counted.searched  # else this counts nothing
    return counted.searched / len(text)


@pytest.mark.parametrize("part", ["<!--", "<![CDATA[", "<!---->", "<!-- -- ", "<![CDATA[]]>", "<!-- --><!--"])
def test_many_sections_take_a_time_that_grows_with_their_number(part: str) -> None:
    for count in (100, 1000, 10_000):
        assert work("<speak>" + part * count) <= 2


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE speak>", "<!-- x --><!ENTITY a 'b'>", "<!-- > --><!DOCTYPE x>", "<![CDATA[ ]]><!x", "<!", "<!-"]
)
def test_a_document_type_is_refused_wherever_it_stands(text: str) -> None:
    for document in (f"{text}<speak>a</speak>", f"<speak>a{text}</speak>"):
        with pytest.raises(BadInputError, match="document type"):
            from_ssml(document)


@pytest.mark.parametrize("text", ["<!-- <!DOCTYPE x> -->", "<![CDATA[<!DOCTYPE x>]]>", "<!----><!-- - -->"])
def test_comments_and_quoted_text_may_have_anything_in_them(text: str) -> None:
    assert from_ssml(f"<speak>Hello {text}there</speak>").endswith("there")


@pytest.mark.parametrize("text", ["<speak>a<!-- b</speak>", "<speak>a<![CDATA[ b</speak>", "<speak><!--></speak>"])
def test_what_is_not_closed_is_not_well_formed(text: str) -> None:
    with pytest.raises(BadInputError, match="not well-formed"):
        from_ssml(text)
