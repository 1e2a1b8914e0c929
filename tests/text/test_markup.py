"""Marks of Markdown and HTML are not read out, and no word is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.markup import tagged, unfinished, without_markup
from voxmatrix.text.spoken import spoken_sentences

CASES = {
    "![alt text](img.png)": "alt text",
    "The [Kokoro](/kˈOkəɹO/) model": "The [say-as:phonemes kˈOkəɹO|Kokoro] model",
    "[New York](/nuː jˈɔːk/), [cat](/kæt/)": "[say-as:phonemes nuː jˈɔːk|New York], [say-as:phonemes kæt|cat]",
    "[docs](/docs/), [home](/), [a](/b/c/)": "docs, home, a",
    "See [the docs](https://example.com/a/b?c=d).": "See the docs.",
    "[a (b)](http://example.com/x_(y)) c": "a (b) c",
    "[![badge](a.svg)](b)": "badge",
    "```python\nprint(1)\n```": "\nprint(1)\n",
    "~~~\ncode\n~~~": "\ncode\n",
    "&quot;Yes&quot; &amp; &#39;no&#39; &#x2014;": "\"Yes\" & 'no' \u2014",
    "&nosuchname; R&D; AT&T": "&nosuchname; R&D; AT&T",
    "a <b>bold</b> <i class='x'>word</i>": "a bold word",
    "one<br/>two<br>three<p>four": "one\n\ntwo\n\nthree\n\nfour",
    "<tr><td>1</td><td>2</td></tr>": "\n\n 1  2 \n\n",
    "Use <kbd>Ctrl</kbd>, <KBD >x</KBD>": "Use Ctrl, x",
    "a<!-- b. c\n\nd -->e": "ae",
    "<think>hm</think>": "hm",
    "|a|b|\n|---|:-:|\n|1|2|": "|a|b|\n\n|1|2|",
    "a < b and c > d": "a < b and c > d",
    "if x<y and z>w": "if x<y and z>w",
    "a<b and c>d": "a<b and c>d",
    "a<b>c and Map<code>": "a<b>c and Map<code>",
    "un<b>believ</b>able": "unbelievable",
    "a <b and c> d": "a <b and c> d",
    "cp <source> <target>": "cp <source> <target>",
    "&lt;b&gt;": "<b>",
    "&amp;lt;b&amp;gt;": "&lt;b&gt;",
    "> a > b\n> c\n\n> 5 is": "a > b\nc\n\n> 5 is",
    "- [ ] a\n1. [x] b": "-  a\n1.  b",
    "Title\n=====\n": "Title\n\n",
    "a == b": "a == b",
    '```py title="a.py"\nx\n```\n\n~~~ {.c d=1}\ny\n~~~': "\nx\n\n\n\ny\n",
    "~~~fin~~~\n``` two words": "~~~fin~~~\n``` two words",
    "|a|\r\n|-|\r\n|1|": "|a|\r\n\n|1|",
    "[[h\u0259l\u02c8o\u028a]](x) [[b]]": "[[h\u0259l\u02c8o\u028a]](x) [[b]]",
    "f[1](2) and \u6771[\u4eac](https://x.example)": "f[1](2) and \u6771\u4eac",
    '[a](b.html "Title") [c](<d e>) [e](p. 5)': "a c [e](p. 5)",
    "<https://example.com/a>": "https://example.com/a",
    "See [the docs][1] and [D][].\n\n[1]: https://example.com 'Title'\n [D]: <a b>": "See the docs and D.\n\n\n",
    "[![badge][2]](/x) ![alt][]\n[2]: /x#y (A page)\r\n": "badge alt\n\n",
    "x[i][1], a[b][], [1][2] and [see][also]": "x[i][1], a[b][], [1][2] and [see][also]",
    "[[b]][1] [voice:Anna][rate:0.8] [voice][rate]": "[[b]][1] [voice:Anna][rate:0.8] [voice][rate]",
    "[John]: Hello.\n[Ann]: ...\n[^1]: /x\n[Bo]: /x y": "[John]: Hello.\n[Ann]: ...\n[^1]: /x\n[Bo]: /x y",
    "a --- b ~~~ c": "a --- b ~~~ c",
}


@pytest.mark.parametrize(("text", "expected"), CASES.items(), ids=list(CASES))
def test_marks_are_left_out(text: str, expected: str) -> None:
    assert without_markup(text) == expected


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
WRAPPED = st.sampled_from(
    ["{}", "**{}**", "# {}", "[{}](http://x.example)", "![{}](y.png)", "<b>{}</b>", "<i id='q'>{}</i>", "`{}`",
     "&quot;{}&quot;",
     "- {}\n", "> {}", "\n> {}\n", "\n- [ ] {}\n", "x<b>{}", "|{}|", "{} < 3",
     "{}<", "(<{})", "{}&", "[{}]", "```\n{}\n```", "{};", "<{}", "{}>",
     "[{}][1]", "\n[r]: /x\n{}", "[{}]"]
)  # fmt: skip


@given(st.lists(st.tuples(WRAPPED, WORDS), max_size=20))
def test_no_word_is_lost_whatever_surrounds_it(parts: list[tuple[str, str]]) -> None:
    text = " ".join(wrapped.format(f"w{word}w") for wrapped, word in parts)
    assert re.findall(r"w\w+w", without_markup(text)) == [f"w{word}w" for _, word in parts]


@given(st.text())
def test_a_text_without_marks_stays_as_it_is(text: str) -> None:
    assert re.search(r"[\[<&`~|>]|===", text) or without_markup(text) == text


ENDLESS = (
    "[", "![", "[a](", "<b ", "<b a=", "&", "|---", "```", "<!--", "<", "[a]((", "<b a='", ">", "> ", "``` {", "=",
    " ", "[a][", "[a]: /\n", "[a]: <",
)  # fmt: skip


@pytest.mark.parametrize("part", ENDLESS)
def test_endless_beginnings_end(part: str) -> None:
    """A pattern that tries all combinations would not."""
    without_markup(part * 20_000)
    without_markup(f"```{part * 20_000}x y")
    unfinished(part * 20_000, 20_000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A link [to here](https://example.com/x) follows.", ["A link to here follows."]),
        ("Use <kbd>Ctrl</kbd> now.", ["Use Ctrl now."]),
        ("[Kokoro](/kˈOkəɹO/) 3.", ["[[kˈOkəɹO]] three."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["a b", "one two"]),
        ("```py\nprint(1)\n```", ["print(one)"]),
        ("Tom &amp; Jerry", ["Tom and Jerry"]),
        ("it&#39;s &#x35;&nbsp;kg", ["it's five kilograms"]),
        ("<b>Hello</b> <i class='x'>there</i><br>friend<br/>mine", ["Hello there", "friend", "mine"]),
        ("<p>One</p><P>Two.</P>", ["One", "Two."]),
        ("&lt;b&gt; is bold", ["b is bold"]),
        ("AT&T; R&D &madeup;", ["AT and T; R and D and madeup;"]),
        ("a < b and c > d", ["a less than b and c greater than d"]),
        ("2 < 3 and 5 > 4", ["two less than three and five greater than four"]),
        ("a*b*c, snake_case_name and x[1]", ["a b c, snake case name and x one"]),
        ("- **bold** and *em*\n- `code`", ["bold and em", "code"]),
        ("> He said\n> no.", ["He said no."]),
    ],
)
def test_markup_in_a_text_is_not_read_aloud(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in spoken_sentences(without_markup(text), "en-us", by_espeak=False)] == expected


def test_in_ssml_what_is_no_element_is_text() -> None:
    assert tagged("<speak>a [b](c.d) &lt;b&gt; <emphasis>e</emphasis></speak>") == "a [b](c.d) <b> e"
    assert tagged("a [b](c.d) <emphasis>") == "a b <emphasis>"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("See [the docs. They", "[the docs. They"),
        ("See [the](http://a", "[the](http://a"),
        ("a <b class='x. y", "<b class='x. y"),
        ("a <!-- b. c\n\nd", "<!-- b. c\n\nd"),
        ("a [[x. y", "[x. y"),
        ("[a](b) <i>c</i> <!-- d --> e", None),
        ("a < b. c", None),
        ("a [b\nc", None),
        ("a\n[1]: https://b.c 'D. E", "[1]: https://b.c 'D. E"),
        ("a\n[1]: https://b.c 'D.'\nE", None),
        (f"[{'a' * 1000}", None),
    ],
)
def test_what_a_text_breaks_off_in_is_found(text: str, rest: str | None) -> None:
    place = unfinished(text, len(text))
    assert (None if place is None else text[place:]) == rest


@pytest.mark.parametrize(("before", "after"), [("a ", "![b](c)"), ("a ", "<!-- b -->"), ("a ", "[b](c)")])
def test_markup_is_not_cut_wherever_a_text_is(before: str, after: str) -> None:
    text = before + after
    for end in range(len(before) + 1, len(text)):
        assert unfinished(text, end) in (len(before), len(before) + 1)
    assert unfinished(text, len(before)) is None and unfinished(text, len(text)) is None
