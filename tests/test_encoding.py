"""Bytes that are not UTF-8, and half characters, are found wherever a text comes from."""

import pytest

from voxmatrix.encoding import check_argument, parse_json
from voxmatrix.errors import UsageError


@pytest.mark.parametrize("text", ["", "é", "\U0001f600", "a\nb"])
def test_any_other_text_is_accepted(text: str) -> None:
    check_argument("--text", text)
    check_argument("--out", text, is_path=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [("caf\udce9", "byte 3 is 0xe9"), ("é\udcff", "byte 2 is 0xff"), ("a\ud800", "U+D800"), ("a\0b", "null character")],
)
def test_what_is_not_unicode_is_named(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="--text") as caught:
        check_argument("--text", text)
    assert said in str(caught.value)


def test_a_name_of_a_file_may_have_any_bytes_but_not_half_a_character_or_null() -> None:
    check_argument("--out", "caf\udce9.wav", is_path=True)
    for name in ("\ud800.wav", "a\0.wav"):
        with pytest.raises(UsageError):
            check_argument("--out", name, is_path=True)


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\uDC00": 1}', '["a", {"b": "\\uDFFF"}]'])
def test_half_a_character_is_no_json(text: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(ValueError, match="surrogates"):
            parse_json(given)


def test_two_halves_are_a_character_and_an_escaped_backslash_is_none() -> None:
    assert parse_json(r'["\ud83d\ude00", "\\ud800"]') == ["\U0001f600", r"\ud800"]
