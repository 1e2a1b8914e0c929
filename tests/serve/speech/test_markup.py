"""Marks of Markdown and HTML are not read out, and no word is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.serve.speech.markup import without_markup

CASES = {
    "![alt text](img.png)": "alt text",
    "See [the docs](https://example.com/a/b?c=d).": "See the docs.",
    "[a (b)](http://example.com/x_(y)) c": "a (b) c",
    "[![badge](a.svg)](b)": "badge",
    "```python\nprint(1)\n```": "\nprint(1)\n",
    "~~~\ncode\n~~~": "\ncode\n",
    "&quot;Yes&quot; &amp; &#39;no&#39; &#x2014;": "\"Yes\" & 'no' \u2014",
    "&nosuchname; R&D; AT&T": "&nosuchname; R&D; AT&T",
    "a <b>bold</b> <i class='x'>word</i>": "a bold word",
    "one<br/>two<br>three<p>four": "one\ntwo\nthree\nfour",
    "<think>hm</think>": "hm",
    "|a|b|\n|---|:-:|\n|1|2|": "|a|b|\n\n|1|2|",
    "a < b and c > d": "a < b and c > d",
    "if x<y and z>w": "if x<y and z>w",
    "a<b and c>d": "a<b and c>d",
    "&lt;b&gt;": "<b>",
    "[[h\u0259l\u02c8o\u028a]](x) [[b]]": "[[h\u0259l\u02c8o\u028a]](x) [[b]]",
    "f[1](2)": "f1",
    "<https://example.com/a>": "https://example.com/a",
    "a --- b ~~~ c": "a --- b ~~~ c",
}


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=list(CASES))
def test_marks_are_left_out(text: str, expected: str) -> None:
    assert without_markup(text) == expected


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
WRAPPED = st.sampled_from(
    ["{}", "**{}**", "# {}", "[{}](http://x.example)", "![{}](y.png)", "<b>{}</b>", "<i id='q'>{}</i>", "`{}`",
     "&quot;{}&quot;",
     "- {}\n", "> {}", "|{}|", "{} < 3", "{}<", "(<{})", "{}&", "[{}]", "```\n{}\n```", "{};", "<{}", "{}>"]
)  # fmt: skip


@given(st.lists(st.tuples(WRAPPED, WORDS), max_size=20))
def test_no_word_is_lost_whatever_surrounds_it(parts: list[tuple[str, str]]) -> None:
    text = " ".join(wrapped.format(f"w{word}w") for wrapped, word in parts)
    assert re.findall(r"w\w+w", without_markup(text)) == [f"w{word}w" for _, word in parts]


@given(st.text())
def test_a_text_without_marks_stays_as_it_is(text: str) -> None:
    assert re.search(r"[\[<&`~|]", text) or without_markup(text) == text


@pytest.mark.parametrize(
    "part", ["[", "![", "[a](", "<b ", "<b a=", "&", "|---", "```", "<!--", "<", "[a]((", "<b a='"]
)
def test_endless_beginnings_end(part: str) -> None:
    """A pattern that tries all combinations would not."""
    without_markup(part * 20_000)
