"""EPUB files of many shapes, each with the chapters that a listener expects."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.book.epubs import METADATA, PIXEL, archive, epub, nav, package, page

Chapters = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class Shape:
    name: str
    data: bytes
    chapters: Chapters
    notes: bool = False
    #: Words of the findings, one each.
    findings: Sequence[str] = ()


_TWO = {"a.xhtml": "<h1>One</h1><p>First.</p>", "b.xhtml": "<h1>Two</h1><p>Second.</p>"}
_TWO_LINES = [("One", "a.xhtml"), ("Two", "b.xhtml")]
_TWO_CHAPTERS: Chapters = [("One", ["One", "First."]), ("Two", ["Two", "Second."])]
_NOTED = (
    '<h1>One</h1><p>Text<a epub:type="noteref" href="#n1">1</a> goes on<sup><a href="n.xhtml#n2" id="r2">2</a></sup>.'
    '<a href="n.xhtml#n3" id="r3">[3]</a></p><aside epub:type="footnote" id="n1"><p>A footnote.</p></aside>'
    '<p class="footnote">Another.</p>'
)
_NOTES = (
    '<h1>Notes</h1><p id="n2"><a href="a.xhtml#r2">2</a>. An endnote.</p>'
    '<div id="n3"><p><a href="a.xhtml#r3">[3]</a> A long one.</p><p>It goes on.</p></div>'
)

BLOCKS = (
    "<h1>Title</h1><p>One  two\n three.</p><ul><li>Item</li><li>Item two<ul><li>Inner</li></ul></li></ul>"
    "<table><tr><th>A</th><th>B</th></tr><tr><td>1.</td><td><p>2</p></td></tr></table>"
    "<blockquote>Quote<p>Inside</p></blockquote>Bare text<div>Box</div>tail<br/>same<br/><br/>new<hr/>"
    "<dl><dt>Term</dt><dd>Meaning</dd></dl><pre>a\n  b</pre><p>fi<b>r</b>st</p>"
)
BLOCK_TEXTS = [
    "Title", "One two three.", "Item", "Item two", "Inner", "A, B", "1. 2", "Quote", "Inside", "Bare text", "Box",
    "tail same", "new", "Term", "Meaning", "a b", "first",
]  # fmt: skip

SHAPES = [
    Shape("epub-3", epub(_TWO, _TWO_LINES), _TWO_CHAPTERS),
    Shape("epub-2", epub(_TWO, _TWO_LINES, version=2), _TWO_CHAPTERS),
    Shape("no-mimetype", epub(_TWO, _TWO_LINES, mimetype=False), _TWO_CHAPTERS),
    Shape("no-contents", epub(_TWO), _TWO_CHAPTERS),
    Shape(
        "no-contents-no-headings",
        epub({"a.xhtml": "<p>First.</p>", "b.xhtml": "<p>Second.</p>"}),
        [("page", ["First."]), ("page", ["Second."])],
    ),
    Shape(
        "titles-from-contents-not-from-headings",
        epub(_TWO, [("I. The Start", "a.xhtml"), ("II.\n  The End", "b.xhtml#nothing-before")]),
        [("I. The Start", ["One", "First."]), ("II. The End", ["Two", "Second."])],
        findings=["nothing-before"],
    ),
    Shape(
        "chapters-by-anchors-in-one-file",
        epub(
            {
                "a.xhtml": '<h1 id="c1">One</h1><p>1.</p><a id="c2"/><h1>Two</h1><p>2.</p>'
                '<div id="c3"><h1>Three</h1>3.</div>'
            },
            [("One", "a.xhtml#c1"), ("Two", "a.xhtml#c2"), ("Three", "a.xhtml#c3")],
        ),
        [("One", ["One", "1."]), ("Two", ["Two", "2."]), ("Three", ["Three", "3."])],
    ),
    Shape(
        "anchor-within-a-heading-and-within-a-paragraph",
        epub(
            {
                "a.xhtml": '<p>Before.</p><h1>One <a name="c1">and</a> only</h1>'
                '<p>End.<span id="c2">Two</span> begins.</p>'
            },
            [("One", "a.xhtml#c1"), ("Two", "a.xhtml#c2")],
        ),
        [("A Book", ["Before."]), ("One", ["One and only", "End."]), ("Two", ["Two begins."])],
    ),
    Shape(
        "chapter-over-several-files",
        epub(
            {**_TWO, "a2.xhtml": "<p>Still one.</p>"},
            _TWO_LINES,
            spine='<itemref idref="a.xhtml"/><itemref idref="a2.xhtml"/><itemref idref="b.xhtml"/>',
        ),
        [("One", ["One", "First.", "Still one."]), ("Two", ["Two", "Second."])],
    ),
    Shape(
        "files-before-and-after-the-contents",
        epub({"0.xhtml": "<h2>Title page</h2><p>By Ann.</p>", **_TWO, "z.xhtml": "<p>Colophon.</p>"}, _TWO_LINES),
        [("Title page", ["Title page", "By Ann."]), _TWO_CHAPTERS[0], ("Two", ["Two", "Second.", "Colophon."])],
    ),
    Shape(
        "parts-with-chapters",
        epub(
            {"p.xhtml": "<h1>Part I</h1>", **_TWO, "c.xhtml": '<h1>Part II</h1><h2 id="x">Three</h2><p>Third.</p>'},
            [("Part I", "p.xhtml", _TWO_LINES), ("Part II", "c.xhtml", [("Three", "c.xhtml#x")])],
        ),
        [("Part I", ["Part 1"]), *_TWO_CHAPTERS, ("Part II", ["Part 2"]), ("Three", ["Three", "Third."])],
    ),
    Shape(
        "part-and-chapter-at-one-place",
        epub(_TWO, [("Part I", "a.xhtml", _TWO_LINES)]),
        [("Part I: One", ["One", "First."]), _TWO_CHAPTERS[1]],
    ),
    Shape(
        "contents-in-another-order-than-the-text",
        epub(_TWO, [("Two", "b.xhtml"), ("One", "a.xhtml"), ("One again", "a.xhtml")]),
        _TWO_CHAPTERS,
    ),
    Shape(
        "contents-lead-nowhere",
        epub(_TWO, [("Gone", "gone.xhtml"), *_TWO_LINES, ("Lost", "b.xhtml#lost"), ("Web", "http://example.org/")]),
        _TWO_CHAPTERS,
        findings=["Gone", "Lost", "Web"],
    ),
    Shape(
        "broken-nav-and-good-ncx",
        epub(
            _TWO,
            _TWO_LINES,
            version=2,
            more={"OEBPS/nav.xhtml": page("<nav><ol></ol></nav>")},
            has_nav=True,
        ),
        _TWO_CHAPTERS,
    ),
    Shape(
        "nav-in-the-reading-order",
        epub(_TWO, _TWO_LINES, spine='<itemref idref="nav"/><itemref idref="a.xhtml"/><itemref idref="b.xhtml"/>'),
        _TWO_CHAPTERS,
    ),
    Shape(
        "contents-page-of-epub-2",
        epub(
            {
                "toc.xhtml": '<h2>Chapters</h2><p><a href="a.xhtml">One</a> 1</p><p><a href="b.xhtml">Two</a> 9</p>',
                **_TWO,
            },
            [("List", "toc.xhtml"), *_TWO_LINES],
            version=2,
            guide='<guide><reference type="toc" href="toc.xhtml"/></guide>',
        ),
        _TWO_CHAPTERS,
    ),
    Shape(
        "contents-as-a-table-in-the-text",
        epub(
            {
                "a.xhtml": "<h1>A Book</h1><p>By Ann.</p><h2>CONTENTS</h2><table><tr><td>1</td><td>"
                '<a href="#c1">One</a></td></tr><tr><td>2</td><td><a href="#c2">Two</a></td></tr></table>'
                '<h2 id="c1">One</h2><p>See <a href="#c2">Two</a>.</p><h2 id="c2">Two</h2><p>End.</p>'
            },
            [("One", "a.xhtml#c1"), ("Two", "a.xhtml#c2")],
        ),
        [("A Book", ["A Book", "By Ann."]), ("One", ["One", "See Two."]), ("Two", ["Two", "End."])],
    ),
    Shape(
        "not-linear",
        epub(_TWO, spine='<itemref idref="a.xhtml"/><itemref idref="b.xhtml" linear="no"/>'),
        [("One", ["One", "First."])],
    ),
    Shape(
        "not-linear-with-notes",
        epub(_TWO, spine='<itemref idref="a.xhtml"/><itemref idref="b.xhtml" linear="no"/>'),
        _TWO_CHAPTERS,
        notes=True,
    ),
    Shape(
        "spine-names-a-file-twice-and-a-missing-one",
        epub(
            _TWO,
            _TWO_LINES,
            spine="".join(f'<itemref idref="{name}"/>' for name in ("a.xhtml", "b.xhtml", "a.xhtml", "gone")),
        ),
        _TWO_CHAPTERS,
        findings=["gone"],
    ),
    Shape(
        "words-that-lead-to-a-note",
        epub(
            {
                "a.xhtml": '<p>Click <a epub:type="noteref" href="#n">this link</a>'
                '<a epub:type="noteref" href="#n">a</a> now.</p>'
            }
        ),
        [("page", ["Click this link now."])],
    ),
    Shape(
        "notes-left-out",
        epub({"a.xhtml": _NOTED, "n.xhtml": _NOTES}, [("One", "a.xhtml"), ("Notes", "n.xhtml")]),
        [("One", ["One", "Text goes on."])],
    ),
    Shape(
        "notes-read",
        epub({"a.xhtml": _NOTED, "n.xhtml": _NOTES}, [("One", "a.xhtml"), ("Notes", "n.xhtml")]),
        [
            ("One", ["One", "Text goes on.", "A footnote.", "Another."]),
            ("Notes", ["Notes", "2. An endnote.", "A long one.", "It goes on."]),
        ],
        notes=True,
    ),
    Shape(
        "page-numbers",
        epub(
            {
                "a.xhtml": '<h1>One</h1><p>Before <span epub:type="pagebreak" id="p2">2</span>after.'
                '<span class="pagenum">[3]</span></p><p role="doc-pagebreak">4</p>'
                '<div epub:type="pagebreak">This page is wrapped into its mark.</div>'
            },
            [("One", "a.xhtml")],
        ),
        [("One", ["One", "Before after.", "This page is wrapped into its mark."])],
    ),
    Shape(
        "hidden-scripts-styles-ruby",
        epub(
            {
                "a.xhtml": "<h1>One</h1><script>bad()</script><style>p {}</style><p hidden=''>No</p>"
                "<p style='color: red; display:none'>No</p><p>Yes<span aria-hidden='true'>No</span><!-- No -->.</p>"
                "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby></p>"
            }
        ),
        [("One", ["One", "Yes.", "漢字"])],
    ),
    Shape(
        "pictures-and-formulas",
        epub(
            {
                "a.xhtml": '<p>See <img src="x.png" alt="a red fox"/>here.</p><img src="x.png" alt="x.png"/>'
                '<figure><img src="y.png" alt="A map."/><figcaption>Map 1</figcaption></figure><img src="z.png"/>'
                '<p><img src="t.png" alt="T"/>he end of <math alttext="x squared"><mi>x</mi></math></p>'
                '<svg xmlns="http://www.w3.org/2000/svg"><title>A star</title><text>Label</text></svg>'
            }
        ),
        [("page", ["See here.", "Map 1", "The end of x squared", "Label"])],
    ),
    Shape(
        "lines-of-a-drawing",
        epub(
            {
                "a.xhtml": '<svg xmlns="http://www.w3.org/2000/svg"><text><tspan y="0">He was rest-</tspan>'
                '<tspan y="9">less in 2005.</tspan><tspan y="18">S</tspan>'
                '<tspan y="18">he was not, and the well-</tspan>\n'
                '<tspan y="27">Being was</tspan><tspan y="36">hers.</tspan></text></svg>'
            }
        ),
        [("page", ["He was restless in 2005. She was not, and the well- Being was hers."])],
    ),
    Shape(
        "formulas",
        epub(
            {
                "a.xhtml": "<p>So <math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>+</mo><msup><mi>x</mi><mn>2</mn></msup>"
                '</math>, and <math alttext="Alternative text not available"><msqrt><mi>y</mi></msqrt></math>.</p>'
            }
        ),
        [("page", ["So a/2 + x² , and √y ."])],
        findings=["2 formulas without a description"],
    ),
    Shape(
        "raised-and-lowered-numbers",
        epub(
            {
                "a.xhtml": "<p>H<sub>2</sub>O on 10<sup>6</sup> m<sup>2</sup>, 2<sup><b>2</b></sup>⁄<sub>3</sub> miles"
                " from the house<sup>1</sup>.<sup>[2]</sup> The 22<span class='sup'>nd</span> time.</p>"
                "<p><sup>3</sup>In the beginning<code>a[1]</code>.</p>"
            }
        ),
        [("page", ["H₂O on 10⁶ m², 2 2/3 miles from the house. The 22nd time.", "3 In the beginninga[1]."])],
    ),
    Shape(
        "lines",
        epub(
            {
                "a.xhtml": "<h2>I<br/>THE UPPER DANUBE</h2>"
                "<p>How doth the crocodile<br/>Improve his tail<br/>And pour</p>"
                "<h2><span>3</span><span>The Wind</span></h2><pre>To me\nTo you</pre><p>wrapped text<br/>goes on</p>"
                "<h2><span>T</span><span>he End</span></h2>"
            }
        ),
        [
            ("I: THE UPPER DANUBE", ["1: THE UPPER DANUBE", "How doth the crocodile, Improve his tail, And pour"]),
            ("3: The Wind", ["3: The Wind", "To me, To you", "wrapped text goes on"]),
            ("The End", ["The End"]),
        ],
    ),
    Shape(
        "line-numbers",
        epub({"a.xhtml": "<p>Hofgarten,<span class='lnum'>10</span><br/>And drank<span class='ln'>ok</span></p>"}),
        [("page", ["Hofgarten, And drankok"])],
    ),
    Shape(
        "declared-entities",
        epub(
            {
                "a.xhtml": "<!DOCTYPE html [<!ENTITY hero 'Sir Galahad'><!ENTITY dash \"&#x2014;\">]>"
                "<html><body><p>&hero; rode &dash; out.</p></body></html>"
            }
        ),
        [("A Book", ["Sir Galahad rode — out."])],
    ),
    Shape(
        "fallbacks-of-pictures-and-of-other-xml",
        epub(
            {"b.xhtml": "<h1>One</h1><p>First.</p>", "d.xhtml": "<h1>Two</h1><p>Second.</p>"},
            [("One", "a.png"), ("Two", "c.xml")],
            items='<item id="a" href="a.png" media-type="image/png" fallback="b.xhtml"/>'
            '<item id="c" href="c.xml" media-type="application/xml" fallback="e"/>'
            '<item id="e" href="a.png" media-type="image/png" fallback="d.xhtml"/>'
            '<item id="f" href="c.xml" media-type="image/png" fallback="f"/>',
            spine='<itemref idref="a"/><itemref idref="c"/><itemref idref="f"/>',
            more={"OEBPS/a.png": PIXEL, "OEBPS/c.xml": "<x>Test fails.</x>"},
        ),
        _TWO_CHAPTERS,
    ),
    Shape("blocks", epub({"a.xhtml": BLOCKS}), [("Title", BLOCK_TEXTS)]),
    Shape(
        "entities-soft-hyphens-spaces",
        epub(
            {
                "a.xhtml": "<h1>Sm&ouml;r&nbsp;&amp; br&#246;d</h1>"
                "<p>Konsti\u00adtution&shy;en\u200b &unknown; &lt;b&gt;</p>"
            }
        ),
        [("Smör & bröd", ["Smör & bröd", "Konstitutionen &unknown; <b>"])],
    ),
    Shape(
        "malformed",
        epub({"a.xhtml": "<html><body><h1>One<p>Un<b>closed &copy <br>next<p>R&D <img src=x alt='pic'></body>"}),
        [("One", ["One", "Unclosed © next", "R&D"])],
    ),
    Shape(
        "malformed-with-empty-elements",
        epub(
            {
                "a.xhtml": "<html><head><title/><script src='x'/></head>"
                "<body><a id='x'/><p>Text & more<br/>here</p></body>"
            }
        ),
        [("A Book", ["Text & more here"])],
    ),
    Shape(
        "wrong-encoding-declared",
        epub({"a.xhtml": '<?xml version="1.0" encoding="iso-8859-1"?><html><p>Åsa läser.</p></html>'.encode()}),
        [("A Book", ["Åsa läser."])],
    ),
    Shape(
        "other-encodings",
        epub(
            {
                "a.xhtml": '<?xml version="1.0" encoding="windows-1251"?><html><h1>Глава</h1></html>'.encode("cp1251"),
                "b.xhtml": "<html><body><h1>Åsa – läser</h1></body></html>".encode("cp1252"),
                "c.xhtml": "<html><body><h1>Åsa</h1></body></html>".encode("utf-16"),
                "d.xhtml": "<html><body><h1>Åsa två</h1></body></html>".encode("utf-16-be"),
                "e.xhtml": b'<?xml version="1.0" encoding="rot13"?><html><body><h1>Nej</h1></body></html>',
            }
        ),
        [(title, [title]) for title in ("Глава", "Åsa – läser", "Åsa", "Åsa två", "Nej")],
    ),
    Shape(
        "names-with-spaces-percent-signs-capitals",
        epub(
            {},
            [("One", "Text/Ch%201.xhtml#a%20b"), ("Two", "text/50%25.xhtml"), ("Three", "Text/%41%2exhtml")],
            items="".join(
                f'<item id="i{number}" href="{href}" media-type="application/xhtml+xml"/>'
                for number, href in enumerate(["Text/Ch%201.xhtml", "Text/50%25.xhtml", "Text/A.xhtml"])
            ),
            spine='<itemref idref="i0"/><itemref idref="i1"/><itemref idref="i2"/>',
            more={
                "OEBPS/Text/Ch 1.xhtml": page('<p id="a b">First.</p>'),
                "OEBPS/Text/50%.xhtml": page("<p>Second.</p>"),
                "OEBPS/Text/A.xhtml": page("<p>Third.</p>"),
            },
        ),
        [("One", ["First."]), ("Two", ["Second."]), ("Three", ["Third."])],
    ),
    Shape(
        "no-container",
        archive({"x/book.opf": package(list(_TWO), has_nav=False), **{f"x/{n}": page(b) for n, b in _TWO.items()}}),
        _TWO_CHAPTERS,
    ),
    Shape(
        "no-spine",
        epub(_TWO, _TWO_LINES, spine=""),
        _TWO_CHAPTERS,
        findings=["no reading order"],
    ),
    Shape(
        "scrambled-fonts-only",
        epub(
            _TWO,
            more={
                "META-INF/encryption.xml": '<encryption xmlns="urn:x"><EncryptedData><EncryptionMethod '
                'Algorithm="http://www.idpf.org/2008/embedding"/></EncryptedData></encryption>'
            },
        ),
        _TWO_CHAPTERS,
    ),
    # Hostile, but harmless when read with care.
    Shape(
        "external-entity",
        epub(
            {
                "a.xhtml": '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://127.0.0.1/">'
                " %y;]><html><body><h1>One</h1><p>See &x; here.</p></body></html>"
            }
        ),
        [("One", ["One", "See here."])],
        findings=["&x; stand for other files"],
    ),
    Shape(
        "billion-laughs",
        epub(
            {
                "a.xhtml": '<!DOCTYPE html [<!ENTITY a "ha">'
                + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
                + "]><html><body><p>So: &i;</p></body></html>"
            }
        ),
        [("A Book", ["So:"])],
        findings=["&i; stand for"],
    ),
    Shape(
        "paths-out-of-the-archive",
        epub(
            _TWO,
            [
                ("Out", "../../a.xhtml"),
                ("Encoded", "%2e%2e/%2E%2e/%2e%2e/etc/passwd"),
                ("File", "file:///etc/passwd"),
                *_TWO_LINES,
            ],
            items='<item id="x" href="../../../etc/passwd" media-type="application/xhtml+xml"/>'
            '<item id="y" href="/etc/passwd" media-type="application/xhtml+xml"/>',
            spine="".join(f'<itemref idref="{name}"/>' for name in ("x", "y", "a.xhtml", "b.xhtml")),
            more={"../evil.xhtml": page("<p>Evil.</p>"), "/etc/evil": "x"},
        ),
        _TWO_CHAPTERS,
        findings=["../../../etc/passwd", "'/etc/passwd'", "'x'", "'y'", "Out", "Encoded", "File"],
    ),
    Shape(
        "path-that-leaves-and-comes-back",
        epub({"a.xhtml": "<p>First.</p>"}, [("One", "../OEBPS/./a.xhtml")]),
        [("One", ["First."])],
    ),
    Shape(
        "ten-thousand-chapters",
        epub(
            {"a.xhtml": "".join(f'<h1 id="c{n}">C{n}</h1><p>{n}.</p>' for n in range(10_000))},
            [(f"C{n}", f"a.xhtml#c{n}") for n in range(10_000)],
        ),
        [(f"C{n}", [f"C{n}", f"{n}."]) for n in range(10_000)],
    ),
    Shape(
        "sections-are-not-chapters-of-a-long-contents",
        epub(
            {"a.xhtml": "".join(f'<h1 id="c{n}">C{n}</h1><h2 id="s{n}">S{n}</h2><p>{n}.</p>' for n in range(60))},
            [(f"C{n}", f"a.xhtml#c{n}", [(f"S{n}", f"a.xhtml#s{n}")]) for n in range(60)],
        ),
        [(f"C{n}", [f"C{n}", f"S{n}", f"{n}."]) for n in range(60)],
        findings=["60 of them for short sections"],
    ),
    Shape(
        "long-chapters-stay-beside-a-hundred-short-sections",
        epub(
            {
                "a.xhtml": "".join(f'<h1 id="c{n}">C{n}</h1><p>{"word " * 900}end {n}.</p>' for n in range(5)),
                "b.xhtml": "<h1>Aphorisms</h1>" + "".join(f'<p id="s{n}">S{n}.</p>' for n in range(120)),
            },
            [
                ("Part", "a.xhtml", [(f"C{n}", f"a.xhtml#c{n}") for n in range(5)]),
                ("Aphorisms", "b.xhtml", [(f"S{n}", f"b.xhtml#s{n}") for n in range(120)]),
            ],
        ),
        [
            *(("Part: C0" if n == 0 else f"C{n}", [f"C{n}", "word " * 900 + f"end {n}."]) for n in range(5)),
            ("Aphorisms", ["Aphorisms", *(f"S{n}." for n in range(120))]),
        ],
        findings=["120 of them for short sections"],
    ),
    Shape(
        "nav-with-headings-and-lists-of-pages",
        epub(
            _TWO,
            [],
            more={
                "OEBPS/nav.xhtml": nav(
                    [], '<nav epub:type="page-list"><ol><li><a href="a.xhtml#p1">1</a></li></ol></nav>'
                ).replace(
                    "<ol></ol>",
                    '<ol><li><span>Part</span><ol><li><a href="a.xhtml"><b>O</b>ne</a></li></ol></li>'
                    '<li><p><a href="b.xhtml" title="x">Two</a></p></li></ol>',
                    1,
                )
            },
        ),
        _TWO_CHAPTERS,
    ),
    Shape(
        "metadata-in-capitals-and-cover-page",
        epub(
            {"cover.xhtml": '<img src="c.png" alt="The cover"/>', **_TWO},
            [("Cover", "cover.xhtml"), *_TWO_LINES],
            version=2,
            metadata=METADATA + '<meta name="cover" content="pic"/>',
            items='<item id="pic" href="c.png" media-type="image/png"/>',
            more={"OEBPS/c.png": PIXEL},
        ),
        _TWO_CHAPTERS,
    ),
]
