import re

import pytest
from lxml import etree

from voxmatrix.book.join.overlay.places import Stretch
from voxmatrix.book.join.overlay.spans import XHTML, free_prefix, put_spans
from voxmatrix.book.join.overlay.words import flatten


def marked(body: str, *sentences: str) -> str:
    """The body with the sentences, which are named by their texts, in spans."""
    root = etree.fromstring(f'<html xmlns="{XHTML}"><head><title>t</title></head><body>{body}</body></html>')
    flat = flatten(root)
    stretches = [
        Stretch(number, flat.text.index(text), flat.text.index(text) + len(text))
        for number, text in enumerate(sentences)
    ]
    marks = put_spans(root, flat, stretches, lambda number: f"s{number}")
    text = etree.tostring(root, encoding="unicode")
    assert all(f'id="{mark.anchor}"' in text for mark in marks)
    assert "".join(root.itertext()) == "".join(etree.fromstring(re.sub(r"</?span[^>]*>", "", text)).itertext())
    return (
        text.partition("<body>")[2]
        .removesuffix("</body></html>")
        .replace('<span id="s', "[")
        .replace('">', "|")
        .replace("</span>", "]")
    )


@pytest.mark.parametrize(
    ("body", "sentences", "expected"),
    [
        ("<p>One. Two.</p>", ("One.", "Two."), "<p>[0|One.] [1|Two.]</p>"),
        ("<p>A <em>b <b>c</b></em> d. E.</p>", ("A b c d.", "E."), "<p>[0|A <em>b <b>c</b></em> d.] [1|E.]</p>"),
        ("<p><em>All of it.</em></p>", ("All of it.",), "<p>[0|<em>All of it.</em>]</p>"),
        ("<p><i>A.</i> <i>B.</i></p>", ("A.", "B."), "<p>[0|<i>A.</i>] [1|<i>B.</i>]</p>"),
        (
            "<p>He <em>said. Then</em> he went.</p>",
            ("He said.", "Then he went."),
            "<p>[0|He ]<em>[0-2|said.] [1|Then]</em> [1-2|he went.]</p>",
        ),
        ("<p>A<br/>b.</p>", ("A\nb.",), "<p>[0|A<br/>b.]</p>"),
        (
            "<p>A <a id='x'/><!-- c -->b. C</p>",
            ("A b.",),
            '<p>[0|A <a id="x"/><!-- c -->b.] C</p>'.replace('"x"/>', '"x"/>'),
        ),
        ("<p>A<sup><a href='#n'>1</a></sup> b.</p>", ("A b.",), '<p>[0|A<sup><a href="#n|1</a></sup> b.]</p>'),
        ("<div>A <p>b</p> c</div>", ("A ", "b", " c"), "<div>[0|A ]<p>[1|b]</p> [2|c]</div>"),
        ("<ul><li>A</li><li>B</li></ul>", ("A", "B"), "<ul><li>[0|A]</li><li>[1|B]</li></ul>"),
        ("<p>(<em>A</em>)</p>", ("(A)",), "<p>[0|(<em>A</em>)]</p>"),
        ("<div>Not <script>A.</script><style>A.</style>spoken. A.</div>", ("A.",), None),
    ],
)
def test_markup_is_kept(body: str, sentences: tuple[str, ...], expected: str | None) -> None:
    found = marked(body, *sentences)
    assert found == (expected or "<div>Not <script>A.</script><style>A.</style>spoken. [0|A.]</div>")


def test_a_drawing_has_an_id_of_its_own() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>A. B.</text></svg>'
    root = etree.fromstring(f'<html xmlns="{XHTML}"><body><p>{svg}</p></body></html>')
    flat = flatten(root)
    start = flat.text.index("A.")
    marks = put_spans(root, flat, [Stretch(0, start, start + 2), Stretch(1, start + 3, start + 5)], lambda n: f"s{n}")
    assert [mark.anchor for mark in marks] == ["s0", "s0"]
    assert not list(root.iter(f"{{{XHTML}}}span"))


def test_ids_of_the_author_stay_alone() -> None:
    root = etree.fromstring('<p><a id="sentence-1"/><a id="sentence_"/></p>')
    assert free_prefix(root) == "sentence__"
